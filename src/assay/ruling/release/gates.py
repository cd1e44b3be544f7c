"""The hard gates of a release. Each is checked for every rule before anything is written."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from assay.errors import InvalidInput
from assay.model.records import Evidence
from assay.model.rules import (
    PERSON_TIERS,
    Conflict,
    ConflictState,
    Rule,
    RuleStatus,
    SourcePointer,
)
from assay.ruling.facts.gates import is_value_in_quote
from assay.ruling.facts.values.dates import is_date
from assay.ruling.release.rule_standing import (
    CitedGround,
    RuleStanding,
    is_evidence_strong,
    is_quote_in_text,
    value_parts,
)
from assay.ruling.rules.conditions import parse_condition_text

RELEASABLE = frozenset({RuleStatus.APPROVED.value, RuleStatus.PUBLISHED.value})
STRENGTH_GATE = "evidence_is_strong"
"""The one gate that holds back a rule nobody asked for by id, instead of stopping the others."""


@dataclass(frozen=True, slots=True, order=True)
class GateFault:
    """A gate that a rule fails, and what to do about it."""

    concept: str
    rule_id: str
    gate: str
    what: str
    advice: str

    @property
    def summary(self) -> str:
        """What it has in common with the faults of other rules at the same gate."""
        if self.gate == STRENGTH_GATE:
            return "only one source, not an official one"
        return f"{self.gate.replace('_', ' ')} does not hold"

    def __str__(self) -> str:
        name = f"{self.concept} ({self.rule_id})" if self.concept else self.rule_id
        return f"{name}: {self.what}; {self.advice}"


def find_faults(standing: RuleStanding, conflict: Conflict | None) -> Iterator[GateFault]:
    """The faults at every gate that can be judged without the text itself.

    `conflict` is the one in which nobody has decided about it yet.
    """
    rule = standing.rule
    yield from _rule_is_approved(rule)
    yield from _person_has_approved(rule)
    yield from _no_conflict_is_open(rule, conflict)
    yield from _rule_has_pointers(standing)
    yield from _edited_value_is_quoted(standing)
    yield from _evidence_is_strong(standing)
    yield from _version_is_valid(standing.effective_rule)


def make_unknown_fault(rule_id: str, pack: str) -> GateFault:
    """For a rule that was asked for by id but does not exist."""
    return GateFault(
        "", rule_id, "rule_exists", f"the pack {pack} has no such rule", "check its id"
    )


def find_quote_faults(rule: Rule, pointer: SourcePointer, text: str) -> Iterator[GateFault]:
    """The faults if the stored text does not contain the quote, or the quote not the value."""
    if not is_quote_in_text(pointer.quote, pointer.start, pointer.end, text):
        yield _make_place_fault(rule, "quote", pointer.artifact_id, pointer.start)
    if not is_value_in_quote(*value_parts(rule), pointer.quote):
        yield _make_quote_fault(rule, rule, f"in its quote from {pointer.source_slug}")


def find_amended_faults(rule: Rule, pointer: SourcePointer, text: str) -> Iterator[GateFault]:
    """The fault if the amended text does not contain the words that the pointer's quote amends.

    These words contain the old value, or none.
    """
    amended = pointer.amended
    if amended is not None and not is_quote_in_text(
        amended["quote"], amended["start"], amended["end"], text
    ):
        yield _make_place_fault(
            rule, "quote of what it amends", amended["artifact_id"], amended["start"]
        )


def make_bytes_fault(rule: Rule, evidence: Evidence, what: str) -> GateFault:
    """For bytes that are missing or altered."""
    return _make_fault(
        rule,
        "bytes_are_stored",
        f"{what.rstrip('.')} (evidence {evidence.evidence_id})",
        "restore them from a backup",
    )


def is_complete(ground: CitedGround) -> bool:
    """Whether a pointer leads to a source, to evidence, and to a text of that evidence; and, if it
    amends other words, to evidence and text of those as well."""
    return (
        ground.source is not None
        and ground.evidence is not None
        and ground.artifact is not None
        and ground.artifact.evidence_id == ground.evidence.evidence_id
        and (ground.pointer.amended is None or ground.amended is not None)
    )


def _rule_is_approved(rule: Rule) -> Iterator[GateFault]:
    if rule.status not in RELEASABLE:
        yield _make_fault(
            rule,
            "rule_is_approved",
            f"it is {rule.status}, and only approved rules are released",
            "approve it with 'assay review', or leave it out",
        )


def _person_has_approved(rule: Rule) -> Iterator[GateFault]:
    if rule.tier in PERSON_TIERS and not rule.approved_by:
        yield _make_fault(
            rule,
            "person_has_approved",
            f"no person approved it, and it is of tier {rule.tier}",
            "have a person approve it with 'assay review'",
        )


def _no_conflict_is_open(rule: Rule, conflict: Conflict | None) -> Iterator[GateFault]:
    if conflict is not None and conflict.state != ConflictState.MOOT:
        yield _make_fault(
            rule,
            "no_conflict_is_open",
            f"other rules contradict it in conflict {conflict.conflict_id}",
            f"decide it: 'assay conflicts show {conflict.conflict_id}'",
        )


def _edited_value_is_quoted(standing: RuleStanding) -> Iterator[GateFault]:
    """A value that a person entered must be found in a source's words as well."""
    if standing.grounds and not standing.cited_grounds:
        yield _make_quote_fault(standing.rule, standing.effective_rule, "in any of its quotes")


