"""What installed packs store: their records, and the migrations that make the tables."""

import re
from collections.abc import Mapping

from assay.errors import StartupRefused
from assay.model.storage import Record, storage_of
from assay.sdk.pack import Pack
from assay.store.record_tables import CORE_RECORDS, refuse_taken_names
from assay.store.schema import CORE, Branches
from assay.store.tables import METADATA

_BRANCH = re.compile(r"[a-z][a-z0-9_-]{0,40}")


def records_of(packs: Mapping[str, Pack]) -> tuple[type[Record], ...]:
    """The records of the core and of these packs; no table may belong to two of them."""
    taken = set(METADATA.tables)
    found = list(CORE_RECORDS)
    for name, pack in sorted(packs.items()):
        refuse_taken_names(name, pack.records, taken)
        taken |= {storage_of(record).table for record in pack.records}
        found += pack.records
    return tuple(found)


def branches_of(packs: Mapping[str, Pack]) -> Branches:
    """The folders of migrations of these packs, by their names."""
    for name, pack in sorted(packs.items()):
        if pack.records and pack.migrations is None:
            raise StartupRefused(
                f"The pack '{name}' has records and no migrations that make their tables.",
                advice="Declare the folder of its migrations.",
            )
        if pack.migrations is not None and (name == CORE or not _BRANCH.fullmatch(name)):
            raise StartupRefused(
                f"The pack '{name}' cannot have tables under this name.",
                advice="Use lower-case letters, digits, dashes and underscores; not 'core'.",
            )
    return {name: pack.migrations for name, pack in packs.items() if pack.migrations is not None}
