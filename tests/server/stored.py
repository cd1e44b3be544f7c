"""A store in which releases were published, without the stages that would make them."""

from collections.abc import Sequence
from typing import Any

from assay.app import App
from assay.model.hashes import canonical_json, content_hash
from assay.model.ids import derive_evidence_id
from assay.model.records import Document, Evidence, Record, Source
from assay.model.rules import (
    Concept,
    ConceptAlias,
    Release,
    ReleasedRule,
    Rule,
    RuleEdge,
    SourcePointer,
)
from assay.store.row_hashes import record_row_hashes
from assay.store.upserts import upsert_records
from tests.ruling.published import BOOKS, line, manifest

URL = "https://gazette.example/acts/1"
OLD = line("rl_old", "23", effective_from="2012-01-01", effective_until="2025-01-01")
GENERAL = line("rl_general", "25")
BOOK_RATE = line("rl_books", "5", applies_when=BOOKS)
LINES = (OLD, GENERAL, BOOK_RATE)
_EVIDENCE = derive_evidence_id(URL, "0" * 64)


def publish(
    app: App,
    *lines: dict[str, Any],
    version: str = "1.0.0",
    number: int = 1,
    state: str = "PUBLISHED",
    pack: str = "regulatory",
) -> bytes:
    """Store a release of these rules; gives its manifest."""
    data = manifest(*lines, version=version, pack=pack)
    app.blobs.put(data)
    release = Release(
        release_id=f"re_{pack}_{number}",
        pack=pack,
        version=version,
        number=number,
        state=state,
        manifest_hash=content_hash(data),
        content_hash="2" * 64,
        rule_count=len(lines),
        released_by="ana",
    )
    records: list[Record] = [release, *_ground()]
    for entry in lines:
        records += _rule(entry, release.release_id, pack)
    with app.engine.begin() as connection:
        upsert_records(connection, records)
        record_row_hashes(connection, records, 1)
    return data


def _ground() -> Sequence[Record]:
    return (
        Source(source_slug="gazette", name="Gazette", base_url="https://gazette.example/"),
        Document(doc_id="do_1", source_slug="gazette", url=URL),
        Evidence(
            evidence_id=_EVIDENCE,
            url=URL,
            content_hash="0" * 64,
            doc_id="do_1",
            source_slug="gazette",
            content_type="text/html",
            size=1,
        ),
        Concept(
            concept="pdv.rate",
            pack="regulatory",
            domain="pdv",
            subject="pdv",
            predicate="rate",
            tier="T0",
            label="value added tax: rate",
        ),
        ConceptAlias(concept="pdv.rate", alias="PDV: stopa"),
        ConceptAlias(concept="pdv.rate", alias="VAT: rate"),
        RuleEdge(from_rule="rl_general", to_rule="rl_old", kind="SUPERSEDES", reason="later"),
    )


def _rule(told: dict[str, Any], release_id: str, pack: str) -> list[Record]:
    (source,) = told["sources"]
    rule_id = told["rule_id"]
    names = ("concept", "domain", "tier", "value", "value_type", "unit", "effective_from",
             "effective_until", "approved_by", "confidence")  # fmt: skip
    return [
        Rule(
            rule_id=rule_id,
            pack=pack,
            applies_when=canonical_json(told["applies_when"]).decode(),
            status="PUBLISHED",
            **{name: told[name] for name in names},
        ),
        SourcePointer(
            pointer_id=f"sp_{rule_id}",
            rule_id=rule_id,
            fact_id=f"fa_{rule_id}",
            evidence_id=_EVIDENCE,
            artifact_id="ar_1",
            doc_id="do_1",
            source_slug="gazette",
            quote=source["quote"],
            start=source["start"],
            end=source["end"],
            page=source["page"],
            article=source["article"],
            confidence=0.97,
        ),
        ReleasedRule(release_id=release_id, rule_id=rule_id, concept=told["concept"]),
    ]
