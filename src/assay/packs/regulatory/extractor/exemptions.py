"""Who or what is exempt, which forms are named, and which acts are repealed: facts in words."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assay.packs.regulatory.extractor import cues
from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.repeals import find_forms, find_repeals

_EXEMPT = cues.compile_cue(
    r"(?<!koji\s)(?<!koje\s)oslobođen[aeiou]? (?:su|je|od)|(?<!koji\s)(?<!koja\s)(?<!koje\s)(?:su"
    r"|je) (?:\w{1,14} )?oslobođen[aeiou]?|oslobođen[aeiou]? plaćanja|oslobađaj?\w{0,2} se|(?:su"
    r"|je) izuzet[aeiou]?|izuzet[aeiou]? (?:su|je)|(?:izuzima|izuzimaj)\w{0,2} se|se izuzima\w{0,2}"
    r"|ne plaća(?:ju)?(?: se)?|ne obračunava(?:ju)? se|ne podlije[žg]\w{1,3}"
    r"|neoporeziv[aeio]? (?:su|je)|ne oporezuj[eu] se"
    r"|(?:dohodak|porez|prirez|naknada|pristojba)\b[^.;]{0,60}\bne utvrđuj[eu] se"
    r"|(?<!that\s)(?<!which\s)(?<!who\s)(?:is|are|shall be|remain|may) (?:also )?exempt(?:ed)?"
    r"(?! under)"
    r"|(?:is|are|shall|be|may|need|needs|do|does|will)(?: also)?(?: not|n't|n’t) (?:be "
    r"|required to )?"
    r"(?:due|payable|chargeable|charged?|levied|imposed|taxed|taxable|pay|owe|file|register"
    r"|liable (?:to|for|where)"
    r"|subject to (?:\w{1,14} )?(?:tax|duty|vat|excise|contributions?|lev(?:y|ies)|charge|fee"
    r"|deposit))"
    r"|escapes? (?:the )?tax|pays? nothing|(?:lies?|falls?|is|are) outside (?:the|this)"
    r" (?:scope of (?:the )?)?(?:charge|tax|vat|levy|duty|scheme|surcharge)"
    r"|(?:stand|enter|travel|fish|park)s? free|full remission"
    r"|no (?:permit|licen[cs]e|return|registration) (?:is|shall be) (?:required|needed)"
    r"|nothing in this \w{3,12} requires"
    r"|(?:is|are) zero-rated|no (?:\w{1,14} ){0,2}(?:tax|duty|levy|fee|vat|charge|contribution)"
    r" (?:is|shall be|are|will be) (?:due|payable|chargeable|made|taken|paid|\w{4,10}ed)"
    r"|(?:tax|lev(?:y|ies)|dut(?:y|ies)|fees?|charges?|contributions?|surcharge|subchapter|subpart)"
    r" (?:does|do|shall)(?: not|n't) apply to"
    r"|free (?:of|from) (?:(?:all|any|import|customs|excise) )*(?:dut(?:y|ies)|tax(?:es)?"
    r"|dues|fees)"
    r"|(?:nije|nisu|nisam|niste) (?:dužn\w{1,2}|dužan|obvez(?:an|n\w{1,2})) (?:plać|plati"
    r"|uplat)\w{1,4}"
    r"|ne trebaj?u? plaćati|ne uzimaj?u? se u obzir|(?:je|su) besplat(?:an|n[aoie])"
    r"|(?:entfällt|entfallen) (?:für|bei|wenn)|(?:wird|werden) (?:\w{1,16} ){0,3}erlassen"
    r"|zahl(?:t|en) nichts|(?:ist|sind|bleib(?:t|en)) (?:\w{1,16} ){0,3}(?:kostenlos|kostenfrei"
    r"|unentgeltlich|außer ansatz|unberücksichtigt|abgabenfrei)|nicht erhoben (?:wird|werden)"
    r"|von\b.{0,120}\bbefreit (?:sind|ist)|(?:sind|ist|werden|wird|bleib(?:t"
    r"|en))\b.{0,160}\bbefreit"
    r"|(?:steuer|gebühren|abgaben|beitrags|kosten)frei(?: sind| ist)?|steuerbefreit"
    r"|steuerbefreiung(?:en)? (?:ist|wird|sind|werden)\b.{0,80}\b(?:gewähr\w{1,3}|für)"
    r"|(?:von der|vom|von den)\b.{0,80}\b(?:steuer|abgabe|gebühr|pflicht|besteuerung"
    r"|beitrag)\w{0,4}\b"
    r".{0,60}\bausgenommen|ausgenommen (?:sind|ist)\b"
    r"|unterlieg(?:t|en)(?: \w{1,24}){0,3} nicht de[rmn]|(?:nicht|keiner?) \w{0,20}(?:steuer"
    r"|abgaben|"
    r"gebühren|beitrags)(?:pflichtig|pflicht|bar)"
    r"|kein(?:e[rnm]?)? (?:\w{1,20} ){0,2}\w{0,20}(?:steuer|gebühr|gebühren|abgabe|beitrag"
    r"|beiträge|taxe)"
    r"(?: \w{1,20}){0,4} (?:erhoben|zu entrichten|zu zahlen|an|fällig)"
    r"|(?:steuer|abgabe|beitrag|taxe)\w{0,3} (?:wird|ist|werden)(?: \w{1,20}){0,5} nicht"
    r" (?:erhoben|zu entrichten|geschuldet|zu zahlen)"
)
_DUE = cues.compile_cue(
    r"porez\w{0,3}|oporez\w{1,8}|doprinos\w{0,3}|pristojb\w{1,3}|naknad\w{1,3}|trošarin\w{1,3}"
    r"|obvez\w{1,3}|pdv\w{0,4}|pdv-\w{1,3}|carin\w{1,2}"
)
_SUBMITS = cues.compile_cue(r"ne podlije[žg]\w{1,3}")
_ALLOWED = cues.compile_cue(
    r"osobn\w{1,3} odbi\w{1,5}|neoporeziv\w{1,3} (?:iznos|dio)\w{0,2}|(?:\w{1,12} )?allowances?"
    r"|ne oporezuj[eu] se do|exempt(?:ion)? amount|\w{0,16}freibetr[aä]g\w{0,3}"
    r"|steuerfrei bleib(?:t|en)\b.{0,60}\d"
)
_NOT_EXEMPT = cues.compile_cue(
    r"nisu oslobođen\w?|nije oslobođen\w?|not exempt(?:ed)?|no longer exempt"
    r"|nicht (?:steuer)?befreit|nicht steuerfrei|osim ako|the exemption does not apply"
    r"|whether .{0,40} exempt|(?:eine|die) gebühr (?:wird|ist)\b.{0,60}\bnicht erhoben"
    r"|prisiln\w{1,2}"
    r"|zinsfrei|fristfrei|barrierefrei|zweifelsfrei|outside (?:the )?(?:eu|union|country)"
    r"|ne plaća(?:ju)? (?:na vrijeme|u roku|pravodobno)"
)
_ANNOUNCES = re.compile(r"[^.;,!]$")
"""How words end that only introduce a list of exemptions, or head a section about them."""
_NOUN_OF_EXEMPTION = ("oslob", "izuz", "neop", "exempt", "free", "steuer", "gebühr", "von", "sind")
"""What exempts wherever it occurs; a verb with "not" may be only a condition."""
_BURDEN = cues.compile_cue(
    r"porez\w{0,3}|oporez\w{1,8}|doprinos\w{0,3}|pristojb\w{1,3}|naknad\w{1,3}|trošarin\w{1,3}"
    r"|rent\w{1,3}"
    r"|članarin\w{1,3}|tax(?:es|able)?|dut(?:y|ies)|lev(?:y|ies)|fees?|charges?|contributions?"
    r"|premium"
    r"|deposit|licen[cs]e|permit|\w{0,20}(?:steuer|gebühr|abgabe|beitr[aä]g|taxe|steuerung"
    r"|entgelt)\w{0,8}"
)
"""What somebody may be exempt from."""
_FREE = cues.compile_cue(
    r"(?:se )?ne (?:se )?(?:plaća|uplaćuj|snos|duguj|teret|obračunava|naplaćuj|oporezuj"
    r"|primjenjuj)\w{0,3}"
    r"|pošteđen\w{0,2}|lišen\w{0,2}|izuz\w{2,6}|izdvajaju|oslob\w{3,8}|besplat\w{1,3}"
    r"|bez (?:naknade|naplate|nagrade|plaćanja)"
    r"|exempt\w{0,4}|relieved|waived|remitted|disregarded|spared|outside|excluded|let off"
    r"|not (?:payable|charged"
    r"|chargeable"
    r"|taxable|taxed|levied|liable|pay|charge)|no (?:\w{1,12} ){0,2}(?:tax|duty|levy|fee|charge)"
    r"|(?:nicht|nichts)(?: \w{1,16}){0,2} (?:besteuert|zahlen|entrichten|erhoben|leisten"
    r"|herangezogen"
    r"|zu zahlen|zu entrichten|schulden)|(?:schuld|zahl"
    r"|entricht)\w{1,3} (?:\w{1,12} )?(?:nicht|nichts|keine?)"
    r"|kein(?:e[rnm]?)? \w{0,20}(?:steuer|gebühr|abgabe|beitrag|taxe|entgelt)\w{0,2}"
    r"(?= (?:schuld|zahl|fällt|fallen|entricht|lös|wird abver|zu ent)\w{0,8}| aus)"
    r"|nichts zahlen|nicht zahlen|befreiung(?:en)?|exemptions?|oslobođenj\w|who does not pay"
    r"|ausgenommen|befreit|entbunden|freigestellt|verschont|unversteuert|kostenlos|unentgeltlich"
    r"|\w{3,16}frei"
)
"""Words that exempt somebody from a burden."""
_ONLY_OF_LISTS = ("no ", "unentgeltlich", "kostenlos", "outside")
"""What exempts somebody at the head of a list, but may refer to anything within a sentence."""
_REFLEXIVE = re.compile(r"(?<!\w)(?:se|proizvodi|will|may|can|soll)(?!\w)", re.IGNORECASE)
_FEW = 8
_ENDS_LEAD = re.compile(r"(?:[:—–]|\w)\s*$")
_SECTION = re.compile(r"\d{1,3}[a-z]?(?:\.\d)?\.?[—–]|§|\d{1,2}\.\d")
_CONDITIONAL = re.compile(r"(?<!\w)(?:ako|if|wenn|tko|who|wer|fails?|where)(?!\w)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class WordedFact:
    """A fact whose value is words of its sentence."""

    predicate: str
    value: str
    value_type: str
    confidence: float


def find_worded_facts(clause: Clause) -> Iterator[WordedFact]:
    """The exemptions, repeals and forms of a sentence."""
    yield from _find_exemption(clause)
    for ended in find_repeals(clause.text):
        yield WordedFact("repeal", ended.value, "cross_reference", 0.93)
    for code in find_forms(clause.masked):
        yield WordedFact("form", code, "text", 0.9)


def _find_exemption(clause: Clause) -> Iterator[WordedFact]:
    words = clause.masked
    if cues.PENALTY.search(words):
        # "Whoever does not pay is fined" exempts nobody.
        return
    if _exempts(words):
        item = clause.lead and clause.text[:1].islower()
        if clause.is_row or item or not _ANNOUNCES.search(clause.text.rstrip()):
            yield WordedFact("exemption", _clean_words(clause.text), "exemption_condition", 0.92)
    elif _SECTION.match(clause.text):
        return
    elif not clause.lead and _is_fragment(clause) and _heads_exemptions(clause.heading):
        yield WordedFact("exemption", _clean_words(clause.text), "exemption_condition", 0.84)
    elif clause.lead and _frees(clause.lead):
        yield WordedFact("exemption", _clean_words(clause.text), "exemption_condition", 0.86)


def _is_fragment(clause: Clause) -> bool:
    """Whether it is an item of a list rather than a sentence."""
    words = clause.masked.rstrip()
    verbs = cues.DUTY.search(words) or cues.DUE_VERB.search(words) or _REFLEXIVE.search(words)
    if verbs or clause.is_row or clause.figures or _FREE.search(words):
        return False
    return words[-1:] in (",", ";") or (words[-1:] == "." and len(words.split()) <= _FEW)


def _heads_exemptions(heading: str) -> bool:
    """Whether a heading announces those who are exempt from a burden."""
    return bool(_FREE.search(heading) and (_BURDEN.search(heading) or len(heading.split()) <= 3))


def _frees(lead: str) -> bool:
    """Whether words that introduce a list say that its items are exempt from a burden."""
    if not _ENDS_LEAD.search(lead) or cues.PENALTY.search(lead):
        return False
    free = _FREE.search(lead) is not None and _BURDEN.search(lead) is not None
    return _exempts(lead) or (free and not _NOT_EXEMPT.search(lead) and not _ALLOWED.search(lead))


def _exempts(words: str) -> bool:
    """Whether words exempt somebody or something, rather than name an allowance."""
    match = _EXEMPT.search(words) or _find_near_burden(words)
    if match is None or _NOT_EXEMPT.search(words) or _ALLOWED.search(words):
        return False
    if _SUBMITS.fullmatch(match[0]) and _DUE.search(words) is None:
        return False
    # "If the tax is not paid, …" is a condition of something else.
    opened = _CONDITIONAL.search(words, max(0, match.start() - 50), match.start())
    return opened is None or match[0].lower().startswith(_NOUN_OF_EXEMPTION)


def _find_near_burden(words: str) -> re.Match[str] | None:
    """Words that exempt somebody, with the burden they are exempt from beside them."""
    for match in _FREE.finditer(words):
        if match[0].lower().startswith(_ONLY_OF_LISTS):
            continue
        if match[0].lower().startswith("bez "):
            return match
        if _BURDEN.search(words, max(0, match.start() - 40), min(len(words), match.end() + 40)):
            return match
    return None


def _clean_words(text: str) -> str:
    return _fold_spaces(text).rstrip(".;,")


def _fold_spaces(text: str) -> str:
    return " ".join(text.split())
