"""Where a condition ends: at its comma, at the verb of the main clause, or at the figure."""

import re
from collections.abc import Iterator, Sequence

from assay.packs.regulatory.extractor import case_cues
from assay.packs.regulatory.extractor.figures import Figure

NEAR = 20
"""A comma so close before a figure ends what was inserted there."""
_INSERTED = 3
"""`if, within 30 days, …`: a comma so close after the first word of a condition."""
SHORTEST = 4
"""The fewest words of a condition that only a comma ends."""
FEW = 200
"""A point without a verb that is not longer says which case its own points are about."""


def find_relative_end(text: str, relative: re.Match[str], figure: Figure) -> int:
    """Where a relative clause ends: at a comma, at the verb of its sentence, at the figure."""
    before = figure.start if relative.start() < figure.start else len(text)
    first = relative.end() + (relative[0][0] == ",")
    german = relative[0][0] == ","
    comma = find_closing_comma(text, first, before, verb_last=german)
    verb = case_cues.AUXILIARY.search(text, first, before)
    if verb and not text[first : verb.start()].strip():
        # "a person who shall have served": the verb of the clause itself.
        verb = case_cues.AUXILIARY.search(text, verb.end() - 1, before)
    trails = case_cues.TRAILS.search(text, first, before)
    ends = [one.start() for one in (comma, verb, trails) if one]
    if ends:
        return min(ends)
    if before == len(text):
        return before
    # The figure is in the relative clause itself.
    closing = find_closing_comma(text, figure.end, len(text), verb_last=german)
    return closing.start() if closing else len(text)


def find_closing_comma(
    text: str, start: int, before: int, *, verb_last: bool
) -> re.Match[str] | None:
    """The first comma that is not one around an insertion."""
    return next(_list_commas(text, start, before, verb_last=verb_last), None)


def _list_commas(
    text: str, start: int, before: int, *, verb_last: bool = False
) -> Iterator[re.Match[str]]:
    """The commas, without those around an insertion: `would, but for this section, be`.

    After a verb, a German relative clause is over unless it needs another clause.
    """
    inside = False
    for comma in case_cues.COMMA.finditer(text, start, before):
        if inside:
            inside = False
        elif text.startswith(", so ", comma.start()):
            # "… übergegangen ist, so wird …": the main clause begins.
            yield comma
        elif case_cues.DEPENDENT.match(text, comma.start()):
            continue
        elif not verb_last and case_cues.INSERTED.search(
            text, max(0, comma.start() - 12), comma.end() + 1
        ):
            inside = True
        else:
            yield comma


def find_end_after(text: str, start: int, figure: Figure) -> int:
    """Where a condition ends that contains a figure."""
    fronted = start < NEAR or not case_cues.FINITE.search(text, 0, start)
    trails = case_cues.TRAILS.search(text, figure.end)
    last = trails.start() if trails else len(text)
    main = find_main(text, figure.end, len(text)) if fronted else None
    return last if main is None else min(main, last)


def find_bracket_end(text: str, start: int, end: int) -> int:
    """Where the brackets close that a stretch begins in, if that is before its end."""
    depth = 0
    for at in range(start, end):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth < 0:
            return at
    return end


def find_other_brackets(text: str, figure: Figure, at: int) -> int | None:
    """Where the brackets around a place end, unless the figure is in the same ones."""
    opened = text.rfind("(", figure.end, at)
    if opened < 0 or text.find(")", opened, at) >= 0:
        return None
    closed = text.find(")", at)
    return closed if closed > 0 else len(text)


def find_end(text: str, opened: re.Match[str], before: int) -> int | None:
    """Where a condition ends that begins before a place."""
    end = find_main(text, opened.end(), before)
    if not case_cues.PHRASE.match(opened[0]):
        return end
    if case_cues.CERTAIN_CASES.fullmatch(opened[0]) and not case_cues.OF_CASES.match(
        text, opened.end()
    ):
        return opened.end()
    if of_reference := case_cues.REFERRED.match(text, opened.end(), before):
        return of_reference.end()
    comma = case_cues.COMMA.search(text, opened.end(), before)
    near = comma.start() if comma else before
    verbs = (
        case_cues.FINITE.search(text, opened.end(), before),
        None
        if case_cues.SUBORDINATE.search(text, opened.end(), near)
        else case_cues.COPULA.search(text, opened.end(), near),
    )
    if found := [verb.start() for verb in verbs if verb]:
        return min(end or before, *found)
    if end is None and before < len(text) and before - opened.end() < FEW:
        # "beträgt ungeachtet des Satzes 2 5 Prozent": nothing but the figure ends it.
        return len(case_cues.INTRODUCES.sub("", text[:before]))
    return end


