"""Adding a source by its address: what a look would find, and then its folder in the home."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from assay.app.composition import App
from assay.app.new_source import STRATEGY_OF, write_proposed_folder
from assay.app.source_folders import AddedSource, add_source
from assay.app.source_proposals import TriedListing, try_source
from assay.app.sources import list_source_names
from assay.errors import InvalidInput

FOLDER: Final = "described-sources"
"""Where in the home the folders of sources are kept that were added by their address."""
STRATEGIES: Final = tuple(STRATEGY_OF.values())


@dataclass(frozen=True)
class SourceAddress:
    """Where a source lists its documents, and how a person wants it read."""

    url: str
    strategy: str | None = None
    """None: as it is proposed."""
    selects: tuple[str, ...] = ()
    """Options of the strategy, such as `item=li.act`."""


def preview_source(app: App, address: SourceAddress) -> TriedListing:
    """Fetch an address and read it, within the limits and the network policy of the settings."""
    if not address.url.startswith(("http://", "https://")):
        # A path would be read from this machine.
        raise InvalidInput(
            "The address must begin with http:// or https://.",
            advice="Give the address of the page that lists the documents.",
        )
    return try_source(app.settings, address.url, strategy=address.strategy, selects=address.selects)


def watch_address(app: App, address: SourceAddress, name: str, pack: str) -> AddedSource:
    """Write down what is found at an address as a source, and watch it."""
    app.packs.require_pack(pack)
    if name in list_source_names(app):
        raise InvalidInput(f"There is already a source '{name}'.", advice="Choose another name.")
    tried = preview_source(app, address)
    if tried.strategy not in STRATEGIES:
        raise InvalidInput(
            f"A listing that is read with {tried.strategy} needs more than an address.",
            advice="Describe it in a folder: 'assay new source'.",
        )
    made = write_proposed_folder(app.settings, tried, name, app.settings.home / FOLDER, pack)
    return _add_or_forget(app, made)


def list_reading_packs(app: App) -> Sequence[str]:
    """The packs that read documents, the one of the settings first."""
    names = [name for name, pack in app.packs.items() if pack.first_stage is not None]
    return sorted(names, key=lambda name: (name != app.settings.pack, name))


def _add_or_forget(app: App, made: Path) -> AddedSource:
    try:
        return add_source(app, made)
    except BaseException:
        # A second attempt must find the name free.
        shutil.rmtree(made, ignore_errors=True)
        raise
