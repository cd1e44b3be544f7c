"""The case in which a figure applies, whole and in the words of its provision."""

import re
from collections.abc import Iterable, Iterator, Sequence

from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.figures import VALUES, Figure

_LONGEST = 400
_NEAR = 20
"""A comma so close before a figure ends what was inserted there."""
_SHORTEST = 4
"""The fewest words of a condition that only a comma ends."""
_FEW = 200
"""A point without a verb that is not longer says which case its own points are about."""
_OPENS = re.compile(
    r"(?<![^\W_])(?:ako|ukoliko|pod\s+uvjetom|uz\s+uvjet|osim|izuzev|u\s+slučaj(?:u|evima)"
    r"|(?<!even\s)(?<!as\s)if|unless|provided(?=\s+(?:that|always|however)|,)|except|in\s+so\s+far\s+as|in\s+the\s+case\s+of"
    r"|(?<!is\s)(?<!are\s)(?<!be\s)subject\s+to(?!\s+(?:a|an)\s)|other\s+than|wenn|falls|sofern"
    r"|soweit|außer(?!\s+(?:kraft|ansatz|betracht|acht))|ausgenommen|es\s+sei\s+denn|vorbehaltlich"
    r"|ungeachtet|unter\s+der\s+voraussetzung|im\s+falle?|in\s+(?:den\s+|allen\s+)?(?:anderen\s+"
    r"|übrigen\s+)?fällen|u\s+(?:svim\s+)?ostalim\s+slučajevima|in\s+the\s+event|in\s+an?y?\s+case\s+(?:where|in\s+which)"
    r"|in\s+(?:any|all|every)\s+other\s+cases?)(?![^\W_])"
    r"|(?:^|(?<=[,;:.]\s))\W{0,3}(?:kad|kada|where|when|in\s+cases\s+where|bei|beim|in\s+den\s+in|za\s+vrijeme"
    r"|za\s+(?:\w{1,12}\s+)?prekršaj\w{0,3})(?![^\W_])",
    re.IGNORECASE,
)
_INVERTED = re.compile(
    r"\W{0,3}(?:Ist|Sind|Wird|Werden|Hat|Haben|Kann|Können|Darf|[A-ZÄÖÜ][a-zäöüß]{2,16}(?:t|en))"
    r"\s+(?:der|die|das|den|dem|des|ein\w{0,2}|er|sie|es|sich|im|in|zwischen|mehrere|keine?r?|sowohl|dies\w{1,2}|weder|nach|bei|für|auf|von|mehr|ihm|ihr)\s"
)
_PHRASE = re.compile(
    r"\W{0,3}(?:bei|beim|im\s+falle?|in\s+(?:\w{1,9}\s+){0,2}fällen|in\s+den\s+in|u\s+slučaj\w{1,4}"
    r"|u\s+(?:svim\s+)?ostalim|in\s+the\s+(?:case|event)|in\s+\w{3,5}\s+other|za\s|ungeachtet"
    r"|vorbehaltlich)",
    re.IGNORECASE,
)
"""A case without a verb; the verb of its sentence ends it."""
_FINITE = re.compile(
    r"\s(?:ist|sind|wird|werden|beträgt|betragen|gilt|gelten|kann|können|darf|muss|hat|haben|se|je|su"
    r"|može|iznosi|kaznit|kažnjava|shall|may|must|will)\s",
    re.IGNORECASE,
)
_COPULA = re.compile(r"(?<!that)(?<!which)(?<!who)(?<!it)\s(?:is|are)\s")
_MODAL = re.compile(r"\s(?:shall|must|duž(?:an|na|no|ni)|mora|moraju)\s", re.IGNORECASE)
"""Verbs of a main clause that a condition rarely contains."""
_AUXILIARY = re.compile(
    r"\s(?:shall|may|must|will|duž\w{1,3}\s(?:je|su)|može|mogu)\s", re.IGNORECASE
)
"""The verb after a relative clause that no comma ends."""
_OPEN_END = re.compile(
    r"(?<!\w)(?:bei|für|wenn|soweit|ako|za|od|na|if|when|where|for|on|by|of)\W{0,3}$", re.IGNORECASE
)
_GOES_ON = re.compile(
    r",\s{0,3}(?:in\s+(?:denen|welchen|which)|bei\s+denen|u\s+kojima|koj\w{1,3}|čij\w{1,3}|a\s+(?:na|u|koj)|ali|odnosno|te|ili|i|da|što|za\s+koj\w{1,3}"
    r"|which|who|whose|that|or|and|including|other|as|in\s+accordance|determined|der|die|das|den"
    r"|dem|deren|dessen|welche\w?|oder|und|sowie|dass?|bevor|wenn|soweit|sofern|durch)(?!\w)"
    r"|,\s{0,3}[^\s,\d]{1,30}(?:,|\s(?:und|oder|or|and|i|ili)\s)",
    re.IGNORECASE,
)
_MAIN = re.compile(
    r"(?<!\w)(?:se|je|su|će|duž(?:an|na|ni|no)|ima|imaju|može|mogu|mora|iznosi|iznose|plaća|rok|stopa|kazn\w{1,4}|najviše|up\s+to"
    r"|shall|is|are|may|must|will|tax|rate|so|ist|sind|wird|werden|beträgt|betragen|endet|gilt"
    r"|gelten|kann|können|hat|haben|ermäßigt|erhöht)(?!\w)",
    re.IGNORECASE,
)
_VERB = re.compile(r",\s{0,3}(?:so|muss|darf|soll|[a-zäöüß]{2,20}(?:t|en|st|ß|rd))\s")
_TRAILS = re.compile(
    r",\s{0,3}(?:whichever|s\s+tim|wobei|pri\s+čemu|dok|while|höchstens|a\s+najviše|jedoch"
    r"|odnosno\s+novčan)|;",
    re.IGNORECASE,
)
_JOINS = re.compile(r"(?<!\w)(?:or|ili|oder|odnosno|bzw\.|and|i|und)[,\s]{0,3}$", re.IGNORECASE)
_OFFENCE = re.compile(
    r"(?<!\w)za\s+(?:\w{1,12}\s+)?prekršaj\w{0,3}\s+(?:iz|propisan\w{0,3}|određen\w{0,3}|opisan\w{0,3}|u\s+području"
    r"|koj\w{1,3}|s\s+obilježj\w{1,3})(?:\s+(?!novčan|kaznit|može|ne\s|propisati|smije|za\s+počin|fizičk|pravn|okrivljen"
    r"|odgovorn)[^\s;]{1,40}){0,40}",
    re.IGNORECASE,
)
_OFFENDER = re.compile(
    r"(?:kazni?t\s+će(?:\s+se)?|kažnjava\s+se)[^;]{0,300}?\s(?P<did>(?:koj[iae]|ako)\s.*)",
    re.IGNORECASE | re.DOTALL,
)
_SUBJECTED = re.compile(
    r"[\W\d]{0,20}(?P<did>[^\W\d].{15,500}?),?\s(?:shall|is|are|may|will|commits)(?:,[^,]{0,80},)?\s(?:\w{1,9}\s){0,3}"
    r"(?:subject\s+to|liable|punish\w{1,6}|fined|guilty|penali[sz]ed|imprisoned|forfeit|an\s+offence"
    r"|pay|assessed|imposed)",
    re.IGNORECASE | re.DOTALL,
)
_WHOEVER = re.compile(r"\W{0,3}(?P<did>Wer\s.{10,400}?),\s(?:wird|ist|kann|hat|muss)\s", re.DOTALL)
_WHO = re.compile(
    # Persons that a relative clause describes.
    r"(?<!\w)(?:(?i:an?|any|each|every|no|the)\s(?:[^\W\d]{2,15}\s){1,3}(?:who|whose)"
    r"|(?i:osob|obvezni|poslodav|radni[kc]|zaposleni|korisni|primatelj|građan|potrošač|poduzetni|stran[ac]"
    r"|vlasni[kc]|društv|ustanov)\w{0,5}(?:\s[^\W\d]{2,20}){0,2},?\s(?:koj[iae]|čij[iae])"
    r"|(?:(?:Person|Arbeitnehmer|Arbeitgeber|Unternehm|Steuerpflichtig|Versichert|Beschäftigt|Beamt"
    r"|Verbraucher|Körperschaft|Betrieb|Gesellschaft)\w{0,8}|(?:Ein\w{0,2}|Jed\w{1,2}|Alle)\s[A-ZÄÖÜ]\w{2,30}),\s(?:der|die|das|deren|dessen|denen)"
    r"|^Wer)(?!\w)",
)
_OF_ITEM = re.compile(
    r"\W{0,8}(?:za|na|u|bei|beim|für|im|in|an|for|on|in\s+the\s+case\s+of|where)\s", re.IGNORECASE
)
_OF_SHARE = re.compile(r",?\s{0,3}(?:za|na|u|bei|für|for|on|in\s+the\s+case\s+of)\s", re.IGNORECASE)
_COMPARED = re.compile(
    r"(?<!\w)(?:mit|bei|with|of|s|od|čij\w{1,3}|whose|deren|dessen)\s(?:(?!\d)[^\s,;]{1,30}\s){1,6}"
    r"(?:mehr\s+als|weniger\s+als|bis\s+zu|über|unter|höchstens|mindestens|more\s+than|less\s+than"
    r"|not\s+exceeding|exceeding|up\s+to|već\w{1,2}\s+od|manj\w{1,2}\s+od|preko|do|najviše)\s"
    r"\d[\d.,\s\u00a0]{0,14}(?:\s?[^\s,;.\d]{1,12}){0,2}",
    re.IGNORECASE,
)
_NOISE = re.compile(r"\\(?=[^\w\s])|\*{1,3}|(?<!\w)F\d{1,4}\[|\]|·")
_SPACED = re.compile(r"\s([,;.)])")
_MARKER = re.compile(r"^[\s\\(]{0,3}(?:\d{1,3}[a-z]?|[a-z]{1,3})[\\.)]{1,3}\s{1,3}")
_REFERRED = re.compile(
    r"\s{1,3}(?:(?:des|der|von|nach|iz|of|under|referred\sto\sin)\s{1,3})?·+(?:,?\s(?:und|oder|and|or|i|ili)\s·+)*"
)
"""`in den Fällen des § 93`: a case that only a provision describes."""
_SAME_CASE = re.compile(
    r"[\W\d]{0,8}(?:in\s+(?:diesem\s+fall|diesen\s+fällen)|u\s+(?:tom|tome|takvom)\s+slučaju|u\s+(?:tim|takvim)"
    r"\s+slučajevima|in\s+(?:that|this|such|these|those)\s+(?:a\s+)?cases?|where\s+this\s+is\s+the\s+case)(?!\w)",
    re.IGNORECASE,
)
_DEFINES = re.compile(
    r"(?<!\w)(?:means|bedeutet|znači|hereby\s+amended|is\s+amended|mijenja\s+se)(?!\w)",
    re.IGNORECASE,
)
_BEGINS = re.compile(r"(?:if|where|when|ako|ukoliko|kada?|wenn|soweit|sofern)\s", re.IGNORECASE)
_BARE = re.compile(
    r"(?:if|where|when|ako|kada?|wenn)(?:\s(?:he|she|or|it|they|er|sie|es|on|ona|se|je|the|person|that|—))*",
    re.IGNORECASE,
)
"""A condition of which only the beginning was found."""
_INSERTED = re.compile(
    r"(?<!\w)(?:may|shall|must|will|can|which|that|kann|ist|wird|može|mora),\s{1,3}$", re.IGNORECASE
)
_AMENDS = re.compile(
    r"(?<!\w)(?:by\s+(?:the\s+)?substitut\w{2,4}|the\s+(?:substitution|insertion|deletion)|by\s+inserting|ersetzt|zamjenjuj\w{1,2}|mijenja\w{0,2})(?!\w)",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"[A-Z][^.,:—–]{3,120}$|\W{0,3}(?i:in|im|u)\s(?:(?:sub)?section|paragraph|the\sdefinition|§|Absatz|član|stav)"
)
"""A title of what follows, or what is amended: neither limits anything."""
_NEXT_CLAUSE = re.compile(
    r",\s(?:a|no|te)\s{1,3}$|[\s,](?:but|aber|jedoch|ali),?\s{1,3}$", re.IGNORECASE
)
"""After these words a condition begins what the sentence says next."""
_INTRODUCES = re.compile(
    r"(?:[,\s]{1,3}(?:ein\w{0,2}|der|die|das|von|auf|um|zu|in|höhe|anteil|betrag|mehr|weniger|als|bis"
    r"|höchstens|mindestens|beträgt|betragen|liable|a|an|the|to|of|is|at|fine|class|penalty|rate|not"
    r"|exceeding|more|less|than|up|least|sum|amount|within|innerhalb|binnen|frist|rok\w{0,2}|od|do|u|iznos\w{0,2}|stop\w{1,2}|po|najviše"
    r"|najmanje|novčan\w{1,3}|kazn\w{1,3})){1,9}[,\s]{0,3}$",
    re.IGNORECASE,
)
"""The words between what an item is about and its figure."""
_FOLLOWING = re.compile(r"(?<!\w)(?:following|folgend\w{0,2}|sljedeć\w{1,3})(?!\w)", re.IGNORECASE)
_MOST_POINTS = 8
"""A longer list is known by its provision."""
_WORDS_OF_POINT = 12
_COMMA = re.compile(r",(?!\d)")
_EDGES = " ,;:.–—-\n\t"


