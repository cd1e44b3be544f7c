"""Which packs are installed: Assay's own and those of others are found in the same way."""

from functools import cache
from importlib.metadata import entry_points

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
    for entry in entry_points(group=GROUP, name=name):
        try:
            found = entry.load()()
        # A pack is a stranger's code: whatever it raises is told under its name.
        except Exception as error:
            told = f"{type(error).__name__}: {error}"
            raise InvalidInput(
                f"Pack '{name}' cannot be loaded: {told}.", advice="Repair it or uninstall it."
            ) from error
        if not isinstance(found, Pack):
            raise InvalidInput(f"Pack '{name}' gives a {type(found).__name__}, not a Pack.")
        return found
    known = ", ".join(pack_names()) or "none; install Assay again"
    raise NotFound(f"There is no pack '{name}'.", advice=f"Installed are: {known}.")


def all_packs() -> dict[str, Pack]:
    """Every installed pack by its name."""
    return {name: pack_named(name) for name in pack_names()}
