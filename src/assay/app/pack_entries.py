"""Which packs are installed, told from the metadata of packages. No pack is loaded for this."""

from importlib.metadata import EntryPoint, entry_points

from assay.errors import InvalidInput, NotFound

GROUP = "assay.packs"
"""The entry points under which a package offers a pack: a function that gives a `Pack`."""


def list_entries() -> list[EntryPoint]:
    """Every pack that is offered, by its name."""
    return sorted(entry_points(group=GROUP), key=lambda entry: entry.name)


def list_pack_names() -> list[str]:
    """The packs that can be named."""
    return sorted({entry.name for entry in list_entries()})


def find_entry(name: str) -> EntryPoint:
    """Who offers the pack of that name; exactly one package must."""
    offered = {entry.value: entry for entry in list_entries() if entry.name == name}
    if not offered:
        known = ", ".join(list_pack_names()) or "none; install Assay again"
        raise NotFound(f"There is no pack '{name}'.", advice=f"Installed are: {known}.")
    if len(offered) > 1:
        raise InvalidInput(
            f"Several packages offer a pack '{name}': {', '.join(sorted(offered))}.",
            advice="Uninstall all but one.",
        )
    return next(iter(offered.values()))
