"""The case in which a figure applies, whole and in the words of its provision."""

import re
from collections.abc import Iterable, Iterator, Sequence

from assay.packs.regulatory.extractor import case_cues
from assay.packs.regulatory.extractor.case_ends import (
    FEW,
    NEAR,
    SHORTEST,
    find_any_comma,
    find_bracket_end,
    find_closing_comma,
    find_end,
    find_end_after,
    find_inverted_end,
    find_main,
    find_next_rival,
    find_other_brackets,
    find_own_words,
    find_relative_end,
)
from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.figures import VALUES, Figure, FigureKind
from assay.packs.regulatory.extractor.kinds import load_common_stems, make_stem
from assay.packs.regulatory.extractor.meaning import find_comparison

_LONGEST = 490
"""A condition may have 500 letters."""
_BESIDE = 60
"""So near to a figure is the tier that it is for."""
_MOST_POINTS = 8
"""A longer list is known by its provision."""
_TELLING_POINT = 60
"""With fewer letters than this, a point of a list says little."""
_FEW_POINTS, _LONG_POINT = 3, 110
"""Of more points than a few, each is cut to this length."""
_LEAD_WORDS = 40
_TELLING = 3
"""So many words that say something make a lead-in more than `The rates are`."""
_WORD = re.compile(r"[^\W\d_]{4,}")
_MINUTES = re.compile(r"\d\sMinuten")
"""A time that is not a figure, because facts do not have its unit."""
_STEM = 6
"""Letters of a word that count when it is looked for in another form."""
_OF_TIME = frozenset({FigureKind.TIME, FigureKind.DATE})
_EDGES = " ,;:.–—-\n\t"


def find_case(
    clause: Clause,
    figure: Figure,
    predicate: str,
    leads: Sequence[str] = (),
    points: Sequence[str] = (),
    rivals: Sequence[Figure] = (),
) -> tuple[str, ...]:
    """The words that limit a figure, part by part.

    `leads` introduce the list it is in; `points` are the list that its sentence introduces;
    `rivals` are the other figures of its sentence that say the same thing of other cases.
    """
    is_limit = predicate == "threshold"
    leads = _choose_leads(clause, leads)
    found = [part for lead in leads for part in _find_in_lead(lead, is_limit=is_limit)]
    if predicate.startswith("penalty"):
        found = [*_list_offenders(leads), *found]
    if leads and not is_limit and case_cues.OPEN_END.search(leads[-1]):
        words = case_cues.INTRODUCES.sub("", clause.text[: figure.start])
        found.append(f"{found.pop() if found else ''} {words}")
    goes_on = clause.text[:1].islower() or not clause.text[:1].isalpha()
    if (
        leads
        and goes_on
        and found
        and found[-1].count(" ") < SHORTEST
        and case_cues.BEGINS.match(found[-1])
    ):
        # "where the provider" goes on in each point.
        found.append(f"{found.pop()} {clause.text}")
    listed = bool(leads) and not refers_back(clause.text)
    stretches = list(_find_stretches(clause, figure, predicate, rivals, listed=listed))
    merged = list(_merge(stretches))
    found += [clause.text[start:end] for start, end in merged]
    opens = _continues(clause, merged) if merged else _opens_cases(clause)
    if points and (opens or _are_cases(points, predicate)):
        found += _list_cases(points, _LONGEST - sum(len(part) + 2 for part in found))
    cleaned = dict.fromkeys(
        part for part in map(_clean, found) if " " in part and not case_cues.BARE.fullmatch(part)
    )
    return tuple(_cut_length(cleaned))


def refers_back(text: str) -> bool:
    """Whether a sentence applies in the case that the sentence before describes."""
    return case_cues.SAME_CASE.match(text) is not None


def follows_on(text: str, before: str) -> bool:
    """Whether a sentence goes on with what another, earlier in its paragraph, is about."""
    if case_cues.OTHERWISE.match(text):
        return False
    if refers_back(text) or case_cues.REFERS_BACK.match(text):
        return True
    named = case_cues.DEFINITE.match(text)
    if named is None:
        return False
    if named[1][:_STEM].casefold() in before.casefold():
        return True
    return case_cues.INVERTED.match(before) is not None and not _has_own_case(text)


def _has_own_case(text: str) -> bool:
    """Whether a German sentence says itself in which case it applies, or of which sentence."""
    forms = (case_cues.OPENS, case_cues.RELATIVE, case_cues.OWN_REFERENCE)
    return any(form.search(text) for form in forms)


