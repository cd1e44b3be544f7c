"""What a pack publishes besides rules: records, each as one line of the manifest."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.model.hashes import canonical_json
from assay.model.records import Record

RecordLine = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Publication:
    """Records that the pack's releases publish besides rules."""

    record: type[Record]
    fields: tuple[str, ...]
    """The published fields; the first identifies the record."""
    where: Mapping[str, Any] = field(default_factory=dict)
    """The columns and values that a row must have to be published."""


def build_record_lines(publication: Publication, records: Iterable[Record]) -> list[RecordLine]:
    """The lines of records, in the order of a manifest."""
    name, key = publication.record.__name__, publication.fields[0]
    lines = []
    for record in records:
        row = record.row()
        fields = {name: row[name] for name in publication.fields}
        lines.append({"record": name, "key": str(row[key]), "fields": fields})
    return sort_records(lines)


def sort_records(lines: Iterable[RecordLine]) -> list[RecordLine]:
    """Records in the order of a manifest."""
    return sorted(lines, key=lambda line: (line["record"], line["key"], canonical_json(line)))


def compare_records(
    before: Iterable[RecordLine], after: Iterable[RecordLine]
) -> list[dict[str, Any]]:
    """What was added, changed and removed, one entry for each record."""
    old = {(line["record"], line["key"]): line["fields"] for line in before}
    new = {(line["record"], line["key"]): line["fields"] for line in after}
    found: list[dict[str, Any]] = []
    for record, key in sorted({*old, *new}):
        was, now = old.get((record, key)), new.get((record, key))
        if was == now:
            continue
        change = "added" if was is None else "removed" if now is None else "changed"
        entry: dict[str, Any] = {"change": change, "record": record, "key": key}
        if was is not None and now is not None:
            entry["fields"] = {
                name: [was.get(name), now.get(name)]
                for name in sorted({*was, *now})
                if was.get(name) != now.get(name)
            }
        found.append(entry)
    return found
