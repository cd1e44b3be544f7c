"""A release as Parquet: one row for each rule, with its sources as a list."""

import io

from assay.extras import needs_extra
from assay.model.hashes import canonical_json
from assay.ruling.release.manifest import ManifestLine, ReleaseManifest

with needs_extra("parquet", "An export to Parquet"):
    import pyarrow as pa
    import pyarrow.parquet as pq

_SOURCE = pa.struct(
    [
        pa.field("source_slug", pa.string(), nullable=False),
        pa.field("name", pa.string(), nullable=False),
        pa.field("hierarchy", pa.int32(), nullable=False),
        pa.field("url", pa.string(), nullable=False),
        pa.field("evidence_hash", pa.string(), nullable=False),
        pa.field("content_type", pa.string(), nullable=False),
        pa.field("artifact_hash", pa.string(), nullable=False),
        pa.field("kind", pa.string(), nullable=False),
        pa.field("reader", pa.string(), nullable=False),
        pa.field("quote", pa.string(), nullable=False),
        pa.field("start", pa.int64(), nullable=False),
        pa.field("end", pa.int64(), nullable=False),
        pa.field("page", pa.int32()),
        pa.field("article", pa.string(), nullable=False),
    ]
)
_TEXTS = (
    "rule_id", "concept", "label", "domain", "tier", "value", "value_type", "unit",
    "applies_when", "applies_text", "authority",
)  # fmt: skip
_SCHEMA = pa.schema(
    [
        *(pa.field(name, pa.string(), nullable=False) for name in _TEXTS),
        pa.field("effective_from", pa.string()),
        pa.field("effective_until", pa.string()),
        pa.field("confidence", pa.float64(), nullable=False),
        pa.field("approved_by", pa.string()),
        pa.field("sources", pa.list_(_SOURCE), nullable=False),
    ]
)


def export_parquet(manifest: ReleaseManifest) -> bytes:
    """The file. With the same library, the same rules give the same bytes."""
    header = manifest.header
    metadata = {
        "assay.format": str(header["format"]),
        "assay.pack": manifest.pack,
        "assay.version": manifest.version,
        "assay.content_hash": str(header["content_hash"]),
    }
    table = pa.Table.from_pylist([_build_row(rule) for rule in manifest.rules], _SCHEMA)
    out = io.BytesIO()
    pq.write_table(
        table.replace_schema_metadata(metadata), out, compression="snappy", version="2.6"
    )
    return out.getvalue()


def _build_row(rule: ManifestLine) -> ManifestLine:
    return {**rule, "applies_when": canonical_json(rule["applies_when"]).decode()}
