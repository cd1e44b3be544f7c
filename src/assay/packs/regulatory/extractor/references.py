"""References to other provisions, in the forms of Croatian, English and German law."""

import re
from dataclasses import dataclass

_NUMBER = r"\d{1,5}(?:\.\d{1,5})?[a-zA-Z]{0,2}\b"
_BRACKETS = r"(?:\([a-zA-Z0-9]{1,5}\)){0,5}"
_HR_ACT = (
    r"(?:Zakon|Pravilnik|Uredb|Odluk|Odluc|Direktiv|Ustav|Naredb|Statut|Općeg\s+zakon"
    r"|Općeg\s+poreznog\s+"
    r"zakon|Ugovor|Naput|Uput)\w{0,4}"
)
_CITED = r"(?:\s*\([^()]{2,80}\d{1,4}/\d{2,4}[^()]{0,80}\))"
"""Where an act was published, in brackets after its name."""
# What the name of a Croatian act may contain after "o"; it ends before a verb or a clause.
_HR_STOP = (
    r"(?:je|su|se|te|koji|koja|koje|kojim|iznosi|iznose|primjenjuje|primjenjuju|plaća|plaćaju|ako"
    r"|kada"
    r"|kao|može|mogu|mora|moraju|mijenja|dužan|dužni|ne|podnosi|podnose|stupa|prestaje"
    r"|propisan\w{1,2}"
    r"|utvrđen\w{1,2}|smatra|vrijedi|do|od|dana|donosi|donio|izdaje|ima|imaju|ministar|vlada"
    r"|obveznik|iznos|iznosu|riječ|riječi|u|za|prema|po)"
)
_HR_NAME = (
    rf"(?:\s+(?:ov[oe]g?a?\s+)?{_HR_ACT}"
    rf"(?:\s+o(?:\s+(?!{_HR_STOP}\b)[^\W\d_][\w-]{{0,24}}){{1,9}}|(?:\s+Republike\s+\w{{3,20}})?)"
    rf"{_CITED}?|\s+(?:ov[oe]g?a?)\s+[Čč]lanka)"
)
_HR_BARE = (
    rf"(?:odredbama\s+)?{_HR_ACT}\s+o(?:\s+(?!{_HR_STOP}\b)[^\W\d_][\w-]{{0,24}}){{1,9}}{_CITED}?"
)
"""An act named without a provision: only after a word that refers."""
_HR_NUMBERS = (
    rf"(?:{_NUMBER}\.?|[a-zčćđšž]\))(?:\s*(?:,|i|ili|do)\s+(?:{_NUMBER}\.?|[a-zčćđšž]\))){{0,6}}"
)
_HR_PART = r"(?:stav\w{1,4}|st\.|podstav\w{1,4}|toč\w{1,3}|podtoč\w{1,3}|toč\.|t\.|al\.)"
_HR = (
    rf"(?:{_HR_PART}\s+{_HR_NUMBERS}\s+){{0,2}}"
    rf"(?:[Čč]lan(?:ak|k\w{{1,3}}|aka|ci|cima)|[Čč]l\.)\s+{_NUMBER}\."
    rf"(?:\s*(?:,|i|ili|do)\s+{_NUMBER}\.){{0,5}}"
    rf"(?:\s*,?\s*{_HR_PART}\s+{_HR_NUMBERS}){{0,3}}"
    rf"{_HR_NAME}?"
    rf"|(?:[Ss]tav(?:k\w{{1,3}}|aka|cima)|[Tt]očk[ei])\s+{_NUMBER}\.(?:\s*(?:,|i|ili"
    rf"|do)\s+{_NUMBER}\.){{0,5}}"
    rf"(?:\s+(?:ov[oe]g?a?)\s+[Čč]lanka)?"
    rf"|(?:[Pp]rilo(?:g|g[au]|zi|zima)|[Tt]arifn\w{{1,3}}\s+broj\w{{0,2}}|Tar\.\s*br\.)\s+"
    rf"(?:[IVX]{{1,5}}\b\.?|\d{{1,3}}\.?)(?:\s+ov[oe]g?a?\s+\w{{4,12}})?"
    rf"|(?<=sukladno\s){_HR_BARE}|(?<=prema\s){_HR_BARE}|(?<=temeljem\s){_HR_BARE}"
    rf"|(?<=u\sskladu\ss\s){_HR_BARE}|(?<=u\sskladu\ssa\s){_HR_BARE}"
    rf"|{_HR_ACT}\s+o(?:\s+(?!{_HR_STOP}\b)[^\W\d_][\w-]{{0,24}}){{1,9}}{_CITED}"
)
_EU_ACT = (
    r"(?:Regulation|Directive|Decision|Verordnung|Richtlinie|Beschluss|Uredb\w|Direktiv\w"
    r"|Odluk\w)\s+"
    r"(?:\((?:EU|EC|EEC|EG|EWG|EZ|Euratom)(?:,\s*Euratom)?\)\s*)?(?:No\.?\s+|Nr\.\s+|br\.\s+)?"
    r"\d{2,4}/\d{1,4}(?:/(?:EU|EC|EEC|EG|EWG|EZ))?"
)
_EN_ACT = (
    rf"(?:{_EU_ACT}|(?:the|this)\s+(?:[A-Z(][\w’'()-]{{1,30}}\s+(?:(?:of|and|for|the|in"
    rf"|to)\s+){{0,2}})"
    r"{0,9}(?:Act|Code|Regulations?|Order|Directive|Constitution|Law|Treaty|Ordinance)\b"
    r"(?:\s+(?:of\s+)?\d{4})?|this\s+[a-z]{4,12}|TFEU|TEU|Schedule\s\d{1,2}[A-Z]?)"
)
_EN_YEAR = (
    r"the\s+(?:[A-Z(][\w’'()-]{1,30}\s+(?:(?:of|and|for|the|in|to)\s+){0,2}){1,9}"
    r"(?:Act|Regulations?|Order|Code|Ordinance|Rules)\s+(?:of\s+)?\d{4}"
)
"""An act named without a provision: only after words that refer."""
_EN_LIST = rf"(?:(?:,\s*|,?\s+(?:and|or|to|through)\s+){_NUMBER}{_BRACKETS}(?![\d%])){{0,4}}"
_EN_POINT = r"(?:,?\s+(?:points?|paragraphs?|subparagraph|item)\s+\(?\w{1,3}\)?(?!\w),?)?"
_EN = (
    rf"(?:[Aa]rticles?|Arts?\.|[Ss]ections?|[Rr]egulations?|[Rr]ules?|[Cc]lauses?|[Pp]aragraphs?"
    rf"|[Ss]chedules?|[Pp]oints?|[Cc]hapters?|[Pp]arts?)\s+"
    rf"{_NUMBER}{_BRACKETS}{_EN_POINT}{_EN_LIST}\s+(?:of|to)\s+{_EN_ACT}"
    rf"|(?:Articles?|[Ss]ections?|[Ss]ecs?\.|[Rr]egulations?|[Rr]ules?|[Cc]lauses?"
    rf"|[Bb]ye?-?laws?)\s+(?:No\.\s+)?(?!(?:19|20)\d\d\b)"
    rf"{_NUMBER}(?:-\d{{1,3}})?{_BRACKETS}{_EN_POINT}{_EN_LIST}"
    rf"|Schedules?\s+\d{{1,2}}[A-Z]{{0,2}}\b(?:,\s+(?:[Pp]art|paragraph)\s+\w{{1,4}})?"
    rf"|Annex(?:es)?\s+(?:[IVX]{{1,5}}|\d{{1,2}})\b(?:\s+to\s+{_EN_ACT})?"
    rf"|(?:[Ss]ubsections?|[Pp]aragraphs?|[Ss]ubparagraphs?|[Ss]ub-?paragraphs?)\s+(?:\d{{1,3}}\b"
    rf"|\([a-z0-9]{{1,4}}\)){_BRACKETS}"
    r"(?:(?:,\s*|\s+(?:and|or|to)\s+)\([a-z0-9]{1,4}\)){0,3}"
    r"(?:\s+of\s+this\s+[A-Za-z]{4,12})?"
    rf"|(?<=under\s){_EN_YEAR}|(?<=pursuant\sto\s){_EN_YEAR}|(?<=defined\sin\s){_EN_YEAR}"
    rf"|(?<=accordance\swith\s){_EN_YEAR}|(?<=meaning\sof\s){_EN_YEAR}|(?<=means\s){_EN_YEAR}"
)
_US = (
    r"(?:RCW|WAC|ORS|OAR|NRS|KRS|MCL|CRS|RSA|ARS|IC|O\.C\.G\.A\.|N\.J\.S\.A\."
    r"|A\.R\.S\.)\s(?:§\s?)?\d{1,3}[.:-]"
    r"\d[\d.:-]{0,12}\d|(?:Pub(?:lic|\.)\s?L(?:aw|\.)\s+(?:No\.\s+)?\d{2,3}[-–]\d{1,4})"
    r"|(?:S\.?I\.?\s+\d{4}/\d{1,4})|"
    rf"\d{{1,2}}\s+(?:U\.\s?S\.\s?C\.|USC)\s+(?:§+\s*)?{_NUMBER}(?:[-–]\d{{1,5}})?{_BRACKETS}"
    r"(?:\s+et\s+seq\.)?"
    rf"|\d{{1,2}}\s+(?:CFR|C\.F\.R\.)\s+(?:(?:[Pp]arts?|§+)\s+)?{_NUMBER}{_BRACKETS}"
)
_DE_ACT = (
    rf"(?:(?:der|des|dieses|dieser)\s+(?:{_EU_ACT}|[A-ZÄÖÜ][\wäöüß-]{{2,40}}"
    r"(?:\s+(?:über|zur|zum|für)\s+(?:(?:die|das|den|der|des)\s+)?[A-ZÄÖÜ][\wäöüß-]{2,40})?)"
    r"|[A-ZÄÖÜ][A-Za-zÄÖÜäöü]{0,10}(?:G|O|DV|StG|GB|VO)\b)"
)
_DE_PART = (
    r"(?:\s+(?:Abs\.?|Absatz(?:es)?|Absätze|Satz(?:es)?|Sätze|S\.|Nr\.|Nummern?|Buchst\."
    r"|Buchstaben?"
    r"|lit\.|Ziff\.|Ziffern?|Z|Unterabs\.|Unterabsatz|HS|Halbsatz)\s*(?:\d{1,3}[a-z]?\b|[a-z]\b\)?)"
    r"(?:(?:,\s*|\s+(?:und|bis|oder)\s+)\d{1,3}[a-z]?\b(?!\s*(?:%|Prozent|Euro|EUR|Jahr|Monat"
    r"|Tag))){0,4}"
    r"){0,5}"
)
_DE_BARE = r"[A-ZÄÖÜ][\wäöüß-]{3,36}(?:gesetz|gesetzes|ordnung|verordnung)(?:\s\d{4})?(?!\w)"
_DE = (
    rf"(?:§{{1,2}}\s*|(?:Artikeln?|Artikels|Art\.)\s+){_NUMBER}{_DE_PART}"
    rf"(?:\s*(?:,|und|bis|oder|sowie)\s+(?:§{{1,2}}\s*)?{_NUMBER}\b{_DE_PART}){{0,3}}"
    rf"(?:\s+{_DE_ACT}(?:\s\d{{4}}\b)?)?"
    r"|(?:Absatz|Absatzes|Absätzen?|Abs\.)\s+"
    rf"\d{{1,3}}[a-z]?\b(?!\s(?:Prozent|Promille|v\.|Euro|%|€)){_DE_PART}"
    rf"(?:\s+(?:und|bis|oder)\s+\d{{1,2}}\b)?"
    rf"|(?:Satz|Satzes|Sätze)\s+\d{{1,2}}\b(?!,\d|\s?(?:%|Prozent|v\.|vom|vH))(?:\s+(?:und"
    rf"|bis)\s+\d{{1,2}}\b)?"
    rf"|(?:Anlage|Anhang|Anhangs|Tarifstelle|Tarifpost)\s+(?:\d{{1,2}}|[IVX]{{1,5}})\b"
    rf"|(?<=nach\sdem\s){_DE_BARE}|(?<=gemäß\sdem\s){_DE_BARE}|(?<=Sinne\sdes\s){_DE_BARE}"
    rf"|(?<=nach\sder\s){_DE_BARE}|(?<=gemäß\sder\s){_DE_BARE}|(?<=Maßgebend\sist\sdie\s){_DE_BARE}"
)
_SECTION_SIGN = (
    rf"§{{1,2}}\s*\d{{1,5}}\.\d{{1,4}}(?:[.-]\d{{1,4}}){{0,2}}{_BRACKETS}"
    rf"(?:\s+of\s+this\s+[a-z]{{4,10}})?"
)

