"""A release as CSV: one row for each rule and source, for spreadsheets."""

import csv
import io
import re
from typing import Any

from assay.display import escape_controls
from assay.model.hashes import canonical_json
from assay.ruling.release.manifest import ManifestLine, ReleaseManifest

COLUMNS = (
    "rule_id", "concept", "label", "domain", "tier", "value", "value_type", "unit",
    "effective_from", "effective_until", "applies_text", "applies_when", "authority",
    "confidence", "approved_by", "source_slug", "source_name", "url", "page", "article", "quote",
    "start", "end", "evidence_hash", "artifact_hash", "release",
)  # fmt: skip
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?", re.ASCII)
_DANGEROUS = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n")
"""The wide signs are the same to a spreadsheet in Japanese or Chinese."""


def export_csv(manifest: ReleaseManifest) -> bytes:
    """The file, in UTF-8, with a header row and the line endings of the standard.

    The manifest contains the exact text of a cell that might be a formula.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for rule in manifest.rules:
        for source in rule["sources"]:
            row = _build_row(rule, source, manifest.version)
            writer.writerow([format_csv_cell(row[name]) for name in COLUMNS])
    return out.getvalue().encode("utf-8", "replace")


def _build_row(rule: ManifestLine, source: ManifestLine, version: str) -> dict[str, Any]:
    return {
        **rule,
        **{name: source[name] for name in _SOURCE_COLUMNS},
        "source_name": source["name"],
        "applies_when": canonical_json(rule["applies_when"]).decode(),
        "release": version,
    }


def format_csv_cell(value: object) -> str:
    """A value as a spreadsheet may safely open it.

    A spreadsheet treats a cell that starts with `=`, `+`, `-` or `@` as a formula, and the words of
    a document cannot be trusted. Such a cell gets an apostrophe in front, which a spreadsheet does
    not show; a plain number stays as it is. Control characters are written out.
    """
    text = "" if value is None else str(value).replace("\x00", "")
    # Leading white space does not keep a spreadsheet from seeing a formula.
    dangerous = text.startswith(_DANGEROUS) or text.lstrip().startswith(_DANGEROUS)
    shown = escape_controls(text)
    return f"'{shown}" if dangerous and _NUMBER.fullmatch(text) is None else shown


_SOURCE_COLUMNS = (
    "source_slug", "url", "page", "article", "quote", "start", "end",
    "evidence_hash", "artifact_hash",
)  # fmt: skip
