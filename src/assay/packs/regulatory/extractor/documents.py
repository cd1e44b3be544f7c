"""A document as a whole: its title, its subject, whether it amends, whether it is in force."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from assay.packs.regulatory.acts.naming import is_publisher
from assay.packs.regulatory.extractor.blocks import Block, BlockKind
from assay.packs.regulatory.extractor.bodies import find_body
from assay.packs.regulatory.extractor.references import find_references
from assay.packs.regulatory.extractor.silences import addresses_machine, is_draft, is_example
from assay.packs.regulatory.extractor.subjects import (
    NAMELESS,
    find_mentions,
    find_subject,
    make_full_slug,
    make_slug,
    names_other_levy,
)
from assay.sdk.reading import Reading

_FILE_NAME = re.compile(r"\.(?:xml|docx?|pdf|html?|txt|xlsx?)\b|%20|^[\w.-]+$", re.IGNORECASE)
_AMENDS = re.compile(
    r"(?<!\w)(?:izmjen\w{1,4}|dopun\w{1,4}|amend(?:ing|ments?)|änderung\w{0,2}"
    r"|zur\s+änderung)(?!\w)",
    re.IGNORECASE,
)
_ACT = re.compile(
    r"(?:(?:opći|novi)\s+)?(?:zakon|pravilnik|uredba|odluka|naredba|naputak|uputa|tarifa"
    r"|obavijest|information|satzung"
    r"|gesetz|verordnung|richtlinie|merkblatt|(?:\w+\s){0,6}(?:act|regulations?|order"
    r"|directive)(?!\w)|part\s+\d)",
    re.IGNORECASE,
)
_OWN_LEVY = re.compile(
    r"\b((?:[A-ZÄÖÜ][a-zäöüß]{2,30}-\s(?:und|oder)\s)?[A-ZÄÖÜ][a-zäöüß]{2,30}"
    r"(?:steuer|zuschlag|abgabe|umlage))(?=gesetz|verordnung)"
)
"""`Biersteuergesetz`: a German act is named after its levy."""
_OWN_MATTER = re.compile(
    r"\w{4,40}(?:gesetz(?:buch)?|ordnung)\b|(?i:\bzakon(?:ik)?\s+o\s+\w)"
    r"|\b(?:Gesetz(?:es)?|Verordnung)\s(?:über|zur|zum|betreffend|für|gegen)\s|\bGesetzbuch\b"
    r"|(?i:\b\w{5,24}(?:ski|čki|šajni|neni)\s+zakon(?:ik)?\b|\bopći\s\w{4,16}\szakon\b)"
    r"|\b[A-Z][\w'’().-]{2,30}\s(?:Act|Regulations|Order)(?:,|\s)\s?(?:\(\w[\w\s]{2,30}\)\s)?(?:19|20)\d\d"
)
"""The name of an act that says what it is about."""
_MANY_MATTERS = re.compile(
    r"(?i:\bfinance\b|\bbudget|jahressteuer|haushalts|\bmantel|(?<!opći\s)\bporezn"
    r"|\btax(?:es|ation)?\b|\brevenue\b|izmjen|amend(?!ments?\)\sAct)|änderung)"
)
"""Acts on many matters; their sentences name each."""
_LEVY = re.compile(r"\b(?:tax|duty|excise)(?:es)?\b", re.IGNORECASE)
_SHORT_FORM = re.compile(
    r"\((?!AMENDMENT)([A-ZÄÖÜ][A-Za-zÄÖÜäöüß]{1,14}GB?|[A-ZÄÖÜ][A-Za-zÄÖÜäöüß]{0,22}[A-ZÄÖÜ][A-Za-zÄÖÜäöüß]{0,6})(?:\s\d{1,4})?\)"
)
"""`(BUrlG)`, `(HOAI 2013)`: how a German act is cited."""
_ENGLISH_ACT = re.compile(
    r"[A-Z][\w’'(),.&\s-]{2,160}?\s(?:Act|Regulations|Order|Rules)\s?,?\s?(?:\([\w\s]{2,30}\)\s)?(?:19|20)\d\d\b"
)
"""In the United Kingdom and Ireland the year is part of an act's name, and so are the words in
brackets: there is more than one Local Government Act 2009."""
_CAPITAL_NAME = re.compile(
    r"[A-Z][A-Z’'(),.&\s-]{2,160}\s(?:ACT|REGULATIONS|ORDER|RULES)(?:\s?,?\s(?:19|20)\d\d)?"
)
_ABOUT_ITSELF = re.compile(
    r"\W*(?:\d{1,4}\.?\s+)?(?:\(\w{1,3}\)\s+)?(?:[\w,]+\s){0,6}?th(?:is|ese)\s"
    r"(?:act|regulations?|order|rules|directive)(?!\w)",
    re.IGNORECASE,
)
"""`These Regulations come into force on …`: a sentence of an act is not its name."""
_CITED_AS = re.compile(
    r"\bTh(?:is|ese)\s(?:Act|Regulations|Order|Rules)\s(?:may|shall)\sbe\scited\sas\s(?:the\s)?"
    r"(?P<name>[A-Z][\w’'(),.&\s-]{2,160}?\s(?:Act|Regulations|Order|Rules)"
    r"(?:\s?,?\s?(?:\([\w\s]{2,30}\)\s)?(?:19|20)\d\d\b)?)"
)
"""Where an act of the United Kingdom or Ireland says its name."""
_EU_NUMBER = re.compile(
    r"\b(REGULATION|DIRECTIVE|DECISION)\s\((EU|EC|EEC)\)\s(?:No\s)?(\d{2,4})/(\d{2,4})",
    re.IGNORECASE,
)
_CELEX_TITLE = re.compile(r"[^\d\n]{0,40}\b[0-9E]\d{4}[A-Z]{1,2}\d{4}\b")
"""`Consolidated TEXT: 32014R0596 — EN`: how EUR-Lex names a page, which says nothing of the act."""
_RUN_IN = re.compile(
    r"(?P<name>[A-Z][a-z][^.;:—()]{2,90}?)\s(?=(?:In\s(?:addition|the)|There|The|If|For|An?|On|Any|Except"
    r"|Subject|No|Each|Where|Every|Notwithstanding)\s)"
)
"""`(a) Cigars On cigars, manufactured in …`: the heading of a subsection, on the same line."""
_BUDGET = re.compile(r"(?i:\bfinance\b.{0,40}\bact\b|jahressteuer|haushaltsbegleit|miscellaneous)")
"""Those whose headings name each matter."""
KINDS_OF_LEVIES = frozenset({"trosarina"})
"""Subjects that stand for several levies; an act about one of these is about that one only."""
_FRONT_MATTER = re.compile(r"\W{0,8}title:\s{0,3}[\"']?([^\"\n]{4,300}?)[\"']?\s*\n")
"""How a collection of acts in Markdown states the title of each."""
_CODE_SECTION = re.compile(r"§\s?[\w–-]{1,12}\.\s(?P<name>[^\d\W].{2,200})")
"""`§ 6651. Failure to file tax return`: a section of a code, which is a document of its own."""
_CODE_ID = re.compile(r"USC-T(\d{1,2})-S(\w{1,8})\b")
"""`identifier: "USC-T26-S6651"`, in the front matter of a section."""
_NAMED_LEVY = re.compile(r"\b(?:[A-Za-z-]{3,16}\s){1,3}(?:tax|duty|levy)\b")
_CROATIAN_NAME = re.compile(
    r"(?:opći\s|novi\s)?(?:zakon|pravilnik|uredba|odluka|naredba|naputak)\s(?:o|za)\s[^.;:]+",
    re.IGNORECASE,
)
_EMPTY = """
    the any that this such for and from under with liability charge charged amount rate rates
    relevant pay payment paid other which has have been imposing subject its their his her
    amounts certain each every total
