"""What still supports a rule: the pointers whose documents say so to this day."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from assay.engine.grouping import group_pairs
from assay.engine.reader import Reader
from assay.model.facts import FIRST_DAY_OF_ALL, CoverageReport, FactEnd
from assay.model.hashes import content_hash
from assay.model.records import IngestCandidate, Record, ScoutResult
from assay.model.rules import Rule, SourcePointer
from assay.ruling.rules.authority import LOWEST, authority_of

SUPPORT_READS: frozenset[type[Record]] = frozenset(
    {IngestCandidate, CoverageReport, ScoutResult, FactEnd}
)
"""What a stage must declare to read the support of rules."""


@dataclass(frozen=True)
class RuleSupport:
    """What decides whether a pointer is still valid."""

    newest: Mapping[str, str | None]
    """document → its newest evidence."""
    extracted: Collection[tuple[str, str]]
    """Pairs of a pack and newest evidence from which it extracted facts: what one pack extracted
    from a document says nothing about what another found in it."""
    copies: Collection[str] = ()
    """Evidence that only repeats other evidence."""
    pack_of: Mapping[str, str] = field(default_factory=dict)
    """rule → its pack."""
    ends: Mapping[str, Sequence[FactEnd]] = field(default_factory=dict)
    """fact → what ended it, or may have."""
    first_day_of: Mapping[str, str | None] = field(default_factory=dict)
    """rule → the first day on which it applies; None if unknown."""
    bounded: Collection[str] = ()
    """Rules whose own words say until when they apply."""
    outdated: Collection[str] = ()
    """Facts that only an earlier version of the extractor found."""

    def find_last_day(self, pointers: Sequence[SourcePointer]) -> str | None:
        """The first day on which none of these words hold any more; None if some still do."""
        days = [self._find_end(pointer.fact_id) for pointer in pointers]
        return max((day for day in days if day), default=None) if all(days) else None

    def list_doubts(self, pointers: Iterable[SourcePointer]) -> list[FactEnd]:
        """What may have ended these words, in order."""
        found = [e for p in pointers for e in self.ends.get(p.fact_id, ()) if e.doubt]
        return sorted(found, key=lambda end: (end.day, end.by_evidence_id, end.fact_id))

    def never_held(self, pointer: SourcePointer) -> bool:
        """Whether these words ended before their first day: a version of a page says when its text
        begins, and what was read from it by itself began too early."""
        ended = self._find_end(pointer.fact_id)
        return ended is not None and ended <= (
            self.first_day_of.get(pointer.rule_id) or FIRST_DAY_OF_ALL
        )

    def _find_end(self, fact_id: str) -> str | None:
        ends = self.ends.get(fact_id, ())
        return min((e.day for e in ends if e.day and (e.since or not e.doubt)), default=None)


async def read_support(
    pointers: Sequence[SourcePointer], rules: Iterable[Rule], read: Reader
) -> RuleSupport:
    """What is known about the documents behind these pointers of these rules."""
    documents = {pointer.doc_id for pointer in pointers}
    # Not what a gate has read before: the newest evidence may have changed since.
    candidates = await read.find_where(IngestCandidate, "doc_id", documents)
    newest = {candidate.doc_id: candidate.evidence_id for candidate in candidates}
    reported = list_reported_evidence(pointers, newest)
    reports = await read.find_where(CoverageReport, "evidence_id", reported)
    evidence = {pointer.evidence_id for pointer in pointers}
    judgements = await read.find_where(ScoutResult, "evidence_id", evidence)
    ends = await read.find_where(FactEnd, "fact_id", {pointer.fact_id for pointer in pointers})
    return build_support(newest, reports, judgements, rules, ends)


def list_reported_evidence(
    pointers: Iterable[SourcePointer], newest: Mapping[str, str | None]
) -> set[str]:
    """The evidence of which it matters what was extracted: that which pointers lead to, and the
    newest of its documents."""
    found = {key for p in pointers for key in (p.evidence_id, newest.get(p.doc_id))}
    return {key for key in found if key is not None}


def build_support(
    newest: Mapping[str, str | None],
    reports: Iterable[CoverageReport],
    judgements: Iterable[ScoutResult],
    rules: Iterable[Rule],
    ends: Iterable[FactEnd] = (),
) -> RuleSupport:
    """Build the support from the stored rows."""
    known, extracted = list(rules), list(reports)
    return RuleSupport(
        newest,
        {(report.pack, report.evidence_id) for report in extracted},
        find_copies(judgements),
        {rule.rule_id: rule.pack for rule in known},
        group_pairs((end.fact_id, end) for end in ends if end.holds),
        {rule.rule_id: rule.effective_from for rule in known},
        {rule.rule_id for rule in known if rule.effective_until is not None},
        {fact_id for report in extracted for fact_id in report.outdated},
    )


def select_current_pointers(
    pointers: Iterable[SourcePointer], support: RuleSupport
) -> list[SourcePointer]:
    """The pointers that are still valid.

    Only an extraction that says otherwise invalidates a pointer: a page that is gone, or has been
    replaced by a notice, does not make yesterday's law untrue. A copy of other evidence adds
    nothing, even if facts were extracted from it before it was recognized as a copy, and neither do
    words that an earlier version of Assay borrowed from another rule or understood otherwise.
    """
    valid = []
    for pointer in pointers:
        now = support.newest.get(pointer.doc_id)
        if pointer.borrowed or pointer.evidence_id in support.copies or support.never_held(pointer):
            continue
        if pointer.fact_id in support.outdated:
            continue
        pack = support.pack_of.get(pointer.rule_id, "")
        # What a newer version ended on a day held until then, and so did what named its own last
        # day: a page that is replaced for each period is silent about the periods before.
        ended = support.find_last_day([pointer]) is not None or pointer.rule_id in support.bounded
        if (
            now is None
            or now == pointer.evidence_id
            or ended
            or (pack, now) not in support.extracted
        ):
            valid.append(pointer)
    return valid


def select_strongest(
    pointers: Sequence[SourcePointer], hierarchy: Mapping[str, int]
) -> list[SourcePointer]:
    """The pointers to sources of the highest authority: once their words have ended, a page that
    still repeats them is out of date."""
    authority = {
        pointer.source_slug: authority_of(hierarchy.get(pointer.source_slug, LOWEST))
        for pointer in pointers
    }
    highest = max(authority.values(), default=None)
    return [pointer for pointer in pointers if authority[pointer.source_slug] == highest]


def find_copies(judgements: Iterable[ScoutResult]) -> frozenset[str]:
    """The evidence that only repeats other evidence."""
    return frozenset(j.evidence_id for j in judgements if j.duplicate_of is not None)


def make_quote_key(quote: str) -> str:
    """Identifies words, to know whether a person has seen them; white space does not matter."""
    return content_hash(" ".join(quote.split()).encode())[:24]


def list_quote_keys(pointers: Sequence[SourcePointer]) -> list[str]:
    """The keys of the words that a person sees when approving a rule, as they are stored."""
    return sorted({make_quote_key(pointer.quote) for pointer in pointers})
