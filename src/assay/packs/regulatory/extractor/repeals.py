"""Which acts and provisions a sentence repeals, and which forms it names."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_ENDS_HR = (
    r"(?:presta(?:je|ju|t\s+će)\s+(?:važiti|vrijediti)|stavlja\w{0,2}\s+se\s+(?:izvan|van)\s+snage"
    r"|ukida(?:ju)?\s+se|briš[eu]\s+se)"
)
_ACT_HR = (
    r"(?:Zakon|Pravilnik|Uredb[au]|Odluk[au]|Naredb[au]|Tarif[au]|Naputak|Statut|Program|Plan)\b"
    r"(?:[^.;]|\.(?=\s[a-zčćđšž\d])){3,160}?(?:\([^()]{1,160}\))?"
)
_PROVISION_HR = (
    r"(?:odredb\w\s+)?(?:U\s+)?(?:[čČ]lan\w{1,4}|[sS]tav\w{1,3}|[tT]očk\w{1,3})\s"
    r"[^;„“”\"»]{1,160}?(?:\([^()]{1,160}\))?"
)
_PROVISION_EN = r"(?:Articles?|[Ss]ections?|[Rr]egulations?|[Pp]aragraphs?|[Ss]chedules?|Parts?)\s"
_REPEALED = re.compile(
    rf"(?:[Pp]resta(?:je|ju|t\s+će)\s+(?:važiti|vrijediti)|ukida(?:ju)?\s+se"
    rf"|izvan\s+snage(?:\s+(?:se\s+stavlja|stavlja\s+se))?)\s+"
    rf"(?P<hr>{_ACT_HR}|{_PROVISION_HR})(?=[.;]?\s*$|;)"
    rf"|^(?P<hr_first>{_ACT_HR}|{_PROVISION_HR})\s+{_ENDS_HR}"
    rf"|(?P<en>(?<!\w)(?:The|Council|Regulation|Directive|Decision|Bye?-laws?|Arts?\."
    rf"|{_PROVISION_EN})"
    r"(?:[^.;]|\.(?=\s\d)){1,140}?)\s+(?:is|are|shall\s+be)\s+(?:hereby\s+)?(?:repealed|revoked"
    r"|rescinded"
    r"|annulled|abrogated|cancelled)"
    r"|(?:repeals|revokes)\s+(?P<en_last>[A-Z][^.;]{3,140}?)(?=[.;]|$)"
    r"|(?:tritt|treten)\s+(?:die|das|der)\s+(?P<de>[A-ZÄÖÜ][^;]{3,160}?)\s+außer\s+Kraft"
    r"|^(?:Das\s|Die\s|Der\s)?(?P<of>(?:[A-ZÄÖÜ]|§)[^;„“”\"»]{1,140}?)\s+(?:wird|werden)"
    r"(?:\s(?:mit\s+Wirkung|zum|ab|hiermit)[^;]{0,60}?)?\s(?:aufgehoben|gestrichen)"
    r"|^(?P<gone>(?:§|Artikel|Art\.)[^;„“”\"»]{1,60}?)\s+(?:entfällt|entfallen)\b"
    r"|^(?:Das\s|Die\s|Der\s)?(?P<away>(?:[A-ZÄÖÜ]|§)[^;„“”\"»]{3,140}?)\s+(?:tritt"
    r"|treten)\s(?!(?:die|das|der)\s)"
    r"[^;]{0,80}?(?<!\bin\sKraft\s)\baußer\s+Kraft"
    r"|^(?:Das\s|Die\s|Der\s)?(?P<lost>[A-ZÄÖÜ][^;„“”\"»]{3,140}?)\s+(?:verlier(?:t|en)\s[^;]{0,80}"
    r"G(?:eltung|ültigkeit)|fällt\s[^;]{0,60}dahin)"
)
_OWN = re.compile(
    r"^(?:ov[aoi]|ovaj|this|these|it|dies\w{1,2}|sie|es)\b|\bin\s+Kraft\b", re.IGNORECASE
)
_NO_NAME = re.compile(
    r"\d|\s(?:o|of|on|über|zur|vom)\s|(?:Act|Order|Rules|Regulations|laws)\b|[a-zäöü](?:gesetz"
    r"|ordnung|satzung)"
)
_FORM = re.compile(
    r"(?<!\w)(?:(?:[Oo]bra(?:zac|sc[aiue]m?a?)|OBRAZAC|[Ff]orms?|[Ff]ormular[es]?|[Ff]ormblatt"
    r"|\w{0,12}[Vv]ordruck[es]?|[Tt]iskanic\w{1,2}|[Pp]rijavnic\w{1,2}|[Tt]emplate|Muster)\s{1,3})"
    r"(?P<code>[A-ZÄÖÜ][A-Za-zÄÖÜ]{1,3}\s\d{1,2}(?:\s[A-Z])?(?!\w)"
    r"|[A-ZČĆĐŠŽ]{1,6}(?:[-–/ ][A-ZČĆĐŠŽ0-9]{1,6}){0,2}(?![a-zčćđšž])"
    r"|[A-Z]{0,3}-?\d{1,5}(?:-?[A-Z]{1,4})?(?![.,]?\d|\w))"
    r"|(?<!\w)(?P<annex>Anlage\s[A-Z]{1,4}(?![\w.])"
    r"|Fragebogen\szur\s[^\W\d_]{4,20}(?:\s[A-ZÄÖÜ]\w{3,20})?)"
)


@dataclass(frozen=True, slots=True)
class RepealedText:
    """What a sentence repeals, and where it says so."""

    start: int
    end: int
    value: str


def find_repeals(text: str) -> list[RepealedText]:
    """Find where a sentence names what it repeals."""
    found: list[RepealedText] = []
    for match in _REPEALED.finditer(text):
        name = next(group for group, words in match.groupdict().items() if words)
        words = match[name]
        start = match.start(name)
        if words.startswith("The "):
            start, words = start + 4, words[4:]
        if _OWN.search(words) or not _NO_NAME.search(words):
            continue
        found.append(RepealedText(start, start + len(words), " ".join(words.split())))
    return found


def find_forms(text: str) -> Iterator[str]:
    """The forms that a sentence names, each once."""
    named = (match["code"] or match["annex"] for match in _FORM.finditer(text))
    for code in dict.fromkeys(" ".join(words.split()) for words in named):
        if "YY" not in code:
            yield code
