"""Read the amendments of European Union acts, in English."""

import re

from assay.packs.regulatory.acts.amending.citations import CitingStyle
from assay.packs.regulatory.acts.amending.clauses import QUOTE, Drafting
from assay.packs.regulatory.acts.amending.fragments import NumberingStyle
from assay.packs.regulatory.acts.amending.paths import (
    LAST,
    PARAGRAPH_LEVEL,
    Step,
    article,
    indent,
    paragraph,
    point,
    read_roman,
    sentence,
    subparagraph,
)
from assay.packs.regulatory.acts.amending.quoted import QuotedTradition
from assay.packs.regulatory.acts.amending.statements import (
    Grammar,
    append_provision,
    delete_provision,
    delete_words,
    insert_provision,
    insert_words,
    refer_to_annex,
    renumber,
    replace_provision,
    replace_words,
    set_context,
)
from assay.packs.regulatory.acts.shapes import ProvisionKind

Q = QUOTE
_NUMBER = (
    r"(?:\d+[a-z]*(?:\(\w{1,5}\))*|(?:\(\w{1,5}\))+"
    rf"|(?-i:[IVX]+[a-z]?|[A-Z])\b|{LAST}\b)"
)


def _article(number: str) -> list[Step]:
    first, *rest = re.findall(r"\w+", number)
    steps = [article(first)]
    for index, each in enumerate(rest):
        steps.append(paragraph(each) if index == 0 and each[0].isdigit() else point(each, index))
    return steps


def _point(number: str) -> list[Step]:
    chain = re.findall(r"\w+", number)
    is_roman = read_roman(chain[0]) is not None and chain[0] not in "cdlm"
    return [point(each, index + (1 if is_roman else 0)) for index, each in enumerate(chain)]


def _paragraph(number: str) -> list[Step]:
    first, *rest = re.findall(r"\w+", number)
    return [paragraph(first), *(point(each, index) for index, each in enumerate(rest))]


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_ORDINAL = "(?:" + "|".join((*_ORDINALS, "tenth", LAST, "final")) + ")"
_COUNTED = re.compile(
    rf"\b(?P<numbers>{_ORDINAL}(?:(?:,|,? and|,? or|,? to)\s+(?:the\s+)?{_ORDINAL})*)\s+"
    r"(?P<noun>(?:sub-?)?paragraph|sentence|indent)s?\b",
    re.IGNORECASE,
)
"""Provisions without a number are counted: "the first and second subparagraphs"."""


def _count(found: re.Match[str]) -> str:
    noun = found["noun"].lower()
    numbers = re.sub(_ORDINAL, lambda each: _number(each.group()), found["numbers"], flags=re.I)
    # What is called a paragraph and has no number is what is called a subparagraph elsewhere.
    return f"{'subparagraph' if 'paragraph' in noun else noun} {numbers.replace('the ', '')}"


def _number(ordinal: str) -> str:
    known = (*_ORDINALS, "tenth")
    word = ordinal.lower()
    return str(known.index(word) + 1) if word in known else LAST


_ONLY_ANNEX = re.compile(r"\bthe\s+Annex\b(?!\s+(?:[IVX]|[A-Z]\b|\d))")
"""An act with one annex does not number it."""
_ANNEX_PART = re.compile(r"\b(?:[Ss]ection|[Pp]art)(?=\s+(?:[IVX]+|[A-Z])\b)")
"""A part of an annex whose number is a Roman numeral or a capital is one of its points, and has
points itself."""
_PART = "\ue002"
"""Stands for the word before the number of such a part."""


def _annex(number: str) -> Step:
    return article("" if number == LAST else number.lower(), ProvisionKind.ANNEX)


_CITATION = CitingStyle(
    token=re.compile(
        rf"(?:(?P<article>\bArticles?)|(?P<para>\bparagraphs?)|(?P<point>\b(?:sub-?)?points?)"
        rf"|(?P<sub>\bsubparagraph)|(?P<sentence>\bsentence)|(?P<indent>\bindent)"
        rf"|(?P<annex>\bAnnex(?:es)?)|(?P<part>{_PART}))\s+"
        rf"(?P<numbers>{_NUMBER}(?:(?:\s*,\s*(?:and\s+)?|\s+(?:and|or|to)\s+){_NUMBER})*)",
        re.IGNORECASE,
    ),
    make={
        "article": _article,
        "para": _paragraph,
        "point": _point,
        "sub": subparagraph,
        "sentence": sentence,
        "indent": indent,
        "annex": _annex,
        "part": lambda n: Step(PARAGRAPH_LEVEL, ProvisionKind.POINT, n),
    },
    number=re.compile(rf"(?P<number>{_NUMBER})"),
    through=re.compile(r"\bto\b"),
    filler=re.compile(r"\b(?:in|of|to|the|and|thereof|new)\b", re.IGNORECASE),
    aliases=((_COUNTED, _count), (_ONLY_ANNEX, f"Annex {LAST}"), (_ANNEX_PART, _PART)),
)


