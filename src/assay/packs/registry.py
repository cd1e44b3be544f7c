"""Which packs are installed: Assay's own and those of others are found in the same way."""

from functools import cache
from importlib.metadata import EntryPoint, entry_points

from assay.errors import InvalidInput, NotFound
from assay.rules.pack import Pack

GROUP = "assay.packs"
"""The entry points under which a package offers a pack: a function that gives a `Pack`."""


def pack_names() -> list[str]:
    """The packs that can be named."""
    return sorted({entry.name for entry in entry_points(group=GROUP)})


@cache
def pack_named(name: str) -> Pack:
    """The pack under that name."""
    offered = {entry.value: entry for entry in entry_points(group=GROUP, name=name)}
    if not offered:
        known = ", ".join(pack_names()) or "none; install Assay again"
        raise NotFound(f"There is no pack '{name}'.", advice=f"Installed are: {known}.")
    if len(offered) > 1:
        raise InvalidInput(
            f"Several packages offer a pack '{name}': {', '.join(sorted(offered))}.",
            advice="Uninstall all but one.",
        )
    found = _loaded(name, next(iter(offered.values())))
    if not isinstance(found, Pack):
        raise InvalidInput(f"Pack '{name}' gives a {type(found).__name__}, not a Pack.")
    if found.name != name:
        # Its facts would belong to a pack that nobody finds.
        raise InvalidInput(
            f"Pack '{name}' calls itself '{found.name}'.",
            advice="Offer it under the name that its pack.yml tells.",
        )
    return found


def _loaded(name: str, entry: EntryPoint) -> object:
    try:
        return entry.load()()
    # A pack is a stranger's code: whatever it raises is told under its name, and so is that it
    # wants to end the program.
    except (Exception, SystemExit) as error:
        told = f"{type(error).__name__}: {error}"
        raise InvalidInput(
            f"Pack '{name}' cannot be loaded: {told}.", advice="Repair it or uninstall it."
        ) from error


def all_packs() -> dict[str, Pack]:
    """Every installed pack by its name."""
    return {name: pack_named(name) for name in pack_names()}