def describes_case(text: str) -> bool:
    """Whether a sentence begins with the case in which it applies."""
    return _begins_case(text) is not None


def limits_last(text: str) -> bool:
    """Whether a sentence limits the one before: `Dies gilt nicht, wenn …`."""
    return case_cues.EXCEPTS.match(text) is not None


def limits_provision(text: str, paragraph: str, sentence: int) -> bool | None:
    """Whether a sentence names a paragraph or a sentence that it limits; None if it names none.

    A sentence number without a paragraph is one of the same paragraph, which is empty then.
    """
    named = case_cues.EXCEPTED.match(text)
    if named is None or not (named["paragraphs"] or named["sentences"]):
        return None
    if bool(paragraph) != bool(named["paragraphs"]):
        return False
    of_paragraph = not paragraph or _is_named(paragraph, named["paragraphs"])
    return of_paragraph and (not named["sentences"] or _is_named(str(sentence), named["sentences"]))


def _is_named(number: str, words: str) -> bool:
    """Whether a number is one of `1, 3 bis 5 und 7`."""
    if number in re.findall(r"\w+", words):
        return True
    ranges = re.finditer(r"(\d+) bis (\d+)", words)
    return number.isdigit() and any(int(one[1]) < int(number) < int(one[2]) for one in ranges)


def _begins_case(text: str) -> re.Match[str] | None:
    start = len(text) - len(text.lstrip("“„»\"'*_([ \t"))
    opened = case_cues.OPENS.match(text, start)
    return opened or case_cues.INVERTED.match(text)


def _list_offenders(leads: Sequence[str]) -> Iterator[str]:
    """`A person who contravenes this section is liable—`: whom the fines of a list are for."""
    for lead in leads:
        if match := case_cues.LIABLE.match(" ".join(lead.split())):
            yield match["did"]


def _opens_cases(clause: Clause) -> bool:
    """Whether a list says in which cases its sentence applies."""
    text = clause.text.rstrip()
    opens = text.endswith((":", "—", "–")) and case_cues.OPEN_LIST.search(text)
    return bool(opens) and not case_cues.CONTENTS.search(text)


def _are_cases(points: Sequence[str], predicate: str) -> bool:
    """Whether every point of a list is a case: `u slučaju …`, or `ako ne …` of an offence."""
    opens = case_cues.OPENS if predicate.startswith("penalty") else case_cues.IN_CASE
    return all(opens.match(point.lstrip(_EDGES)) for point in points)


