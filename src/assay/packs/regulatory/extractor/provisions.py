"""The provision that a place of a text belongs to, cited as people print it."""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from assay.packs.regulatory.acts.shapes import Act, Provision, ProvisionKind, Words
from assay.packs.regulatory.acts.trees import read_act
from assay.packs.regulatory.acts.trees.quotations import read_quotations
from assay.packs.regulatory.extractor.paragraphs import ParagraphWriter
from assay.packs.regulatory.extractor.referred import ReferenceResolver
from assay.packs.regulatory.extractor.sentences import split_sentences
from assay.sdk.reading import ContentClass, Reading

_DROPPED = re.compile(
    # What Markdown adds to a text, and the notes of a publisher about its amendments.
    r"\\(?=[^\w\s])|(?<!\n)(?<!^)\*{1,3}|(?:(?<=\n)|^)\*{1,3}(?=\S)|(?<!\w)F\d{1,4}\["
    r"|\(NN\s{1,2}(?:\[[^\[\]\n]{1,40}\]\([^()\s]{1,120}\)[,;]?\s{0,2}){1,60}\)"
    r"|(?:(?<=\n)|^)\(NN \[[^\n]{0,2000}\)(?=\n|$)"
    r"|\[(?=[^\[\]\n]{1,200}\]\(/)|\]\(/[^\s()]{1,120}\)"
    # The lines of a table around the points of a list.
    r"|(?:(?<=\n)|^)[ \t]{0,9}-{4,}(?:[ \t]{1,9}-{2,}){0,9}[ \t]{0,9}(?=\n|$)"
)
_REPEATED = re.compile(
    r"^(?:#{1,6} (?P<heading>\d{1,4}[A-Z]{0,3})\.? "
    r"|(?P<again>(?:\*\*)?(?P<number>\d{1,4}[A-Z]{0,3})\.?(?:\*\*)?\.?\s?(?:—|\s|(?<=\*))\s{0,3})(?=\(1\)))",
    re.MULTILINE,
)
"""The number of a section before its first subsection, which its heading gives already."""
_HEADED = re.compile(r"^#{1,6} \d{1,4}[A-Z]{0,3}\.? ", re.MULTILINE)
_NUMBERED = re.compile(r"(\d{1,4}[A-Z]{0,3})(?: (1[A-Z]?))?(?= [A-Z“])", re.ASCII)
_LETTERED = re.compile(r"([a-z]{1,2}|[ivx]{1,4})(?= \S)")
_PRINTED = re.compile(r"[\w.]*\w")
_NOT_PRINTED = frozenset("-–—•▪■·*")
_NOWHERE = ("", "preamble")
_OF_OTHER_ACT = re.compile(
    r"^[#*\s]{0,8}(?:prijelazne?\w{0,2}|završn\w{1,2})\s[^\n]{0,60}?\biz\s[^\n]{0,40}?"
    r"((?:NN|»?Narodn\w{1,3}\snovin\w{1,3}«?)[^\n\d]{0,9}\d{1,3}/\d{2,4})",
    re.IGNORECASE | re.MULTILINE,
)
"""`Prijelazne i završne odredbe iz NN 98/19`: what follows are articles of an amending act."""
_LONGEST_LEAD = 1_000
_LONGEST_PARAGRAPH = 1_900
"""A condition may have little more."""
_ENDED = ("", ".", "!", "?")
_OPEN = (":", "—", "–")
_EDGES = " :—–"
_ADDS = re.compile(
    r"(?<!\w)(?:zusätzlich|außerdem|ferner|darüber hinaus|also|additionally|in addition|dodatno"
    r"|uz to|osim toga)(?!\w)",
    re.IGNORECASE,
)
_CONSEQUENCES = re.compile(r"(?<!\w)then\W{0,3}$", re.IGNORECASE)
"""How words end after which a list says what follows from them."""
_LIMITS = re.compile(
    r"^in (?:respect of|relation to|the case of) "
    r"|(?<!\w)(?:if|unless|where|when|except|provided|only|wenn|soweit|sofern|falls|außer"
    r"|es sei denn|ausgenommen|nur|ako|osim|kada?|ukoliko|samo)(?!\w)",
    re.IGNORECASE,
)
"""What words after a list contain that limit its points."""
_BESIDE = 3_000
"""The most characters of the other paragraphs of an article, together."""
_MOST_BESIDE = 12
"""How far from its own they may be."""
_MOST_POINTS = 60
_MOST_BELOW = 8
"""Of a point with more points, the first ones say enough."""