"""
_NO_NAME = frozenset(_EMPTY.split())
_LITTLE = """
    in special rule rules application other certain in effective date adjustment inflation
    imposition imposed rate rates tax taxes amount general attachment definitions requirement
    requirements penalty penalties purpose exemptions enforcement fee fees duty charge table
    tables schedule
"""
_SAYS_LITTLE = frozenset(_LITTLE.split())
"""Words that do not tell one levy from another."""
_IMPOSED = re.compile(
    r"(?:(?P<levy>tax|duty|fee|excise)\b[^.;]{0,60}?\s)?(?:is|are|be)\s(?:hereby\s)?imposed\s"
    r"(?:for\s[^,.;]{3,30}\s)?(?:up)?on\s(?:all|any|each|every|the)?\s?(?P<object>[^,.;:—(]{3,80})"
    r"|imposed\san?\s(?:\w{3,10}\s)?(?:tax|duty|fee)\s(?:at\s[^.;—]{3,50}?\s)?(?:up)?on\s(?:all|any|each|every"
    r"|the)?\s?(?P<thing>[^,.;:—(]{3,80})"
    r"|(?:^|\s)On\s(?P<goods>[a-z][^,.;:—(]{2,60}),[^.;]{0,160}?imposed",
)
_AMENDED_MATTER = re.compile(r"[Aa]mendment\s(?:of|to)\b[^()]{0,120}\(([^()]{4,160})\)")
"""`Amendment of section 481 of Principal Act (relief for investment in films)`."""
_AMENDED_ACT = re.compile(
    r"\bof\s((?!Finance|Principal|Act)[A-Z][\w\s,’'-]{4,60}?)\sAct,?\s(?:19|20)\d\d"
)
"""`Amendment of section 31 of Stamp Duties Consolidation Act 1999`."""
_NUMBERED = re.compile(r"^\W{0,4}\d{1,4}[A-Z]{0,2}\.{0,2}\s")
_ONLY_AMENDS = re.compile(
    r"(?:amendments?|insertion|repeals?|substitution)\s(?:of|to|in)\b", re.IGNORECASE
)
_OPENING = 1_500
_FIRST_LINES = 8
_TITLE_LINES = 4
"""An act's own name is among so many lines, with a publisher's name or a date before it."""
_LONGEST_NAME = 120


@dataclass(frozen=True, slots=True)
class DocumentProfile:
    """What is known about a document before its sentences are read."""

    title: str
    subject: str
    domain: str
    """Empty if the pack does not know the subject."""
    amends: bool
    is_draft: bool
    is_example: bool
    """Whether it works out an example, which means its sums apply to nobody."""
    titled: bool
    """Whether its title itself names its subject."""
    body: str = ""
    """The key of the town or county that decided, if it was one."""
    many_matters: bool = False
    """Whether it is an act on many matters, whose headings name each."""
    name: str = ""
    """The act's own name as a slug."""
    levy: str = ""
    """The levy to which all of such an act, or the part of it at hand, belongs; or nothing."""


