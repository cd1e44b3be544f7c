"""What Assay lends a pack at run time: stages, commands, routes and checks get one of these."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

from assay.clock import Clock
from assay.settings import Settings
from assay.store.blobs import BlobStore

if TYPE_CHECKING:
    # A pack that is only looked at must not load what fetches and reads.
    from assay.reading.workshop import Workshop
    from assay.sources.fetching import Fetcher

__all__ = ["Services"]


@dataclass(frozen=True, kw_only=True)
class Services:
    """The parts of a running Assay that a pack may use. Nothing is opened before it is used."""

    settings: Settings
    clock: Clock
    fetcher: "Fetcher"
    pool: "Workshop"
    """Processes that do work on documents, each within bounds of time and memory."""
    engine: sa.Engine
    blobs: BlobStore

    @property
    def home(self) -> Path:
        """The folder of the store."""
        return self.settings.home
