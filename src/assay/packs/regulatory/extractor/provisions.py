"""The provision that a place of a text belongs to, cited as people print it."""

import re
from bisect import bisect_right
from collections.abc import Iterator

from assay.packs.regulatory.acts.shapes import Act, Provision, Words
from assay.packs.regulatory.acts.trees import read_act
from assay.packs.regulatory.extractor.sentences import split_sentences
from assay.sdk.reading import ContentClass, Reading

_DROPPED = re.compile(
    # What Markdown adds to a text, and the notes of a publisher about its amendments.
    r"\\(?=[^\w\s])|(?<!\n)(?<!^)\*{1,3}|(?:(?<=\n)|^)\*{1,3}(?=\S)|(?<!\w)F\d{1,4}\["
    r"|(?:(?<=\n)|^)\(NN \[[^\n]{0,2000}\)(?=\n|$)"
)
_REPEATED = re.compile(r"(?:(?<=\n)|^)\*\*\d{1,4}[A-Z]{0,3}\.?\*\*\.?(?:—|\s)\s{0,3}(?=\(1\))")
"""The number of a section before its first subsection, which its heading gives already."""
_HEADED = re.compile(r"^#{1,6} \d{1,4}[A-Z]{0,3}\. ", re.MULTILINE)
_NUMBERED = re.compile(r"(\d{1,4}[A-Z]{0,3})(?: (1[A-Z]?))?(?= [A-Z“])", re.ASCII)
_LETTERED = re.compile(r"([a-z]{1,2}|[ivx]{1,4})(?= \S)")
_PRINTED = re.compile(r"[\w.]*\w")
_NOT_PRINTED = frozenset("-–—•▪■·*")
_NOWHERE = ("", "preamble")
_SENTENCE = re.compile(r"(?<=[^\W\d]{3}\.)\s+(?=[A-ZČĆĐŠŽÄÖÜ])")
_LONGEST_LEAD = 1_000
_EARLIER = 3
"""So many sentences before a sentence may say what it refers back to."""


class ProvisionIndex:
    """The provisions of one document by their places; built once, asked for every clause."""

    def __init__(self, reading: Reading, language: str) -> None:
        self._text = _PlainText(reading)
        self._language = language
        self._sentences: dict[str, tuple[list[int], list[str]]] = {}
        """path → where the sentences of a provision end in the plain text, and their words."""
        act = read_act("", self._text.text)
        self._citations = dict(_cite_provisions(act, language))
        self._by_path = act.by_path()
        self._children: dict[str, list[Provision]] = {}
        for each in act.provisions:
            self._children.setdefault(each.parent, []).append(each)
        self._starts = sorted(
            (span.start, each.path)
            for each in act.provisions
            for words in (each.heading, each.opening, each.closing)
            for span in words.spans
        )

    def cite(self, at: int) -> str:
        """The provision at a place of the document: `čl. 4. st. 2.`; empty if there is none."""
        return self._citations.get(self._find_path(at), "")

    def list_leads(self, at: int) -> tuple[str, ...]:
        """The words that introduce the lists which a place is in, the outermost first."""
        leads: list[str] = []
        own = self._by_path.get(self._find_path(at))
        while own is not None and (own := self._by_path.get(own.parent)) is not None:
            words = own.opening.text.rstrip()
            if words and words[-1] not in ".!?":
                leads.append(_SENTENCE.split(words[-_LONGEST_LEAD:])[-1])
        return tuple(reversed(leads))

    def list_points(self, at: int) -> tuple[str, ...]:
        """The points of the list which the words at a place introduce."""
        own = self._by_path.get(self._find_path(at))
        if own is None or own.opening.text.rstrip()[-1:] in ("", ".", "!", "?"):
            return ()
        return tuple(each.opening.text for each in self._children.get(own.path, ()))

    def list_earlier_sentences(self, at: int) -> tuple[str, ...]:
        """The last sentences before the one at a place, of the same paragraph or point, in order.

        After a list, its introductory words come first, each point is one of them.
        """
        path = self._find_path(at)
        if path not in self._sentences:
            self._sentences[path] = self._split_provision(path)
        ends, words = self._sentences[path]
        last = bisect_right(ends, self._text.find_place(at))
        return tuple(words[max(0, last - _EARLIER) : last])

    def _split_provision(self, path: str) -> tuple[list[int], list[str]]:
        own = self._by_path.get(path)
        if own is None:
            return [], []
        parts = [own.opening]
        if own.closing.text:
            parts += (each.opening for each in self._children.get(path, ()))
        found = [
            one for part in (*parts, own.closing) for one in _split_words(part, self._language)
        ]
        found.sort(key=lambda one: one[0])
        return [end for end, _ in found], [words for _, words in found]

    def _find_path(self, at: int) -> str:
        place = bisect_right(self._starts, self._text.find_place(at), key=lambda one: one[0]) - 1
        return self._starts[place][1] if place >= 0 else ""