def profile_document(reading: Reading, blocks: Sequence[Block]) -> DocumentProfile:
    """Find a document's subject and kind, from its title and its first lines."""
    opening = (reading.text[block.start : block.end] for block in blocks[:_FIRST_LINES])
    lines = [line for line in opening if not addresses_machine(line)]
    title = _find_title(reading, lines)
    body, named = find_body(title, lines)
    subject, domain = _find_subject(
        reading.text, title.replace(named, " ") if named else title, lines
    )
    many = _BUDGET.search(title) is not None and not find_mentions(title)
    heads = [title, *_collect_headings(reading.text, blocks[:_FIRST_LINES])]
    return DocumentProfile(
        title=title,
        subject=subject,
        domain=domain,
        amends=any(_AMENDS.search(head) for head in heads),
        is_draft=is_draft([title, *lines]),
        is_example=is_example(title),
        many_matters=many,
        name=_name_act(title),
        levy=_find_own_levy(reading.text) if many else "",
        titled=bool(find_mentions(title))
        or names_other_levy(title)
        or _names_code_section(title)
        or _EU_NUMBER.search(title) is not None
        or bool(_OWN_LEVY.search(title))
        or _is_own_matter(title),
        body=body,
    )


def _is_own_matter(title: str) -> bool:
    """Whether an act's name says what it is about: the taxes in its sentences are not."""
    return _OWN_MATTER.search(title) is not None and _MANY_MATTERS.search(title) is None