class ProvisionIndex:
    """The provisions of one document by their places; built once, asked for every clause."""

    def __init__(self, reading: Reading, language: str) -> None:
        self._text = _PlainText(reading)
        self._language = language
        self._leads: dict[str, _Lead | None] = {}
        act = read_act("", self._text.text)
        self._citations = dict(_cite_provisions(act, language))
        quoted = list(read_quotations(self._text.text, language))
        self._by_path = {each.path: each for each in (*act.provisions, *quoted)}
        self._order: dict[str, dict[str, int]] = {}
        """Of each article that was asked for, the place of each paragraph."""
        self._children: dict[str, list[Provision]] = {}
        for each in (*act.provisions, *quoted):
            self._children.setdefault(each.parent, []).append(each)
        self._paragraphs = ParagraphWriter(self._by_path, self._children, _LONGEST_PARAGRAPH)
        self._references = ReferenceResolver(
            self._by_path, self._children, {each.path for each in quoted}
        )
        self._others = [
            (match.start(), " ".join(match[1].split()))
            for match in _OF_OTHER_ACT.finditer(self._text.text)
        ]
        # What an act quotes has lists of its own, but is cited by the provision that quotes it.
        self._own_starts = sorted(_list_starts(act.provisions))
        self._starts = sorted([*self._own_starts, *_list_starts(quoted)])

    def cite(self, at: int) -> str:
        """The provision at a place of the document: `čl. 4. st. 2.`; empty if there is none.

        An article of an amending act among the last ones has its gazette: `čl. 4. (NN 98/19)`.
        """
        place = self._text.find_place(at)
        cited = self._citations.get(_find_last(self._own_starts, place), "")
        other = _find_last(self._others, place) if cited else ""
        return f"{cited} ({other})" if other else cited

    def find_heading(self, at: int) -> str | None:
        """The heading of the article that a place is in; None if it is in no known one."""
        path = self._find_path(at)
        own = self._by_path.get(path.split("__")[0]) if path not in _NOWHERE else None
        return " ".join(own.heading.text.split()) if own is not None else None

    def is_in_annex(self, at: int) -> bool:
        """Whether a place is in an annex."""
        return self._find_path(at).startswith(ProvisionKind.ANNEX)

    def list_leads(self, at: int) -> tuple[str, ...]:
        """The words that introduce the lists which a place is in, the outermost first.

        Words after a list that limit it come before those that introduce it. Words that end the
        sentence of a list are introduced by all of it.
        """
        place, path = self._text.find_place(at), self._find_path(at)
        leads: list[str] = []
        lead = self._find_lead(path)
        if lead is not None and lead.ends_with(place):
            points = " ".join(map(self._join_point, self._children[path][:_MOST_POINTS]))
            leads.append(f"{lead.words.rstrip(_EDGES)} {points}"[:_LONGEST_LEAD])
        while (path := path.rpartition("__")[0]) in self._by_path:
            if (lead := self._find_lead(path)) is not None:
                leads.append(self._join_second_lead(path, lead, place) or lead.words)
                leads += lead.limits
        return tuple(reversed(leads))

    def _join_second_lead(self, path: str, lead: "_Lead", place: int) -> str:
        """A list with the words after it that introduce a second one, if a place is in that."""
        for words, start, end in lead.endings:
            if end <= place and words[-1] in _OPEN:
                first = [each for each in self._children[path] if _begins_before(each, start)]
                points = " ".join(map(self._join_point, first[:_MOST_POINTS]))
                return f"{lead.words.rstrip(_EDGES)} {points} {words}"[-_LONGEST_LEAD:]
        return ""

    def list_points(self, at: int) -> tuple[str, ...]:
        """The points of the list which the words at a place introduce."""
        place, path = self._text.find_place(at), self._find_path(at)
        lead = self._find_lead(path)
        if lead is None or not lead.start <= place < lead.end or _CONSEQUENCES.search(lead.words):
            return ()
        return tuple(map(self._join_point, self._children[path][:_MOST_POINTS]))

    def _find_lead(self, path: str) -> "_Lead | None":
        """The words of a provision that introduce the list in it."""
        if path not in self._leads:
            own, points = self._by_path.get(path), self._children.get(path)
            listed = own is not None and points and path not in _NOWHERE
            self._leads[path] = (
                _find_lead(own, points[0], self._language) if own and points and listed else None
            )
        return self._leads[path]

    def _join_point(self, point: Provision) -> str:
        """A point with the points below it."""
        words = [point.opening.text]
        if self._find_lead(point.path) is not None:
            words += (each.opening.text for each in self._children[point.path][:_MOST_BELOW])
        return " ".join(" ".join(words).split())

    def write_paragraph(self, start: int, end: int) -> str:
        """The paragraph that a figure is in, with the figure left open; empty if there is none
        or it is too long."""
        path = self._find_path(start)
        if path in _NOWHERE:
            return ""
        first, last = self._text.find_place(start), self._text.find_place(end)
        return self._paragraphs.write(path, first, last)

    def list_referred(self, at: int, words: str) -> tuple[str, ...]:
        """What words at a place refer to in their act, and what excepts the paragraph they are in:
        each cited, and as a whole."""
        path = self._find_path(at)
        if path in _NOWHERE:
            return ()
        # "This Act" is the amending one there, whose other articles are somewhere else.
        is_of_other = bool(_find_last(self._others, self._text.find_place(at)))
        named = self._references.list_referred(path, words, with_articles=not is_of_other)
        excepting = self._references.list_exceptions(path)
        return tuple(
            f"{self._citations.get(one, '')}: {self._paragraphs.write_whole(one)}".lstrip(": ")
            for one in dict.fromkeys((*named, *excepting))
        )

    def list_beside(self, at: int, known: Collection[str]) -> tuple[str, ...]:
        """The other paragraphs of the article at a place, the nearest that fit: they may say what
        its words are about, and what limits them."""
        steps = self._find_path(at).split("__")
        own = "__".join(steps[:2])
        if len(steps) < 2 or own not in self._by_path:
            return ()
        beside = self._children[steps[0]]
        if steps[0] not in self._order:
            self._order[steps[0]] = {each.path: n for n, each in enumerate(beside)}
        order = self._order[steps[0]]
        room, found = _BESIDE, dict[int, str]()
        for far in range(1, min(len(beside), _MOST_BESIDE)):
            for one in (order[own] - far, order[own] + far):
                if not 0 <= one < len(beside) or self._paragraphs.measure(beside[one].path) > room:
                    continue
                path = beside[one].path
                cited = f"{self._citations.get(path, '')}: ".lstrip(": ")
                words = f"{cited}{self._paragraphs.write_whole(path)}"
                if words not in known:
                    found[one] = words
                    room -= len(words)
        return tuple(found[one] for one in sorted(found))

    def _find_path(self, at: int) -> str:
        return _find_last(self._starts, self._text.find_place(at))


