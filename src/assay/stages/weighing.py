"""Reading all that decides about rules, for the stages that judge them."""

from collections.abc import Collection, Mapping

from assay.engine.reader import Reader
from assay.model.facts import CoverageReport
from assay.model.records import IngestCandidate, Record, ReviewRequest, Source
from assay.model.rules import Conflict, ReviewDecision, Rule, SourcePointer
from assay.rules.cases import Rows, with_twins

READS: frozenset[type[Record]] = frozenset(
    {
        Rule,
        SourcePointer,
        Conflict,
        ReviewDecision,
        ReviewRequest,
        Source,
        IngestCandidate,
        CoverageReport,
    }
)
"""What a stage that judges rules must declare."""
_TRIES = 5


async def rows_of(rule_ids: Collection[str], read: Reader) -> Rows:
    """Everything about these rules, as it stood at one moment.

    A person may decide while it is read. His decision changes the rule, so that what is read
    between two equal looks at the rules belongs together.
    """
    concepts = {rule.concept for rule in (await read.many(Rule, rule_ids)).values()}
    rules = await _rules(concepts, read)
    for _ in range(_TRIES):
        rows = await _rows(with_twins(rule_ids, rules), rules, read)
        again = await _rules(concepts, read)
        if again == rules:
            break
        rules = again
    return rows


async def _rules(concepts: Collection[str], read: Reader) -> dict[str, Rule]:
    return {rule.rule_id: rule for rule in await read.where(Rule, "concept", concepts)}


async def _rows(rule_ids: Collection[str], rules: Mapping[str, Rule], read: Reader) -> Rows:
    pointers = await read.where(SourcePointer, "rule_id", rule_ids)
    documents = {pointer.doc_id for pointer in pointers}
    candidates = await read.where(IngestCandidate, "doc_id", documents)
    newest = {candidate.doc_id: candidate.evidence_id for candidate in candidates}
    reports = await read.many(CoverageReport, {key for key in newest.values() if key is not None})
    conflicts = {
        conflict.conflict_id: conflict
        for column in ("rule_a", "rule_b")
        for conflict in await read.where(Conflict, column, rule_ids)
    }
    about = {"subject_kind": "rule"}
    return Rows(
        rules=rules,
        pointers=pointers,
        newest=newest,
        extracted=reports.keys(),
        conflicts=list(conflicts.values()),
        decisions=await read.where(ReviewDecision, "subject", rule_ids, beside=about),
        requests=await read.where(ReviewRequest, "subject", rule_ids, beside=about),
        sources=await read.many(Source, {pointer.source_slug for pointer in pointers}),
    )