def _strip_references(text: str) -> str:
    """Remove the provisions it refers to, which name the subjects of other acts."""
    for reference in reversed(find_references(text)):
        text = text[: reference.start] + " " + text[reference.end :]
    return text


def _collect_headings(text: str, blocks: Sequence[Block]) -> list[str]:
    found = [block for block in blocks if block.kind is BlockKind.HEADING]
    return [text[block.start : block.end] for block in found]


def _names_code_section(title: str) -> bool:
    section = _CODE_SECTION.match(title)
    return section is not None and not _says_little(section["name"])


def _says_little(words: str) -> bool:
    return set(make_slug(words).split("_")) <= _SAYS_LITTLE


def name_levied_object(words: str) -> str:
    """`A tax is hereby imposed on all beer brewed …` as a slug: `tax_beer_brewed`; or nothing."""
    found = _IMPOSED.search(words)
    if found is None:
        return ""
    thing = found["object"] or found["thing"] or found["goods"]
    levy = found["levy"] or _LEVY.search(words[found.start() : found.end() + 40])
    slug = make_slug(thing)
    return "" if slug == NAMELESS or levy is None else f"tax_{slug}"


def find_levy(words: str) -> str:
    """A levy that words call by its own name, as a slug: `digital_services_tax`; or nothing."""
    for found in _NAMED_LEVY.finditer(words):
        kept = [word for word in found[0].split() if word.lower() not in _NO_NAME]
        if len(kept) > 2 or (len(kept) == 2 and kept[0].lower() not in _SAYS_LITTLE):
            return make_slug(" ".join(kept))
    return ""


def _find_own_levy(text: str) -> str:
    """The levy that most sentences name, if they agree."""
    named = Counter(levy for line in text.splitlines() if (levy := find_levy(line)))
    if not named:
        return ""
    levy, count = named.most_common(1)[0]
    return levy if count >= 3 and 2 * count > named.total() else ""


def name_matter(heading: str) -> str:
    """What a section of an act on many matters is about, as a slug; or nothing."""
    plain = _NUMBERED.sub("", heading.replace("*", "")).strip()
    words = plain
    if _ONLY_AMENDS.match(plain):
        matter, act = _AMENDED_MATTER.search(plain), _AMENDED_ACT.search(plain)
        words = f"{act[1] if act else ''} {matter[1] if matter else ''}"
    slug = make_slug(words)
    return "" if slug == NAMELESS or set(slug.split("_")) <= _SAYS_LITTLE else slug


def _find_title(reading: Reading, lines: Sequence[str]) -> str:
    if stated := _FRONT_MATTER.match(reading.text[:_OPENING]):
        return " ".join(stated[1].replace(" ,", ",").split())
    title = (reading.title or "").strip()
    is_name = _FILE_NAME.search(title) and " " not in title
    if title and not is_name and not _CELEX_TITLE.match(title):
        return title if _names_matter(title) else _find_name_line(lines) or title
    names = [line for line in lines if not _ABOUT_ITSELF.match(line)]
    cited = _CITED_AS.search(reading.text)
    for place, line in enumerate(names):
        if len(line) <= _LONGEST_NAME and _is_name_line(line):
            return line
        if cited is None and _ACT.match(line):
            return " ".join(names[place : place + 3]) if make_slug(line) == NAMELESS else line
    if cited is not None:
        return " ".join(cited["name"].split())
    return next((line for line in lines if len(line) > 8 and " " in line), title)