@dataclass(frozen=True, slots=True)
class _Lead:
    """The words of a provision that introduce the list in it."""

    words: str
    start: int
    """Where their paragraph begins in the plain text."""
    end: int
    endings: tuple[tuple[str, int, int], ...] = ()
    """The words that end their sentence after the list, and where they are."""
    limits: tuple[str, ...] = ()
    """Those of these words that limit each point."""

    def ends_with(self, place: int) -> bool:
        """Whether the words at a place end the sentence that these begin."""
        return any(start <= place < end for _, start, end in self.endings)


def _find_lead(own: Provision, point: Provision, language: str) -> _Lead | None:
    """The last words of a provision before its points, unless they end a sentence."""
    lines = list(_split_paragraphs(own.opening))
    at = len(lines) - 1
    if at >= 0 and lines[at][0][-1:] in _ENDED:
        # Words that a list follows may precede others, if a reading moved the end of the sentence.
        at = next((one for one in range(at - 1, -1, -1) if lines[one][0][-1] in _OPEN), -1)
    if at < 0 or _is_title(lines[at][0], point, language):
        return None
    line, start, end = lines[at]
    sentences = list(_list_sentences(line, language))
    # "He also receives the following amounts:" goes on with the case of the sentence before.
    words = " ".join(sentences[-2 if _ADDS.search(sentences[-1]) else -1 :])
    after = (*lines[at + 1 : at + 2], *islice(_split_paragraphs(own.closing), 1))
    endings = [one for one in after if one[0][0].islower()]
    limits = (next(_list_sentences(one, language)) for one, _, _ in endings)
    return _Lead(
        words[-_LONGEST_LEAD:],
        start,
        end,
        tuple(endings),
        tuple(one for one in limits if _LIMITS.search(one)),
    )


