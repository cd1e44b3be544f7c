"""Sentences that state no rule: history, examples, plans, news, and words meant for a machine."""

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
_PAST = re.compile(
    r"\b(?:iznosi(?:la|o|lo|le|li)|(?:stop\w{1,2}|kazn\w{1,2}|prag|rok|iznos|pristojb\w|naknad\w)\s"
    r"(?:je\s)?bi(?:la|o|lo|le|li)|bi(?:la|o|lo)\sje\s\d{1,9}|dosadašnj\w{1,3}|prijašnj\w{1,3}"
    r"|nekadašnj\w{1,3}|(?:ranij|prethodn)\w{1,3}\s(?:stop|propis|zakon|iznos|pristojb)\w{0,4}"
    r"|više\s(?:se\s)?ne\s(?:vrijedi|primjenjuje|plaća)|oporeziva(?:o|la|lo|li)|plaća(?:o|la"
    r"|lo)\sse"
    r"|se\s(?:plaća|primjenjiva|obračunava)(?:o|la|lo)|(?:primjenjiva|vrijedi)(?:la|o|lo)\s(?:se"
    r"|je)"
    r"|obavil[aie]|utvrdil[aie]|izrečen[oa]\s(?:je|su)|(?:naplaćen|prikupljen)[oa]\sje"
    r"|(?:the\s)?(?:former|old|earlier|previous|prior)\s(?:rate|rule|law|threshold|limit|fee"
    r"|version"
    r"|allowance|amount)s?|previously|formerly|used\sto\s(?:be|pay)|no\slonger\s(?:applies|apply)"
    r"|(?:was|were|stood\sat)\s(?:only\s|then\s|still\s|set\sat\s|at\s)?(?:EUR\s?|USD\s?|GBP\s?|€"
    r"|\$|£)?\d{1,9}"
    r"|collected|betrug(?:en)?|lag(?:en)?|galt(?:en)?|waren?\ses|war\s\d{1,9}"
    r"|nicht\smehr\s(?:gültig"
    r"|in\skraft)"
    r"|(?:bisherig|früher|ehemalig|alt)e[rnms]?\s\w{0,12}(?:satz|betrag|gebühr|regelung|recht"
    r"|grenze)"
    r"|eingenommen|vereinnahmt)\b",
    re.IGNORECASE,
)
_SUBORDINATE = re.compile(
    r"\b(?:ako|ukoliko|kada|čij\w{1,3}|koj\w{1,3}|if|where|whose|which|that|who|wenn|sofern"
    r"|soweit|falls|wer"
    r"|deren|dessen|als)\b",
    re.IGNORECASE,
)
"""A condition may well speak of the past: `whose turnover was 50.000`."""
_REACH = 90
_PRESENT = re.compile(
    r"\b(?:iznosi|iznose|primjenjuj\w{1,2}|plaća(?:ju)?|vrijedi|sada|odsad|is|are|applies|apply|now"
    r"|shall|currently|beträgt|betragen|gilt|gelten|nunmehr|jetzt|nun)\b",
    re.IGNORECASE,
)
_MAYBE = re.compile(
    r"\b(?:(?:prema\s)?(?:prijedlog|nacrt)\w{0,2}\s(?:zakon|pravilnik|uredb|odluk|izmjen"
    r"|proračun)\w{0,3}"
    r"|prema\s(?:prijedlogu|nacrtu)|predlaž\w{1,2}|predložen\w\s(?:je\s)?(?:stop|iznos|prag"
    r"|poveć)\w{0,5}"
    r"|(?:iznosi|bi|plaća|mijenja|vrijedi|poveća|smanji|rasl|pal)(?:la|o|lo|a)\sbi"
    r"|bi\s(?:se\s)?(?:iznosi|bi"
    r"|plaća|mijenja|vrijedi|poveća|smanji|primjenjiva|stupi)(?:la|o|lo|le|li)|bi\strebal[aoi]"
    r"|razmatra\sse|mogl[aoi]\sbi|planira(?:ju|mo)?\s(?:se\s)?(?:poveć|smanj|uves|sniž|podi)\w{0,6}"
    r"|would\s(?:be|rise|fall|amount|apply|increase|decrease|become|go)|(?:might|could)\s(?:be"
    r"|rise|fall)"
    r"|proposals?\s(?:for|to|by|of)|under\s(?:the|a)\sproposal|(?:commission|government|ministry"
    r"|minister|bill|council)\s(?:has\s)?propose[sd]"
    r"|proposed\s(?:rate|tax|increase|change|act|law|rule)s?|draft\s(?:law|act|bill|regulation"
    r"|budget|rules?)"
    r"|is\sconsidering"
    r"|(?:plans?|intends?|is\sexpected|are\sexpected)\sto|under\sdiscussion|suppose|assum(?:e"
    r"|ing)\s(?:that|you|a)"
    r"|hypothetical\w{0,2}|(?:gesetz|referenten)?entwurf\w{0,2}|laut\svorschlag"
    r"|vorgeschlagen\w{0,2}"
    r"|geplante?[rnms]?\s(?:erhöhung|senkung|satz|steuersatz|änderung)|soll(?:en)?\s(?:künftig|ab"
    r"|auf)"
    r"|(?:würde|könnte)n?\b.{0,60}\b(?:betragen|steigen|sinken|gelten|liegen|erhöht|gesenkt"
    r"|werden))\b",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"\b(?:rek(?:ao|la)\sje|izjavi(?:o|la)|izvijesti(?:o|la)|najavi(?:o|la)|napomenu(?:o|la)"
    r"|istaknu(?:o|la)"
    r"|podsjeti(?:o|la)|poruči(?:o|la)|kaza(?:o|la)|prema\sriječima|mediji\s(?:prenose|javljaju)"
    r"|prema\sanketi"
    r"|u\sanketi|(?:he|she|minister|director|spokes\w{3,6}|official)s?\s(?:said|stated|announced"
    r"|recalled|told)"
    r"|(?:said|stated|announced|recalled)\sthat|told\sreporters|has\sannounced"
    r"|according\sto\s(?:a|the)\s"
    r"(?:survey|minister|newspaper|spokes\w{3,6})|in\sa\ssurvey|respondents|newspaper|(?:rose"
    r"|fell|grew|growing"
    r"|dropped)\sby|compared\s(?:with|to)\s(?:last|the\sprevious)|analysts?|forecast\w{0,3}|sagte"
    r"|erklärte"
    r"|kündigte|laut\sumfrage|zufolge|(?:stieg|sank|wuchs)(?:en)?\sum|berichtete\w?|ökonomen"
    r"|porast\w{0,2}\s(?:od|za)|porasl[aoi]|pa(?:o|la|lo)\s(?:je|su)\sza"
    r"|u\sodnosu\sna\sprošl\w{1,3}"
    r"|pita(?:ju|mo)|je\sli\s(?:točno|istina)|asked\sus|made\sup\s\d{1,3}|of\s(?:taxpayers"
    r"|respondents)|slučajeva"
    r"|last\syear\s?[,;.]|im\svorjahr\s(?:waren|wurden)"
    r"|hat\b.{0,30}\b(?:gesagt|erklärt|angekündigt))\b",
    re.IGNORECASE,
)
_EXAMPLE_HEADING = re.compile(
    r"(?<!\w)(?:primjer(?:i|a|e|u|ima)?|(?:worked )?examples?|(?:rechen)?beispiele?"
    r"|illustration)(?!\w)",
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
    if _NO_HISTORY.search(text):
        return False
    return any(
        _SUBORDINATE.search(text, max(0, match.start() - _REACH), match.start()) is None
        for match in _PAST.finditer(text)
    )


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
