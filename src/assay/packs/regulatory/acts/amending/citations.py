"""Read citations of provisions: "§ 12 Absatz 2", "članka 38. stavka 2.", "section 5(2)"."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assay.packs.regulatory.acts.amending.paths import (
    ARTICLE_LEVEL,
    LAST,
    Step,
    combine,
    expand_range,
    is_inside,
)
from assay.packs.regulatory.acts.shapes import ProvisionKind

_MOST_TARGETS = 1_000
"""No instruction names more; ranges within ranges would multiply to any number."""
Make = Callable[[str], Step | Sequence[Step]]
_WITH_SUBPARAGRAPHS = (
    *(ProvisionKind.ARTICLE, ProvisionKind.PARAGRAPH, ProvisionKind.POINT),
    *(ProvisionKind.ANNEX, ProvisionKind.INDENT),
)
_AND = re.compile(r"\band\b")
_JOINS = re.compile(r"\b(?:and|or)\b")
_IN_BRACKETS = re.compile(r"\((?P<number>\w+)\)")


@dataclass(frozen=True, slots=True)
class CitingStyle:
    """How a tradition names provisions: nouns with the steps their numbers make."""

    token: re.Pattern[str]
    """Finds one noun with its numbers; the name of the group that matched chooses from `make`."""
    make: dict[str, Make]
    number: re.Pattern[str]
    """One number among those a noun has."""
    through: re.Pattern[str]
    """Words between two numbers that mean all in between."""
    filler: re.Pattern[str]
    """Words of a citation that say nothing."""
    of: re.Pattern[str] = re.compile(r"\bof\b|\bto\b")
    """Words before the larger provision, where it is named last ("paragraph 3 of Schedule 1")."""
    aliases: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = ()
    """Other words for a provision: an only Schedule has no number, and a subparagraph has an
    ordinal ("the second subparagraph")."""


@dataclass(frozen=True, slots=True)
class Citation:
    targets: list[tuple[Step, ...]]
    rest: str
    """Words that were not understood."""


def read_citation(words: str, context: Sequence[Step], style: CitingStyle) -> Citation:
    """The provisions that words name, where a superior instruction already names a place."""
    for pattern, meant in style.aliases:
        words = pattern.sub(meant, words)
    targets: list[tuple[Step, ...]] = []
    rest: list[str] = []
    at = 0
    current: list[tuple[Step, ...]] = [tuple(context)]
    relative: list[tuple[Step, ...]] = [()]
    last_level: float = -1
    first_level: float = -1
    last_kind = ""
    for match in style.token.finditer(words):
        between = style.filler.sub(" ", words[at : match.start()])
        if between.strip(" ,;"):
            rest.append(between.strip())
        numbers = _list_numbers(match.group("numbers"), style)
        if not numbers:
            rest.append(match.group())
            at = match.end()
            continue
        name = next(n for n in style.make if match.groupdict().get(n) is not None)
        steps = [_as_steps(style.make[name](number)) for number in numbers]
        is_too_much = len(steps) * len(current) + len(targets) > _MOST_TARGETS
        if is_too_much or any(not _is_numbered(each[0]) for each in steps):
            rest.append(match.group())
            at = match.end()
            continue
        level = steps[0][0].level
        kind = steps[0][0].kind
        between = words[at : match.start()]
        is_point = kind == ProvisionKind.POINT == last_kind
        if not _is_one_row(steps) or (is_point and _is_doubtful(between, current, steps[0], style)):
            rest.append(match.group())
        is_larger = level < first_level or (is_point and is_inside(steps[0][0], relative[0][0]))
        if last_level >= 0 and is_larger and style.of.search(between):
            current = [combine(combine(context, each), own) for each in steps for own in relative]
            relative = [combine(each, own) for each in steps for own in relative]
            first_level = level
            at = match.end()
            continue
        if kind == ProvisionKind.SUBPARAGRAPH and last_kind in _WITH_SUBPARAGRAPHS:
            if last_kind != ProvisionKind.PARAGRAPH and _AND.search(between):
                # Either the point or the paragraph around it has the subparagraph.
                rest.append(match.group())
            current = [combine(base, each) for base in current for each in steps]
            relative = [combine(base, each) for base in relative for each in steps]
            last_level, last_kind = current[0][-1].level, kind
            at = match.end()
            continue
        is_part = is_point and is_inside(current[0][-1], steps[0][0])
        if last_level >= 0 and level <= last_level and not is_part:
            # A new citation begins: "§ 5 Absatz 1 und § 6 Absatz 2".
            targets += current
            current = [current[0]] if level > ARTICLE_LEVEL else [tuple(context)]
            relative = [()]
            first_level = level
        elif last_level < 0:
            first_level = level
        current = [combine(base, each) for base in current for each in steps]
        relative = [combine(base, each) for base in relative for each in steps]
        last_level, last_kind = current[0][-1].level, current[0][-1].kind
        at = match.end()
    tail = style.filler.sub(" ", words[at:])
    if tail.strip(" ,;:."):
        rest.append(tail.strip())
    if last_level >= 0:
        targets += current
    return Citation(targets, " … ".join(rest).replace(" … ,", " …,"))


def _is_one_row(steps: Sequence[tuple[Step, ...]]) -> bool:
    """Whether numbers after one noun name points side by side: "(3)(a) and (b)" may mean (3)(b)."""
    first = steps[0]
    return not any(len(each) < len(first) and is_inside(first[0], each[0]) for each in steps[1:])


def _is_doubtful(
    between: str,
    current: Sequence[tuple[Step, ...]],
    steps: Sequence[Step],
    style: CitingStyle,
) -> bool:
    """Whether two points do not say which of them is a part of the other, or none."""
    known, following = current[0][-1], steps[0]
    if style.of.search(between):
        return following.level >= known.level and not is_inside(following, known)
    return bool(_JOINS.search(between)) and is_inside(known, following)


def _is_numbered(step: Step) -> bool:
    """Only points have letters; a word taken for the letter of an article is a misreading."""
    if step.kind in (ProvisionKind.POINT, ProvisionKind.ANNEX):
        return True
    return step.number[:1].isdigit() or step.number == LAST


def _as_steps(made: Step | Sequence[Step]) -> tuple[Step, ...]:
    return (made,) if isinstance(made, Step) else tuple(made)


def _expand_row(first: str, last: str) -> list[str] | None:
    """The numbers from one to another, also between brackets: (e) to (h), (1a) to (1d)."""
    low, high = _IN_BRACKETS.fullmatch(first), _IN_BRACKETS.fullmatch(last)
    if low and high:
        row = expand_range(low["number"], high["number"])
        return [f"({each})" for each in row] if row else None
    return expand_range(first, last)


def _list_numbers(words: str, style: CitingStyle) -> list[str]:
    numbers: list[str] = []
    at = 0
    for match in style.number.finditer(words):
        number = re.sub(r"[.\s]", "", match.group("number"))
        if numbers and style.through.search(words[at : match.start()]):
            row = _expand_row(numbers[-1], number)
            if row is None or len(numbers) + len(row) > _MOST_TARGETS:
                return []
            numbers += row[1:]
        else:
            numbers.append(number)
        at = match.end()
    return numbers
