"""The name under which an act and the acts that amend it find each other."""

import re
import unicodedata

from assay.sdk.records import derive_id

_CITED = re.compile(
    r"\([^()]*(?:[»„“\"]|\b(?:BGBl|RGBl|ABl|OJ|NN|SL|br|chapter|S\.?\s?I|c)\b\.?\s*\S*\d)[^()]*\)"
    r"|[»„“\"‚‘'][^«”“\"’']*[«”“\"’']",
    re.IGNORECASE,
)
"""Where an act was published."""
_LAST_BRACKETS = re.compile(r"\s*\([^()]*\)\s*$")
"""A short name, or what kind of text it is: `Umsatzsteuergesetz (UStG)`."""
_EDITION = re.compile(r",?\s+(?:in\s+der\s+Fassung|vom\s+\d).*", re.IGNORECASE | re.DOTALL)
_AMENDING = re.compile(
    r"^(?:zakon|uredb|odluk|pravilnik|propis)\w*\s+o\s+(?:izmjen|dopun|izmjen\w+\s+i\s+dopun)\w*\s+"
    r"(?:i\s+dopun\w*\s+)?"
    r"|^isprav(?:ak|ka)\s+(?=zakon|uredb|odluk|pravilnik)"
    r"|^(?:\w+\s+)?novel[aeu]\s+(?:br\.?\s*\d+\.?\s+)?(?=zakon|uredb|odluk|pravilnik|propis)"
    r"|^[\w\s(),/.]{0,160}?\bof\s+\d{1,2}\s+[a-z]+\s+\d{4}\s+amending\s+"
    r"|^(?:\w+\s+)?(?:gesetz|verordnung|satzung)\s+zur\s+(?:\w+\s+)?(?:änderung|novellierung)\s+"
    r"(?:der|des|von)\s+",
    re.IGNORECASE,
)
_BESIDE_PUBLISHER = re.compile(r"\s[–—|]\s|\s-\s")
_PUBLISHER = re.compile(
    r"(?:narodne\snovine|službeni\s(?:list|glasnik|vjesnik)|zakon\.hr|bundesgesetzblatt"
    r"|bundesanzeiger|gesetze\sim\sinternet|buzer\.de|official\sjournal(?:\sof\sthe\seuropean\sunion)?"
    r"|eur-lex|federal\sregister|ecfr|legislation\.gov\.uk|(?:electronic\s)?irish\sstatute\sbook"
    r"|gov\.uk)(?:,?\s(?:(?:br|nr|no)\.?\s)?[\d/.]+)?",
    re.IGNORECASE,
)
"""Titles that some sites give to all of their pages."""
_ONLY_AMENDING = re.compile(
    r"\((?:\w+\s+)?Amendments?(?:\s+[^()]*)?\)|^[^,;]*?\b\d+/\d+\b[^,;]*?(?<!and )\bamending\b",
    re.IGNORECASE,
)
"""British instruments and European acts that amend others, by their titles."""
_AMENDED_BRITISH = re.compile(
    r"(?:The\s)?(?P<matter>[A-Z][^;]{2,160}?)\s\((?:\w{1,20}\s)?Amendments?(?:\s[^()]{1,60})?\)"
    r"(?:\s\(No\.?\s\d{1,3}\))?\s(?P<kind>Act|Regulations|Order|Rules)\b",
    re.IGNORECASE,
)
"""`The Landfill Tax (Amendment) Regulations 2026`: the year is not that of the amended act."""
_EUROPEAN = re.compile(
    r"(?:the\s+)?(?:(?:council|commission|european|parliament|and|of|the|joint|framework|implementing"
    r"|delegated|provedben\w+|delegiran\w+|delegierte\w*)\s+)*(?:durchführungs)?"
    r"(?P<kind>regulation|directive|decision|uredb|direktiv|odluk|verordnung|richtlinie|beschluss)\w*"
    r"(?:\s+(?:vijeća|komisije|europskog|parlamenta|i|des|der|rates|kommission|no|br\.|nr\.))*\s*"
    r"(?:\((?P<of>[^()]*)\)\s*)?(?P<counted>(?:no|br|nr)\b\.?\s*)?"
    r"(?P<first>\d+)/(?P<second>\d+)(?P<community>/\s*(?:eu|ec|eec|ez|eez|eg|ewg|euratom)\b)?",
    re.IGNORECASE,
)
_KINDS = {
    **dict.fromkeys(("regulation", "uredb", "verordnung"), "reg"),
    **dict.fromkeys(("directive", "direktiv", "richtlinie"), "dir"),
    **dict.fromkeys(("decision", "odluk", "beschluss"), "dec"),
}
_COMMUNITY = re.compile(r"\b(?:EU|EC|EEC|EZ|EEZ|EG|EWG|Euratom)\b", re.IGNORECASE)
_CFR = re.compile(r"(?:title\s+)?(\d+)\s+C\.?F\.?R\.?\s+(?:part\s+)?(\d+)\b", re.IGNORECASE)
_NOTICE = re.compile(r"^\s*AGENCY:.*?^\s*ACTION:", re.MULTILINE | re.DOTALL)
_WORD = re.compile(r"[^\W_]+")
_ENGLISH = frozenset({"act", "regulations", "regulation", "order", "rules", "code", "scheme"})
_AFTER_NOUN = frozenset({"o", "za", "u", "na", "zur", "zum", "uber", "of", "on", "for"})
"""What follows one of these words in a title does not change with the case of the title."""
_COMPOUND = re.compile(r"(.+(?:gesetz|buch|ordnung|satzung|kodex))(?:es|s|e|en)?")
_STEM = 5
"""Letters that count in a word that changes."""


