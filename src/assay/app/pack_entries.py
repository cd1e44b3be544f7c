"""Finds the installed packs from package metadata. No pack is loaded for this."""

from importlib.metadata import EntryPoint, entry_points

from assay.errors import ExtraMissing, InvalidInput, NotFound
from assay.extras import extra_missing, find_missing, name_of

GROUP = "assay.packs"
"""The entry point group in which a package registers a pack: a function that returns a `Pack`."""


def list_entries() -> list[EntryPoint]:
    """Every registered pack, sorted by name."""
    return sorted(entry_points(group=GROUP), key=lambda entry: entry.name)


def list_pack_names() -> list[str]:
    """The names of all installed packs; a pack whose extra is missing is not installed."""
    return sorted({entry.name for entry in list_entries()} - set(list_incomplete_packs()))


def list_incomplete_packs() -> dict[str, ExtraMissing]:
    """The packs whose extra is missing, by name: their documents wait until it is installed."""
    return {
        entry.name: missing
        for entry in list_entries()
        if (missing := _find_missing_extra(entry)) is not None
    }


def refuse_incomplete_pack(name: str) -> None:
    """Raise an error that says what to install, if that is all that the pack lacks."""
    for entry in list_entries():
        if entry.name == name and (missing := _find_missing_extra(entry)) is not None:
            raise missing


def _find_missing_extra(entry: EntryPoint) -> ExtraMissing | None:
    if entry.dist is None or not find_missing(entry.dist, entry.name):
        return None
    return extra_missing(name_of(entry.dist), entry.name, f"The pack '{entry.name}'")


def find_entry(name: str) -> EntryPoint:
    """The entry point of the pack with that name; exactly one package must register it."""
    entries = {entry.value: entry for entry in list_entries() if entry.name == name}
    refuse_incomplete_pack(name)
    if not entries:
        known = ", ".join(list_pack_names()) or "none; reinstall Assay"
        raise NotFound(f"There is no pack '{name}'.", advice=f"Installed packs: {known}.")
    if len(entries) > 1:
        raise InvalidInput(
            f"Several packages provide a pack '{name}': {', '.join(sorted(entries))}.",
            advice="Uninstall all but one.",
        )
    return next(iter(entries.values()))