def find_case(
    clause: Clause,
    figure: Figure,
    predicate: str,
    leads: Sequence[str] = (),
    points: Sequence[str] = (),
) -> tuple[str, ...]:
    """The words that limit a figure, part by part.

    `leads` introduce the list it is in; `points` are the list that its sentence introduces.
    """
    is_limit = predicate == "threshold"
    found = [part for lead in leads for part in _find_in_lead(lead, is_limit=is_limit)]
    if leads and not is_limit and _OPEN_END.search(leads[-1]):
        found.append(
            f"{found.pop() if found else ''} {_INTRODUCES.sub('', clause.text[: figure.start])}"
        )
    if leads and found and found[-1].count(" ") < _SHORTEST and _BEGINS.match(found[-1]):
        # "where the provider" goes on in each point.
        found.append(f"{found.pop()} {clause.text}")
    listed = bool(leads) and not refers_back(clause.text)
    stretches = list(_find_stretches(clause, figure, predicate, listed=listed))
    merged = list(_merge(stretches))
    found += [clause.text[start:end] for start, end in merged]
    if merged and 0 < len(points) <= _MOST_POINTS and _continues(clause, merged):
        found += [" ".join(point.split()[:_WORDS_OF_POINT]) for point in points]
    cleaned = dict.fromkeys(
        part for part in map(_clean, found) if " " in part and not _BARE.fullmatch(part)
    )
    return tuple(_cut_length(cleaned))