def _compile(pattern: str) -> re.Pattern[str]:
    end = r"\s*[.;:,]?[\"”]?(?: and| or)?[.;,]?$"
    pattern = pattern.replace("(?:is|are|shall be)", "(?:is|are|shall be)(?: hereby)?")
    return re.compile(pattern.replace("QQ", Q) + end, re.IGNORECASE)


_IN = r"^(?:in )?(?P<cite>[^QQ]*?),? ?"
_LEAD = r"^(?:in (?P<lead>[^QQ]*?), )?"
_EACH = (
    r"(?P<each>,? (?:throughout the text|wherever (?:it|they) (?:occurs?|appears?)"
    r"|in each (?:place|case)))?"
)
_REPLACE_WORDS = _compile(
    _IN + r"(?P<pairs>QQ (?:is|are|shall be) replaced(?: in each case)? by QQ(?:,? "
    r"(?:and )?QQ (?:is|are) replaced by QQ)*)" + _EACH
)
_INSERT_WORDS = _compile(
    _IN
    + r"(?P<reverse>QQ (?:is|are|shall be) (?:inserted|added)) (?P<side>after|before) QQ"
    + _EACH
)
_INSERT_WORDS_2 = _compile(
    _IN + r"(?P<side>after|before) QQ,? ?QQ (?:is|are|shall be) (?:inserted|added)" + _EACH
)
_DELETE_WORDS = _compile(
    _IN + r"(?P<list>QQ(?:(?:, | and )QQ)*) (?:is|are|shall be) deleted" + _EACH
)
_REPLACE = _compile(
    _LEAD + r"(?:(?P<cite>[^QQ]*?) )?(?:is|are|shall be) (?:replaced (?:by|with) the following"
    r"|replaced as follows|amended to read as follows|replaced by the text)(?: text)?[:;.]? QQ"
)
_INSERT = _compile(
    _LEAD + r"the following (?P<new>[^QQ]*?) (?:is|are|shall be) (?:inserted|added) "
    r"(?P<side>after|before) (?P<cite>[^QQ]*?):? QQ"
)
_INSERT_2 = _compile(
    _LEAD + r"(?P<side>after|before) (?P<cite>[^QQ]*?),? the following (?P<new>[^QQ]*?)"
    r" (?:is|are|shall be) (?:inserted|added):? QQ"
)
_APPEND = _compile(
    r"^(?:in |to )?(?P<cite>[^QQ]*?),? ?(?:the following|a new) (?P<new>[^QQ]*?) (?:is|"
    r"are|shall be) (?:added|inserted):? QQ"
)
_APPEND_3 = _compile(
    _LEAD + r"the following (?P<new>[^QQ]*?) (?:is|are|shall be) (?:added|inserted)"
    r" (?:to|in|at the end of) (?P<cite>[^QQ]*?):? QQ"
)
_APPEND_2 = _compile(
    r"^(?:in )?(?P<cite>[^QQ]*?),? ?(?P<new>(?:paragraph|point|Article)s? [^QQ]*?)"
    r" (?:is|are|shall be) (?:added|inserted):? QQ"
)
_DELETE = _compile(_LEAD + r"(?P<cite>[^QQ]*?) (?:is|are|shall be) (?:deleted|repealed)")
_RENUMBER = _compile(
    _LEAD + r"(?P<cite>[^QQ]*?) (?:is|are|shall be) renumbered(?: as)? (?P<new>[^QQ]*?)"
)
_CONTEXT = _compile(r"^(?:in )?(?P<cite>[^QQ]*?),? ?(?:is|are|shall be) amended as follows")
_REFER = _compile(
    r"^(?P<cite>[^QQ]*?),? ?(?:is|are|shall be) amended (?:in accordance with|as set out in) "
    r"(?:the text set out in )?(?:the )?Annex[^QQ]* to this (?:\w+ )?"
    r"(?:Regulation|Directive|Decision)"
)
_IN_ONLY = _compile(r"^in (?P<cite>[^QQ]*?):")