def _begins_before(point: Provision, place: int) -> bool:
    return bool(point.opening.spans) and point.opening.spans[0].start < place


def _is_title(words: str, point: Provision, language: str) -> bool:
    """Whether words before a list are the title of its paragraph, or say where it was published."""
    if words.endswith(".—") or (words[0] == "(" and words[-1] == ")"):
        return True
    whole = point.opening.text[:1].isupper() or not point.opening.text
    return language == "en" and words[-1] not in _OPEN and words[0].isupper() and whole


def _list_sentences(words: str, language: str) -> Iterator[str]:
    return (words[start:end] for start, end in split_sentences(words, 0, len(words), language))


def _split_paragraphs(words: Words) -> Iterator[tuple[str, int, int]]:
    """The paragraphs of a provision's words, with their places in the plain text."""
    spans = iter(words.spans)
    span, before, at = next(spans, None), 0, 0
    for line in words.text.split("\n"):
        places: list[int] = []
        for edge in (at, at + len(line) - 1) if line.strip() else ():
            while span is not None and before + span.end - span.start <= edge:
                before += span.end - span.start
                span = next(spans, None)
            if span is not None:
                places.append(span.start + edge - before)
        if len(places) == 2:
            yield line.strip(), places[0], places[1] + 1
        at += len(line) + 1


def _find_last(starts: Sequence[tuple[int, str]], place: int) -> str:
    """The path of what begins last before a place."""
    last = bisect_right(starts, place, key=lambda one: one[0]) - 1
    return starts[last][1] if last >= 0 else ""


def _list_starts(provisions: Iterable[Provision]) -> Iterator[tuple[int, str]]:
    for each in provisions:
        for words in (each.heading, each.opening, each.closing):
            yield from ((span.start, each.path) for span in words.spans)


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
        dropped += _find_repeated(reading.text)
    reached = 0
    for start, end in sorted(dropped, key=lambda one: (one[0], -one[1])):
        if start >= reached:
            yield start, end, ""
            reached = end


def _find_repeated(text: str) -> Iterator[tuple[int, int]]:
    """The numbers of sections that their headings give already."""
    heading = ""
    for match in _REPEATED.finditer(text):
        if match["heading"]:
            heading = match["heading"]
        elif match["number"] == heading:
            yield match.span("again")


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