def refers_back(text: str) -> bool:
    """Whether a sentence applies in the case that the sentence before describes."""
    return _SAME_CASE.match(text) is not None


def _continues(clause: Clause, found: Sequence[tuple[int, int]]) -> bool:
    """Whether a condition goes on in the list after its sentence."""
    reaches = max(end for _, end in found) >= len(clause.text.rstrip(_EDGES))
    return reaches or any(_FOLLOWING.search(clause.text, *one) for one in found)


def _clean(words: str) -> str:
    plain = _NOISE.sub(lambda found: "" if found[0] in "\\]·" else " ", words)
    plain = _SPACED.sub(r"\1", " ".join(_MARKER.sub("", plain).split()))
    return _JOINS.sub("", plain.strip(_EDGES)).strip(_EDGES)


def _cut_length(parts: Iterable[str]) -> Iterator[str]:
    left = _LONGEST
    for part in parts:
        if left > 0:
            yield part if len(part) <= left else part[:left].rpartition(" ")[0]
        left -= len(part)


def _merge(stretches: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The stretches in order, without those that others contain."""
    reached = -1
    for start, end in sorted(stretches, key=lambda one: (one[0], -one[1])):
        if end > reached:
            yield max(start, reached), end
            reached = end


def _find_stretches(
    clause: Clause, figure: Figure, predicate: str, *, listed: bool
) -> Iterator[tuple[int, int]]:
    text = clause.masked
    if predicate.startswith("penalty"):
        yield from _find_offence(text, figure, clause.begin)
    elif predicate != "threshold":
        yield from _find_persons(text, figure)
    if (begun := _INVERTED.match(text)) and (end := _find_main(text, begun.end(), figure.start)):
        yield 0, end
    if listed:
        yield from _find_in_item(clause, figure)
    yield from _find_conditionals(clause, figure, predicate)


def _find_offence(text: str, figure: Figure, begin: int) -> Iterator[tuple[int, int]]:
    yield from (match.span() for match in _OFFENCE.finditer(text))
    for form in (_OFFENDER, _SUBJECTED, _WHOEVER):
        match = form.search(text) if form is _OFFENDER else form.match(text, begin)
        if match and not match.start("did") <= figure.start < match.end("did"):
            yield match.span("did")


def _find_persons(text: str, figure: Figure) -> Iterator[tuple[int, int]]:
    """`an employee who has worked for a year`: those for whom it applies."""
    for match in _WHO.finditer(text):
        before = figure.start if match.start() < figure.start else len(text)
        end = _find_main(text, match.end(), before)
        if (verb := _AUXILIARY.search(text, match.end(), before)) is not None:
            end = min(end or before, verb.start())
        if before == len(text) or end is not None:
            stop = _COMMA.search(text, match.end(), before) if end is None else None
            yield match.start(), stop.start() if stop else end or before


def _find_in_item(clause: Clause, figure: Figure) -> Iterator[tuple[int, int]]:
    """`für Bier 5 Euro`, `5 Euro für Bier`: what an item of a list is about."""
    text = clause.masked
    if _AMENDS.search(text):
        return
    if of := _OF_ITEM.match(text, clause.begin):
        first = next((one.start for one in clause.figures if one.kind in VALUES), figure.start)
        first = max(of.end(), min(first, figure.start))
        end = _find_main(text, of.end(), first)
        words = _INTRODUCES.sub("", text[: end or first])
        yield clause.begin, len(words)
    elif after := _OF_SHARE.match(text, figure.end):
        end = _TRAILS.search(text, after.end())
        yield after.start(), end.start() if end else len(text)


def _find_conditionals(clause: Clause, figure: Figure, predicate: str) -> Iterator[tuple[int, int]]:
    text = clause.masked
    reached, later = 0, False
    for match in _OPENS.finditer(text):
        start = match.start()
        if start < reached or (predicate.startswith("penalty") and "prekršaj" in match[0].lower()):
            continue
        others = [one for one in clause.figures if one.kind in VALUES and one.start >= match.end()]
        if start < figure.start:
            if _is_of_earlier_part(clause, figure, start):
                continue
            reached = _find_bracket_end(text, start, figure.start)
            if reached < figure.start:
                yield start, reached
                continue
            end = _find_end(text, match, figure.start)
            if end is None and predicate != "threshold" and not _FINITE.search(text, 0, start):
                end = _find_any_comma(text, match.end(), figure.start)
            if end is None:
                # The figure is in the condition itself.
                return
            reached = end
            yield start, end
            continue
        if _JOINS.search(text[max(0, start - 12) : start]) and others:
            return
        if _NEXT_CLAUSE.search(text[max(0, start - 12) : start]):
            return
        if (closed := _find_other_brackets(text, figure, start)) is not None:
            reached = closed
            continue
        own_part, _ = clause.part_of(start)
        if own_part > figure.start and any(
            one.kind is figure.kind and own_part <= one.start < start for one in clause.figures
        ):
            return
        between = any(
            one.kind is figure.kind and figure.end + 15 < one.start < start
            for one in clause.figures
        )
        if later and between:
            return
        inserted = _INSERTED.search(text[max(0, start - 12) : start])
        end_mark = (_COMMA if inserted else _TRAILS).search(text, match.end())
        reached = _find_bracket_end(text, start, end_mark.start() if end_mark else len(text))
        later = True
        yield start, reached


def _find_bracket_end(text: str, start: int, end: int) -> int:
    """Where the brackets close that a stretch begins in, if that is before its end."""
    depth = 0
    for at in range(start, end):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth < 0:
            return at
    return end


def _find_other_brackets(text: str, figure: Figure, at: int) -> int | None:
    """Where the brackets around a place end, unless the figure is in the same ones."""
    opened = text.rfind("(", figure.end, at)
    if opened < 0 or text.find(")", opened, at) >= 0:
        return None
    closed = text.find(")", at)
    return closed if closed > 0 else len(text)


def _find_end(text: str, opened: re.Match[str], before: int) -> int | None:
    """Where a condition ends that begins before a place."""
    end = _find_main(text, opened.end(), before)
    if not _PHRASE.match(opened[0]):
        return end
    if of_reference := _REFERRED.match(text, opened.end(), before):
        return of_reference.end()
    comma = _COMMA.search(text, opened.end(), before)
    near = comma.start() if comma else before
    verbs = (_FINITE.search(text, opened.end(), before), _COPULA.search(text, opened.end(), near))
    if found := [verb.start() for verb in verbs if verb]:
        return min(end or before, *found)
    if end is None and before < len(text) and before - opened.end() < _FEW:
        # "beträgt ungeachtet des Satzes 2 5 Prozent": nothing but the figure ends it.
        return len(_INTRODUCES.sub("", text[:before]))
    return end


def _find_any_comma(text: str, start: int, before: int) -> int | None:
    """The comma after a condition of a few words that no known verb follows."""
    commas = (one.start() for one in _COMMA.finditer(text, start, before))
    long = (at for at in commas if text.count(" ", start, at) >= _SHORTEST)
    return next((at for at in long if not _GOES_ON.match(text, at)), None)


def _is_of_earlier_part(clause: Clause, figure: Figure, at: int) -> bool:
    """Whether a condition follows another value in an earlier part of the sentence."""
    first, _ = clause.part_of(figure.start)
    return at < first and any(one.kind in VALUES and one.end <= at for one in clause.figures)


def _find_main(text: str, start: int, before: int) -> int | None:
    """The comma after which the main clause begins, if that is before a place."""
    fronted = not _FINITE.search(text, 0, start)
    if fronted and (modal := _MODAL.search(text, start, before)):
        # "Where the authority, upon completion, decides to oppose it, it shall …"
        commas = [one.start() for one in _COMMA.finditer(text, start, modal.start() + 1)]
        after = [at for at in commas if not _GOES_ON.match(text, at)]
        if after:
            return after[-1]
    for match in _COMMA.finditer(text, start, before):
        at = match.start()
        if text.count("(", start, at) > text.count(")", start, at):
            continue
        if _VERB.match(text, at):
            return at
        if not _GOES_ON.match(text, at) and (before - at < _NEAR or _MAIN.search(text, at, before)):
            return at
    return None


def _find_in_lead(lead: str, *, is_limit: bool) -> Iterator[str]:
    """The conditions in the words that introduce a list."""
    flat = " ".join(lead.split())
    if _DEFINES.search(flat):
        return
    if (begun := _INVERTED.match(flat)) and (end := _find_main(flat, begun.end(), len(flat))):
        yield flat[:end]
        return
    reached, opened = 0, False
    for match in _OPENS.finditer(flat):
        if match.start() < reached:
            continue
        end = _find_end(flat, match, len(flat))
        if end is None and is_limit:
            # "only if the base is": what follows is compared with the limit.
            continue
        reached, opened = len(flat) if end is None else end, True
        yield flat[match.start() : reached]
    if opened:
        return
    if len(flat) <= _FEW and not _MAIN.search(flat) and not _HEADING.match(flat):
        yield flat
        return
    if compared := _COMPARED.search(flat):
        yield compared[0]