def _names_matter(title: str) -> bool:
    """Whether a page's title says which act or subject it is about; a publisher's name does not."""
    if is_publisher(title):
        return False
    patterns = (_OWN_MATTER.search, _ENGLISH_ACT.search, _EU_NUMBER.search, _AMENDS.search)
    return (
        _ACT.match(title) is not None
        or _CODE_SECTION.match(title) is not None
        or any(find(title) for find in patterns)
        or bool(find_mentions(title))
    )


def _find_name_line(lines: Sequence[str]) -> str:
    """The name of an act in the first lines of a page whose title names none; or nothing."""
    first = (line for line in lines[:_TITLE_LINES] if len(line) <= _LONGEST_NAME)
    return next((line for line in first if _is_name_line(line)), "")


def _is_name_line(line: str) -> bool:
    """Whether a line is nothing but the name of an act."""
    if is_publisher(line):
        return False
    if _ONLY_AMENDS.match(line):
        return False
    names = (_CAPITAL_NAME, _ENGLISH_ACT, _CROATIAN_NAME)
    if any(pattern.fullmatch(line) for pattern in names):
        return True
    return _OWN_MATTER.match(line) is not None and line[-1] != "."


def _name_act(title: str) -> str:
    """The slug of an act; one of several words gets the short form by which it is cited."""
    if act := _ENGLISH_ACT.search(title):
        return make_full_slug(act[0])
    slug, cited = make_slug(title), _SHORT_FORM.search(title)
    several = "_" in slug or title.startswith(("Gesetz ", "Verordnung "))
    if number := _EU_NUMBER.search(title):
        kind, body, first, second = number.groups()
        return f"{slug}_{kind}_{body}_{first}_no_{second}".lower()
    return f"{slug}_{cited[1].lower()}" if cited and several else slug


def name_run_in_heading(words: str) -> str:
    """What a subsection of a code is about by its own heading, as a slug; or nothing."""
    found = _RUN_IN.match(words)
    return name_matter(found["name"]) if found else ""


def _cite_section(text: str) -> str:
    """How a section of the United States Code is cited, as the end of a slug."""
    found = _CODE_ID.search(text[:_OPENING])
    return f"_{found[1]}_u_s_c_{found[2].lower()}" if found else ""


def _find_section_subject(text: str, name: str) -> tuple[str, str]:
    """The subject of a section of a code: its name, unless that fits any levy."""
    if named := find_mentions(name):
        return named[0].subject.name, named[0].subject.domain
    if _says_little(name):
        return name_levied_object(text[: 4 * _OPENING]) or make_slug(name), ""
    return make_slug(name), ""


def _find_subject(text: str, title: str, lines: Sequence[str]) -> tuple[str, str]:
    """The subject that the title names, otherwise the opening, otherwise a slug of the title."""
    if not find_mentions(title) and names_other_levy(title):
        return make_slug(title), ""
    if levy := _OWN_LEVY.search(title):
        # The act may name other taxes more often, but it is not about them.
        named = [one.subject.name for one in find_mentions(levy[1])]
        if not named or (named[0] in KINDS_OF_LEVIES and levy[1] != "Verbrauchsteuer"):
            return make_slug(levy[1]), ""
    if _is_own_matter(title) and not find_mentions(title):
        return _name_act(title), ""
    if section := _CODE_SECTION.match(title):
        name, domain = _find_section_subject(text, section["name"])
        return name + ("" if domain else _cite_section(text)), domain
    for words in (title, _strip_references(" ".join(lines)[:_OPENING])):
        if found := find_mentions(words):
            return found[0].subject.name, found[0].subject.domain
    opening = text[: 4 * _OPENING]
    subject = find_subject(opening)
    if subject is not None and len(find_mentions(opening)) >= 3:
        return subject.name, subject.domain
    return _name_act(title), ""