_PATTERN = re.compile(
    rf"(?<!\w)(?:(?P<us>{_US})|(?P<cfr>{_SECTION_SIGN})|(?P<hr>{_HR})|(?P<en>{_EN})|(?P<de>{_DE})"
    rf"|(?P<eu>{_EU_ACT}))"
)
_CUE = re.compile(r"\d|[a-zäöü](?:gesetz|ordnung)|Zakon|Pravilnik|Uredb|Odluk")
_OWN = re.compile(
    r"\b(?:ov[oe]g?a?\s+\w+|this\s+\w+|dies(?:es|er)\s+\w+|hereof|thereof)$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference and its position."""

    start: int
    end: int
    kind: str
    """Its form: `us`, `cfr`, `hr`, `en`, `de` or `eu`."""
    named: bool
    """Whether it names the act it refers to, rather than refers within its own act."""


def find_references(text: str) -> list[Reference]:
    """The references of a sentence, in order."""
    if _CUE.search(text) is None:
        return []
    found: list[Reference] = []
    for match in _PATTERN.finditer(text):
        words = match[0].rstrip(" ,")
        kind = match.lastgroup or ""
        outer = {"us", "eu"} | ({kind} if _names_act(words) else set())
        found.append(Reference(match.start(), match.start() + len(words), kind, kind in outer))
    return found


def _names_act(words: str) -> bool:
    if _OWN.search(words):
        return False
    return (
        re.search(r"[^\W\d_]{2,}\s+[^\W\d_]{2,}$|/\d|\b[A-ZÄÖÜ]\w*[A-Z]\b|Act|Zakon", words)
        is not None
    )
