"""On what a rule still rests: the pointers whose documents say so to this day."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from assay.model.facts import CoverageReport
from assay.model.hashes import content_hash
from assay.model.records import ScoutResult
from assay.model.rules import SourcePointer


def current(
    pointers: Iterable[SourcePointer],
    newest: Mapping[str, str | None],
    extracted: Collection[str],
    copies: Collection[str] = (),
) -> list[SourcePointer]:
    """The pointers that still hold.

    `newest` tells of each document which evidence is its newest, `extracted` from which of those
    facts were taken. Only an extraction that says otherwise takes a pointer away: a page that is
    gone, or has become a notice, does not make law of yesterday untrue. Borrowed words count only
    beside words of the rule's own: they do not say from when it holds. What stands in `copies` of
    other evidence says nothing of its own, though facts were taken from it before that was known.
    """
    kept = []
    for pointer in pointers:
        now = newest.get(pointer.doc_id)
        if pointer.evidence_id in copies:
            continue
        if now is None or now == pointer.evidence_id or now not in extracted:
            kept.append(pointer)
    own = {pointer.rule_id for pointer in kept if not pointer.borrowed}
    return [pointer for pointer in kept if pointer.rule_id in own]


def current_by_pack(
    pointers: Sequence[SourcePointer],
    pack_of: Mapping[str, str],
    newest: Mapping[str, str | None],
    extracted: Mapping[str, Collection[str]],
    copies: Collection[str] = (),
) -> list[SourcePointer]:
    """The same for rules of several packs: what one pack took from a document says nothing of
    what another found in it. `pack_of` names the pack of each rule, `extracted` is kept by pack."""
    of_pack: dict[str, list[SourcePointer]] = {}
    for pointer in pointers:
        of_pack.setdefault(pack_of[pointer.rule_id], []).append(pointer)
    return [
        pointer
        for pack, own in sorted(of_pack.items())
        for pointer in current(own, newest, extracted.get(pack, ()), copies)
    ]


def extracted_by_pack(reports: Iterable[CoverageReport]) -> dict[str, set[str]]:
    """pack → the evidence from which it took facts."""
    found: dict[str, set[str]] = {}
    for report in reports:
        found.setdefault(report.pack, set()).add(report.evidence_id)
    return found


def copies_among(judgements: Iterable[ScoutResult]) -> frozenset[str]:
    """The evidence that only repeats other evidence."""
    return frozenset(j.evidence_id for j in judgements if j.duplicate_of is not None)


def quote_key(quote: str) -> str:
    """What tells whether a person has seen these words: white space does not matter."""
    return content_hash(" ".join(quote.split()).encode())[:24]


def seen_keys(pointers: Sequence[SourcePointer]) -> list[str]:
    """The words under a person's eyes when a rule is approved, as they are kept."""
    return sorted({quote_key(pointer.quote) for pointer in pointers})
