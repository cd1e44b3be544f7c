"""What an instruction of the Federal Register changes, and how: its verbs and their targets.

"Section 1005.30 is amended by revising paragraph (f) and adding paragraph (h)": a verb governs the
targets behind it, or those before it if it is passive.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.packs.regulatory.acts.amending.outline import classify
from assay.packs.regulatory.acts.amending.paths import expand_range

SECTION_LADDER = ("a", "1", "i", "A", "1", "i")
COMMENT_LADDER = ("1", "i", "A", "1", "i")
SUPPLEMENT = "annex_I"

_QUOTE = r"[“\"][^“”\"\n]{0,400}[”\"]"
_TOKEN = re.compile(
    rf"""
    (?P<noise>\((?:as|pursuant)\s[^()]*\)
      | ,?\s*\bas\s+(?:(?:further|proposed|most\s+recently|previously)\s+)*
        (?:added|amended|revised|redesignated|published|designated)\b
        [^;:]*?\b\d+\s+FR\s+\d+(?:\s*,\s*(?:effective\s+)?\w+\.?\s+\d+,\s+\d{{4}})?
              (?:\s*\([^()]*\d{{4}}\))?(?:[,;]?\s+(?:and\s+)?\d+\s+FR\s+\d+(?:,\s*\w+\.?
              \s+\d+,\s+\d{{4}})?)*(?:,?\s+and\s+at\s+\d+\s+FR\s+\d+)*
        (?:,\s+and\s+effective\s+\w+\s+\d+,\s+\d{{4}})?,?
      | ,?\s*as\s+added\s+elsewhere\s+in\s+this\s+issue\s+of\s+the\s+Federal\s+Register,?
      | ^\s*Effective\s+\w+\s+\d+,\s+\d{{4}},\s*)
  | (?P<quote>{_QUOTE})
  | (?P<supplement>(?:Appendix\s+\w+\s+to\s+part\s+\d+,\s+)?Supplement\s+I\b(?:\s+to\s+part
        \s+\d+)?(?:\s*[—-]+\s*Official\s+(?:Staff\s+)?Interpretations)?)
  | (?P<appendix>\b(?:Appendix|Appendices)\s+(?P<letter>[A-Z]{{1,3}}\d?)\b(?:\s+to\s+(?:this
        \s+)?part(?:\s+\d+)?)?)
  | (?P<subpart>\bsubparts?\s+(?P<subpart_letter>[A-Z]{{1,2}})\b)
  | (?P<section>(?:§§?\s*|\bSections?\s+|(?=\d{{3,4}}\.\d))(?P<section_number>\d+\.\d+[a-z]?
        (?:-\d+[A-Z]*)?)(?P<section_chain>(?:\(\w{{1,5}}\))*))
  | (?P<comment>(?:\b(?:comments?|paragraphs?|subsections?|subheadings?|entr(?:y|ies)\s+for)
        \s+)*\b(?P<heading>\d{{1,3}}[a-z]?(?:\(\w{{1,5}}\))+)(?:-(?P<comment_number>\d+
        (?:\.[ivxA-Z0-9]+)*))?)
  | (?P<chain>(?:\(\w{{1,5}}\))+)
  | (?P<number>\b\d{{1,3}}(?![\d(])(?:\.(?:[ivxlc]+|[A-Z]|\d{{1,2}})\b)*(?:\.(?=\s|[a-z]))?)
  | (?P<passive>\b(?:is|are|be)\s+(?:hereby\s+|further\s+|also\s+)*(?P<passive_verb>revised
        |added|removed|redesignated|deleted|amended|reserved|corrected|republished
        |designated)(?P<reserve>\s+and\s+reserved)?)
  | (?P<active>\b(?:to\s+)?(?P<active_verb>revis|add|remov|redesignat|delet|reserv|correct
        |republish|designat|amend|mov|transferr?)(?:e|ing|es)?\b(?P<reserving>\s+and\s+reserv
        (?:e|ing))?)
  | (?P<also>\band\s+(?:is\s+|are\s+)?(?P<also_verb>revised|republished)\b)
  | (?P<intro>\bintroductory\s+text\b|\bintroductory\s+paragraph\b)
  | (?P<title>\b(?:section\s+|subject\s+)?headings?\b|\bsubheadings?\b(?=\s+(?:is|are|of|for
        |and)\b))
  | (?P<definition>\bdefinitions?\b)
  | (?P<sentence>\b(?:first|second|third|fourth|fifth|last|final)\b(?=[\w\s,]*\bsentences?\b)
        |\bsentences?\b)
  | (?P<authority>\bauthority\s+citation\b)
  | (?P<table>\btables?\b|\bfootnotes?\b|\bmodel\s+(?:forms?|clauses?)\b|\bsample\s+forms?\b
        |\btitles?\b|\bentr(?:y|ies)\b|\bnote\b)
  | (?P<place>\bin\s+(?:its|their)\s+place\b|\bin\s+alphabetical\s+order\b)
  | (?P<every>\b(?:wherever|everywhere|each\s+(?:place|time)|each\s+place)\s+(?:it|they|that
        \s+term)?\s*(?:appears?|occurs?)\b)
  | (?P<through>\bthrough\b)
  | (?P<under>\b(?:under|within)\b|^\s*in\b)
  | (?P<as>\bas\b)
  | (?P<stop>[;:.](?=\s|$))
  | (?P<comma>,)
  | (?P<filler>\bpart\s+\d+\b|\bunder\s+that\s+(?:sub)?heading\b|\bthat\s+(?:sub)?heading\b
        |\b(?:commentary|the|a|an|new|newly|designated|redesignated|of|for|to|read|reads
        |follows?|by|and|or|in|paragraphs?|comments?|subsections?|subheading|part|this|section
        |respectively|as\s+follows|added|its|from|with|also|both|words?|terms?|phrase)\b|[—–-])
  | (?P<word>[^\s,;]+?(?=[\s,;:.]|$)|\S)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_VERBS = {
    "revis": "revise",
    "republish": "revise",
    "correct": "correct",
    "add": "add",
    "remov": "remove",
    "delet": "remove",
    "reserv": "reserve",
    "designat": "designate",
    "redesignat": "redesignate",
    "amend": "amend",
    "mov": "move",
    "transfer": "move",
}


@dataclass(frozen=True, slots=True)
class NoticePlace:
    """A provision of the regulation, of its comments, or one of its appendices."""

    section: str = ""
    """`1005.30`; empty if the instruction does not say."""
    chain: tuple[str, ...] = ()
    """The paragraph: `("b", "2", "i")`; of a comment, its number: `("1", "ii")`."""
    heading: str = ""
    """The heading of comments: `31.b.2`, for 31(b)(2)."""
    in_supplement: bool = False
    appendix: str = ""
    subpart: str = ""
    is_opening: bool = False
    is_heading: bool = False
    is_authority: bool = False
    sentence: str = ""

    @property
    def path(self) -> str:
        if self.is_authority:
            return "preamble_authority"
        if self.appendix and not self.in_supplement:
            return f"annex_{self.appendix}"
        parts = [SUPPLEMENT] if self.in_supplement else []
        if self.appendix:
            parts.append(f"annex_{self.appendix}")
        if self.section:
            parts.append(f"sec_{self.section}")
        if self.heading:
            parts.append(f"para_{self.heading}")
        is_comment = self.in_supplement
        for depth, number in enumerate(self.chain):
            parts.append(f"{'point' if depth or is_comment else 'para'}_{number}")
        if self.sentence:
            parts.append(f"sentence_{self.sentence}")
        return "__".join(parts)


@dataclass(frozen=True, slots=True)
class Task:
    """A verb with one of its targets."""

    verb: str
    place: NoticePlace
    becomes: NoticePlace | None = None


class NotUnderstood(Exception):
    """Part of an instruction is not understood; the message says which."""


@dataclass(slots=True)
class NoticeReading:
    """An instruction as read: what to do, and the place its sub-instructions start from."""

    tasks: list[Task]
    context: NoticePlace
    problem: str = ""
    is_amending: bool = False
    has_text_elsewhere: bool = False


_ORDINALS = {"first": "1", "second": "2", "third": "3", "fourth": "4", "fifth": "5"}


def list_tokens(text: str) -> Iterator[re.Match[str]]:
    return _TOKEN.finditer(text)


def read_instruction(text: str, context: NoticePlace) -> NoticeReading:
    """The tasks of one instruction, read where its superior instruction points."""
    return _Reader(context).read(text)


class _Reader:
    def __init__(self, context: NoticePlace) -> None:
        self.context = context
        self.last: NoticePlace | None = None
        self.waiting: list[NoticePlace] = []
        self.verb = ""
        self.tasks: list[Task] = []
        self.renamed: list[NoticePlace] | None = None
        self.flags: dict[str, str] = {}
        self.is_context = False
        self.after_title = False
        self.range_from: NoticePlace | None = None
        self.is_amending = False
        self.unread: list[str] = []
        self.since_verb: list[Task] = []
        self.before = ""
        """The kind of the token before."""
        self.is_bound = False
        """Whether a heading or introductory text is said to be "of" what follows."""

    def read(self, text: str) -> NoticeReading:
        problem = ""
        try:
            # Long runs of spaces would be read again at each of them.
            for token in list_tokens(" ".join(text.split())):
                self._take(token)
            self._finish_redesignation()
            if self.flags:
                self._flush_flags()
            if self.waiting and self.tasks and not self.is_context:
                raise NotUnderstood("a provision is named, but not what happens to it")
            if self.unread:
                raise NotUnderstood(f"“{' '.join(self.unread[:8])}” is not understood")
        except NotUnderstood as reason:
            problem = str(reason)
        context = self.waiting[-1] if self.waiting and not self.tasks else self.context
        return NoticeReading(self.tasks, context, problem, self.is_amending or bool(self.tasks))

    def _take(self, token: re.Match[str]) -> None:
        kind = token.lastgroup or ""
        for name in _HANDLED:
            if token.group(name) is not None:
                kind = name
                break
        if self.after_title and self._is_title_word(kind, token):
            return
        if kind == "word":
            self.unread.append(token.group())
            return
        if kind in ("filler", "noise", "place"):
            self._take_filler(token.group().lower())
            return
        if kind not in ("comma", "stop"):
            self.after_title = kind in _TITLED or (kind == "number" and self.context.in_supplement)
        elif kind == "stop":
            self.after_title = False
        getattr(self, f"_take_{kind}")(token)
        self.before = kind

    def _is_title_word(self, kind: str, token: re.Match[str]) -> bool:
        """Headings are cited by their words, which may look like part of the instruction."""
        if kind in ("word", "every"):
            return True
        if kind == "active":
            return token.group()[:1].isupper()
        return kind in ("definition", "table", "sentence") and self.before not in ("comma", "the")

    def _take_filler(self, word: str) -> None:
        self.before = word
        if word in ("of", "for", "to"):
            self.is_bound = True
        elif word == "and" and not self.is_bound:
            self._flush_flags()

    # Places

    def _take_supplement(self, token: re.Match[str]) -> None:
        self._name(NoticePlace(in_supplement=True))

    def _take_appendix(self, token: re.Match[str]) -> None:
        self._name(NoticePlace(appendix=token["letter"], in_supplement=self.context.in_supplement))

    def _take_subpart(self, token: re.Match[str]) -> None:
        if not self.context.in_supplement:
            self._name(NoticePlace(subpart=token["subpart_letter"]))

    def _take_section(self, token: re.Match[str]) -> None:
        chain = tuple(re.findall(r"\((\w+)\)", token["section_chain"]))
        supplement = self.context.in_supplement and not chain
        self._name(
            NoticePlace(section=token["section_number"], chain=chain, in_supplement=supplement)
        )

    def _take_comment(self, token: re.Match[str]) -> None:
        self._need_supplement(token)
        number, *chain = re.findall(r"\w+", token["heading"])
        part = self.context.section.partition(".")[0] or "part"
        numbers = (
            tuple((token["comment_number"] or "").split(".")) if token["comment_number"] else ()
        )
        self._name(
            NoticePlace(
                section=f"{part}.{number}",
                heading=".".join([number, *chain]),
                chain=numbers,
                in_supplement=True,
            )
        )

    def _take_chain(self, token: re.Match[str]) -> None:
        chain = tuple(re.findall(r"\((\w+)\)", token.group()))
        base = self.last or self.context
        if self.context.in_supplement:
            if not base.heading:
                raise NotUnderstood(f"which comment {token.group()} means is not clear")
            number = base.heading.split(".")
            full = _resolve(tuple(number[1:]), chain, SECTION_LADDER)
            heading = ".".join([number[0], *full])
            self._name(replace(base, heading=heading, chain=(), is_opening=False, is_heading=False))
            return
        if not base.section:
            raise NotUnderstood(f"which section paragraph {token.group()} belongs to is not clear")
        full = _resolve(base.chain, chain, SECTION_LADDER)
        self._name(NoticePlace(section=base.section, chain=full))

    def _take_number(self, token: re.Match[str]) -> None:
        if not self.context.in_supplement:
            self.unread.append(token.group())
            return
        base = self.last or self.context
        chain = tuple(token.group().rstrip(".").split("."))
        if not base.section and not base.appendix:
            raise NotUnderstood(f"which comment paragraph {token.group()} belongs to is not clear")
        self._name(replace(base, chain=chain, is_opening=False, is_heading=False))

    def _need_supplement(self, token: re.Match[str]) -> None:
        if not self.context.in_supplement:
            raise NotUnderstood(f"“{token.group()}” is not a place in this regulation's text")

    def _name(self, place: NoticePlace) -> None:
        if "definition" in self.flags:
            raise NotUnderstood("a definition is named that has no number")
        place = _qualify_place(place, self.flags)
        self.flags = {}
        self.last = replace(place, is_opening=False, is_heading=False, sentence="")
        if self.range_from is not None:
            places = _expand(self.range_from, place)
            self.range_from = None
        else:
            places = [place]
        for each in places:
            self._assign(each)

    def _assign(self, place: NoticePlace) -> None:
        if self.is_context and not (place.chain or place.is_heading or place.is_opening):
            self.context = self.last or place
            return
        self.is_context = False
        if place == NoticePlace(in_supplement=True) and not self.verb:
            self.context = place
        if self.renamed is not None and len(self.renamed) == len(self.since_verb):
            self._finish_redesignation()
        if self.verb == "redesignate" and self.renamed is not None:
            self.renamed.append(place)
        elif self.verb:
            task = Task(self.verb, place)
            self.tasks.append(task)
            self.since_verb.append(task)
        else:
            self.waiting.append(place)

    # Verbs

    def _take_passive(self, token: re.Match[str]) -> None:
        self._flush_flags()
        self.is_context = False
        verb = _VERBS[token["passive_verb"].lower().removesuffix("d").removesuffix("e")]
        if verb == "amend":
            self._take_context()
            return
        if not self.waiting and self.last is not None and not self.tasks:
            self.waiting = [self.last]
        if not self.waiting:
            raise NotUnderstood("what the instruction changes is not named")
        self.since_verb = [Task(verb, place) for place in self.waiting]
        self.tasks += self.since_verb
        self.waiting = []
        self.verb = "redesignate" if verb == "redesignate" else ""

    def _take_active(self, token: re.Match[str]) -> None:
        self._finish_redesignation()
        self._flush_flags()
        self.is_context = False
        verb = next(
            v for stem, v in _VERBS.items() if token["active_verb"].lower().startswith(stem)
        )
        if verb == "amend":
            self._take_context()
            self.is_amending = True
            return
        self._take_context()
        self.verb = verb
        self.since_verb = []

    def _take_context(self) -> None:
        """Places named before the verb are where it acts."""
        self.is_amending = True
        if self.waiting:
            self.context = replace(self.waiting[-1], is_opening=False, is_heading=False)
            self.last = None
            self.waiting = []

    def _take_also(self, token: re.Match[str]) -> None:
        """ "… is redesignated as paragraph 3 and revised"."""
        self._finish_redesignation()
        renamed = [each.becomes for each in self.since_verb if each.becomes is not None]
        if not renamed:
            raise NotUnderstood("what else is revised is not clear")
        self.tasks += [Task("revise", place) for place in renamed]

    def _take_as(self, token: re.Match[str]) -> None:
        if self.verb == "redesignate":
            self._flush_flags()
            self.renamed = []

    def _finish_redesignation(self) -> None:
        if self.verb != "redesignate":
            return
        self.verb = ""
        old = list(self.since_verb)
        new = self.renamed or []
        self.renamed = None
        if len(old) != len(new):
            raise NotUnderstood("which number each redesignated paragraph gets is not clear")
        self.since_verb = [replace(t, becomes=p) for t, p in zip(old, new, strict=True)]
        self.tasks[len(self.tasks) - len(old) :] = self.since_verb

    # Qualifiers

    def _take_intro(self, token: re.Match[str]) -> None:
        self._qualify("is_opening")

    def _take_title(self, token: re.Match[str]) -> None:
        self._qualify("is_heading")

    def _take_sentence(self, token: re.Match[str]) -> None:
        word = token.group().lower()
        if word.startswith("sentence"):
            if "sentence" not in self.flags:
                raise NotUnderstood("which sentence is meant is not clear")
            return
        if "sentence" in self.flags:
            raise NotUnderstood("several sentences are named at once")
        self.flags["sentence"] = _ORDINALS.get(word, "last")
        self.is_bound = True

    def _qualify(self, flag: str) -> None:
        """A heading or introductory text belongs to the place before it, or to the next one."""
        places = self.tasks if self.verb and not self.renamed else None
        previous = places[-1].place if places else self.waiting[-1] if self.waiting else None
        if previous is not None and self.before in ("chain", "number", "section", "comment"):
            changed = _qualify_place(previous, {flag: "yes"})
            if places:
                self.tasks[-1] = replace(self.tasks[-1], place=changed)
                self.since_verb[-1:] = [self.tasks[-1]]
            else:
                self.waiting[-1] = changed
        else:
            self.flags[flag] = "yes"
            self.is_bound = False

    def _flush_flags(self) -> None:
        """A heading or introductory text without a place is that of the context."""
        if not self.flags:
            return
        if "sentence" in self.flags:
            raise NotUnderstood("which sentence is meant is not clear")
        if "definition" in self.flags:
            raise NotUnderstood("a definition is named that has no number")
        flags, self.flags = self.flags, {}
        base = self.waiting[-1] if self.waiting and not self.verb else self.context
        if not base.section and not base.appendix:
            raise NotUnderstood("whose heading or introductory text is meant is not clear")
        self._assign(_qualify_place(base, flags))

    def _take_authority(self, token: re.Match[str]) -> None:
        self._name(NoticePlace(is_authority=True))

    def _take_through(self, token: re.Match[str]) -> None:
        if self.verb and self.verb != "redesignate" and self.tasks:
            self.range_from = self.tasks.pop().place
            self.since_verb[-1:] = []
        elif self.verb == "redesignate":
            if self.renamed:
                self.range_from = self.renamed.pop()
            elif self.since_verb:
                self.range_from = self.tasks.pop().place
                self.since_verb.pop()
        elif self.waiting:
            self.range_from = self.waiting.pop()

    def _take_under(self, token: re.Match[str]) -> None:
        self.is_context = True

    def _take_comma(self, token: re.Match[str]) -> None:
        if self.is_context and (self.last is not None):
            self.context = self.last
            self.after_title = True
        if not self.is_bound:
            self._flush_flags()

    def _take_stop(self, token: re.Match[str]) -> None:
        if token.group() in ":;":
            self.is_context = False

    def _take_quote(self, token: re.Match[str]) -> None:
        if self.flags.pop("definition", "") and self.context.in_supplement and self.context.section:
            base = self.last or self.context
            self._name(replace(base, heading=name_term(token.group()), chain=()))
            return
        raise NotUnderstood("words in quotation marks are not understood here")

    def _take_every(self, token: re.Match[str]) -> None:
        raise NotUnderstood("which words change everywhere is not clear")

    def _take_definition(self, token: re.Match[str]) -> None:
        """Comments on a definition stand under its term."""
        self.flags["definition"] = "yes"
        self.is_bound = True

    def _take_table(self, token: re.Match[str]) -> None:
        raise NotUnderstood(f"“{token.group()}” is not a numbered provision")


_TITLED = ("section", "comment", "appendix", "supplement", "subpart")
_HANDLED = (
    *("noise", "quote", "supplement", "appendix", "subpart", "section", "comment", "chain"),
    *("number", "passive", "active", "also", "intro", "title", "definition", "sentence"),
    *("authority", "table", "place", "every", "through", "under", "as", "stop", "comma"),
    *("filler", "word"),
)


def _qualify_place(place: NoticePlace, flags: Mapping[str, str]) -> NoticePlace:
    """A place narrowed to its heading, its introductory text or one of its sentences."""
    return replace(
        place,
        is_heading=place.is_heading or "is_heading" in flags,
        is_opening=place.is_opening or "is_opening" in flags,
        sentence=flags.get("sentence", place.sentence),
    )


def name_term(term: str) -> str:
    """A defined term as a number: `financial-institution`."""
    return "-".join(re.findall(r"\w+", term.lower()))


def _resolve(base: Sequence[str], chain: tuple[str, ...], ladder: Sequence[str]) -> tuple[str, ...]:
    """A short reference read beside the one before: "(b)(2)(i) and (ii)"."""
    for depth in range(len(base) - 1, 0, -1):
        fits = depth < len(ladder) and ladder[depth] in classify(chain[0])
        if fits and all(
            depth + i < len(ladder) and ladder[depth + i] in classify(each)
            for i, each in enumerate(chain)
        ):
            if "a" in classify(chain[0]) and ladder[depth] == "i" and len(chain) > 1:
                continue
            return (*base[:depth], *chain)
    if ladder[0] not in classify(chain[0]):
        depth = next((d for d, kind in enumerate(ladder) if kind in classify(chain[0])), 0)
        if depth and len(base) >= depth:
            return (*base[:depth], *chain)
        raise NotUnderstood(f"which paragraph ({chain[0]}) belongs to is not clear")
    return chain


def _expand(first: NoticePlace, last: NoticePlace) -> list[NoticePlace]:
    if first.chain and len(first.chain) == len(last.chain) and first.chain[:-1] == last.chain[:-1]:
        numbers = expand_range(first.chain[-1], last.chain[-1])
        if numbers:
            return [replace(first, chain=(*first.chain[:-1], number)) for number in numbers]
    elif not first.chain and not last.chain and first.section and last.section:
        sections = expand_range(first.section, last.section)
        if sections:
            return [replace(first, section=section) for section in sections]
    raise NotUnderstood("which provisions the range covers is not clear")