_GRAMMAR = Grammar(
    citation=_CITATION,
    wordings=(
        (_REPLACE_WORDS, replace_words),
        (_INSERT_WORDS, insert_words),
        (_INSERT_WORDS_2, insert_words),
        (_DELETE_WORDS, delete_words),
        (_REPLACE, replace_provision),
        (_INSERT, insert_provision),
        (_INSERT_2, insert_provision),
        (_APPEND_3, append_provision),
        (_APPEND, append_provision),
        (_APPEND_2, append_provision),
        (_RENUMBER, renumber),
        (_DELETE, delete_provision),
        (_CONTEXT, set_context),
        (_REFER, refer_to_annex),
        (_IN_ONLY, set_context),
    ),
    looks=re.compile(
        r"\b(?:is|are|shall\s+be)\s+(?:hereby\s+)?(?:replaced|inserted|added|deleted|amended|"
        r"renumbered|repealed)\b|^in\s+(?:the\s+)?(?:[\w-]+\s+){0,2}(?:Article|Annex|Title|Chapter|"
        r"Section|Part|(?:sub-?)?paragraph|(?:sub-?)?point|indent|sentence)s?\b.*:$",
        re.IGNORECASE,
    ),
    ignored=re.compile(r"\bshall\s+enter\s+into\s+force\b|\bshall\s+apply\s+from\b"),
    noun=re.compile(
        rf"\b(?:the\s+)?(?:words?|wordings?|terms?|dates?|figures?|amounts?|references?(?:\s+to)"
        rf"?|phrases?|number|percentage|expression)\s+(?={Q})",
        re.IGNORECASE,
    ),
    heading=re.compile(r"\b(?:in\s+)?the\s+(?:title|heading)(?:\s+of)?\b", re.IGNORECASE),
    opening=re.compile(
        r",?\s*\b(?:in\s+)?the\s+introductory\s+(?:wording|part|words|sentence|phrase)(?:\s+of)?\b",
        re.IGNORECASE,
    ),
    instrument=re.compile(
        r"\b(?:[Tt]he\s+)?(?:[Aa]nnexes\s+to\s+)?(?P<act>(?:(?:Commission|Council|"
        r"Delegated|Implementing)\s+)*(?:Regulation|Directive|Decision)\s+(?:\((?:EU|"
        r"EC|EEC|Euratom|EU,\s*Euratom)\)\s*)?(?:No\s+)?\d+/\d+(?:/\w+)?)"
        r"(?:\s+\(\d{1,3}\)(?=,|\s+(?:is|are|shall)\b))?"
    ),
    sentence_noun=re.compile(r"sentences?", re.IGNORECASE),
    subparagraph_noun=re.compile(r"sub-?paragraphs?", re.IGNORECASE),
    line_noun=re.compile(r"(?:sub-?)?paragraphs?", re.IGNORECASE),
    before=frozenset({"before"}),
    verb=re.compile(r"\b(?:is|are|shall\s+be)\b"),
    leads_to_act=re.compile(r"(?:^|\b(?:of|to|in)\b)(?:\s*\bthe\b)?\s*$", re.IGNORECASE),
    plain_nouns={
        "paragraph": paragraph("new"),
        "point": point("new"),
        "article": article("new"),
    },
)
EUROPEAN = QuotedTradition(
    marks={"‘": "’", "“": "”", "„": "“"},
    drafting=Drafting(
        heading=re.compile(r"(?m)^[ \t]*(?:Article[ \t]+\d+[a-z]?|ANNEX(?:[ \t]+[IVX]+)?)[ \t]*$"),
        enumerator=re.compile(
            r"[ \t]*(?:\((?P<number>\w{1,4})\)|(?P<n2>\d+)\.|(?P<n3>[a-z])\)|[—–])(?:[ \t]+|$)"
        ),
        sentence=re.compile(r"(?!)"),
    ),
    article_line=re.compile(
        r"(?m)(?:^[ \t]*|(?<=[‘“„]))Article[ \t]+(?P<number>\d+[a-z]*)[ \t]*(?=\n|$)\n?(?P<heading"
        r">(?:(?![ \t]*\d+[a-z]*\.|[ \t]*\()[^\n]{0,200}[^\n.;:,])?)[ \t]*(?=\n|$)"
    ),
    style=NumberingStyle(
        re.compile(r"(?:(\d+[a-z]*)\.|\((\d+[a-z]*|[a-z]{1,4})\))(?:\s+|$)"),
        ".",
        ends_lists=True,
        note=re.compile(r"\(\*+\d*\)\s"),
    ),
    grammar=_GRAMMAR,
    picture=re.compile(r"(?i):[ \t]*\n[ \t]*where[ \t]*:?[ \t]*\n"),
    announces=_GRAMMAR.looks,
    begins=re.compile(r"\bHA(?:S|VE)\s+(?:ADOPTED|DECIDED)\b"),
)