def _make_place_fault(rule: Rule, what: str, artifact_id: str, start: int) -> GateFault:
    return _make_fault(
        rule,
        "quote_is_in_evidence",
        f"its {what} was not found in text {artifact_id} at {start}",
        "read and extract the document again",
    )


def _make_quote_fault(rule: Rule, worded: Rule, where: str) -> GateFault:
    return _make_fault(
        rule,
        "value_is_in_quote",
        f"'{f'{worded.value} {worded.unit}'.strip()}' was not found {where}",
        "correct the value with 'assay review', or reject the rule",
    )


def _rule_has_pointers(standing: RuleStanding) -> Iterator[GateFault]:
    if not standing.grounds:
        yield _make_fault(
            standing.rule,
            "rule_has_pointers",
            "no source supports it any more",
            "reject it with 'assay review', or read its sources again",
        )
    for ground in standing.grounds:
        if not is_complete(ground):
            yield _make_fault(
                standing.rule,
                "rule_has_pointers",
                f"what pointer {ground.pointer.pointer_id} points to is not in the store",
                "restore the store from a backup",
            )


def _evidence_is_strong(standing: RuleStanding) -> Iterator[GateFault]:
    known = [
        (ground.source.source_slug, ground.source.hierarchy)
        for ground in standing.cited_grounds
        if ground.source is not None
    ]
    if known and not is_evidence_strong(known):
        (slug,) = {slug for slug, _ in known}
        yield _make_fault(
            standing.rule,
            STRENGTH_GATE,
            f"only {slug} supports it, and {slug} is not an official source",
            "add a second source, or the law itself",
        )


def _version_is_valid(rule: Rule) -> Iterator[GateFault]:
    advice = "correct it with 'assay review'"
    try:
        parse_condition_text(rule.applies_when)
    except InvalidInput as error:
        yield _make_fault(
            rule, "condition_is_valid", f"its condition is not valid: {error}", advice
        )
    for day in (rule.effective_from, rule.effective_until):
        if day is not None and (day.startswith("--") or not is_date(day)):
            yield _make_fault(rule, "days_are_valid", f"'{day}' is not a valid date", advice)


def select_waiting(
    faults: Sequence[GateFault], rules: Collection[Rule], required: Collection[str]
) -> frozenset[str]:
    """Approved rules that are not required and that lack nothing but a second source."""
    new = {
        rule.rule_id
        for rule in rules
        if rule.status == RuleStatus.APPROVED.value and rule.rule_id not in required
    }
    lacking: dict[str, set[str]] = {}
    for fault in faults:
        lacking.setdefault(fault.rule_id, set()).add(fault.gate)
    return frozenset(
        key for key, gates in lacking.items() if key in new and gates == {STRENGTH_GATE}
    )


def _make_fault(rule: Rule, gate: str, what: str, advice: str) -> GateFault:
    return GateFault(rule.concept, rule.rule_id, gate, what.rstrip("."), advice)
