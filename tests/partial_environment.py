"""Environments that lack some distributions, as those of users do who did not install an extra.

Nothing is simulated: what remains is in a new virtual environment, as hard links where possible.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

SITE = Path(sysconfig.get_path("purelib"))


@dataclass(frozen=True)
class PartialEnvironment:
    """An environment without some of what is installed here."""

    python: Path

    def run(
        self, *arguments: str | Path, timeout_s: float = 600
    ) -> subprocess.CompletedProcess[str]:
        """Run Python there."""
        return subprocess.run(
            [self.python, *arguments],
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout_s,
            env={name: value for name, value in os.environ.items() if name[:6] != "ASSAY_"},
        )

    def call(self, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the program there."""
        return self.run("-m", "assay.cli", "--home", home, *arguments)


def build_partial_environment(folder: Path, absent: Collection[str]) -> PartialEnvironment:
    """Everything that is installed here, but for these distributions."""
    venv.create(folder, with_pip=False, symlinks=True)
    left_out = {part for name in absent for part in _list_parts(name)}
    site = next(folder.glob("lib/python*/site-packages"))
    for entry in SITE.iterdir():
        if entry.name not in left_out and entry.name != "__pycache__":
            _link(entry, site / entry.name)
    return PartialEnvironment(folder / "bin" / Path(sys.executable).name)


def _link(source: Path, target: Path) -> None:
    """A file, or a folder with everything in it; symbolic links would lead out of the folders that
    reading processes may open."""
    if source.is_dir():
        shutil.copytree(source, target, copy_function=_link_file)
    else:
        _link_file(source, target)


def _link_file(source: Path | str, target: Path | str) -> None:
    try:
        Path(target).hardlink_to(source)
    except OSError:  # another disk
        shutil.copy2(source, target)


def _list_parts(name: str) -> set[str]:
    """The files and folders of a distribution, directly in the folder of all packages."""
    files: Sequence[Path] = [Path(str(file)) for file in distribution(name).files or ()]
    return {file.parts[0] for file in files if file.parts[0] != ".."}
