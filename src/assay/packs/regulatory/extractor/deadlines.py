"""Which deadline a time or a date is: for filing, paying, registering, appealing, refunding."""

import re

from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.cues import DEADLINES, HANDING
from assay.packs.regulatory.extractor.figures import Figure

# From when the time runs says nothing about what is to be done in it.
_TRIGGER = re.compile(
    r"\s{0,3}(?:od|nakon|po|prije|of|after|from|following|before|prior to|beginning"
    r"|starting)\s[^,;]{0,200}",
    re.IGNORECASE,
)
_INFINITIVE = re.compile(r"(?<!\w)\w{3,20}(?:iti|ati|jeti|eti|ći)(?!\w)")
_OF_REGISTERS = frozenset({"filing_deadline", "deadline"})
_REGISTER = re.compile(
    r"(?<!\w)(?:upis\w{0,4}|regist(?:er|ration|rier\w{1,4})|erfassung)(?!\w)", re.IGNORECASE
)
_REGISTERING = re.compile(
    r"(?<!\w)(?:(?:zahtjev\w{0,2}|prijav\w{1,2})\s+za\s+(?:upis|registracij)\w{0,2}"
    r"|application\w?\s+(?:for|to)"
    r"\s+(?:registration|register)|antrag\s+auf\s+(?:registrierung|eintragung|erfassung)"
    r"|prijav\w{1,3}\s+(?:\w{1,14}\s+)?promjen\w{1,3}"
    r"|(?:promjen|odjav)\w{1,3}\s+(?:\w{1,14}\s+)?prijav\w{1,3})(?!\w)",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"(?<!\w)(?:zahtjev|antrag|application|der antrag)\w{0,2}(?!\w)", re.IGNORECASE
)
_DECIDES = re.compile(
    r"(?<!\w)(?:odluč\w{1,4}|rješava\w{0,2}|riješiti|decid(?:e|es|ed)|determine\w?|entscheide\w"
    r"|bescheide\w|entschieden)(?!\w)",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\?\s*$|(?<!\w)(?:rok\w{0,4}|deadlines?|time limits?|\w{0,16}frist(?:en)?|due"
    r"|dospijeć\w)(?!\w)",
    re.IGNORECASE,
)
# German puts its verb last, in small letters, where nouns have capitals.
_GERMAN_TRIGGER = re.compile(
    r"\s{0,3}(?:nach|ab|seit|vor)(?:\s(?:der|dem|des|den|die|das|ihrer|seiner|einer|eines"
    r"|[A-ZÄÖÜ]\S{1,40}))"
    r"{1,6}"
)


def deadline_of(clause: Clause, figure: Figure) -> tuple[str, float]:
    """The predicate of a deadline, and how sure that is."""
    start, _ = clause.part_of(figure.start)
    before = clause.masked[max(start, figure.start - 220) : figure.start]
    after = clause.after(figure)
    german = _GERMAN_TRIGGER.match(after)
    rest = after[german.end() :] if german else _after_trigger(after)
    if german or _ends_with_verb(rest):
        found = _last(rest) or _last(before)
    else:
        found = _last(before) or _first(rest)
    if found == "refund_deadline" and _REQUEST.search(before):
        return "filing_deadline", 0.92
    decided = _DECIDES.search(f"{before[-70:]} {rest[:60]}")
    if found in ("filing_deadline", "appeal_deadline") and decided:
        return "deadline", 0.95
    if found == "filing_deadline" and DEADLINES["appeal_deadline"].search(before[-120:]):
        return "appeal_deadline", 0.95
    if found in _OF_REGISTERS and _REGISTERING.search(before[-90:] + " " + rest[:60]):
        return "registration_deadline", 0.93
    if found in _OF_REGISTERS and _REQUEST.search(before) and _REGISTER.search(clause.heading):
        return "registration_deadline", 0.88
    if found:
        return found, 0.95
    _, end = clause.part_of(figure.start)
    if found := _first(_after_trigger(clause.masked[figure.end : end])):
        return found, 0.9
    if start and (found := _first(clause.masked[max(0, start - 160) : start])):
        return found, 0.88
    around = [(clause.lead, 0.88)]
    if _ASKS.search(clause.heading):
        around.append((clause.heading, 0.85))
    for words, confidence in around:
        if words and (found := _last(words[-200:])):
            return found, confidence
    return "deadline", 0.86


def _after_trigger(after: str) -> str:
    match = _TRIGGER.match(after)
    if match is None:
        return after
    verb = _INFINITIVE.search(match[0])
    return after[verb.start() :] if verb else after[match.end() :]


def _ends_with_verb(rest: str) -> bool:
    return (
        re.search(r"\b(?:zu|werden|wird|anmelden|einzu\w+|anzu\w+|abzu\w+)\b|\w{3,}t$", rest)
        is not None
    )


def _last(words: str) -> str:
    """The deadline that is named last; of two at one place the more exact."""
    best, reached = "", -1
    handing = [match.end() for match in HANDING.finditer(words)]
    for name, pattern in DEADLINES.items():
        for match in pattern.finditer(words):
            if match.end() > reached:
                best, reached = name, match.end()
    # "Izvješće dostavlja se …" is filed; "račun dostavlja se …" is no return.
    if handing and handing[-1] > reached and len(words) - reached > 60 + len(words) - handing[-1]:
        return "deadline"
    return best


def _first(words: str) -> str:
    found = [
        (match.start(), place, name)
        for place, (name, pattern) in enumerate(DEADLINES.items())
        if (match := pattern.search(words))
    ]
    return min(found)[2] if found else ""
