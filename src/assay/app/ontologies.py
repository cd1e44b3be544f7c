"""The packs of a home: those that are installed, and one for each ontology that lies in it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.errors import AssayError, InvalidInput, NotFound
from assay.logs import Log
from assay.packs.graph.ontology_pack import graph_pack
from assay.packs.registry import all_packs
from assay.rules.pack import Pack
from assay.settings import Settings

FOLDER = "ontologies"
"""Where the ontologies of a home lie."""
ENDINGS = frozenset({".ttl", ".rdf", ".owl", ".xml", ".jsonld", ".nt"})
_BETWEEN = re.compile(r"[^a-z0-9]+")

log = Log("assay.app")


@dataclass(frozen=True)
class Fault:
    """An ontology that is no pack, and why."""

    file: Path
    error: AssayError


class HomePacks(Mapping[str, Pack]):
    """Packs by name. An ontology is read when its pack is first wanted, since it may be large.

    One that cannot be read is told in the log and is not there: it must not stop the work of other
    packs. Its documents wait, like those of any pack that is not installed.
    """

    def __init__(self, settings: Settings) -> None:
        self._installed = all_packs()
        files = ontology_files(settings)
        self._files = {name: file for name, file in files.items() if name not in self._installed}
        self._clashing = [
            _clash(name, file) for name, file in files.items() if name in self._installed
        ]
        self._read: dict[str, Pack | AssayError] = {}

    def __getitem__(self, name: str) -> Pack:
        found = self._found(name)
        if isinstance(found, Pack):
            return found
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (name for name in self.names() if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        return bool(self._installed or self._files)

    def names(self) -> list[str]:
        """What can be named, whether it can be read or not."""
        return sorted({*self._installed, *self._files})

    def named(self, name: str) -> Pack:
        """The pack under that name; an error says why there is none."""
        found = self._found(name)
        if isinstance(found, Pack):
            return found
        if found is not None:
            raise found
        known = ", ".join(self.names()) or "none; install Assay again"
        raise NotFound(f"There is no pack '{name}'.", advice=f"Known are: {known}.")

    def faults(self) -> list[Fault]:
        """The ontologies that are no packs; every one is read for this."""
        unread = [
            Fault(file, found)
            for name, file in self._files.items()
            if isinstance(found := self._found(name), AssayError)
        ]
        return sorted([*self._clashing, *unread], key=lambda fault: fault.file.name)

    def _found(self, name: str) -> Pack | AssayError | None:
        file = self._files.get(name)
        if file is None:
            return self._installed.get(name)
        if name not in self._read:
            try:
                self._read[name] = _pack(name, file)
            except AssayError as error:
                log.warning("ontology_refused", str(error), file=str(file))
                self._read[name] = error
        return self._read[name]


def _pack(name: str, file: Path) -> Pack:
    try:
        data = file.read_bytes()
    except OSError as error:
        raise InvalidInput(
            f"{file.name} cannot be read: {error.strerror}.", advice="Check its owner."
        ) from error
    try:
        return graph_pack(name, data, file=file.name)
    except InvalidInput as error:
        raise InvalidInput(f"{file.name}: {error.what}", advice=error.advice) from error


def _clash(name: str, file: Path) -> Fault:
    told = f"{file.name} would be a pack '{name}', and such a pack is installed."
    return Fault(file, InvalidInput(told, advice="Rename the file."))


def ontology_files(settings: Settings) -> dict[str, Path]:
    """The ontologies that lie in a home, each under the name of its pack."""
    found: dict[str, Path] = {}
    folder = settings.home / FOLDER
    for file in sorted(folder.iterdir()) if folder.is_dir() else ():
        if file.suffix.lower() in ENDINGS and file.is_file():
            name = pack_name(file)
            # Two files with one name, such as x.ttl and x.owl: the second has its ending as well.
            ending = file.suffix[1:].lower()
            found.setdefault(f"{name}_{ending}" if name in found else name, file)
    return found


def pack_name(file: Path) -> str:
    """The name of the pack that an ontology in that file becomes."""
    plain = _BETWEEN.sub("_", file.stem.casefold()).strip("_")[:70]
    return plain if plain[:1].isalpha() else f"ontology_{plain}".rstrip("_")
