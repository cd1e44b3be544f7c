"""Who or what is exempt, which forms are named, and which acts are repealed: facts in words."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assay.packs.regulatory.extractor import cues
from assay.packs.regulatory.extractor.clauses import Clause

_EXEMPT = cues.cue(
    r"(?<!koji\s)(?<!koje\s)oslobođen[aeiou]? (?:su|je|od)|(?<!koji\s)(?<!koja\s)(?<!koje\s)(?:su"
    r"|je) (?:\w{1,14} )?oslobođen[aeiou]?|oslobođen[aeiou]? plaćanja|oslobađaj\w{1,2} se|(?:su"
    r"|je) izuzet[aeiou]?|izuzet[aeiou]? (?:su|je)"
    r"|ne plaća(?:ju)?(?: se)?|ne obračunava se|ne podliježe\w? oporezivanju"
    r"|neoporeziv[aeio]? (?:su|je)"
    r"|(?<!that\s)(?<!which\s)(?<!who\s)(?:is|are|shall be) (?:also )?exempt(?:ed)?(?! under)"
    r"|(?:is|are) not (?:due|payable"
    r"|charged|levied|subject to (?:tax|duty|vat|excise|contributions?|the (?:tax|levy|duty)))"
    r"|(?:is|are) zero-rated|no (?:tax|duty|levy|fee|vat) is (?:due|payable|charged)"
    r"|von\b.{0,120}\bbefreit (?:sind|ist)|(?:sind|ist|werden|wird)\b.{0,160}\bbefreit"
    r"|(?:steuer|gebühren|abgaben|beitrags)frei(?: sind| ist)?"
    r"|unterlieg(?:t|en) nicht der"
)
_NOT_EXEMPT = cues.cue(
    r"nisu oslobođen\w?|nije oslobođen\w?|not exempt(?:ed)?|no longer exempt"
    r"|nicht (?:steuer)?befreit|nicht steuerfrei"
    r"|osim ako|does not apply|whether .{0,40} exempt"
)
_FORM = re.compile(
    r"(?<!\w)(?:(?:[Oo]bra(?:zac|sc[aiue]m?a?)|OBRAZAC|[Ff]orms?|[Ff]ormular[es]?"
    r"|[Vv]ordruck[es]?)\s{1,3})"
    r"(?P<code>[A-ZČĆĐŠŽ]{1,6}(?:[-–/ ][A-Z0-9]{1,6}){0,2}(?![a-zčćđšž])"
    r"|\d{2,5}(?:-[A-Z]{1,4})?(?![.,]?\d))"
)
_REPEALED = re.compile(
    r"(?:prestaj\w{1,2}\s+(?:važiti|vrijediti)\s+(?P<hr>(?:Zakon|Pravilnik|Uredba|Odluka|Naredba"
    r"|Tarifa|Naputak)\b"
    r"[^.;]{3,160}?(?:\([^()]{1,120}\))?)(?=[.;]|$)"
    r"|(?P<en>(?:The|Regulation|Directive)\b[^.;]{3,140}?)\s+(?:is|are"
    r"|shall\s+be)\s+(?:hereby\s+)?(?:repealed|revoked)"
    r"|(?:tritt|treten)\s+(?:die|das|der)\s+(?P<de>[A-ZÄÖÜ][^;]{3,140}?)\s+außer\s+Kraft"
    r"|(?:Das|Die|Der)\s+(?P<of>[A-ZÄÖÜ][^;]{3,140}?)\s+(?:wird|werden)\s+aufgehoben)"
)


@dataclass(frozen=True, slots=True)
class Worded:
    """A fact whose value is words of its sentence."""

    predicate: str
    value: str
    value_type: str
    confidence: float


def worded(clause: Clause) -> Iterator[Worded]:
    """The exemptions, repeals and forms of a sentence."""
    yield from _exemption(clause)
    for match in repealed(clause.text):
        said = match["hr"] or match["en"] or match["de"] or match["of"]
        yield Worded("repeal", _folded(said.removeprefix("The ")), "cross_reference", 0.93)
    codes = dict.fromkeys(match["code"].strip() for match in _FORM.finditer(clause.masked))
    for code in codes:
        if "YY" in code:
            continue
        yield Worded("form", _folded(code), "text", 0.9)


def repealed(text: str) -> list[re.Match[str]]:
    """Where a sentence names what it repeals."""
    return list(_REPEALED.finditer(text))


def _exemption(clause: Clause) -> Iterator[Worded]:
    if cues.ALLOWANCE.search(clause.masked):
        return
    if _EXEMPT.search(clause.masked) and not _NOT_EXEMPT.search(clause.masked):
        if not clause.text.rstrip().endswith((":", "?")):
            yield Worded("exemption", _words(clause.text), "exemption_condition", 0.92)
    elif clause.lead and _EXEMPT.search(clause.lead) and not _NOT_EXEMPT.search(clause.lead):
        yield Worded("exemption", _words(clause.text), "exemption_condition", 0.86)


def _words(text: str) -> str:
    return _folded(text).rstrip(".;,")


def _folded(text: str) -> str:
    return " ".join(text.split())
