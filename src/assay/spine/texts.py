"""A reading as it is stored: text, the map back to the document, and tables, each under its hash.

The process that reads also packs, so that a large map is not passed around twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.model.content import TEXT_OF, ArtifactKind, ContentClass
from assay.model.hashes import content_hash
from assay.model.ids import derive_id
from assay.model.records import Artifact, Record
from assay.reading.result import Reading


@dataclass(frozen=True, slots=True)
class PackedText:
    """What is stored of a reading."""

    content_class: ContentClass
    kind: ArtifactKind
    text: bytes
    map: bytes
    tables: bytes | None
    length: int
    page_count: int
    reader: str
    title: str | None


def pack_reading(reading: Reading, reader: str, kind: ArtifactKind | None = None) -> PackedText:
    """Pack a reading for storage."""
    return PackedText(
        content_class=reading.content_class,
        kind=kind or TEXT_OF[reading.content_class],
        text=reading.text.encode("utf-8", "replace"),
        map=reading.map_json(),
        tables=reading.table_json() if reading.tables else None,
        length=len(reading.text),
        page_count=len(reading.pages),
        reader=reader,
        title=reading.title,
    )


@dataclass(frozen=True, slots=True)
class StoredText:
    """The records and blobs of a text."""

    artifact_id: str
    records: tuple[Record, ...]
    blobs: tuple[bytes, ...]


def build_stored_text(
    evidence_id: str,
    text: PackedText,
    now_ms: int,
    beside: Sequence[tuple[ArtifactKind, bytes]] = (),
) -> StoredText:
    """The records and blobs of a text, together with the artifacts `beside` it."""
    main = _build_artifact(
        evidence_id, text.kind, text.text, text, now_ms, map_hash=content_hash(text.map)
    )
    extra = [*beside, *([(ArtifactKind.TABLE_JSON, text.tables)] if text.tables else [])]
    others = [_build_artifact(evidence_id, kind, data, text, now_ms) for kind, data in extra]
    return StoredText(
        artifact_id=main.artifact_id,
        records=(main, *others),
        blobs=(text.text, text.map, *(data for _, data in extra)),
    )


def _build_artifact(
    evidence_id: str,
    kind: ArtifactKind,
    data: bytes,
    text: PackedText,
    now_ms: int,
    map_hash: str | None = None,
) -> Artifact:
    hash_of_content = content_hash(data)
    return Artifact(
        artifact_id=derive_id("ar", evidence_id, kind.value, hash_of_content, map_hash or ""),
        evidence_id=evidence_id,
        kind=kind.value,
        content_hash=hash_of_content,
        map_hash=map_hash,
        length=text.length if map_hash is not None else len(data),
        page_count=text.page_count,
        reader=text.reader,
        created_ms=now_ms,
    )
