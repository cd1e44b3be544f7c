"""The manifest of a release: one line of JSON for each rule and each published record.

The same rules and records give the same bytes.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.errors import ContentBroken
from assay.model.hashes import canonical_json, content_hash
from assay.ruling.release.publication import RecordLine
from assay.ruling.release.rule_standing import CitedGround, RuleStanding
from assay.ruling.rules.authority import authority_of
from assay.ruling.rules.conditions import as_json, parse_condition_text, render_condition

FORMAT = "assay-release/1"
ManifestLine = dict[str, Any]


@dataclass(frozen=True)
class ReleaseManifest:
    """A manifest that was read."""

    header: ManifestLine
    rules: tuple[ManifestLine, ...]
    records: tuple[RecordLine, ...] = ()

    @property
    def version(self) -> str:
        return str(self.header["version"])

    @property
    def pack(self) -> str:
        return str(self.header["pack"])


def build_rule_line(standing: RuleStanding, effective_until: str | None) -> ManifestLine:
    """What is published of a rule. What its pointers point to must be stored."""
    rule = standing.effective_rule
    sources = sorted(
        (_build_source(ground) for ground in standing.cited_grounds),
        key=lambda entry: (
            entry["source_slug"], entry["url"], entry["start"], entry["end"],
            entry["evidence_hash"], entry["artifact_hash"], canonical_json(entry),
        ),
    )  # fmt: skip
    condition = parse_condition_text(rule.applies_when)
    doubts = [
        {"from": doubt.since or doubt.day or None, "why": doubt.doubt, "quote": doubt.quote}
        for doubt in standing.doubts
    ]
    return {
        **({"doubts": doubts} if doubts else {}),
        "rule_id": rule.rule_id,
        "concept": rule.concept,
        "label": standing.label,
        "domain": rule.domain,
        "tier": rule.tier,
        "value": rule.value,
        "value_type": rule.value_type,
        "unit": rule.unit,
        "effective_from": rule.effective_from,
        "effective_until": effective_until,
        "applies_when": as_json(condition),
        "applies_text": render_condition(condition),
        "authority": authority_of(min(entry["hierarchy"] for entry in sources)).name,
        "confidence": round(rule.confidence, 4),
        "approved_by": rule.approved_by,
        "sources": sources,
    }


def _build_source(ground: CitedGround) -> ManifestLine:
    pointer, source, evidence, artifact = (
        ground.pointer, ground.source, ground.evidence, ground.artifact,
    )  # fmt: skip
    assert source is not None and evidence is not None and artifact is not None
    return {
        **({"amended": _build_amended(ground)} if ground.amended else {}),
        "source_slug": source.source_slug,
        "name": source.name,
        "hierarchy": source.hierarchy,
        "url": evidence.url,
        "evidence_hash": evidence.content_hash,
        "content_type": evidence.content_type,
        "artifact_hash": artifact.content_hash,
        "kind": artifact.kind,
        "reader": artifact.reader,
        "quote": pointer.quote,
        "start": pointer.start,
        "end": pointer.end,
        "page": pointer.page,
        "article": pointer.article,
    }


def _build_amended(ground: CitedGround) -> ManifestLine:
    assert ground.amended is not None and ground.pointer.amended is not None
    evidence, artifact = ground.amended
    return {
        "url": evidence.url,
        "evidence_hash": evidence.content_hash,
        "artifact_hash": artifact.content_hash,
        **{name: ground.pointer.amended[name] for name in ("quote", "start", "end")},
    }


def list_quotations(rule: ManifestLine) -> Iterator[ManifestLine]:
    """Everything that a line quotes: its sources, and the words that they amend."""
    for source in rule["sources"]:
        yield source
        if "amended" in source:
            yield source["amended"]


def sort_lines(lines: Iterable[Mapping[str, Any]]) -> list[ManifestLine]:
    """The lines in the order of a manifest."""
    return sorted(
        (dict(line) for line in lines),
        key=lambda line: (
            line["concept"], line["value"], line["effective_from"] or "",
            canonical_json(line["applies_when"]), line["rule_id"],
        ),
    )  # fmt: skip


def serialize_content(lines: Sequence[ManifestLine], records: Sequence[RecordLine] = ()) -> bytes:
    """Rules and records as they are hashed: JSON with sorted keys, in order."""
    return canonical_json([*lines, *records])


def serialize_manifest(
    pack: str,
    version: str,
    previous: str | None,
    lines: Sequence[ManifestLine],
    records: Sequence[RecordLine] = (),
) -> bytes:
    """The manifest; the lines must be in order."""
    header: ManifestLine = {
        "format": FORMAT,
        "pack": pack,
        "version": version,
        "previous": previous,
        "content_hash": content_hash(serialize_content(lines, records)),
        "rules": len(lines),
        "tiers": dict(sorted(Counter(line["tier"] for line in lines).items())),
    }
    if records:
        header["records"] = dict(sorted(Counter(line["record"] for line in records).items()))
    return b"".join(canonical_json(line) + b"\n" for line in (header, *lines, *records))


def read_manifest(data: bytes) -> ReleaseManifest:
    """A manifest from its bytes; ContentBroken names the line that is wrong."""
    lines: list[ManifestLine] = []
    for number, line in enumerate(data.splitlines(), start=1):
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ContentBroken(
                f"Line {number} of the manifest is not valid JSON: {error}."
            ) from error
        if not isinstance(entry, dict):
            raise ContentBroken(f"Line {number} of the manifest is not an object.")
        lines.append(entry)
    if not lines or lines[0].get("format") != FORMAT:
        raise ContentBroken(f"The manifest does not start with a header of format {FORMAT}.")
    header, *others = lines
    rules = [line for line in others if "record" not in line]
    records = [line for line in others if "record" in line]
    if missing := sorted(_HEADER - header.keys()):
        raise ContentBroken(f"The header of the manifest has no {', '.join(missing)}.")
    for number, rule in enumerate(rules, start=2):
        _check_rule(rule, number)
    for number, record in enumerate(records, start=2 + len(rules)):
        if not _is_record(record):
            raise ContentBroken(f"Line {number} of the manifest is not a valid record.")
    return ReleaseManifest(header, tuple(rules), tuple(records))


def _is_record(line: ManifestLine) -> bool:
    names = isinstance(line["record"], str) and isinstance(line.get("key"), str)
    return names and isinstance(line.get("fields"), dict)


def _check_rule(rule: ManifestLine, number: int) -> None:
    """Check the fields of a line, so that readers of a manifest can rely on them."""
    wrong = sorted(name for name, kind in _RULE.items() if not isinstance(rule.get(name), kind))
    sources = rule.get("sources")
    entries = sources if isinstance(sources, list) else []
    for entry in entries:
        if not isinstance(entry, dict):
            wrong.append("sources")
            break
        wrong += sorted(
            name for name, kind in _SOURCE.items() if not _has_kind(entry.get(name), kind)
        )
        amended = entry.get("amended", _ANY_AMENDED)
        wrong += [
            f"amended {name}"
            for name, kind in _AMENDED.items()
            if not isinstance(amended, dict) or not _has_kind(amended.get(name), kind)
        ]
    if wrong:
        raise ContentBroken(f"Line {number} of the manifest has no valid {', '.join(wrong)}.")


def _has_kind(value: object, kind: type | tuple[type, ...]) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


_NONE = type(None)
_HEADER = {"pack", "version", "previous", "content_hash", "rules", "tiers"}
_RULE: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(
        ("rule_id", "concept", "label", "domain", "tier", "value", "value_type", "unit",
         "applies_text", "authority"),
        str,
    ),
    **dict.fromkeys(("effective_from", "effective_until", "approved_by"), (str, _NONE)),
    "applies_when": dict,
    "confidence": (int, float),
    "sources": list,
}  # fmt: skip
_SOURCE: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(
        ("source_slug", "name", "url", "evidence_hash", "content_type", "artifact_hash", "kind",
         "reader", "quote", "article"),
        str,
    ),
    **dict.fromkeys(("hierarchy", "start", "end"), int),
    "page": (int, _NONE),
}  # fmt: skip
_AMENDED: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("url", "evidence_hash", "artifact_hash", "quote"), str),
    **dict.fromkeys(("start", "end"), int),
}
_ANY_AMENDED: ManifestLine = {name: kind() for name, kind in _AMENDED.items()}  # type: ignore[operator]
