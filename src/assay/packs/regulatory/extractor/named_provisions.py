"""The articles and paragraphs that a sentence names, and those that a citation is of."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_NOUN = re.compile(
    r"(?<!\w)(?:(?P<article>[Čč]lan\w{1,4}|[Čč]l\.|[Aa]rt(?:icles?|ikels?|ikeln|\.)?"
    r"|[Ss]ections?|[Rr]egulations?)(?=\s)|(?P<sign>§{1,2}))\s*"
)
_STEP = re.compile(
    r"[\s*]*(?:(?P<bracket>\((?:\d{1,3}[A-Za-z]?)\))"
    r"|(?P<number>\d{1,4}[a-zA-Z]{0,2}\b\.?)"
    r"|(?P<deep>toč\w{1,4}|podtoč\w{1,4}|Nummern?(?!\w)|Nr\.|Buchst\w{0,6}|Satz(?!\w)|\([a-z]{1,4}\))"
    r"|(?P<paragraph>stav\w{1,4}|st\.|Abs(?:atz|ätze|\.)(?!\w))"
    r"|(?P<to>(?:to|do|bis)(?!\w)|[–-])"
    r"|(?P<and>,|(?:and|or|i|te|ili|und|oder|sowie)(?!\w)))"
)
_ROOT = re.compile(r"\S+\s[^\s(]+")
_NUMBER = re.compile(r"\d{1,4}[a-zA-Z]{0,2}")
_PARAGRAPH = re.compile(r"(?:\s(?:st\.|Abs\.|Absatz)\s|\()(\d{1,3}[a-zA-Z]?)(?:\)|\.|(?!\w))")
_WIDEST = 200
"""The most articles that a range may contain."""


@dataclass(frozen=True, slots=True)
class NamedProvision:
    """An article, or one of its paragraphs."""

    number: str
    paragraph: str = ""
    is_partial: bool = False
    """Whether only a part of it was named, such as a point."""
    has_sign: bool | None = None
    """Whether it is a `§`; None if that is not known."""

    def covers(self, article: str) -> bool:
        """Whether a citation is of this provision or of a part of it."""
        number = _NUMBER.search(article)
        if number is None or number[0] != self.number:
            return False
        known = self.has_sign is not None and article[:1] in ("§", "A")
        if known and self.has_sign != (article[0] == "§"):
            # In an act that amends several, "Artikel 1" is not "§ 1".
            return False
        return not self.paragraph or find_paragraph(article) == self.paragraph


def find_root(article: str) -> str:
    """The section or article of a citation: `section 20` of `section 20(3)`."""
    root = _ROOT.match(article)
    return root[0] if root else article


def find_paragraph(article: str) -> str:
    """The number of the paragraph or subsection in a citation; empty if it has none."""
    found = _PARAGRAPH.match(article, len(find_root(article)))
    return found[1] if found else ""


def list_provisions(words: str) -> list[NamedProvision]:
    """The provisions that words name: `članaka 51. i 101.`, `sections 4 and 5(2)`, `§§ 3 bis 5`."""
    return [one for noun in _NOUN.finditer(words) for one in _follow_list(words, noun)]


def _follow_list(words: str, noun: re.Match[str]) -> Iterator[NamedProvision]:
    sign = noun["sign"] is not None
    at, number, found = noun.end(), "", list[NamedProvision]()
    in_paragraphs = in_points = ranges = False
    while step := _STEP.match(words, at):
        at = step.end()
        if step["and"] or step["to"]:
            ranges = step["to"] is not None
        elif step["deep"]:
            in_points = True
            _mark_partial(found)
        elif step["paragraph"]:
            in_paragraphs, in_points = True, False
            if found and not found[-1].paragraph:
                found.pop()
        elif step["bracket"] or (step["number"] and in_paragraphs and not in_points):
            if found and found[-1].number == number and not found[-1].paragraph:
                found.pop()
            paragraph = step[0].strip(" *()\n.")
            found.append(NamedProvision(number, paragraph, has_sign=sign))
        elif step["number"] and not in_points:
            last, number = number, step["number"].rstrip(".")
            if ranges and last.isdigit() and number.isdigit():
                between = range(int(last) + 1, min(int(number), int(last) + _WIDEST))
                found += (NamedProvision(str(each), has_sign=sign) for each in between)
            found.append(NamedProvision(number, has_sign=sign))
            ranges = False
    yield from found


def _mark_partial(found: list[NamedProvision]) -> None:
    if found:
        last = found[-1]
        found[-1] = NamedProvision(last.number, last.paragraph, True, last.has_sign)