def _list_cases(points: Sequence[str], room: int) -> list[str]:
    """The points of a list, long ones cut to share what room there is; of many the first ones."""
    room = max(room, _LONGEST // 2) - len("; … (100)")
    most = min(len(points), _MOST_POINTS, room // _TELLING_POINT)
    shown = [case_cues.CITED.sub("", _clean(point)) for point in points[:most]]
    lengths = dict[int, int]()
    for rank, at in enumerate(sorted(range(most), key=lambda at: len(shown[at]))):
        share = room // (most - rank) - len(" …; ")
        lengths[at] = min(len(shown[at]), share if most <= _FEW_POINTS else min(share, _LONG_POINT))
        room -= lengths[at] + len(" …; ")
    cut = [
        point if lengths[at] == len(point) else point[: lengths[at]].rpartition(" ")[0] + " …"
        for at, point in enumerate(shown)
    ]
    return [*cut, f"… ({len(points)})"] if len(points) > most else cut


def _choose_leads(clause: Clause, leads: Sequence[str]) -> Sequence[str]:
    """The words that a clause really goes on with."""
    first = next((letter for letter in clause.text if letter.isalpha()), "")
    if not leads and first.islower() and case_cues.LEADS_ON.search(clause.lead):
        return (clause.lead,)
    own = case_cues.OWN_NUMBER.search(clause.article)
    return [
        lead
        for lead in leads
        if not (first.isupper() and case_cues.OPEN_CLAUSE.search(lead))
        and not ((number := case_cues.LEAD_NUMBER.match(lead)) and own and own[1] != number[1])
    ]


def _continues(clause: Clause, found: Sequence[tuple[int, int]]) -> bool:
    """Whether a condition goes on in the list after its sentence."""
    open_end = not clause.text.rstrip().endswith((".", ";"))
    reaches = open_end and max(end for _, end in found) >= len(clause.text.rstrip(_EDGES))
    return reaches or any(case_cues.FOLLOWING.search(clause.text, *one) for one in found)


def _clean(words: str) -> str:
    plain = case_cues.LINK.sub(r"\1", words)
    plain = case_cues.NOISE.sub(lambda found: "" if found[0] in "\\]·" else " ", plain)
    plain = case_cues.SPACED.sub(r"\1", " ".join(case_cues.MARKER.sub("", plain).split()))
    return case_cues.JOINS.sub("", plain.strip(_EDGES)).strip(_EDGES)


def _cut_length(parts: Iterable[str]) -> Iterator[str]:
    left = _LONGEST
    for part in parts:
        if left > 0:
            yield part if len(part) <= left else part[:left].rpartition(" ")[0] + " …"
        left -= len(part) + 2


def _merge(stretches: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The stretches in order, those that overlap as one."""
    first, last = -1, -1
    for start, end in sorted(stretches):
        if start >= last:
            if last > first:
                yield first, last
            first, last = start, end
        last = max(last, end)
    if last > first:
        yield first, last


def _find_stretches(
    clause: Clause, figure: Figure, predicate: str, rivals: Sequence[Figure], *, listed: bool
) -> Iterator[tuple[int, int]]:
    text = clause.masked
    if predicate.startswith("penalty"):
        yield from _find_offence(text, figure, clause.begin)
    elif predicate != "threshold":
        yield from _find_persons(text, figure)
    if begun := case_cues.INVERTED.match(text):
        if end := find_inverted_end(text, begun, figure.start):
            yield 0, end
        elif (end := find_inverted_end(text, begun, len(text))) and end >= figure.end:
            # The figure is in the case itself; what follows is said of another thing.
            yield 0, end
            return
    yield from _find_fronted(text, figure)
    if predicate != "threshold":
        yield from _find_tiers(clause, figure)
        yield from _find_years(clause, figure)
    else:
        yield from _find_comparisons(clause, figure)
    yield from _find_relatives(clause, figure, is_limit=predicate == "threshold")
    if listed:
        yield from _find_in_item(clause, figure)
    yield from _find_conditionals(clause, figure, predicate, rivals)


def _find_offence(text: str, figure: Figure, begin: int) -> Iterator[tuple[int, int]]:
    yield from (match.span() for match in case_cues.OFFENCE.finditer(text))
    punished = case_cues.PUNISHED.search(text, begin)
    if punished and punished.start() > begin and not case_cues.FINED_FIRST.match(text, begin):
        yield begin, punished.start()
    for form in (case_cues.OFFENDER, case_cues.SUBJECTED, case_cues.WHOEVER):
        match = form.search(text) if form is case_cues.OFFENDER else form.match(text, begin)
        if match and not match.start("did") <= figure.start < match.end("did"):
            yield match.span("did")


def _find_fronted(text: str, figure: Figure) -> Iterator[tuple[int, int]]:
    """`Für die Verlängerung wird …`: what a sentence is for, if it names that first."""
    if (begun := case_cues.FRONTED.match(text)) is None:
        return
    comma = case_cues.COMMA.search(text, begun.end(), figure.start)
    verb = case_cues.FINITE.search(text, begun.end(), figure.start)
    ends = [one.start() for one in (comma, verb) if one]
    if ends:
        yield 0, min(ends)


def _find_years(clause: Clause, figure: Figure) -> Iterator[tuple[int, int]]:
    """`im Jahr 2021`, `für die Jahre 2009 bis 2013`: the years that a sum or a share is for."""
    if figure.kind not in VALUES:
        return
    first, last = clause.part_of(figure.start)
    others = [one for one in clause.figures if one.kind in VALUES and first <= one.start < last]
    if len(others) == 1:
        yield from (one.span() for one in case_cues.YEARS.finditer(clause.masked, first, last))
    elif found := case_cues.YEARS.match(clause.masked, figure.end + 1):
        yield found.span()


def _find_relatives(clause: Clause, figure: Figure, *, is_limit: bool) -> Iterator[tuple[int, int]]:
    """`vessels which carry goods`: the thing with what its clause says about it."""
    text = clause.masked
    first, last = clause.part_of(figure.start)
    same = (one.start for one in clause.figures if one.kind is figure.kind)
    last = min((at for at in same if at >= figure.end), default=last)
    if (listed := case_cues.INLINE_LIST.search(text, figure.end, last)) is not None:
        last = listed.start()
    for match in case_cues.RELATIVE.finditer(text, 0, last):
        if match.start() < first and any(
            one.kind is figure.kind and one.start < first for one in clause.figures
        ):
            continue
        if any(one.end == match.start() for one in clause.figures):
            # "nicht länger als vier Tage, das Gespräch nicht länger als …": no relative clause.
            continue
        if case_cues.ASKED.search(text, 0, match.start()):
            continue
        if case_cues.PROVISO.search(text, figure.end, max(figure.end, match.start())):
            return
        start, end = find_own_words(text, match), find_relative_end(text, match, figure)
        if not text[match.end() : end].strip(_EDGES):
            continue
        if is_limit and end > figure.start:
            # The comparison itself is not its condition.
            continue
        if match.start() >= figure.end:
            if _MINUTES.search(text, figure.end, match.start()):
                continue
            start = max(start, figure.end)
            if case_cues.SINCE.match(text, start):
                # "10 years from the end of the year to which they relate" says when it begins.
                continue
        if case_cues.GOES_ON_WITH.search(text, match.start(), end):
            # ", which fees may be used": what the sentence says next.
            continue
        others = (one for one in clause.figures if one.kind in VALUES and one != figure)
        if not any(start <= one.start < end for one in others):
            yield start, end


def _find_tiers(clause: Clause, figure: Figure) -> Iterator[tuple[int, int]]:
    """The part of a sum, or the age, that a figure is for: after it, otherwise before it."""
    same = [one for one in clause.figures if one.kind is figure.kind]
    first = max((one.end for one in same if one.end <= figure.start), default=0)
    last = min((one.start for one in same if one.start >= figure.end), default=len(clause.masked))
    spans = [found.span() for found in case_cues.TIER.finditer(clause.masked)]
    after = [one for one in spans if figure.end <= one[0] < min(last, figure.end + _BESIDE)]
    before = [one for one in spans if max(first, figure.start - _BESIDE) < one[1] <= figure.start]
    for start, end in (after or before[-1:])[:1]:
        yield start, min(end, last) if start >= figure.end else end


def _find_persons(text: str, figure: Figure) -> Iterator[tuple[int, int]]:
    """`an employee who has worked for a year`: those for whom it applies."""
    for match in case_cues.WHO.finditer(text):
        between = text[figure.end : max(figure.end, match.start())]
        if case_cues.COMMA.search(between) or case_cues.OR_IN.search(between):
            # "or, in the Member States whose currency is not the euro, …" says something else.
            return
        before = figure.start if match.start() < figure.start else len(text)
        if before < len(text) and case_cues.UNFINISHED.match(text, match.end(), before):
            # "A member who does not, for 6 months, attend a meeting"
            closing = find_closing_comma(text, figure.end + 1, len(text), verb_last=False)
            last = closing.end() if closing else figure.end
            verb = case_cues.FINITE.search(text, last) or case_cues.MAIN.search(text, last)
            yield match.start(), verb.start() if verb else len(text)
            continue
        end = find_main(text, match.end(), before)
        if (verb := case_cues.AUXILIARY.search(text, match.end(), before)) is not None:
            end = min(end or before, verb.start())
        if before == len(text) or end is not None:
            stop = case_cues.COMMA.search(text, match.end(), before) if end is None else None
            yield match.start(), stop.start() if stop else end or before


def _find_comparisons(clause: Clause, figure: Figure) -> Iterator[tuple[int, int]]:
    """`more than $5,000 and over 120 days`, `less than $15 for 90 days`: what else must hold."""
    text, (first, last) = clause.masked, clause.part_of(figure.start)
    capped = list(case_cues.AUXILIARY.finditer(text, first, figure.start))
    subject = text[max(first, clause.begin) : capped[-1].start()] if capped else ""
    if case_cues.CAPPED.search(subject) and case_cues.COMMA.search(subject) is None:
        # "The share of a project that serves the poor shall not exceed": of which project.
        yield max(first, clause.begin), capped[-1].start()
    kinds = VALUES | {FigureKind.TIME, FigureKind.HEADS}
    others = [one for one in clause.figures if one.kind in kinds and first <= one.start < last]
    rivals = (one.start for one in others if one.start >= figure.end and one.kind not in _OF_TIME)
    if lasting := case_cues.FOR_SO_LONG.search(text, figure.end, min(rivals, default=last)):
        yield lasting.span()
    for one in others:
        start, end = min(one.end, figure.end), max(one.start, figure.start)
        joined = case_cues.AND_ALSO.fullmatch(text[start:end]) if start < end else None
        if joined is None or not find_comparison(clause, one):
            continue
        if one.start > figure.start:
            stop = case_cues.COMMA.search(text, one.end, last)
            yield start, stop.start() if stop else last
        else:
            comma = text.rfind(",", first, one.start) + 1
            yield max(first, comma), one.end


def _find_in_item(clause: Clause, figure: Figure) -> Iterator[tuple[int, int]]:
    """`für Bier 5 Euro`, `5 Euro für Bier`: what an item of a list is about."""
    text = clause.masked
    if case_cues.AMENDS.search(text):
        return
    if of := case_cues.OF_ITEM.match(text, clause.begin):
        first = next((one.start for one in clause.figures if one.kind in VALUES), figure.start)
        first = max(of.end(), min(first, figure.start))
        which = next(case_cues.RELATIVE.finditer(text, of.end(), first), None)
        if which and which[0][0] == "," and not case_cues.COMMA.search(text, which.end(), first):
            yield clause.begin, find_relative_end(text, which, figure)
            return
        end = find_main(text, of.end(), first)
        if verb := case_cues.FINITE.search(text, of.end(), end or first):
            end = verb.start()
        words = case_cues.INTRODUCES.sub("", text[: end or first])
        yield clause.begin, len(words)
    elif after := case_cues.OF_SHARE.match(text, figure.end):
        trails = case_cues.TRAILS.search(text, after.end())
        yield after.start(), trails.start() if trails else len(text)


def _find_conditionals(
    clause: Clause, figure: Figure, predicate: str, rivals: Sequence[Figure]
) -> Iterator[tuple[int, int]]:
    text = clause.masked
    reached, later = 0, False
    for match in case_cues.OPENS.finditer(text):
        start = match.start()
        if start < reached or (predicate.startswith("penalty") and "prekršaj" in match[0].lower()):
            continue
        if case_cues.IDIOM.match(text, match.end()) or _is_of_rival(clause, match, figure, rivals):
            continue
        if _is_also(text, match):
            continue
        kinds = VALUES | {figure.kind}
        others = [one for one in clause.figures if one.kind in kinds and one.start >= match.end()]
        if start < figure.start:
            if _is_of_earlier_part(clause, figure, start):
                continue
            reached = find_bracket_end(text, start, figure.start)
            if reached < figure.start:
                yield start, reached
                continue
            end = find_end(text, match, figure.start)
            if (
                end is None
                and predicate != "threshold"
                and not case_cues.FINITE.search(text, 0, start)
            ):
                end = find_any_comma(text, match.end(), figure.start)
            if end is None:
                # The figure is in the condition itself.
                if predicate == "threshold" or figure.kind in _OF_TIME:
                    yield start, find_end_after(text, start, figure)
                return
            reached = end
            yield start, end
            continue
        if case_cues.JOINS.search(text[max(0, start - 12) : start]) and others:
            return
        if case_cues.NEXT_CLAUSE.search(text[max(0, start - 30) : start]):
            return
        joined = case_cues.JOINS.search(text[max(0, start - 6) : start])
        if joined and case_cues.NEW_SUBJECT.search(text, match.end()):
            # "… until one month after it and, if an objection is received, the Board shall …"
            return
        if case_cues.AND_MAY.search(text, figure.end, start):
            # "shall rule within one hour and may rule that it is invalid if …"
            return
        if (closed := find_other_brackets(text, figure, start)) is not None:
            reached = closed
            continue
        own_part, _ = clause.part_of(start)
        same = [one for one in clause.figures if one.kind is figure.kind]
        if own_part > figure.start and any(own_part <= one.start for one in same):
            # "…; except that it may not exceed 7 %" says something of its own.
            return
        between = any(
            one.kind is figure.kind and figure.end + 15 < one.start < start
            for one in clause.figures
        )
        if later and between:
            return
        inserted = case_cues.INSERTED.search(text[max(0, start - 12) : start])
        end_mark = (case_cues.COMMA if inserted else case_cues.TRAILS).search(text, match.end())
        end_at = end_mark.start() if end_mark else len(text)
        main = case_cues.NEW_SUBJECT.search(text, match.end(), end_at)
        if main and match[0].lower() != "provided":
            end_at = main.start()
        end_at = find_next_rival(text, match.end(), end_at, rivals)
        reached = find_bracket_end(text, start, end_at)
        later = True
        yield start, reached


def _is_also(text: str, opened: re.Match[str]) -> bool:
    """`i u slučaju`: whether a case is only included, unless it is the second one."""
    if not case_cues.IN_CASE.match(opened[0]):
        return False
    earlier = case_cues.OPENS.search(text, 0, opened.start())
    return case_cues.ALSO_IN.search(text, 0, opened.start()) is not None and earlier is None


def _is_of_rival(
    clause: Clause, opened: re.Match[str], figure: Figure, rivals: Sequence[Figure]
) -> bool:
    """`£200 for two, and £300 if there are three`: whether a condition is of another figure."""
    start, text = opened.start(), clause.masked
    before = max((one.end for one in rivals if one.end <= start), default=-1)
    after = min((one.start for one in rivals if one.start >= opened.end()), default=-1)
    if start >= figure.end:
        next_one = (
            one.kind is figure.kind
            and one.start >= opened.end()
            and not case_cues.COMMA.search(text, opened.end(), one.start)
            for one in clause.figures
        )
        return before >= figure.end or bool(case_cues.PHRASE.match(opened[0]) and any(next_one))
    if 0 <= after < figure.start and case_cues.IN_CASE.match(opened[0]):
        # "u slučaju iz točke 1. tri mjeseca, u slučaju iz točke 2. šest mjeseci"
        return case_cues.IN_CASE.search(text, after, figure.start) is not None
    fronted = case_cues.FINITE.search(text, opened.end(), max(opened.end(), after))
    if case_cues.PHRASE.match(opened[0]) and 0 <= after < figure.start and not fronted:
        # "in case A two weeks and in case B a month": each has its own.
        later = case_cues.OPENS.finditer(text, after, figure.start)
        if any(case_cues.PHRASE.match(one[0]) for one in later):
            return True
    if before < 0 or before > figure.start:
        return False
    if 0 <= after < figure.start:
        return True
    joined = case_cues.JOINS.search(text[max(0, start - 12) : start])
    trails = case_cues.OPENS.search(text, figure.end)
    return bool(
        trails and not joined and case_cues.SEPARATES.search(text[opened.end() : figure.start])
    )


def _is_of_earlier_part(clause: Clause, figure: Figure, at: int) -> bool:
    """Whether a condition follows another value in an earlier part of the sentence."""
    first, _ = clause.part_of(figure.start)
    return at < first and any(one.kind in VALUES and one.end <= at for one in clause.figures)


def _find_in_lead(lead: str, *, is_limit: bool) -> Iterator[str]:
    """The conditions in the words that introduce a list."""
    flat = " ".join(lead.split())
    # The last proviso leads into a list; what is before it says something of its own.
    flat = flat[max((one.start() + 2 for one in case_cues.PROVISO.finditer(flat)), default=0) :]
    if case_cues.DEFINES.search(flat) or case_cues.EDITORIAL.search(flat):
        return
    if case_cues.NEW_TEXT.search(flat):
        return
    if begun := case_cues.INVERTED.match(flat):
        end = find_inverted_end(flat, begun, len(flat))
        if end is not None or case_cues.OPEN_CASE.match(flat):
            # Otherwise the points begin with the verb: "Ist der Antrag vollständig, 1. teilt …".
            yield flat[:end]
            return
    reached, opened = 0, False
    for match in case_cues.OPENS.finditer(flat):
        if match.start() < reached:
            continue
        if match.start() > NEAR and case_cues.ENDS_OPEN.fullmatch(flat, match.start()):
            reached, opened = len(flat), True
            yield " ".join(flat.split()[-_LEAD_WORDS:])
            continue
        end = find_end(flat, match, len(flat))
        if end is None and is_limit:
            # "only if the base is": what follows is compared with the limit.
            continue
        end = find_bracket_end(flat, match.start(), len(flat) if end is None else end)
        reached, opened = end, True
        yield flat[match.start() : reached]
    if opened:
        return
    if len(flat) <= FEW and not case_cues.MAIN.search(flat) and not case_cues.HEADING.match(flat):
        yield flat
        return
    if compared := case_cues.COMPARED.search(flat):
        yield compared[0]
        return
    if case_cues.HEADING.match(flat) or case_cues.AMENDS.search(flat):
        return
    telling = {make_stem(word) for word in _WORD.findall(flat)} - load_common_stems()
    if len(telling) >= _TELLING:
        yield " ".join(flat.split()[-_LEAD_WORDS:])