def make_act_key(name: str, body: str = "") -> str:
    """The key of an act by its name, whatever its grammatical case; empty if it has no name.

    `body` is the town or county that made it: towns give their decisions the same titles.

    `Zakonu o porezu na dodanu vrijednost (»SL«, br. 88/24)` and the title of that act have the
    same key. European acts and parts of the Code of Federal Regulations have numbers, which are
    written as in the European Legislation Identifier: `eu/reg/2021/2282`, `us/cfr/12/1003`.
    """
    plain = " ".join(name.split())
    if numbered := _find_european_id(plain) or _find_cfr_id(plain):
        return numbered
    plain = _EDITION.sub("", _LAST_BRACKETS.sub("", _CITED.sub(" ", plain)))
    folded = unicodedata.normalize("NFKD", plain.casefold())
    letters = "".join(c for c in folded if not unicodedata.combining(c)).replace("đ", "d")
    words = _WORD.findall(letters)
    if words[:1] == ["the"]:
        words = words[1:]
    fixed = next((at for at, word in enumerate(words) if word in _AFTER_NOUN), len(words))
    if not _ENGLISH.isdisjoint(words):
        fixed = 0
    key = "-".join([*map(_cut_ending, words[:fixed]), *words[fixed:]])[:200]
    return f"{body}/{key}" if body and key else key


def identify_act(title: str, text: str, body: str = "") -> str:
    """The key of an act by its own text: the title of a part of the Code lacks its number."""
    part = re.search(r"^\s*PART\s+(\d+)\b", text[:_OPENING], re.MULTILINE)
    if part is not None:
        titles = {found[1] for found in _CFR.finditer(text) if found[2] == part[1]}
        if len(titles) == 1:
            return f"us/cfr/{titles.pop()}/{part[1]}"
    # Otherwise all pages of a gazette would be one act.
    return "" if is_publisher(title) else make_act_key(title, body)


_OPENING = 2000


def _find_european_id(name: str) -> str:
    found = _EUROPEAN.match(name)
    if found is None or not (found["community"] or _COMMUNITY.search(found["of"] or "")):
        return ""
    counted = found["counted"] or re.search(r"\b(?:no|br|nr)\b", found[0], re.IGNORECASE)
    number, year = found["second"], found["first"]
    if counted:
        number, year = year, number
    if len(year) == 2:
        year = f"19{year}"
    return f"eu/{_KINDS[found['kind'].casefold()]}/{year}/{int(number)}"


def _find_cfr_id(name: str) -> str:
    found = _CFR.match(name)
    return f"us/cfr/{found[1]}/{found[2]}" if found else ""


def _cut_ending(word: str) -> str:
    if any(letter.isdecimal() for letter in word):
        return word
    compound = _COMPOUND.fullmatch(word)
    return compound[1] if compound else word[:_STEM]


def make_instruction_id(evidence_id: str, start: int, act_key: str, *answers: str) -> str:
    """The id of the question about an instruction: by its text, its place, and the act.

    A change by hand that cannot be applied either is another question.
    """
    return derive_id("rq", "law_amendment", evidence_id, str(start), act_key, *answers)


def make_figure_question_id(instruction: str, concept: str, value: str, unit: str) -> str:
    """The id of the question about a figure that changed with an instruction that was applied."""
    return derive_id("rq", "law_amendment", instruction, concept, value, unit)


def make_amended_law_id(evidence_id: str, act_key: str) -> str:
    """The id of the question about a text that amends an amending act."""
    return make_instruction_id(evidence_id, -1, act_key, "amending")


def make_version_id(evidence_id: str, act_key: str) -> str:
    """The id of the question about a version of an act's page that does not say what changed it."""
    return derive_id("rq", "law_version", evidence_id, act_key)


def find_amended_name(title: str) -> str:
    """The act that an amending act names in its title; empty if it amends none, or does not say.

    A British title does not name the year of the amended act.
    """
    plain = cut_publisher(" ".join(title.split()))
    if found := _AMENDED_BRITISH.match(plain):
        return f"{found['matter']} {found['kind']}"
    found = _AMENDING.match(plain)
    return plain[found.end() :] if found else ""


def find_full_name(name: str, text: str) -> str:
    """The name of a British act with its year, as a text cites it; empty if it cites several of
    that name, and the name itself if it cites none."""
    words = r"\s+".join(map(re.escape, name.split()))
    cited = re.findall(rf"\b{words}\s+(?:19|20)\d\d\b", text, re.IGNORECASE)
    by_key = {make_act_key(each): each for each in cited}
    return "" if len(by_key) > 1 else next(iter(by_key.values()), name)


def cut_publisher(title: str) -> str:
    """A title without the publisher's name that pages add to it, or put before it."""
    first, *others = _BESIDE_PUBLISHER.split(title, maxsplit=1)
    return (others[0] if others and is_publisher(first) else first).strip()


def is_publisher(title: str) -> bool:
    """Whether a title is only the name of a gazette or a site."""
    parts = _BESIDE_PUBLISHER.split(" ".join(title.split()))
    return all(_PUBLISHER.fullmatch(part) for part in parts)


def is_amending_title(title: str) -> bool:
    """Whether a title is that of an act which only amends others."""
    plain = " ".join(title.split())
    return _AMENDING.match(plain) is not None or _ONLY_AMENDING.search(plain) is not None


def is_notice(text: str) -> bool:
    """Whether a text is a notice of the Federal Register, which only announces changes."""
    return _NOTICE.search(text[:_OPENING]) is not None
