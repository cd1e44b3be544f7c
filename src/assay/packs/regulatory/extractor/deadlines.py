"""Which deadline a time or a date sets: for filing, paying, registering, appealing, refunding."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.cues import compile_cue
from assay.packs.regulatory.extractor.figures import Figure
from assay.packs.regulatory.extractor.meaning import Meaning
from assay.packs.regulatory.extractor.time_cues import AUTHORITY, DEADLINES, HANDING

# When the time starts says nothing about what must be done within it.
_TRIGGER = re.compile(
    r"\s{0,3}(?:od|nakon|po|prije|of|after|from|following|before|prior to|beginning"
    r"|starting)\s[^,;]{0,200}",
    re.IGNORECASE,
)
_INFINITIVE = re.compile(r"(?<!\w)\w{3,20}(?:iti|ati|jeti|eti|ći)(?!\w)")
# German puts its verb last, in lower case, while nouns are capitalized.
_DE_WORDS = (
    r"(?:(?:der|dem|des|den|die|das|ihrer|seiner|ihrem|seinem|einer|eines|einem|jedes|jeder|dieser"
    r"|dieses|[a-zäöüß]{3,24}(?:en|er|es|em))\s){0,3}"
)
_DE_NOUN = r"[A-ZÄÖÜ][^\s,;]{1,40}"
GERMAN_TRIGGER = re.compile(
    rf"\s{{0,3}}(?:nach|ab|seit|vor)\s{_DE_WORDS}{_DE_NOUN}"
    rf"(?:\s(?:des|der|eines|einer|von|durch|im|in|am|auf|über|bei)\s{_DE_WORDS}{_DE_NOUN}){{0,2}}"
)
_VERB_LAST = re.compile(r"\b(?:zu|werden|wird|anmelden|einzu\w+|anzu\w+|abzu\w+)\b|\w{3,}t\W*$")
_SPLIT: Mapping[str, re.Pattern[str]] = {
    name: re.compile(rf"(?<!\w)(?:{verbs})(?=\W*$|\sund\s|,)", re.IGNORECASE)
    for name, verbs in {
        "payment_deadline": r"(?:führ(?:t|en)|zahl(?:t|en))\b.{0,200}\b(?:ab|ein)",
        "refund_deadline": r"zahl(?:t|en)\b.{0,200}\bzurück",
        "registration_deadline": r"meld(?:et|en)\b.{0,200}\b(?:an|ab)",
        "filing_deadline": r"(?:gibt|geben)\b.{0,200}\bab|reich(?:t|en)\b.{0,200}\bein"
        r"|leg(?:t|en)\b.{0,200}\bvor|zeig(?:t|en)\b.{0,200}\ban|geh(?:t|en)\b.{0,200}\bein",
        "deadline": r"teil(?:t|en)\b.{0,200}\bmit",
    }.items()
}
"""German verbs of two parts, with the rest of the clause between them."""
_NEAR = 200
"""As many letters before or after a time limit may contain the verb that says what to do."""
_OF_REGISTERS = frozenset({"filing_deadline", "deadline"})
_REGISTER = compile_cue(r"upis\w{0,4}|regist(?:er|ration|rier\w{1,4})|erfassung")
_REGISTERING = compile_cue(
    r"(?:zahtjev\w{0,2}|prijav\w{1,2}) za (?:upis|registracij)\w{0,2}"
    r"|application\w? (?:for|to) (?:registration|register)|apply (?:for registration|to register)"
    r"|apply\b.{0,40}\bto be registered|eintragung in\w? \w{0,12}register"
    r"|antrag auf (?:registrierung|eintragung|erfassung)|fragebogen zur steuerlichen erfassung"
    r"|prijav\w{1,3} (?:\w{1,14} )?promjen\w{1,3}|(?:promjen"
    r"|odjav)\w{1,3} (?:\w{1,14} )?prijav\w{1,3}"
)
_BEGINS = compile_cue(
    r"početk\w (?:obavljanja|rada|poslovanja|djelatnosti)|započ\w{2,5} (?:obavljati|djelatnost\w"
    r"|raditi)"
    r"|(?:pre[lš]\w{1,4}|prijeđen) prag\w?|(?:starting|commencing|beginning) (?:to|in|a|business"
    r"|trad\w{1,3})"
    r"|commencement of (?:business|trading|activit\w{1,3})|exceed\w{0,3} the (?:threshold|limit)"
    r"|(?:beginn|aufnahme|eröffnung) (?:der|des|einer|eines) \w{0,12}(?:tätigkeit|betrieb\w?"
    r"|gewerbe\w?"
    r"|geschäfts\w{0,8})|überschreiten der \w{0,14}(?:schwelle|grenze)|anschafft|anschaffung"
    r"|aufnimmt"
)
"""How a business or a taxpayer starts, before it enters a register."""
_OF_TAX = compile_cue(
    r"porez[aeu]?|porezom|porezn\w{1,3} (?!uprav|obvezni)\w{1,16}|dohod\w{1,3}|primit\w{1,3}"
    r"|prihod\w{1,3}"
    r"|obračun\w{0,2}|dobit\w{0,2}"
)
_TELLS = compile_cue(r"prijaviti|prijavljuj\w{1,4}")
_REQUEST = compile_cue(r"\w{0,14}(?:zahtjev|antrag|application)\w{0,2}|claims?")
_SUBMITS = compile_cue(
    r"podn\w{2,8}|preda\w{1,4}|fil(?:e|es|ed|ing)|submi\w{1,6}|lodg\w{1,3}|einzureichen|eingereicht"
    r"|einreich\w{1,3}|zu stellen|gestellt|stellen|apply|make|made|beantrag\w{1,3}"
)
_DECIDES = compile_cue(
    r"odluč\w{1,4}|rješava\w{0,2}|riješi\w{0,2}|decid(?:e|es|ed)|determine\w?|entscheide\w"
    r"|entscheidet"
    r"|bescheide\w|entschieden|donosi\w{0,2}|donijeti|izda(?:je|ti)|acknowledge\w?"
)
_MUST_PAY = re.compile(
    r"(?<!\w)(?:is|u|na)?platiti(?!\w)|(?<!\w)(?:shall|must)\spay(?!\w)", re.IGNORECASE
)
_DECLARES_TAX = re.compile(r"\w{0,20}steuer\b.{0,160}\b(?:anzumelden|angemeldet)\b", re.IGNORECASE)
"""A tax is declared with a return; only a person or a business is registered."""
_ACTS = re.compile(
    r"(?<!\w)(?:authorit(?:y|ies)|commission|esma|eba|eiopa|ecb|coordinator|secretary|minister|board"
    r"|court|agency|central\sbank)(?:\s(?:concerned|of\s[\w\s]{3,30}))?\s(?:shall|must|may)"
    r"(?:[\s,](?!submit|file|report)[\w\s,]{0,90})?$"
    r"|(?<!\w)(?:tijelo|agencija|povjerenstvo|ministar(?:stvo)?|inspektor|sud|zavod|vijeće|povjerenik"
    r"|uprava)\s(?:[\w\s]{3,60}\s)?(?:će|dužn[oaiu]|dužan|donosi|daje|odlučuje|izdaje|obavještava)"
    r"(?!\w)(?!.{0,60}podn)[\w\s,]{0,90}$"
    r"|(?<!\w)(?:behörde|bundesamt|ministerium|gericht|finanzamt|kammer)\s(?:hat|entscheidet|teilt"
    r"|unterrichtet|prüft)[\w\s,]{0,90}$",
    re.IGNORECASE,
)
"""An authority acts; it files nothing."""
_PAPERS = compile_cue(
    r"\w{0,10}(?:prijav\w{1,3}|izvješ\w{1,4}|obrazac|obrasc\w{1,3}|obračun\w{0,2})|(?:tax "
    r"|annual |vat )?returns?"
    r"|reports?|statements?|forms?|log sheets?|manifests?|tiskanic\w{1,2}|očitanj\w{1,2}"
    r"|declarations?|accounts|\w{0,20}erklärung\w{0,2}"
    r"|\w{0,10}anmeldung\w{0,2}"
    r"|\w{0,8}meldung\w{0,2}|\w{0,8}anzeige\w?|\w{0,6}bericht\w{0,2}|\w{0,10}nachweis\w?"
)
"""What is filed."""
_ONLY_DUE = re.compile(r"due|dospije\w*|fällig\w*", re.IGNORECASE)
_PAYS = compile_cue(
    r"plać\w{1,6}|plaća\w{0,4}|plati\w{0,3}|uplat\w{1,4}|uplać\w{1,4}|pa(?:y|ys|id|yable|yments?)"
    r"|remit\w{0,5}"
    r"|\w{0,4}zahl\w{1,7}|entricht\w{1,3}|porez\w?|tax|steuer"
)
_BOTH = re.compile(
    r"(?<!\w)(?:file[sd]?|submit\w{0,3}|sent|send|returned|declared?|returns?\s(?:must|shall|is"
    r"|are)"
    r"|podnos\w{1,4}|predaj\w{1,3}|prijavljuj\w{1,4}|anzumelden|abzugeben|einzureichen"
    r"|angemeldet)\b"
    r"[^.;]{0,60}\s(?:and|te|i|und)\s[^.;]{0,40}?(?<!\w)(?:pay|paid|remit\w{0,4}|discharged"
    r"|plaća\w{0,2}"
    r"|uplaćuj\w{1,3}|abzuführen|zu\s(?:entrichten|zahlen|bezahlen)|gezahlt)(?!\w)",
    re.IGNORECASE,
)
"""Something is filed and something paid, followed by one time for both."""
_INSERTED = re.compile(
    r"(?<!\w)(?:may|shall|must|will|can|should)(?:,|\s(?:not|also|only|then)(?!\w))?,?\s"
    r"(?:as\ssoon\sas\s[\w\s]{3,40}?,?\s(?:(?:and|but),?\s)?)?(?:in\sany\s(?:case|event),?\s)?"
    r"(?:at\sany\stimes?(?:\sor\stimes)?\s)?"
    r"(?:within|not\slater\sthan|no\slater\sthan|not\sless\sthan|at\sleast|before|by|on\sor\sbefore)\b"
    r"[\w\s()]{0,60}$",
    re.IGNORECASE,
)
"""`may, within 21 days of the notice, appeal`: the verb follows the time."""
_WITHIN_REACH = 160
"""As many letters after an inserted time contain the verb that it belongs to."""
_OF_COURT = re.compile(
    r"(?<!\w)appl(?:y|ies|ication)\b.{0,120}?(?:\bto\s(?:the\s|that\s|a\s)?(?:\w{3,12}\s){0,3}court(?!\w)"
    r"|\bfor\san?\s(?:[\w-]{2,16}\s){0,6}order(?!\w)|\bjudicial\sreview|\bby\s(?:way\sof\s)?motion)",
    re.IGNORECASE,
)
"""Who applies to a court files neither a return nor an application with an authority."""
_OPINIONS = re.compile(
    r"(?<!\w)(?:submit\w{0,4}|lodge\w?|file\w?)\s(?:[\w,]{1,12}\s){0,6}"
    r"(?:observations?|comments?|views|submissions|representations|nominations?)(?!\w)",
    re.IGNORECASE,
)
_REPORTED = compile_cue(r"\w{0,16}(?:anzeige|meldung|bericht)|gutachten|auskunft")
"""`Bericht erstatten`: nothing is paid back."""
_INSTRUMENTS = re.compile(r"(?<!\w)instruments?\b.{0,160}\bdeposit", re.IGNORECASE)
"""Instruments of ratification are deposited, but not paid."""
_ASKS = re.compile(
    r"\?\s*$|(?<!\w)(?:rok\w{0,4}|deadlines?|time limits?|\w{0,16}frist(?:en)?|due"
    r"|dospijeć\w|termin\w{0,2})(?!\w)",
    re.IGNORECASE,
)


def choose_deadline(clause: Clause, figure: Figure) -> tuple[str, float]:
    """The predicate of a deadline, and how certain it is."""
    start, end = clause.part_of(figure.start)
    before = clause.masked[max(start, figure.start - 220) : figure.start]
    after = clause.words_after(figure)
    if inserted := _INSERTED.search(before):
        rest = skip_trigger(after)[:_WITHIN_REACH]
        before = before[max(before.rfind(mark, 0, inserted.start()) for mark in ",;(") + 1 :]
        if found := _find_first_deadline(rest):
            return _refine_deadline(clause, found, before, rest, after)
        return _choose_by_context(clause, 0, before, after)
    german = GERMAN_TRIGGER.match(after)
    rest = after[german.end() :] if german else skip_trigger(after)
    found = _find_split_verb(f"{before} {clause.masked[figure.end : end]}")
    if not found and (german or _VERB_LAST.search(rest)):
        found = _find_last_deadline(rest) or _find_last_deadline(before)
    elif not found:
        found = _find_last_deadline(before) or _find_first_deadline(rest)
    if found:
        return _refine_deadline(clause, found, before, rest[:200], after)
    if found := _find_first_deadline(skip_trigger(clause.masked[figure.end : end])):
        return _refine_deadline(clause, found, before, rest[:200], after, 0.9)
    return _choose_by_context(clause, start, before, after)


def find_also_due(clause: Clause, found: Sequence[Meaning]) -> Iterator[Meaning]:
    """`the return must be sent and the tax paid within 14 days`: both, with one time limit."""
    for meaning in found:
        if meaning.predicate != "payment_deadline":
            continue
        start, end = clause.part_of(meaning.figure.start)
        phrase = f"{clause.words_before(meaning.figure)} {clause.masked[meaning.figure.end : end]}"
        both = _BOTH.search(phrase)
        if both and start <= meaning.figure.start:
            yield replace(meaning, predicate="filing_deadline", confidence=0.84)


def _refine_deadline(
    clause: Clause, found: str, before: str, rest: str, after: str, sure: float = 0.95
) -> tuple[str, float]:
    """The deadline that is meant, if the nearest word names another one."""
    phrase = f"{before[-110:]} {rest}"
    if found == "refund_deadline" and _REQUEST.search(before) and _SUBMITS.search(phrase):
        return "filing_deadline", min(sure, 0.92)
    if found == "refund_deadline" and _REPORTED.search(f"{before} {after}"):
        return "deadline", min(sure, 0.92)
    repays = DEADLINES["refund_deadline"].search(before) and not _SUBMITS.search(phrase)
    if repays and found in ("filing_deadline", "payment_deadline", "deadline"):
        return "refund_deadline", min(sure, 0.93)
    if found in ("filing_deadline", "registration_deadline") and _ACTS.search(before[-200:]):
        return "deadline", sure
    if found == "filing_deadline" and (_OF_COURT.search(phrase) or _OPINIONS.search(phrase)):
        return "deadline", sure
    if found == "payment_deadline" and _INSTRUMENTS.search(before):
        return "deadline", sure
    decides = _DECIDES.search(f"{before[-70:]} {rest[:60]}")
    if decides and found in ("filing_deadline", "appeal_deadline"):
        return "deadline", sure
    if found == "filing_deadline" and DEADLINES["appeal_deadline"].search(before[-120:]):
        return "appeal_deadline", sure
    if found == "filing_deadline" and _MUST_PAY.search(before) and not _SUBMITS.search(phrase):
        return "payment_deadline", min(sure, 0.92)
    if found == "registration_deadline" and _DECLARES_TAX.search(f"{before} {rest}"):
        return "filing_deadline", min(sure, 0.92)
    if found == "payment_deadline" and _is_only_due(phrase):
        return "filing_deadline", min(sure, 0.93)
    if found == "registration_deadline" and _TELLS.search(phrase) and _OF_TAX.search(before[-140:]):
        return "filing_deadline", 0.88
    if found in _OF_REGISTERS:
        return _refine_registration(clause, found, phrase, before, after, sure)
    return found, sure


def _refine_registration(
    clause: Clause, found: str, phrase: str, before: str, after: str, sure: float
) -> tuple[str, float]:
    """The deadline for what is filed in order to be entered in a register."""
    if _REGISTERING.search(phrase) or (_TELLS.search(phrase) and not _OF_TAX.search(before[-140:])):
        return "registration_deadline", min(sure, 0.93)
    if found == "filing_deadline" and _BEGINS.search(f"{before} {after[:120]}"):
        return "registration_deadline", 0.86
    if _REQUEST.search(before) and _REGISTER.search(clause.heading):
        return "registration_deadline", 0.88
    if (
        found == "deadline"
        and HANDING.search(phrase)
        and (_PAPERS.search(phrase) or _is_handed_in(phrase))
    ):
        return "filing_deadline", 0.86
    return found, sure


def _choose_by_context(clause: Clause, start: int, before: str, after: str) -> tuple[str, float]:
    """Choose by the preceding part of the sentence, the words before a list, or the heading."""
    if _BEGINS.search(after[:120]):
        return "registration_deadline", 0.84
    phrase = f"{before} {after}"
    if _PAPERS.search(phrase) or (HANDING.search(phrase) and _is_handed_in(phrase)):
        return "filing_deadline", 0.85
    if start and (found := _find_first_deadline(clause.masked[max(0, start - 160) : start])):
        return found, 0.88
    around = [(clause.lead, 0.88)]
    if _ASKS.search(clause.heading):
        around.append((clause.heading, 0.85))
    for words, confidence in around:
        if words and (found := _find_last_deadline(words[-200:])):
            return found, confidence
    return "deadline", 0.86


def _is_handed_in(phrase: str) -> bool:
    """Whether something is handed to an authority, rather than by one."""
    return any(match.start() > 25 for match in AUTHORITY.finditer(phrase))


def _is_only_due(phrase: str) -> bool:
    """`The return is due by …`: a document is due, and payment is not mentioned."""
    named = [match[0] for match in DEADLINES["payment_deadline"].finditer(phrase)]
    due = bool(named) and all(_ONLY_DUE.fullmatch(word) for word in named)
    return due and _PAPERS.search(phrase) is not None and _PAYS.search(phrase) is None


def _find_split_verb(words: str) -> str:
    return next((name for name, form in _SPLIT.items() if form.search(words)), "")


def skip_trigger(after: str) -> str:
    match = _TRIGGER.match(after)
    if match is None:
        return after
    verb = _INFINITIVE.search(match[0])
    return after[verb.start() :] if verb else after[match.end() :]


def _find_last_deadline(words: str) -> str:
    """The deadline named last; of two at the same place, the more exact one."""
    best, reached = "", -1
    handing = [match.end() for match in HANDING.finditer(words)]
    for name, pattern in DEADLINES.items():
        for match in pattern.finditer(words):
            if match.end() > reached:
                best, reached = name, match.end()
    # "Izvješće dostavlja se …" is filed; "račun dostavlja se …" is not a return.
    far = handing and handing[-1] > reached and handing[-1] - reached > 60
    return "deadline" if far else best


def _find_first_deadline(words: str) -> str:
    found = [
        (match.start(), place, name)
        for place, (name, pattern) in enumerate(DEADLINES.items())
        if (match := pattern.search(words))
    ]
    return min(found)[2] if found else ""
