"""Finds the installed packs from package metadata. No pack is loaded for this."""

from importlib.metadata import EntryPoint, entry_points

from assay.errors import InvalidInput, NotFound

GROUP = "assay.packs"
"""The entry point group in which a package registers a pack: a function that returns a `Pack`."""


def list_entries() -> list[EntryPoint]:
    """Every registered pack, sorted by name."""
    return sorted(entry_points(group=GROUP), key=lambda entry: entry.name)


def list_pack_names() -> list[str]:
    """The names of all installed packs."""
    return sorted({entry.name for entry in list_entries()})


def find_entry(name: str) -> EntryPoint:
    """The entry point of the pack with that name; exactly one package must register it."""
    entries = {entry.value: entry for entry in list_entries() if entry.name == name}
    if not entries:
        known = ", ".join(list_pack_names()) or "none; reinstall Assay"
        raise NotFound(f"There is no pack '{name}'.", advice=f"Installed packs: {known}.")
    if len(entries) > 1:
        raise InvalidInput(
            f"Several packages provide a pack '{name}': {', '.join(sorted(entries))}.",
            advice="Uninstall all but one.",
        )
    return next(iter(entries.values()))
