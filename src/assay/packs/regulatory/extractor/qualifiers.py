"""What kind of thing a figure is about, for whom and per which unit, in the sentence's words.

Qualifiers help to tell one concept from another, which is why they are few and plain: no verbs, no
articles, no dates, no name of a levy alone, and nothing that the condition says already.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.figures import VALUES, Figure, FigureKind

_REACH = 320
_PHRASES = 3
"""So many phrases are taken on each side of a figure."""
_LEADS = 2
"""So many levels of lists say what an item is about."""
_WORDS = 12
"""The most words of a phrase."""
_BREAKS = re.compile(
    # Punctuation, verbs, and what introduces a figure.
    r"[;:()\[\]·„“”»«\"*|]+|,(?!\d|\s(?:1[89]|20)\d\d(?!\d)|\s(?:[^\s,]{1,30}\s){1,3}(?:und|oder|or|and|i|ili|te)\s"
    r"|\s[^\s,]{1,20},)"
    r"|\s[–—-]{1,2}\s|(?<!\w)(?:\w{3,14}(?:it|at|et|ut)\sće(?:\sse)?|kazniti|iznos[ie]|iznosu"
    r"|plaća(?:ju)?(?:\sse)?|obračunava(?:\sse)?"
    r"|(?-i:je(?!\s[A-ZÄÖÜ]))|su|se|će|bit|kazni?t\sće(?:\sse)?|novčan\w{1,3}\skazn\w{1,3}"
    r"|ne\smože|može|mogu|biti"
    r"|mora(?:ju)?|najviše|najmanje|najkasnije|do|duž(?:an|na|ni)|dužn\w|u\sroku(?:\sod)?"
    r"|u\svisini|s\stim\w?\sda"
    r"|ima(?:ju)?\spravo|primjenjuje|trajati|traje|is|are|be|shall|may|must|will|been|was|were"
    r"|has|have|had"
    r"|does|do(?=\snot)|not\sexceeding|not\sexceed|exceeds?|exceeding|up\sto|at\sleast|more\sthan"
    r"|less\sthan"
    r"|later\sthan|within|imposed|charged|chargeable|levied|paid|equal|liable|entitled\sto"
    r"|subject\sto"
    r"|beträgt|betragen|ist|sind|wird|werden|wurde|kann|können|darf|dürfen|muss|müssen|soll"
    r"|sollen|hat|haben"
    r"|gilt|gelten|erhoben|bis\szu|mehr\sals|weniger\sals|höchstens|mindestens|spätestens"
    r"|in\shöhe(?:\svon)?"
    r"|innerhalb(?:\svon)?|binnen|ermäßigt|erhöht|vermindert|wenn|if|ako|percent|per\scent"
    r"|prozent|vom\shundert"
    r"|eura?|euro|whichever|koj[iae]\sse|which|who|whose|ali|jedoch|however|but)(?!\w)",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    # Where the law says something else, and when: neither says what a figure is about.
    r"[Ii]n\s(?:diesem\s[Ff]all|diesen\s[Ff]ällen)|[Uu]\s(?:tom|tim)\sslučaj\w{1,4}"
    r"|[Ii]n\s(?:that|such)\s(?:a\s)?case"
    r"|\([^()]{0,60}(?:§|[Aa]rtikel|[Čč]lan[ak]|stav[ck]|[Ss]ection|[Aa]rticle)[^()]{0,60}\)"
    r"|(?<!\w)(?:(?:im\ssinne\sde[sr]|within\sthe\smeaning\sof|u\ssmislu)\s[^,;:()]{0,30}?(?:§"
    r"|[Aa]rtikel|[Ss]ection"
    r"|[Aa]rticle|člank\w{1,3})[^\w,;]{0,3}\d{1,4}[a-z]?(?:\s(?:[Aa]bsatz|[Ss]atz|[Aa]bs\."
    r"|[Nn]ummer|[Nn]r\.|stavk\w{1,2})\s\d{1,3}\.?)*"
    r"(?:\sdes\s[A-ZÄÖÜ]\w+gesetz\w*)?|(?:iz\s)?(?:ovog|ovoga|ovom|ovim)\s(?:zakon|člank|stav[ck]"
    r"|pravilnik)\w{0,3}|dies(?:es|er)"
    r"\s(?:gesetzes|verordnung|absatzes|vorschrift)|(?:of|under|in)\sthis\s(?:act|section|chapter"
    r"|title"
    r"|part|article|regulation|subsection|paragraph|subtitle)|(?:in\saccordance\swith"
    r"|pursuant\sto|gemäß"
    r"|nach\smaßgabe|sukladno|u\sskladu\ss(?:a)?|unbeschadet|vorbehaltlich|abweichend\svon"
    r"|iznimno\sod|notwithstanding|without\sprejudice\sto|by\svirtue\sof)"
    r"[^,;:()]{0,80}(?=[,;:()]|$)|(?:from|on|until|after|before|od|do|ab|vom|am"
    r"|seit)?\s?\d{1,2}\.?\s[^\W\d]{3,9}\.?"
    r"\s(?:19|20)\d\d\.?|(?:za|for|im|für\sdas|u|in|for\sthe)\s(?:tax\s)?(?:year|jahr"
    r"|kalenderjahr)?\s?(?:19|20)\d\d"
    r"(?:[-–]\d\d)?\.?(?:\sgodin\w)?)(?!\w)",
    re.IGNORECASE,
)
_SEPARATES = re.compile(r",|(?<!-)\s(?:und|and|i|oder|or|ili|odnosno|sowie|te|a)\s", re.IGNORECASE)
_RANGE = re.compile(
    r"(?:,\d\d)?\s{0,3}(?:eura?|euro|%)?\s{0,3}(?:,|do|to|bis|and|und|i|or|oder|ili|ni|nor"
    r"|[–—-])\s{0,3}(?:zu\s|up\sto\s"
    r"|(?:većem|dulji|duži|više|more|not\smore)\s(?:od|than)\s)?",
    re.IGNORECASE,
)
"""What is between the ends of a range, which say the same."""
_FOLLOWING = re.compile(r"(?<!\w)(?:following|folgend\w{0,2}|sljedeć\w{1,3})(?!\w)", re.IGNORECASE)
_BOUND = re.compile(
    r"(?<!\w)(?:(?:ne\s|ni\s)?(?:najmanje|najviše|više\sod|manje\sod)|at\sleast|not\s(?:less|more)\sthan"
    r"|(?:shall\s|may\s|will\s)?not\s(?:exceeding|exceed)|up\sto|maximum\sof|minimum\sof|mindestens|höchstens"
    r"|längstens|frühestens|maximal|minimal|nicht\s(?:mehr|länger|weniger|später)\sals|bis\szu"
    r"|(?:ne\s(?:(?:može|smije)\sbiti\s)?)?(?:krać|dulj|duž|manj|već)\w{1,2}\sod)\s{1,3}"
    r"(?:zu\s|a\s|an\s|ein\w{0,2}\s)?$",
    re.IGNORECASE,
)
_AMENDED = re.compile(
    r"(?<!\w)(?:amended|substituted|inserted|geändert|mijenja|izmijen\w{2,4})(?!\w)", re.IGNORECASE
)
_GERMAN_VERB = re.compile(
    r"(?<=[a-zäöüß])\s(?!(?:nicht|erst|statt|samt|seit|selbst|meist|insgesamt|gesamt"
    r"|sonst)\s)[a-zäöüß]{4,14}t\s"
    r"(?=(?:der|die|das|dem|den|sich|ein|eine|einen|nach|im|in)\s)"
)
"""`… erhebt die Behörde …`, between nouns."""
_BRACKETS = re.compile(r"\([^()]*\)")
_NUMBERED = re.compile(r"\((\w{1,4})\)")
"""`17(2) and (3)`: numbers of provisions, which brackets do not set apart."""
_CONCERNING = re.compile(
    r"(?:in\srelation\sto|in\srespect\sof|with\srespect\sto|in\sbezug\sauf|u\svezi\ss)\s",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"(?<!\w)(?:shall|may|must|will|is|are|was|were|do|does|can|has|have)\s(?P<en>not)\s(?:be\s|been\s)?"
    r"|(?<!\w)(?P<hr>ne)\s(?:može|mogu|smije|smiju|mora|moraju)\s(?:se\s|biti\s)?",
    re.IGNORECASE,
)
"""`shall not be granted`: without its negation a phrase would say the opposite."""
_NEGATIONS = frozenset(("not", "no", "ne", "ni", "niti", "nicht"))
_WHICHEVER = re.compile(
    r"whichever\sis\s(?:the\s)?\w{4,7}|je\snachdem,\swelcher\s\w+\s\w+\sist"
    r"|ovisno\so\stome\s\w+\sje\sve\w+",
    re.IGNORECASE,
)
_SHORT_BRACKETS = re.compile(r"\(([^\W\d]{4,20})\)(?=\s[^\W\d])")
_CELL = re.compile(r"\s\*\s")
_NOISE = re.compile(r"\\(?=[^\w\s])|\*{1,3}|(?<!\w)F\d{1,4}\[|(?<=\w)\s?’s?(?=\s)")
_WORD = re.compile(r"[^\W\d_]{2,}")
_EMPTY = (
    "der die das den dem des ein eine einer eines einem einen und oder sowie aber auch nur je "
    "zu zum zur von auf um an am im in mit als wie so dass daß jedoch insoweit jeweils "
    "bereits dieser diese dieses diesem sich sie dazu davon es ihm ihr ihre zusätzlich ferner "
    "the a of to at by as and or any such that this these those its their his her it only "
    "also each be been than then thereof there from on with i ili te na u od s sa da kao "
    "što koji koja koje koju kojeg kojem kojim o po iz odnosno tako taj ta svoj "
    "svoju njegov njezin iznimno manjem većem manji veći manja veća kraći kraće dulji duži "
    "dulje duže niža niži viša viši veće manje"
)
_STRIPPED = frozenset(_EMPTY.split())
"""Words that neither begin nor end a phrase."""
_KEPT = "je po na u od from on of in for für mit bei per iz zu"
_KEPT_FIRST = frozenset(_KEPT.split())
"""Words that a phrase after a figure keeps: `je Hektoliter`, `od dana primitka`."""
_GENERAL = re.compile(
    r"(?:steuers?ätze?s?|steuersatz|steuer|sätze?|satz|betrag|betrages|gebühr|höhe|abgabe"
    r"|geldbuße|frist|euro|tax"
    r"|taxes|rates?|amounts?|fees?|charges?|fines?|penalty|penalties|sum|percentage|deadline|time"
    r"|limit"
    r"|stop[aeiu]|porez\w?|iznos\w{0,2}|kazn\w{1,2}|rok\w{0,2}|novčan\w{1,3}|visin\w|eur[ao]?"
    r"|dana?|days?|nummer|nr"
    r"|\w+steuer|gesetz\w{0,2}|propisan\w?|izrečen\w?|izreći|propisati|https?|www\S+|zakon\w{0,2}"
    r"|act|subject|dužan|point|period|value|posto|higher|lower)",
    re.IGNORECASE,
)
_DUE = re.compile(
    r"gebühr|betrags?|steuer|satz|höhe|frist|tax|rate|fee|amount|fine|sum|porez\w?|stop[aeu]"
    r"|naknad[aeu]|iznos\w?",
    re.IGNORECASE,
)
"""What is due in general, at the end of a phrase: `für die Verwaltung eines Kontos eine Gebühr`."""
_VERB = re.compile(
    r"[a-z]{3,}ed|maintain|apply|applies|make|give|send|provide|submit|pay|receive|continue"
    r"|incurred|held|made"
)
"""English verbs that are left alone between others."""
_ALONE = re.compile(
    r"where|when|more|less|case|until|before|after|see|would|already|greater|higher|lower|either"
    r"|regularly|thereafter|effect|separate|appropriate|both|ukupno|primjeren|čemu|prema|nakon"
    r"|hiervon|davon|dabei|nacheinander",
    re.IGNORECASE,
)
"""Words that say nothing when they are left alone between others."""
_EACH = re.compile(r"(?:halb)?jährlich|(?:viertel)jährlich|monatlich|wöchentlich|täglich|stündlich")
_MARKERS = re.compile(
    r"^(?:\d{1,4}[A-Z]{0,2}[.—–-]{1,3}\s?)?(?:[(❨]\w{1,4}[)❩]\s?){1,3}(?=[^\W\d])"
)
"""`5.—(1) A person`: the number of the paragraph that a phrase begins with."""
_TARGET = re.compile(r"(?<=\])\(/[^()\s]{1,80}\)")
_NUMBERING = re.compile(r"\d[\d.]*\)?")
_EDGES = " ,;:.–—-/’'\n\t"


def find_qualifiers(
    clause: Clause,
    figure: Figure,
    case: Sequence[str],
    leads: Sequence[str] = (),
    language: str | None = None,
    last: str = "",
) -> tuple[str, ...]:
    """The phrases that say what a figure is about, without those of its condition.

    `leads` introduce the list it is in; `last` is the sentence before, which says what a sentence
    such as `Sie beträgt 5 Euro` is about.
    """
    text = _blot_figures(clause, _blot_cases(_blot_targets(clause.text), case))
    before, after = _find_own_words(clause, figure, text)
    own = list(_find_phrases(before, language, last=True))
    first, _ = clause.part_of(figure.start)
    if not own and not any(one.kind in VALUES and one.end <= first for one in clause.figures):
        own = list(_find_phrases(text[:first], language, last=True))
    found = [
        *own[:1],
        *own[-_PHRASES:],
        *list(_find_phrases(after, language))[: _PHRASES + (figure.kind is FigureKind.TIME)],
    ]
    around = [
        phrase
        for lead in leads[-_LEADS:] or ([clause.lead] if clause.text[:1].islower() else [])
        if lead and not _AMENDED.search(lead)
        for phrase in _find_lead_phrases(_blot_cases(_blot_targets(lead), case), language)
    ]
    found = [*around, *found]
    if not found:
        found = list(_find_phrases(_blot_cases(last, case), language))[:_PHRASES]
    if whichever := _WHICHEVER.search(clause.text, figure.end):
        found.append(whichever[0])
    if bound := _BOUND.search(clause.text[: figure.start]):
        found.append(bound[0].strip())
    return tuple(_drop_repeats(found))


def _find_lead_phrases(lead: str, language: str | None) -> list[str]:
    phrases = _find_phrases(lead, language, last=True)
    return [one for one in phrases if not _FOLLOWING.search(one)][-_PHRASES:]


def _blot_targets(text: str) -> str:
    """The text with the addresses of its links masked, because they are not words of the act."""
    return _TARGET.sub(lambda found: "·" * len(found[0]), text)


def _blot_cases(text: str, case: Iterable[str]) -> str:
    """The text with the words of its condition masked."""
    for part in (one for value in case for one in value.split("; ")):
        words = r"\W{1,90}".join(map(re.escape, re.findall(r"\w+", part)))
        if match := re.search(words, text) if words else None:
            text = text[: match.start()] + "·" * (match.end() - match.start()) + text[match.end() :]
    return text


def _blot_figures(clause: Clause, text: str) -> str:
    """The text with its sums and shares masked."""
    for one in clause.figures:
        if one.kind in VALUES:
            text = text[: one.start] + "·" * (one.end - one.start) + text[one.end :]
    return text


def _find_own_words(clause: Clause, figure: Figure, text: str) -> tuple[str, str]:
    """The words before and after a figure that are about it and not about another figure."""
    first, last = clause.part_of(figure.start)
    first = max(first, clause.begin) if clause.begin <= figure.start else first
    apart = [one.span() for one in _BRACKETS.finditer(text)]
    apart = [(start, end) for start, end in apart if not start <= figure.start < end]
    others = [
        one
        for one in clause.figures
        if (one.kind is figure.kind or (one.kind in VALUES and figure.kind in VALUES))
        and first <= one.start < last
        and one.kind is not FigureKind.DATE
        and not any(start <= one.start < end for start, end in apart)
    ]
    for start, end in apart:
        if any(start <= one.start < end for one in clause.figures):
            text = text[:start] + "·" * (end - start) + text[end:]
    start, end = figure.start, figure.end
    earlier = [one for one in others if one.end <= figure.start]
    later = [one for one in others if one.start >= figure.end]
    while earlier and _RANGE.fullmatch(clause.masked[earlier[-1].end : start]):
        start = earlier.pop().start
    while later and _RANGE.fullmatch(clause.masked[end : later[0].start]):
        end = later.pop(0).end
    before, after = (
        text[_reach_back(text, first, start) : start],
        text[end : min(last, end + _REACH)],
    )
    if later:
        after = _cut_at_separator(text[end : later[0].start])
        if not _WORD.search(_cut_at_separator(clause.text[end : later[0].start])):
            after = text[later[-1].end : last]
    if earlier:
        own = _drop_to_separator(text[earlier[-1].end : start])
        before = own if any(_find_phrases(own, None)) else text[first : earlier[0].start]
    return before, after


def _reach_back(text: str, first: int, start: int) -> int:
    """Where the words before a figure begin: not in the middle of one."""
    if start - _REACH <= first:
        return first
    space = text.find(" ", start - _REACH, start)
    return space if space >= 0 else start - _REACH


def _cut_at_separator(between: str) -> str:
    """What the words between two figures say about the first."""
    found = _SEPARATES.search(between)
    return between[: found.start()] if found else between


def _drop_to_separator(between: str) -> str:
    """What the words between two figures say about the second."""
    found = _SEPARATES.search(between)
    return between[found.end() :] if found else ""


def _find_phrases(words: str, language: str | None, *, last: bool = False) -> Iterator[str]:
    words = _NUMBERED.sub(r"❨\1❩", _SHORT_BRACKETS.sub(r"\1", words))
    plain = _ASIDE.sub(";", _NOISE.sub(" ", _CELL.sub("; ", " ".join(words.split()))))
    plain = _DENIED.sub(lambda found: f"; {found['en'] or found['hr']} ", plain)
    if language == "de":
        plain = _GERMAN_VERB.sub(";", plain)
    for part in _BREAKS.split(plain):
        if phrase := _trim(part, language, last=last):
            yield phrase.replace("❨", "(").replace("❩", ")")


def _trim(part: str, language: str | None, *, last: bool) -> str:
    """A phrase without articles, conjunctions and the verb at its end; empty if little is left.

    Of a long phrase before a figure the `last` words count, otherwise the first.
    """
    words = _CONCERNING.sub("", _MARKERS.sub("", part.strip(_EDGES))).split()
    if language != "de" and words[:1] == ["je"]:
        words = words[1:]
    if len(words) > _WORDS:
        words = words[-_WORDS:] if last else words[:_WORDS]
    while (
        language == "de"
        and words
        and not words[-1][:1].isupper()
        and not words[-1][-1].isdigit()
        and not _EACH.fullmatch(words[-1])
    ):
        # A noun begins with a capital letter; what follows it is a verb.
        words = words[:-1]
    while len(words) > 1 and _NUMBERING.fullmatch(words[0]):
        words = words[1:]
    while words and words[0].lower() in _STRIPPED and words[0].lower() not in _KEPT_FIRST:
        words = words[1:]
    while words and (
        _is_empty(words[-1]) or words[-1].lower() in _NEGATIONS or _is_due_in_general(words)
    ):
        words = words[:-1]
    if len(words) == 1 and (_VERB.fullmatch(words[0]) or _ALONE.fullmatch(words[0])):
        return ""
    content = [one for one in words if _WORD.search(one) and one.lower() not in _STRIPPED]
    if not any(not _GENERAL.fullmatch(one.strip(_EDGES)) for one in content):
        return ""
    return " ".join(words).strip(_EDGES)


def _is_empty(word: str) -> bool:
    return word.lower().strip(_EDGES) in _STRIPPED | _KEPT_FIRST


def _is_due_in_general(words: Sequence[str]) -> bool:
    """Whether a phrase ends with `eine Gebühr`, `the amount`: what every figure is."""
    return len(words) > 1 and words[-2].lower() in _STRIPPED and bool(_DUE.fullmatch(words[-1]))


def _drop_repeats(found: Iterable[str]) -> Iterator[str]:
    seen: list[str] = []
    for phrase in found:
        if not any(phrase.casefold() in one for one in seen):
            seen.append(phrase.casefold())
            yield phrase
