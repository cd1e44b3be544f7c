"""Installs the wheel as users do, and plays the demo from there; `make install-check` runs it.

Into an empty environment, without a compiler, from the index that pip is configured with. It takes
minutes and needs that index, so it is no part of `make test`.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
MOST_MB = 250
"""What the base may take, besides pip itself."""
_BUILD = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"
_DOWNLOADED = Path("packs/regulatory/corpus/law/texts")
"""The acts that a measurement downloads into a checkout; they are no part of the package."""


def list_package_files() -> set[str]:
    """The files of the package in this checkout, by their paths in a wheel."""
    package = ROOT / "src" / "assay"
    return {
        file.relative_to(package.parent).as_posix()
        for file in package.rglob("*")
        if file.is_file()
        and file.parent.name != "__pycache__"
        and not file.is_relative_to(package / _DOWNLOADED)
    }


def copy_source(folder: Path) -> None:
    """Copy what a wheel is built from, without what a checkout has besides."""
    for name in list_package_files():
        target = folder / "src" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "src" / name, target)
    for name in ("pyproject.toml", "README.md", "LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, folder)


def build_wheel(source: Path) -> Path:
    """Build the wheel of a copied source."""
    subprocess.run(
        [sys.executable, "-c", _BUILD, "dist"], cwd=source, check=True, capture_output=True
    )
    (built,) = (source / "dist").glob("*.whl")
    return built


def measure_mb(folder: Path) -> float:
    """The space that a folder takes on the disk."""
    return sum(path.lstat().st_blocks for path in folder.rglob("*")) * 512 / 1e6


def main(arguments: Sequence[str] | None = None) -> None:
    """Build, install, measure, and play the demo."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--extras", default="", help="extras to install too, such as all")
    extras = parser.parse_args(arguments).extras
    with tempfile.TemporaryDirectory(prefix="assay-install-") as name:
        folder = Path(name)
        (folder / "source").mkdir()
        copy_source(folder / "source")
        wheel = build_wheel(folder / "source")
        _say(f"built {wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")
        place = folder / "venv"
        venv.create(place, with_pip=True, symlinks=True)
        empty = measure_mb(place)
        what = f"{wheel}[{extras}]" if extras else str(wheel)
        _call(place / "bin" / "python", "-m", "pip", "install", "--quiet",
              "--disable-pip-version-check", "--only-binary", ":all:", what)  # fmt: skip
        taken = measure_mb(place) - empty
        _say(f"installed {extras or 'the base'}: {taken:.0f} MB, besides {empty:.0f} MB for pip")
        assay, home = place / "bin" / "assay", folder / "home"
        _call(assay, "--home", home, "doctor", show=True)
        _call(assay, "--home", home, "demo")
        _call(assay, "--home", home, "release", "verify", "--deep", show=True)
        _call(assay, "--home", home, "backup", "create", folder / "backups", show=True)
        _call(assay, "backup", "verify", folder / "backups", show=True)
        if not extras and taken > MOST_MB:
            sys.exit(f"The base takes {taken:.0f} MB; it must not take more than {MOST_MB}.")


def _call(*command: Path | str, show: bool = False) -> None:
    """Run a command as a new user would: nothing is set for Assay."""
    began = time.monotonic()
    env = {name: value for name, value in os.environ.items() if not name.startswith("ASSAY_")}
    ended = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, check=False, env=env
    )
    words = " ".join(Path(each).name for each in map(str, command))
    _say(f"{words}: exit {ended.returncode}, {time.monotonic() - began:.0f} s")
    if show or ended.returncode:
        _say(ended.stdout.rstrip())
    if ended.returncode:
        sys.exit(ended.stderr.rstrip() or f"{words} failed")


def _say(what: str) -> None:
    print(what, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
