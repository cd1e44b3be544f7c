"""Read the amendments of United Kingdom acts and instruments."""

import re

from assay.packs.regulatory.acts.amending.citations import CitingStyle
from assay.packs.regulatory.acts.amending.clauses import QUOTE, Drafting
from assay.packs.regulatory.acts.amending.fragments import NumberingStyle
from assay.packs.regulatory.acts.amending.meanings import ClauseMeaning, Path
from assay.packs.regulatory.acts.amending.paths import (
    Step,
    article,
    paragraph,
    point,
    read_roman,
)
from assay.packs.regulatory.acts.amending.quoted import QuotedTradition
from assay.packs.regulatory.acts.amending.statements import (
    Flags,
    Grammar,
    append_provision,
    delete_provision,
    delete_words,
    insert_at_edge,
    insert_provision,
    insert_words,
    renumber,
    replace_provision,
    replace_stretch,
    replace_words,
    set_context,
)
from assay.packs.regulatory.acts.shapes import ProvisionKind

Q = QUOTE
_NUMBER = r"(?:\d+[A-Z]*(?:\(\w{1,5}\))*|(?:\(\w{1,5}\))+)"


def _chain(number: str) -> list[str]:
    return re.findall(r"\w+", number)


def _section(number: str) -> list[Step]:
    """`5(2)(a)(i)`: a section with what follows it."""
    first, *rest = _chain(number)
    steps = [article(first, ProvisionKind.SECTION)]
    return steps + _parts(rest, 0)


def _schedule(number: str) -> list[Step]:
    return [article(_chain(number)[0], ProvisionKind.ANNEX)]


def _subsection(number: str) -> list[Step]:
    return _parts(_chain(number), 0)


def _paragraph(number: str) -> list[Step]:
    """A paragraph is numbered in a Schedule or a regulation, and lettered in a section."""
    chain = _chain(number)
    return _parts(chain, 0 if chain[0][0].isdigit() else 1)


def _subparagraph(number: str) -> list[Step]:
    chain = _chain(number)
    is_roman = read_roman(chain[0]) is not None and not chain[0].isupper()
    return _parts(chain, 2 if is_roman else 1)


def _parts(chain: list[str], depth: int) -> list[Step]:
    steps = []
    for index, number in enumerate(chain):
        level = depth + index
        steps.append(paragraph(number) if level == 0 else point(number, level - 1))
    return steps


_CITATION = CitingStyle(
    token=re.compile(
        rf"(?:(?P<section>\b(?:section|regulation|article|rule)s?)|(?P<subsection>\bsubsections?)"
        rf"|(?P<sub>\bsub-?paragraphs?)|(?P<para>\bparagraphs?)|(?P<schedule>\bSchedules?))\s+"
        rf"(?P<numbers>{_NUMBER}(?:(?:\s*,\s*(?:and\s+)?|\s+(?:and|or|to)\s+){_NUMBER}(?!\s*of))*)",
        re.IGNORECASE,
    ),
    make={
        "section": _section,
        "subsection": _subsection,
        "sub": _subparagraph,
        "para": _paragraph,
        "schedule": _schedule,
    },
    number=re.compile(rf"(?P<number>{_NUMBER})"),
    through=re.compile(r"\bto\b"),
    filler=re.compile(r"\b(?:in|of|to|the|and|that|that\s+section)\b", re.IGNORECASE),
    aliases=((re.compile(r"\bthe Schedule\b(?!\s+\d)"), "Schedule 1"),),
)
_EACH = (
    r"(?:,? (?P<each>in (?:each|both) (?:places?|case)(?: (?:where )?(?:it occurs|they occur))?"
    r"|wherever (?:it|they) (?:occurs?|appears?)))?"
)


def _insert_at_end(
    grammar: Grammar, match: re.Match[str], context: Path, flags: Flags
) -> ClauseMeaning:
    """“At the end insert—” before a numbered text adds a provision, otherwise words."""
    if "—" in match.group() or "–" in match.group():
        return append_provision(grammar, match, context, flags)
    return insert_at_edge(grammar, match, context, flags)


def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace("QQ", Q) + r"\s*[.;:,]?(?: and| or)?[.;,]?$", re.IGNORECASE)


