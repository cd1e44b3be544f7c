"""Reading all that decides about rules, for the stages that judge them."""

from collections.abc import Collection, Mapping

from assay.engine.reader import Reader
from assay.model.facts import CoverageReport
from assay.model.records import IngestCandidate, Record, ReviewRequest, ScoutResult, Source
from assay.model.rules import Conflict, ReviewDecision, Rule, SourcePointer
from assay.ruling.declaration import Facts
from assay.ruling.review.cases import Rows, with_twins
from assay.ruling.rules.rule_support import known_of

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
        ScoutResult,
    }
)
"""What a stage that judges rules must declare."""
_TRIES = 5
_NO_PACKS: Mapping[str, Facts] = {}


async def rows_of(
    rule_ids: Collection[str], read: Reader, packs: Mapping[str, Facts] = _NO_PACKS
) -> Rows:
    """Everything about these rules, as it stood at one moment.

    A person may decide while it is read. His decision changes the rule, so that what is read
    between two equal looks at the rules belongs together. Where several values hold side by side,
    as the packs tell, other rules of the concept do not matter, and there may be thousands.
    """
    named = (await read.many(Rule, rule_ids)).values()
    concepts = {rule.concept for rule in named if not _is_one_of_many(rule, packs)}
    rules = await _rules(rule_ids, concepts, read)
    for _ in range(_TRIES):
        rows = await _rows(with_twins(rule_ids, rules), rules, read)
        again = await _rules(rule_ids, concepts, read)
        if again == rules:
            break
        rules = again
    return rows


def _is_one_of_many(rule: Rule, packs: Mapping[str, Facts]) -> bool:
    pack = packs.get(rule.pack)
    predicate = None if pack is None else pack.predicates.get(rule.concept.rpartition(".")[2])
    return predicate is not None and predicate.many


async def _rules(
    rule_ids: Collection[str], concepts: Collection[str], read: Reader
) -> dict[str, Rule]:
    found = await read.where(Rule, "concept", concepts)
    left = set(rule_ids) - {rule.rule_id for rule in found}
    return {rule.rule_id: rule for rule in (*found, *await read.where(Rule, "rule_id", left))}


async def _rows(rule_ids: Collection[str], rules: Mapping[str, Rule], read: Reader) -> Rows:
    pointers = await read.where(SourcePointer, "rule_id", rule_ids)
    known = await known_of(pointers, read)
    conflicts = {
        conflict.conflict_id: conflict
        for column in ("rule_a", "rule_b")
        for conflict in await read.where(Conflict, column, rule_ids)
    }
    about = {"subject_kind": "rule"}
    return Rows(
        rules=rules,
        pointers=pointers,
        newest=known.newest,
        extracted=known.extracted,
        copies=known.copies,
        conflicts=list(conflicts.values()),
        decisions=await read.where(ReviewDecision, "subject", rule_ids, beside=about),
        requests=await read.where(ReviewRequest, "subject", rule_ids, beside=about),
        sources=await read.many(Source, {pointer.source_slug for pointer in pointers}),
    )