def find_any_comma(text: str, start: int, before: int) -> int | None:
    """The comma after a condition of a few words that no known verb follows."""
    opened = text.startswith(",", start) and case_cues.COMMA.search(text, start + 1)
    start = opened.end() if opened else start
    commas = (one.start() for one in _list_commas(text, start, before))
    long = (at for at in commas if text.count(" ", start, at) >= SHORTEST)
    return next((at for at in long if not case_cues.GOES_ON.match(text, at)), None)


def find_inverted_end(text: str, begun: re.Match[str], before: int) -> int | None:
    """The comma after a condition that begins with its verb.

    A German main clause begins with `so` or with its own verb.
    """
    start = begun.end()
    if case_cues.LI.search(begun[0]):
        return find_main(text, start, before)
    found = [
        one
        for one in case_cues.GERMAN_MAIN.finditer(text, start, before)
        if text.count("(", start, one.start()) == text.count(")", start, one.start())
    ]
    main = next((one for one in found if one["so"]), found[0] if found else None)
    return main.start() if main else None


def find_main(text: str, start: int, before: int) -> int | None:
    """The comma after which the main clause begins, if that is before a place."""
    fronted = not case_cues.FINITE.search(text, 0, start)
    if fronted and (modal := case_cues.MODAL.search(text, start, before)):
        # "Where the authority, upon completion, decides to oppose it, it shall …"
        commas = [one.start() for one in case_cues.COMMA.finditer(text, start, modal.start() + 1)]
        after = [at for at in commas if not case_cues.GOES_ON.match(text, at)]
        if after:
            return after[-1]
    described = False
    # "where, upon conviction, an order is made": the comma that closes an insertion ends nothing.
    opened = text.startswith(",", start) and case_cues.COMMA.search(text, start + 1)
    closed = opened.start() if opened else -1
    for match in _list_commas(text, start, before):
        at = match.start()
        if described and case_cues.GOES_ON_WITH_VERB.match(text, at):
            described = False
            continue
        described = _describes_subject(text, start, at)
        inside = text.count("(", start, at) > text.count(")", start, at)
        if inside or at - start < _INSERTED or at == closed:
            continue
        if case_cues.ONLY_SUBJECT.fullmatch(text, start, at) and case_cues.TIMED.match(text, at):
            # "unless the Court, within 7 days, makes an order"
            continue
        if case_cues.VERB.match(text, at):
            return at
        if not case_cues.GOES_ON.match(text, at) and (
            before - at < NEAR or case_cues.MAIN.search(text, at, before)
        ):
            return at
    return None


def _describes_subject(text: str, start: int, at: int) -> bool:
    """Whether a relative clause begins at a comma before the verb of its condition."""
    begins = case_cues.DESCRIBES.match(text, at) is not None
    return begins and case_cues.HAS_VERB.search(text, start, at) is None


def find_next_rival(text: str, start: int, end: int, rivals: Sequence[Figure]) -> int:
    """Where a condition ends because another figure with its own condition follows it."""
    after = min((one.start for one in rivals if start <= one.start < end), default=-1)
    if after < 0:
        return end
    separated = case_cues.SEPARATES.search(text[start:after])
    return start + separated.start() if separated else end


def find_own_words(text: str, relative: re.Match[str]) -> int:
    """Where the words begin that a relative clause belongs to."""
    before = text[: relative.start()]
    marks = [before.rfind(mark) + 1 for mark in (",", ";", ":", "(")]
    if before.find(")", marks[-1]) >= 0:
        # The brackets are closed again before the relative clause.
        marks.pop()
    verbs = [one.end() for one in case_cues.FINITE.finditer(f"{before} ")]
    return max([0, *marks, *verbs[-1:]])
