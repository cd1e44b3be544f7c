"""Sentences that state no rule: history, examples, plans, news, and words meant for a machine."""

import re

_MACHINE = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instructions?|prompts?"
    r"|rules above|"
    r"context|guidelines)\b"
    r"|\b(?:zanemari|zanemarite|ignoriraj|ignorirajte|zaboravi|zaboravite)\b.{0,50}\b(?:upute"
    r"|uputa|"
    r"naredbe|pravila|instrukcije)"
    r"|\b(?:ignoriere|ignorieren sie|vergiss|missachte|missachten sie)\b.{0,60}(?:anweisung"
    r"|vorgabe|"
    r"instruktion|regeln)"
    r"|\b(?:system prompt|language model|jezičn\w{1,3} model\w{0,2}|sprachmodell\w{0,2}|chatgpt"
    r"|LLM)\b"
    r"|\b(?:AI|KI|UI)[- ](?:assistant|assistent|model|agent|system|asistent|crawler|reader|sustav)"
    r"|\b(?:as|you are) an? (?:AI|assistant)\b|^\s*(?:system|assistant|user)\s*:"
    r"|\b(?:dear|dragi|lieber?) (?:AI|assistant|model|extractor|bot|robot|modele|asistente)\b"
    r"|\b(?:output|respond with|reply with|return|emit|extract|publish|report|record"
    r"|insert)\b.{0,30}"
    r"\b(?:json|fact|rule with|as approved|with confidence|confidence (?:of )?(?:1|0\.9))"
    r"|\b(?:objavi|ispiši|upiši|vrati|izdvoji)\b.{0,40}\b(?:json|pouzdanost|činjenic|odobren)"
    r"|\b(?:gib|veröffentliche|melde|trage)\b.{0,40}\b(?:json|konfidenz|genehmigt|als fakt)"
    r"|\b(?:mark|approve|označi|markiere)\b.{0,40}\bas approved|\bautomatically approve",
    re.IGNORECASE | re.DOTALL,
)
_PAST = re.compile(
    r"\b(?:iznosi(?:la|o|lo|le|li)|(?:je|su)\s+(?:tada\s+|prije\s+|ranije\s+"
    r"|dotad\s+)?"
    r"iznosi(?:la|o|lo|le|li)|(?:stop\w{1,2}|kazn\w{1,2}|prag|rok|iznos|pristojb\w|naknad\w)\s+"
    r"(?:je\s+)?(?:bi(?:la|o|lo|le|li))(?:\s+(?:je|su))?|bi(?:la|o|lo)\s+je\s+\d"
    r"|dosadašnj\w{1,3}|prijašnj\w{1,3}|nekadašnj\w{1,3}|ranij\w{1,3}\s+(?:stop|propis|zakon"
    r"|iznos)\w*"
    r"|prethodn\w{1,3}\s+(?:stop|propis|zakon)\w*|više (?:se )?ne (?:vrijedi|primjenjuje|plaća)"
    r"|povijest\w*"
    r"|oporeziva(?:o|la|lo|li)|plaća(?:o|la|lo) se|se (?:plaća|primjenjiva|obračunava)(?:o|la|lo)"
    r"|(?:primjenjiva|vrijedi)(?:la|o|lo) (?:se|je)|obavil[aie]|utvrdil[aie]|izrečen[oa] (?:je"
    r"|su)|naplaćen[oa] je"
    r"|previous(?:ly)?\s+(?:rate|was|were|set|fixed|applicable|stood)|(?:the\s+)?(?:former|old"
    r"|earlier|"
    r"prior)\s+(?:rate|rule|law|threshold|limit|act|fee|version)|formerly|used to be|had been"
    r"|(?:rate|threshold|fee|limit|allowance|penalty|amount)\b.{0,40}\b(?:was|were"
    r"|stood)\b(?!\s+(?:paid|"
    r"made|due|received|filed|exceeded))|no longer (?:applies|apply)|historically"
    r"|betrug(?:en)?|lag(?:en)?|bisher\w{0,3}|früher\w{0,3}|ehemalig\w{0,2}|damals"
    r"|(?:galt|galten|war|waren)\b(?!.{0,40}\bverpflichtet))\b",
    re.IGNORECASE,
)
_PRESENT = re.compile(
    r"\b(?:iznosi|iznose|primjenjuj\w{1,2}|plaća(?:ju)?|vrijedi|sada|odsad|is|are|applies|apply|now"
    r"|shall|currently|beträgt|betragen|gilt|gelten|nunmehr|jetzt|nun)\b",
    re.IGNORECASE,
)
_MAYBE = re.compile(
    r"\b(?:prijedlog\w{0,2}|predlaže\w?|predloženo|predložen\w|nacrt\w{0,2}|(?:iznosi|bi|plaća"
    r"|mijenja|"
    r"vrijedi|poveća|smanji)(?:la|o|lo)\s+bi|bi\s+(?:se\s+)?(?:iznosi|bi|plaća|mijenja|vrijedi"
    r"|poveća|"
    r"smanji|primjenjiva|stupi)(?:la|o|lo|le|li)|razmatra se|mogl[aoi] bi|planira\w{0,3}|najavlj\w+"
    r"|would|proposals?|proposed|proposes|draft|might|could be|is considering|plans to"
    r"|is expected to"
    r"|are expected to|under discussion|suppose|assume|assuming|hypothetical\w{0,2}|should be set"
    r"|würden?|entwurf\w{0,2}|vorgeschlagen\w{0,2}|vorschlag\w{0,2}|geplant\w{0,2}|beabsichtig\w+"
    r"|wären?|könnten?|soll künftig|sollen künftig|angenommen)\b",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"\b(?:rekao je|rekla je|izjavi(?:o|la)|izvijesti(?:o|la)|najavi(?:o|la)|napomenu(?:o|la)"
    r"|istaknu"
    r"(?:o|la)|podsjeti(?:o|la)|prema riječima|kazao|kazala|poruči(?:o|la)|mediji|novinar\w+"
    r"|anket\w+"
    r"|said|told reporters|announced|according to (?:a|the) (?:survey|report|minister|spokes\w+)"
    r"|stated"
    r"|recalled|survey|respondents|newspaper|rose by|fell by|grew by|compared (?:with|to) (?:last"
    r"|the)"
    r"|sagte|erklärte|kündigte|laut umfrage|zufolge|stieg\w{0,2} um|sank\w{0,2} um|berichtet\w{0,2}"
    r"|porast\w* (?:od|za)|porasl\w|pa(?:o|la|lo) (?:je|su) za|u odnosu na prošl\w+"
    r"|pita(?:ju|mo)?|je li (?:točno|istina)|asked us|analysts?|forecast\w{0,3}|ökonomen"
    r"|statisti\w{1,5}"
    r"|of (?:taxpayers|respondents|the litres)|slučajeva|last year|im vorjahr (?:waren|wurden)"
    r"|hat .{0,30} (?:gesagt|erklärt|angekündigt))\b",
    re.IGNORECASE,
)
_EXAMPLE_HEADING = re.compile(
    r"(?<!\w)(?:primjer\w{0,2}|(?:worked )?examples?|(?:rechen)?beispiele?|illustration)(?!\w)",
    re.IGNORECASE,
)
_PAST_HEADING = re.compile(
    r"(?<!\w)(?:kako je bilo|povijest\w{0,2}|ranije|prijašnj\w{1,3}|history|previous(?:ly)?"
    r"|former|statisti\w{1,4}"
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
_ROLE = re.compile(
    r"^\W*(?:assistant|user|system|human|ai|sustav|asistent|korisnik)\W*$", re.IGNORECASE
)
_EXAMPLE = re.compile(
    r"\b(?:na primjer|npr\.|primjerice|primjer(?:\s+\d+)?\s*[:.]|recimo|for example|e\.\s?g\.|"
    r"for instance|examples?(?:\s+\d+)?\s*[:.]|illustration\s*[:.]|z\.\s?B\.|zum beispiel|"
    r"beispielsweise|beispiel(?:\s+\d+)?\s*[:.])",
    re.IGNORECASE,
)
_NO_HISTORY = re.compile(
    r"\b(?:zamjenjuj\w+|replaced|substituted|ersetzt|umjesto|instead of|mijenja\w* (?:se )?u)\b",
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
_NEGATED = re.compile(
    r"\b(?:ne\s+(?:primjenjuje|plaća|iznosi|odnosi|vrijedi|obračunava)|nije\s+(?:propisan|utvrđen)"
    r"|(?:shall|does|do|is|are)\s+not\s+(?:apply|be\s+(?:applied|charged|levied|subject|liable"
    r"|required)"
    r"|subject|liable|required)|gilt\s+nicht|gelten\s+nicht|findet\s+keine\s+anwendung|nicht\s+"
    r"(?:anzuwenden|erhoben))",
    re.IGNORECASE,
)


def for_a_machine(text: str) -> bool:
    """Whether words speak to whoever reads by machine, rather than to those who are bound."""
    return _MACHINE.search(text) is not None


def is_draft(lines: list[str]) -> bool:
    """Whether one of a document's first lines says that it is a proposal only."""
    return any(_DRAFT.match(line.strip()) for line in lines)


def is_furniture(text: str) -> bool:
    """Whether a line belongs to the page rather than to what it publishes."""
    return _FURNITURE.match(text) is not None


def is_reported(text: str) -> bool:
    """Whether a sentence reports what may be or was said, rather than what holds."""
    return bool(_MAYBE.search(text) or _TOLD.search(text))


def is_past(text: str) -> bool:
    """Whether words tell what held once."""
    return _PAST.search(text) is not None and _NO_HISTORY.search(text) is None


def is_present(text: str) -> bool:
    """Whether words of a sentence about the past tell what holds now."""
    return _PRESENT.search(text) is not None


def example_at(text: str) -> int:
    """Where an example begins in a sentence; its length where none does."""
    match = _EXAMPLE.search(text)
    return len(text) if match is None else match.start()


def is_aside(heading: str) -> bool:
    """Whether a heading announces examples, history or statistics rather than rules."""
    return bool(_EXAMPLE_HEADING.search(heading) or _PAST_HEADING.search(heading))


def is_example(title: str) -> bool:
    """Whether a whole document works out an example."""
    return _EXAMPLE_HEADING.search(title) is not None


def begins_recitals(line: str) -> bool:
    """Whether the reasons of an act follow, which bind nobody."""
    return _RECITALS.match(line) is not None


def ends_recitals(line: str) -> bool:
    """Whether an act itself follows."""
    return len(line) < 80 and _ENACTED.match(line) is not None


def is_role(line: str) -> bool:
    """Whether a line names who speaks next, as in the record of a talk with a machine."""
    return _ROLE.match(line) is not None


def is_negated(text: str) -> bool:
    """Whether the main verb of a clause says that something does not hold."""
    return _NEGATED.search(text) is not None