def _split_words(words: Words, language: str) -> Iterator[tuple[int, str]]:
    """The sentences of words with one kind of space, each with its end in the plain text."""
    text = " ".join(words.text.split("\n"))
    spans = iter(words.spans)
    span, before = next(spans, None), 0
    for start, end in split_sentences(text, 0, len(text), language):
        while span is not None and before + span.end - span.start < end:
            before += span.end - span.start
            span = next(spans, None)
        if span is not None:
            yield span.start + end - before, " ".join(text[start:end].split())


class _PlainText:
    """A text without what hides the numbers of provisions, with the way to its places."""

    def __init__(self, reading: Reading) -> None:
        parts: list[str] = []
        self._from: list[int] = []
        self._to: list[int] = []
        at = size = 0
        for start, end, instead in _find_edits(reading):
            parts += (reading.text[at:start], instead)
            size += start - at + len(instead)
            at = end
            self._from.append(at)
            self._to.append(size)
        self.text = "".join((*parts, reading.text[at:]))

    def find_place(self, at: int) -> int:
        """Where a character of the document is in this text."""
        last = bisect_right(self._from, at) - 1
        return at if last < 0 else self._to[last] + at - self._from[last]


def _find_edits(reading: Reading) -> Iterator[tuple[int, int, str]]:
    """What to replace in a text: from, until, by what."""
    if reading.content_class is ContentClass.XML:
        yield from _number_lines(reading.text)
        return
    dropped = [match.span() for match in _DROPPED.finditer(reading.text)]
    if _HEADED.search(reading.text):
        dropped += (match.span() for match in _REPEATED.finditer(reading.text))
    reached = 0
    for start, end in sorted(dropped, key=lambda one: (one[0], -one[1])):
        if start >= reached:
            yield start, end, ""
            reached = end


def _number_lines(text: str) -> Iterator[tuple[int, int, str]]:
    """British acts in XML have bare numbers: `3 1 For the year …` is section 3, subsection (1)."""
    section = subsection = 0
    at, after_title = 0, True
    for line in text.splitlines(keepends=True):
        if match := _NUMBERED.match(line):
            number = int(re.match(r"\d+", match[1])[0])  # type: ignore[index]
            if match[2]:
                section, subsection = number, 1
                yield at, at + match.end(), f"{match[1]}.—({match[2]})"
            elif (
                subsection
                and number - subsection in (0, 1)
                and not (after_title and number - section in (0, 1))
            ):
                subsection = number
                yield at, at + match.end(), f"({match[1]})"
            else:
                section, subsection = number, 0
                yield at, at + match.end(), f"{match[1]}.—"
        elif match := _LETTERED.match(line):
            yield at, at + match.end(), f"({match[1]})"
        bare = line.rstrip()
        after_title = bool(bare) and bare[0].isupper() and bare[-1] not in ".,;:—"
        at += len(line)


def _cite_provisions(act: Act, language: str) -> Iterator[tuple[str, str]]:
    cited: dict[str, str] = {}
    several = _find_several(act)
    for each in act.provisions:
        if each.path in _NOWHERE:
            continue
        above = cited.get(each.parent, "")
        if each.parent and (not each.number or each.number in _NOT_PRINTED):
            # A bullet, or an only paragraph without a number, is cited by what it is part of.
            counted = not each.number and each.path.count("__") == 1 and each.parent in several
            step = _print_step(each, language, above) if counted else ""
        else:
            step = _print_step(each, language, above)
        cited[each.path] = above + step
        yield each.path, cited[each.path]


def _find_several(act: Act) -> set[str]:
    """The articles with more than one paragraph."""
    second = (each.parent for each in act.provisions if each.path.endswith("__para_2"))
    return set(second)


def _print_step(each: Provision, language: str, above: str) -> str:
    name, _, value = each.path.rpartition("__")[2].partition("_")
    value = value.partition("_")[0]
    if not above:
        return _print_article(each, name, value, language)
    if not each.number and name != "para":
        return ""
    printed = _PRINTED.search(each.number)
    number = printed[0] if printed else value
    if language == "hr":
        return f" st. {number}." if name == "para" else f" t. {number}{'.' * number.isdigit()}"
    if language == "de":
        if name == "para":
            return f" Abs. {number}"
        return f" Nr. {number}" if number[0].isdigit() else f" Buchst. {number}"
    return f"({number})"


def _print_article(each: Provision, name: str, value: str, language: str) -> str:
    if name == "annex":
        return " ".join(each.number.split())
    if language == "hr" and name == "art":
        return f"čl. {value}."
    if "§" in each.number:
        return f"§ {value}"
    if name == "art":
        return f"Artikel {value}" if language == "de" else f"Article {value}"
    return f"section {value}"
