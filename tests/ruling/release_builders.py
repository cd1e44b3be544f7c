"""Rules with all that they rest on, for a release to be made of."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.app import App
from assay.model.facts import CandidateFact
from assay.model.hashes import canonical_json, content_hash
from assay.model.ids import derive_evidence_id, derive_id, doc_id_of_url
from assay.model.records import Artifact, Evidence, Record, Source
from assay.model.rules import Concept, ReviewDecision, Rule, RuleEdge, RuleStatus, SourcePointer
from assay.ruling.release.rule_standing import CitedGround, RuleStanding
from assay.spine.scouting.task import READER
from assay.store.row_hashes import record_row_hashes
from assay.store.upserts import upsert_records

PACK = "regulatory"
ALWAYS = canonical_json({"op": "true"}).decode()
LAW = ("gazette", 1)
OFFICE = ("tax-office", 3)
FORUM = ("forum", 6)
BEFORE = "Čl. 1. Ovo je uvod – i to s „navodnicima“.\n"


def condition(**equal: str) -> str:
    """Holds where these fields have these values."""
    ((name, value),) = equal.items()
    return canonical_json({"op": "eq", "field": name, "value": value}).decode()


@dataclass(frozen=True, kw_only=True)
class Stated:
    """A rule that documents state, each source in one of its own."""

    concept: str = "pdv.rate"
    value: str = "25"
    value_type: str = "percentage"
    unit: str = "%"
    tier: str = "T0"
    status: str = RuleStatus.APPROVED.value
    approved_by: str | None = "ana"
    effective_from: str | None = "2013-01-01"
    effective_until: str | None = None
    applies_when: str = ALWAYS
    sources: Sequence[tuple[str, int]] = (LAW,)
    words: str = "The rate of value added tax is {value} {unit}."
    person_version: dict[str, Any] | None = None
    confidence: float = 0.97
    label: str = "value added tax: rate"

    @property
    def rule_id(self) -> str:
        return derive_id(
            "rl", PACK, self.concept, self.value_type, self.value, self.unit,
            self.effective_from or "", self.effective_until or "", self.applies_when,
        )  # fmt: skip

    @property
    def rule(self) -> Rule:
        return Rule(
            rule_id=self.rule_id,
            pack=PACK,
            concept=self.concept,
            domain="pdv",
            tier=self.tier,
            value=self.value,
            value_type=self.value_type,
            unit=self.unit,
            effective_from=self.effective_from,
            effective_until=self.effective_until,
            applies_when=self.applies_when,
            status=self.status,
            confidence=self.confidence,
            approved_by=self.approved_by,
            person_version=self.person_version,
        )

    @property
    def quote(self) -> str:
        return self.words.format(value=self.value, unit=self.unit)

    @property
    def named(self) -> Concept:
        subject, _, predicate = self.concept.partition(".")
        return Concept(
            concept=self.concept,
            pack=PACK,
            domain="pdv",
            subject=subject,
            predicate=predicate,
            tier=self.tier,
            label=self.label,
        )

    def text(self, slug: str) -> str:
        return f"{BEFORE}{self.quote}\nSo says {slug}.\n"

    def page(self, slug: str) -> bytes:
        """The evidence: plain text, so that reading it anew gives the text again."""
        return self.text(slug).encode()

    def grounds(self) -> list[CitedGround]:
        return [self.ground(slug, rank) for slug, rank in self.sources]

    def ground(self, slug: str, rank: int) -> CitedGround:
        url = f"https://{slug}.example/{self.rule_id}"
        bytes_hash = content_hash(self.page(slug))
        evidence = Evidence(
            evidence_id=derive_evidence_id(url, bytes_hash),
            url=url,
            content_hash=bytes_hash,
            doc_id=doc_id_of_url(url),
            source_slug=slug,
            content_type="text/plain; charset=utf-8",
            size=len(self.page(slug)),
        )
        text = self.text(slug)
        artifact = Artifact(
            artifact_id=derive_id("ar", evidence.evidence_id),
            evidence_id=evidence.evidence_id,
            kind="PLAIN_TEXT",
            content_hash=content_hash(text.encode()),
            length=len(text),
            reader=READER,
        )
        start = text.index(self.quote)
        pointer = SourcePointer(
            pointer_id=derive_id("sp", self.rule_id, evidence.evidence_id),
            rule_id=self.rule_id,
            fact_id=derive_id("fa", self.rule_id, slug),
            evidence_id=evidence.evidence_id,
            artifact_id=artifact.artifact_id,
            doc_id=evidence.doc_id,
            source_slug=slug,
            quote=self.quote,
            start=start,
            end=start + len(self.quote),
            article="čl. 4.",
            confidence=self.confidence,
        )
        source = Source(
            source_slug=slug, name=slug.title(), base_url=f"https://{slug}.example/", hierarchy=rank
        )
        return CitedGround(pointer, source, evidence, artifact)

    @property
    def standing(self) -> RuleStanding:
        return RuleStanding(self.rule, self.named, tuple(self.grounds()))

    def records(self) -> list[Record]:
        found: list[Record] = [self.rule, self.named]
        for ground in self.grounds():
            assert ground.source and ground.evidence and ground.artifact
            found += [ground.source, ground.evidence, ground.artifact, ground.pointer]
            found.append(self.fact(ground.pointer))
        if self.approved_by:
            found.append(self.approval)
        return found

    def fact(self, pointer: SourcePointer) -> CandidateFact:
        """What the words of a pointer were found to state."""
        subject, _, predicate = self.concept.partition(".")
        shared = ("fact_id", "evidence_id", "artifact_id", "doc_id", "source_slug", "quote",
                  "start", "end", "article", "confidence")  # fmt: skip
        stated = ("concept", "value", "value_type", "unit", "effective_from", "effective_until",
                  "applies_when")  # fmt: skip
        return CandidateFact(
            **{name: getattr(pointer, name) for name in shared},
            **{name: getattr(self, name) for name in stated},
            pack=PACK, domain="pdv", subject=subject, predicate=predicate, extractor="test@1",
        )  # fmt: skip

    @property
    def approval(self) -> ReviewDecision:
        """The decision of the person who approved it."""
        assert self.approved_by
        return ReviewDecision(
            decision_id=derive_id("rd", self.rule_id, self.approved_by),
            subject_kind="rule",
            subject=self.rule_id,
            decision="APPROVE",
            person=self.approved_by,
        )

    def pieces(self) -> list[bytes]:
        return [
            piece
            for slug, _ in self.sources
            for piece in (self.page(slug), self.text(slug).encode())
        ]

    def but(self, **changed: Any) -> "Stated":
        return replace(self, **changed)


RATE = Stated()
BOOKS = Stated(
    concept="pdv.reduced_rate", value="5", applies_when=condition(activity="books"),
    sources=(LAW, OFFICE), label="value added tax: reduced rate",
)  # fmt: skip
THRESHOLD = Stated(
    concept="pdv.threshold", value="60000", value_type="threshold", unit="EUR", tier="T1",
    effective_from="2025-01-01", words="The threshold is {value} {unit} a year.",
    label="value added tax: threshold",
)  # fmt: skip
KEEPING = Stated(
    concept="pdv.retention_period", value="11", value_type="count", unit="years", tier="T2",
    approved_by=None, effective_from=None, sources=(OFFICE, FORUM),
    words="Invoices are kept for {value} {unit}.", label="value added tax: retention period",
)  # fmt: skip
ALL = (RATE, BOOKS, THRESHOLD, KEEPING)


def superseding(old: Stated, value: str, since: str) -> tuple[Stated, RuleEdge]:
    """A rule that follows another, and the edge that says so."""
    new = old.but(value=value, effective_from=since)
    return new, RuleEdge(from_rule=new.rule_id, to_rule=old.rule_id, kind="SUPERSEDES")


def store(app: App, *stated: Stated, more: Sequence[Record] = ()) -> None:
    """Put rules with their grounds into a store, in the given order."""
    for entry in stated:
        app.blobs.put_all(entry.pieces())
        for record in entry.records():
            with app.engine.begin() as connection:
                upsert_records(connection, [record])
    with app.engine.begin() as connection:
        upsert_records(connection, list(more))
        record_row_hashes(connection, [*more, *(r for s in stated for r in s.records())], 1)
