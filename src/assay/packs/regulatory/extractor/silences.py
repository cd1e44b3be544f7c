"""Words that state no rule: examples, drafts, page furniture, instructions to a machine."""

import re

_MACHINE = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,20}\b(?:all|any|previous|prior|above|your"
    r"|earlier|these)\b.{0,30}\b(?:instructions?|prompts?|rules|guidelines|context)\b"
    r"|\b(?:zanemari|zanemarite|ignoriraj|ignorirajte|zaboravi|zaboravite)\b.{0,50}\b(?:upute|uputa"
    r"|naredbe|pravila|instrukcije)"
    r"|\b(?:ignoriere|ignorieren sie|vergiss|missachte|missachten sie)\b.{0,60}(?:anweisung|vorgabe"
    r"|instruktion|regeln)"
    r"|\bsystem prompt\b|\b(?:as|you are|you're) (?:now )?an? (?:large )?(?:AI|language model"
    r"|assistant|chatbot)\b|\b(?:kao|ako si|ti si) (?:veliki )?jezičn\w{1,3} model"
    r"|\b(?:als|bist du ein|du bist ein) (?:großes )?sprachmodell|\bchatgpt\b"
    r"|\b(?:AI|KI|UI)[- ](?:assistant|assistent|asistent|agent|reader|crawler|bot)"
    r"|^\s*\[?(?:system|sustav|assistant)\]?\s*:"
    r"|\b(?:dear|dragi|lieber?) (?:AI|assistant|extractor|bot|robot|modele|asistente|model)\b"
    r"|\b(?:output|respond|reply|return|emit|extract|publish|objavi|ispiši|vrati|izdvoji|gib"
    r"|veröffentliche|melde)\b.{0,60}\b(?:json|confidence|pouzdanost|konfidenz|approved_by)\b"
    r"|\bapproved_by\b",
    re.IGNORECASE | re.DOTALL,
)
_EXAMPLE_HEADING = re.compile(
    r"(?<!\w)(?:primjer(?:i|a|e|u|ima)?|(?:worked )?examples?|(?:rechen)?beispiele?"
    r"|illustration)(?!\w)",
    re.IGNORECASE,
)
_PAST_HEADING = re.compile(
    r"(?<!\w)(?:kako je bilo|povijest\w{0,2}|ranije|prijašnj\w{1,3}|history|previous(?:ly)?"
    r"|former|statisti\w{1,4}"
    r"|amendments|editorial\snotes|prior\sprovisions|effective\sdate\sof\s\d{4}\samendments?"
    r"|früher\w{0,3}|bisher\w{0,3}|geschichte|archiv\w?|kontakt|contact)(?!\w)",
    re.IGNORECASE,
)
_RECITALS = re.compile(
    r"^\W*(?:whereas|in erwägung|budući da|uzimajući u obzir)\b.{0,60}:?\s*$", re.IGNORECASE
)
_ENACTED = re.compile(
    r"^\W*(?:have|has|haben|hat|donijeli su|donio je|donijela je)(?:\s+(?:adopted|decided|enacted"
    r"|folgende|ovu|ovaj|beschlossen)|:?$)",
    re.IGNORECASE,
)
_NOTES = re.compile(
    r"^\W*(?:editorial\snotes|statutory\snotes(?:\sand\srelated\ssubsidiaries)?|historical\sand\srevision\snotes"
    r"|executive\sdocuments)\W*$|^\W*explanatory\snotes?\W*(?:\(|$)",
    re.IGNORECASE,
)
"""What the publisher of a code adds to a section: its history, and when changes took effect."""
_CREDIT = re.compile(
    r"\W{0,4}\((?:Added\s)?\W{0,2}(?:Pub\.\sL\.\s\d|R\.S\.\s|[A-Z][a-z]{2,8}\.?\s\d{1,2},\s\d{4},\sch\.)"
)
"""`(Pub. L. 98–89, Aug. 26, 1983, 97 Stat. 576.)`, below a section of the United States Code."""
_NEXT_SECTION = re.compile(r"[\s#*]{0,8}§")
_ROLE = re.compile(
    r"^\W*(?:assistant|user|system|human|ai|sustav|asistent|korisnik)\W*$", re.IGNORECASE
)
_EXAMPLE = re.compile(
    r"\b(?:na primjer|npr\.|primjerice|primjer(?:\s+\d+)?\s*[:.]|recimo|for example|e\.\s?g\.|"
    r"for instance|examples?(?:\s+\d+)?\s*[:.]|illustration\s*[:.]|z\.\s?B\.|zum beispiel|"
    r"beispielsweise|beispiel(?:\s+\d+)?\s*[:.])",
    re.IGNORECASE,
)
_FURNITURE = re.compile(
    r"^(?:tel\b|telefon|phone|fax|faks|e-?mail|copyright|©|all rights|sva prava|alle rechte|page \d"
    r"|stranica \d|str\. \d|seite \d|objavljeno|published on|verkündet am|veröffentlicht|impressum"
    r"|cookie|kolačić|radno vrijeme|opening hours|öffnungszeiten|last updated|zadnja izmjena"
    r"|datum objave|\(?(?:nn|narodne novine|oj|bgbl)\b|source:|authority:|izvor:)",
    re.IGNORECASE,
)
_DRAFT = re.compile(
    r"^(?:konačni\s+)?(?:prijedlog|nacrt|teze|proposal for|draft|entwurf|referentenentwurf"
    r"|vorschlag"
    r"|gesetzentwurf|exposure draft|bill\b)",
    re.IGNORECASE,
)


def addresses_machine(text: str) -> bool:
    """Whether words address a machine that reads them, rather than those bound by the law."""
    return _MACHINE.search(text) is not None


def is_draft(lines: list[str]) -> bool:
    """Whether one of a document's first lines says that it is only a proposal."""
    return any(_DRAFT.match(line.strip()) for line in lines)


def is_furniture(text: str) -> bool:
    """Whether a line belongs to the page rather than to its content."""
    return _FURNITURE.match(text) is not None


def find_example(text: str) -> int:
    """Where an example begins in a sentence; the sentence's length if there is none."""
    match = _EXAMPLE.search(text)
    return len(text) if match is None else match.start()


def is_aside(heading: str) -> bool:
    """Whether a heading announces examples, history or statistics rather than rules."""
    return bool(_EXAMPLE_HEADING.search(heading) or _PAST_HEADING.search(heading))


def is_example(title: str) -> bool:
    """Whether a whole document works out an example."""
    return _EXAMPLE_HEADING.search(title) is not None


def begins_recitals(line: str) -> bool:
    """Whether the recitals of an act follow, which bind nobody."""
    return _RECITALS.match(line) is not None


def ends_section(line: str) -> bool:
    """Whether a section of a code ends: its sources or the notes of its publisher follow."""
    return _CREDIT.match(line) is not None or _NOTES.match(line) is not None


def begins_section(line: str) -> bool:
    """Whether a heading begins the next section of a code."""
    return _NEXT_SECTION.match(line) is not None


def ends_recitals(line: str) -> bool:
    """Whether the act itself follows."""
    return len(line) < 80 and _ENACTED.match(line) is not None


def is_speaker_line(line: str) -> bool:
    """Whether a line names the next speaker, as in the transcript of a chat with a machine."""
    return _ROLE.match(line) is not None
