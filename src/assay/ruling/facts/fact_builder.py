"""Builds the records that the store keeps of an extraction."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from assay.model.facts import CandidateFact, CoverageReport, ExtractionRejected
from assay.model.hashes import canonical_json
from assay.model.ids import derive_id
from assay.model.records import Evidence, ReviewRequest
from assay.ruling.declaration import Facts
from assay.ruling.facts.coverage import Coverage
from assay.ruling.facts.gates import AcceptedFact, RejectedFact, Rejection
from assay.ruling.review.deadlines import ReviewReason, answer_time_ms
from assay.ruling.rules.conditions import parse_condition, to_canonical_bytes

_MAX_QUOTE, _MAX_QUOTES = 300, 5


@dataclass(frozen=True, slots=True)
class FactBuilder:
    """Builds records for one pack, piece of evidence and extractor."""

    pack: Facts
    evidence: Evidence
    artifact_id: str
    extractor: str

    def build_fact(self, accepted: AcceptedFact) -> CandidateFact:
        """A fact as stored; the same claim at the same place has the same id."""
        proposed = accepted.proposed
        condition = to_canonical_bytes(parse_condition(proposed.applies_when)).decode()
        parts = (
            self.pack.name,
            self.artifact_id,
            proposed.concept,
            proposed.value_type,
            proposed.value,
            proposed.unit,
            str(accepted.start),
            str(accepted.end),
            proposed.effective_from or "",
            proposed.effective_until or "",
            condition,
            proposed.replaces or "",
        )
        return CandidateFact(
            fact_id=derive_id("fa", *parts),
            pack=self.pack.name,
            evidence_id=self.evidence.evidence_id,
            artifact_id=self.artifact_id,
            doc_id=self.evidence.doc_id,
            source_slug=self.evidence.source_slug,
            domain=proposed.domain,
            concept=proposed.concept,
            qualifiers="; ".join(proposed.qualifiers),
            context="; ".join(proposed.context),
            subject=proposed.subject,
            predicate=proposed.predicate,
            value=proposed.value,
            value_type=proposed.value_type,
            unit=proposed.unit,
            quote=accepted.quote,
            start=accepted.start,
            end=accepted.end,
            page=accepted.page,
            confidence=proposed.confidence,
            effective_from=proposed.effective_from,
            effective_until=proposed.effective_until,
            applies_when=condition,
            article=proposed.article,
            amends=proposed.amends,
            replaces=proposed.replaces,
            extractor=self.extractor,
        )

    def build_rejection(self, refused: RejectedFact, now_ms: int) -> ExtractionRejected:
        """A claim that failed a gate."""
        proposal = asdict(refused.proposed)
        proposal["applies_when"] = dict(refused.proposed.applies_when)
        serialized = canonical_json(proposal).decode()
        return ExtractionRejected(
            rejected_id=derive_id(
                "rj", self.evidence.evidence_id, self.extractor, refused.reason.value, serialized
            ),
            pack=self.pack.name,
            evidence_id=self.evidence.evidence_id,
            source_slug=self.evidence.source_slug,
            reason=refused.reason.value,
            detail=refused.detail,
            proposal=proposal,
            extractor=self.extractor,
            created_ms=now_ms,
        )

    def ask_unclear_amendments(
        self, refused: Sequence[RejectedFact], now_ms: int
    ) -> list[ReviewRequest]:
        """A question for a person, if an act amends something but it is unclear what.

        Ignoring the amendment would leave in force what the act has ended.
        """
        unclear = [
            r.proposed
            for r in refused
            if r.proposed.amends and r.reason is Rejection.LOW_CONFIDENCE
        ]
        quotes = sorted({" ".join(proposed.quote.split()) for proposed in unclear})
        if not quotes:
            return []
        some = " ".join(f"“{quote[:_MAX_QUOTE]}”" for quote in quotes[:_MAX_QUOTES])
        more = f" and {len(quotes) - _MAX_QUOTES} more" if len(quotes) > _MAX_QUOTES else ""
        reason = ReviewReason.LOW_CONFIDENCE
        return [
            ReviewRequest(
                request_id=derive_id("rq", "amends", self.evidence.evidence_id),
                reason=reason.value,
                subject_kind="evidence",
                subject=self.evidence.evidence_id,
                source_slug=self.evidence.source_slug,
                question=f"What does it change? It is not clear what it amends: {some}{more}",
                created_ms=now_ms,
                deadline_ms=now_ms + answer_time_ms(reason, ""),
            )
        ]

    def build_report(
        self,
        coverage: Coverage,
        facts: Sequence[object],
        rejected: Sequence[object],
        outdated: Sequence[CandidateFact],
        now_ms: int,
    ) -> CoverageReport:
        """How much of the document became facts."""
        return CoverageReport(
            evidence_id=self.evidence.evidence_id,
            pack=self.pack.name,
            artifact_id=self.artifact_id,
            sentences=coverage.sentences,
            relevant=coverage.relevant,
            covered=coverage.covered,
            values_total=coverage.values_total,
            values_found=coverage.values_found,
            facts=len(facts),
            rejected=len(rejected),
            share=coverage.share,
            outdated=sorted(fact.fact_id for fact in outdated),
            extractor=self.extractor,
            created_ms=now_ms,
        )
