"""The packs of a home: the installed ones, and those that pack families make from its files.

Assay's own packs and third-party packs are found in the same way.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import TYPE_CHECKING

from assay.app.pack_entries import find_entry, list_pack_names, refuse_incomplete_pack
from assay.errors import AssayError, InvalidInput, NotFound
from assay.logs import Log
from assay.model.storage import Record
from assay.ruling.declaration import Facts
from assay.sdk.pack import Pack, PackFamily, Publication
from assay.store.record_tables import CORE_RECORDS
from assay.store.schema import Branches

if TYPE_CHECKING:
    from assay.sources.portals import Portal

log = Log("assay.app")


@cache
def load_pack(name: str) -> Pack:
    """Load the installed pack with that name."""
    found = _load_entry(name, find_entry(name))
    if not isinstance(found, Pack):
        raise InvalidInput(f"Pack '{name}' returns a {type(found).__name__}, not a Pack.")
    if found.name != name:
        # Its facts would belong to a pack that cannot be found.
        raise InvalidInput(
            f"Pack '{name}' calls itself '{found.name}'.",
            advice="Register it under the name it declares.",
        )
    return found


def _load_entry(name: str, entry: EntryPoint) -> object:
    try:
        return entry.load()()
    # A pack is third-party code: whatever it raises is reported under its name, even an attempt to
    # end the program.
    except (Exception, SystemExit) as error:
        raise InvalidInput(
            f"Pack '{name}' cannot be loaded: {type(error).__name__}: {error}.",
            advice="Fix it or uninstall it.",
        ) from error


def load_all_packs() -> dict[str, Pack]:
    """Load every installed pack, by name."""
    return {name: load_pack(name) for name in list_pack_names()}


class InstalledPacks(Mapping[str, Pack]):
    """Installed packs by name; each is loaded when first used."""

    def __init__(self) -> None:
        self._names = list_pack_names()

    def __getitem__(self, name: str) -> Pack:
        if name not in self._names:
            raise KeyError(name)
        return load_pack(name)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


@dataclass(frozen=True)
class PackFileFault:
    """A file in a home that should be a pack but is not valid."""

    file: Path
    error: AssayError


class HomePacks(Mapping[str, Pack]):
    """Packs by name. A file is read when its pack is first used, since it may be large.

    A pack file that cannot be read is logged and left out: it must not stop the work of other
    packs. Its documents wait, like those of any pack that is not installed.
    """

    def __init__(self, home: Path, installed: Mapping[str, Pack] | None = None) -> None:
        self._home = home
        self._installed = InstalledPacks() if installed is None else installed
        self._made: dict[str, Pack | AssayError] = {}

    @cached_property
    def _finds(self) -> tuple[dict[str, tuple[Path, PackFamily]], list[PackFileFault]]:
        """The files that become packs, and those whose name is already taken."""
        files: dict[str, tuple[Path, PackFamily]] = {}
        clashing: list[PackFileFault] = []
        families = [pack.family for pack in self._installed.values() if pack.family is not None]
        for family in families:
            for name, file in family.find(self._home).items():
                if name in self._installed or name in files:
                    what = f"{file.name} would be the pack '{name}', which already exists"
                    error = InvalidInput(f"{what}.", advice="Rename the file.")
                    clashing.append(PackFileFault(file, error))
                else:
                    files[name] = (file, family)
        return files, clashing

    @property
    def _files(self) -> Mapping[str, tuple[Path, PackFamily]]:
        return self._finds[0]

    def __getitem__(self, name: str) -> Pack:
        found = self._find(name)
        if isinstance(found, Pack):
            return found
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (name for name in self.names() if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        return bool(self._installed or self._files)

    @property
    def installed(self) -> Mapping[str, Pack]:
        """The packs that do not depend on the files of the home."""
        return self._installed

    def names(self) -> list[str]:
        """All names, including packs that cannot be read."""
        return sorted({*self._installed, *self._files})

    def require_pack(self, name: str) -> Pack:
        """The pack with that name; raises an error that says why there is none."""
        found = self._find(name)
        if isinstance(found, Pack):
            return found
        if found is not None:
            raise found
        refuse_incomplete_pack(name)
        known = ", ".join(self.names()) or "none; reinstall Assay"
        raise NotFound(f"There is no pack '{name}'.", advice=f"Known packs: {known}.")

    def faults(self) -> list[PackFileFault]:
        """The files that are not valid packs; reads every file."""
        unread = [
            PackFileFault(file, found)
            for name, (file, _) in self._files.items()
            if isinstance(found := self._find(name), AssayError)
        ]
        return sorted([*self._finds[1], *unread], key=lambda fault: fault.file.name)

    def _find(self, name: str) -> Pack | AssayError | None:
        # Checked first: finding the files of families means loading every pack.
        if name in self._installed:
            return self._installed[name]
        if name not in self._files:
            return None
        if name not in self._made:
            file, family = self._files[name]
            try:
                self._made[name] = family.make(name, file)
            except AssayError as error:
                log.warning("pack_file_refused", str(error), file=str(file))
                self._made[name] = error
        return self._made[name]


class PackFacts(Mapping[str, Facts]):
    """The facts declarations of packs, by pack name; packs without facts are left out."""

    def __init__(self, packs: Mapping[str, Pack]) -> None:
        self._packs = packs

    def __getitem__(self, name: str) -> Facts:
        facts = self._packs[name].facts
        if facts is None:
            raise KeyError(name)
        return facts

    def __iter__(self) -> Iterator[str]:
        return (name for name, pack in self._packs.items() if pack.facts is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def load_installed_facts() -> dict[str, Facts]:
    """The facts declarations of the installed packs, by pack name."""
    return dict(PackFacts(load_all_packs()))


def load_facts_of(name: str) -> Facts:
    """The facts declaration of one installed pack."""
    return require_facts(load_pack(name))


def require_facts(pack: Pack) -> Facts:
    """The facts declaration of a pack that must have one."""
    if pack.facts is None:
        raise InvalidInput(
            f"The pack '{pack.name}' does not extract facts.",
            advice="Use a pack that declares facts.",
        )
    return pack.facts


def portals_of(packs: Mapping[str, Pack]) -> "dict[str, Portal]":
    """The portals that these packs provide, by name."""
    return {
        portal.name: replace(portal, pack=pack.name)
        for pack in packs.values()
        for portal in pack.portals
    }


def list_store_records(packs: Mapping[str, Pack]) -> tuple[type[Record], ...]:
    """The record types in a store with these packs: those of the core, and theirs."""
    own = (record for _, pack in sorted(packs.items()) for record in pack.records)
    return (*CORE_RECORDS, *own)


def branches_of(packs: Mapping[str, Pack]) -> Branches:
    """The migration folders of these packs, by pack name."""
    return {name: pack.migrations for name, pack in packs.items() if pack.migrations is not None}


def publications_of(packs: Mapping[str, Pack]) -> dict[str, tuple[Publication, ...]]:
    """What packs publish besides rules, by pack name."""
    return {name: pack.publishes for name, pack in packs.items() if pack.publishes}