_IN = r"^(?:(?:in |the )?(?P<cite>[^QQ]*?),? ?(?:—|–)? ?)?"
_LEAD = r"^(?:in (?P<lead>[^QQ]*?),? )?"
_PUT = r",? ?(?:there (?:is|are|shall be) )?substitute[ds]? ?(?:—|–|:)? ?QQ"
_ADD = r",? ?(?:there (?:is|are|shall be) )?(?:insert(?:ed)?|add(?:ed)?) ?(?:—|–|:)? ?QQ"
_REPLACE_WORDS = _compile(
    _IN
    + r"\bfor (?P<pairs>QQ"
    + _EACH
    + _PUT
    + r"(?:,? and for QQ"
    + _PUT
    + r")*)(?P<each2> in (?:each|both) places?.*)?"
)
_BECOMES = _compile(_IN + r"(?P<pairs>QQ (?:is to )?becomes? QQ)")
_STRETCH = _compile(
    _IN
    + r"\b(?:for|omit) (?:the words )?from QQ (?:to QQ|(?P<end>(?:on)?to the end|onwards))(?P<put>"
    + _PUT
    + r")?"
)
_INSERT_WORDS = _compile(_IN + r"\b(?P<side>after|before) QQ" + _EACH + _ADD)
_EDGE = _compile(_IN + r"\b(?P<side>at the (?:end|beginning))" + _ADD)
_DELETE_WORDS = _compile(_IN + r"\b(?:omit|leave out) (?P<list>QQ(?:(?:, | and )QQ)*)" + _EACH)
_REPLACE = _compile(_LEAD + r"for (?P<cite>(?!QQ)[^QQ]*?)" + _PUT)
_INSERT = _compile(_LEAD + r"(?P<side>after|before) (?P<cite>(?!QQ)[^QQ]*?)" + _ADD)
_DELETE = _compile(_LEAD + r"omit (?P<cite>[^QQ]+)")
_REPEAL = _compile(
    r"^(?:in (?P<lead>[^QQ]*?), )?(?P<cite>[^QQ]*?) (?:is|are) (?:omitted|repealed|revoked)"
)
_RENUMBER = _compile(
    _LEAD + r"(?:the )?(?:existing )?(?P<cite>[^QQ]*?) (?:becomes?|(?:is|are) renumbered(?: as)?) "
    r"(?P<new>(?:sub-?)?(?:section|paragraph)s?[^QQ]*?)"
)
_CONTEXT = _compile(r"^(?:in )?(?P<cite>[^QQ]*?)(?:,? ?(?:is|are) amended as follows| ?—| ?–)")
_GRAMMAR = Grammar(
    citation=_CITATION,
    wordings=(
        (_STRETCH, replace_stretch),
        (_REPLACE_WORDS, replace_words),
        (_BECOMES, replace_words),
        (_INSERT_WORDS, insert_words),
        (_REPLACE, replace_provision),
        (_INSERT, insert_provision),
        (_EDGE, _insert_at_end),
        (_DELETE_WORDS, delete_words),
        (_RENUMBER, renumber),
        (_DELETE, delete_provision),
        (_REPEAL, delete_provision),
        (_CONTEXT, set_context),
    ),
    looks=re.compile(
        rf"\b(?:substitute[ds]?|insert(?:ed)?|omit(?:ted)?|repealed|revoked|leave\s+out|renumbered|"
        rf"amended\s+as\s+follows)\b|\bnumber\b.*\bas\b|^in\b.*[—–]$|^(?:sub)?(?:section|"
        rf"paragraph|regulation)"
        rf"s?\b.*—$|{Q}[^{Q}\n]*\bamend|{Q}\s+(?:is\s+to\s+)?becomes?\s+{Q}",
        re.IGNORECASE,
    ),
    ignored=re.compile(r"\bcomes?\s+into\s+force\b|\bmay\s+be\s+cited\s+as\b"),
    noun=re.compile(
        rf"\b(?:the\s+)?(?:words?|figures?|entry|entries|definition\s+of|date|reference\s+t"
        rf"o|sum|amount)\s+(?={Q})",
        re.IGNORECASE,
    ),
    heading=re.compile(
        r"\b(?:in\s+)?the\s+(?:section\s+)?heading(?:\s+(?:of|to))?\b|\bheading\s+(?:of|to)\b",
        re.IGNORECASE,
    ),
    opening=re.compile(
        r"\b(?:in\s+)?the\s+(?:words\s+before\s+paragraph\s+\(a\)|opening\s+words)(?:\s+of)?\b",
        re.IGNORECASE,
    ),
    instrument=re.compile(
        r"(?:\bin\s+)?\b(?:of\s+|to\s+)?[Tt]he\s+(?P<act>(?!Schedule\b)[A-Z](?:[^—,;()"
        + Q
        + r"]|\([^()]*\))*?\b(?:Act|Regulations|Order|Rules|Scheme|Code)(?:\s+\(Northern\s+I"
        r"reland\))"
        r"?\s+\d{4})(?:\s*\([^()]*\))?"
    ),
    sentence_noun=re.compile(r"sentence", re.IGNORECASE),
    before=frozenset({"before", "at the beginning"}),
)
BRITISH = QuotedTradition(
    marks={"“": "”", "‘": "’", '"': '"'},
    drafting=Drafting(
        heading=re.compile(
            r"(?m)^[ \t]*(?:Amendments?\s+(?:of|to)\b[^\n]*|(?:PART|Part)\s+\d+[^\n]*)$"
        ),
        enumerator=re.compile(
            r"[ \t]*(?:\((\w{1,5})\)|(\d+[A-Z]*)(?:\.?[—–-](?=\s*\(1\))|\.(?=[ \t]+[A-Z])))[ \t]*"
        ),
        sentence=re.compile(r"(?!)"),
    ),
    article_line=re.compile(
        r"(?m)(?:^[ \t]*|(?<=[“‘\"]))(?P<number>\d+[A-Z]*)(?:\.(?:[—–-])?|(?=[ \t]+[A-Z(])"
        r")[ \t]*(?P<heading>(?!\()[^\n]*?)(?=\n|$|\(1\))"
    ),
    style=NumberingStyle(re.compile(r"\((\d+[A-Z]*|[a-z]{1,5}|[A-Z]{1,2})\)\s*"), "()"),
    grammar=_GRAMMAR,
)
