"""Sentences and paragraphs, with their positions.

English first, with the conventions of German and Croatian as well. Every step looks back a bounded
distance and moves forward once, which is why the time grows linearly with the text.
"""

import re
from collections.abc import Iterator

_STOP = re.compile(r"(?:[.!?…]++|[。！？]++)(?:[\"'”’»›“)\]}]|\[[0-9]{1,3}\])*+")
_NEXT = re.compile(r"\s*+[\"'“‘„«‹‚(\[{¿¡*_–—-]{0,8}+([^\W_]{0,40}+)")
_OPENING = "\"'“‘„«‹‚([{¿¡*_–—-"
_LINE = re.compile(r"[^\r\n]*+(?:\r\n|\r|\n|\Z)")
_LISTED = re.compile(r"[ \t]*+(?:[-*+•·▪‣◦][ \t]|[(]?(?:[0-9]{1,3}|[A-Za-z])[)][ \t]|[|#])")
_NUMBERED = re.compile(r"[ \t]*+[0-9]{1,3}(?:\.[0-9]{1,3}){0,3}\.?[ \t]++\w")
_INITIALISM = re.compile(r"(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,2}")
_BACK = 40
"""How far before a full stop its word may begin."""


def _parse_words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_NEVER_ENDS = _parse_words(
    """
    mr mrs ms mx dr prof rev hon gov sen rep pres gen col lt capt sgt cpl maj cmdr adm brig amb
    messrs mme mlle msgr fr st ste mt ft v vs viz cf approx ca e.g i.e eg ie al dept est
    dipl ing mag hl bzw sog evtl ggf vgl inkl z.b d.h u.a s.o o.ä i.d.r tzv npr tj odn gđa gđica
    sv mr.sc dr.sc prof.dr akad
    """
)
"""Abbreviations that are always followed by something."""
_BEFORE_NUMBERS = _parse_words(
    """
    no nos nr fig figs p pp vol vols ch sec sect art abs ziff kap tab eq app op para paras pt
    br čl st toč str sl god ref b d c r m v jan feb mar apr jun jul aug sept sep oct okt nov dec dez
    """
)
"""Abbreviations only if a number follows; otherwise ordinary words."""
_MAY_END = _parse_words(
    """
    jr sr inc ltd co corp llc plc bros etc esq ph.d m.d b.a m.a b.sc m.sc a.m p.m u.s u.k u.n e.u
    b.c a.d b.c.e c.e d.c usw itd i.sl d.o.o d.d a.g gmbh ave blvd rd tel mio mrd tsd mlrd
    """
)
"""Abbreviations that can be the last word of a sentence."""
_STARTERS = _parse_words(
    """
    The This That These Those He She It They We You His Her Its Their Our My In On At By For From
    With Without After Before During Since Until When While Where As If Although Though Because
    However Moreover Furthermore Meanwhile Later Then There Here An And But Or So Also Both Each
    Some Many Most Several One Two Another Such According Following Despite Today Currently
    Der Die Das Ein Eine Er Sie Es Wir Im Am Nach Vor Seit Bei Mit Für Als Wenn Dieser Diese Dieses
    Ovaj Ova Ovo Taj Ta To Oni One Na Za Od Do Iz Nakon Prije Kada Kad Ako Dok Također Godine
    """
)
"""Words that begin a sentence far more often than they follow an abbreviation."""
_ORDINAL_LEADS = _parse_words("der die das dem den des im am vom zum zur beim ins seit ab")
"""German words after which `19.` is an ordinal: `im 19. Jahrhundert`."""
_GERMAN_MONTHS = _parse_words(
    """
    januar jänner februar feber märz april mai juni juli august september oktober november dezember
    """
)


def split_sentences(text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """List where the sentences of a stretch begin and end, without surrounding white space.

    A blank line ends a sentence; a line break does so only around headings and list items.
    """
    found: list[tuple[int, int]] = []
    for block_start, block_end in _split_blocks(text, start, len(text) if end is None else end):
        begins = block_start
        for stop in _STOP.finditer(text, block_start, block_end):
            if _ends_sentence(text, begins, stop, block_end):
                found.append((begins, stop.end()))
                begins = skip_space(text, stop.end(), block_end)
        if begins < block_end:
            found.append((begins, block_end))
    return found


def skip_space(text: str, place: int, end: int) -> int:
    """The first place from here to the end that is not white space."""
    while place < end and text[place].isspace():
        place += 1
    return place


def _trim_span(text: str, start: int, end: int) -> tuple[int, int]:
    start = skip_space(text, start, end)
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _split_lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the lines without surrounding white space; a blank line is empty."""
    for line in _LINE.finditer(text, start, end):
        if line.end() > line.start():
            yield _trim_span(text, line.start(), line.end())


def _group_paragraph_lines(text: str, start: int, end: int) -> Iterator[list[tuple[int, int]]]:
    held: list[tuple[int, int]] = []
    for line in _split_lines(text, start, end):
        if line[0] < line[1]:
            held.append(line)
        elif held:
            yield held
            held = []
    if held:
        yield held


def split_paragraphs(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where the paragraphs of a stretch begin and end; blank lines separate them."""
    for lines in _group_paragraph_lines(text, start, end):
        yield lines[0][0], lines[-1][1]


def _split_blocks(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield paragraphs, cut before list items and around headings."""
    for lines in _group_paragraph_lines(text, start, end):
        begins = 0
        for place in range(1, len(lines)):
            if _is_break(text, lines, place):
                yield lines[begins][0], lines[place - 1][1]
                begins = place
        yield lines[begins][0], lines[-1][1]


def _is_break(text: str, lines: list[tuple[int, int]], place: int) -> bool:
    """Whether a sentence cannot continue from the previous line into this one."""
    start, end = lines[place]
    before_start, before_end = lines[place - 1]
    if _LISTED.match(text, start, end) or text[before_start] in "#|":
        return True
    if _NUMBERED.match(text, start, end):
        # Otherwise it is the `12. siječnja` of a wrapped line.
        return text[before_end - 1] in ".!?:;" or _NUMBERED.match(text, before_start) is not None
    return place == 1 and _is_heading(text, lines)


def _is_heading(text: str, lines: list[tuple[int, int]]) -> bool:
    """Whether the first line of a paragraph was broken on purpose: it is short, has no full stop,
    and the next word would have fitted on it."""
    (start, end), (next_start, next_end) = lines[0], lines[1]
    if end - start > 80 or text[end - 1] in ".!?,;:–—-" or not text[next_start].isupper():
        return False
    last = text[start:end].split()[-1]
    if last[0].islower() and len(last) <= 3:
        return False
    first = _NEXT.match(text, next_start, next_end)
    width = max(line_end - line_start for line_start, line_end in lines[1:4])
    return first is not None and end - start + 1 + (first.end() - next_start) <= min(width, 60)


def _ends_sentence(text: str, begins: int, stop: re.Match[str], block_end: int) -> bool:
    """Whether a sentence that began there ends with this stop."""
    if stop.end() == block_end or stop.group()[0] in "。！？":
        return True
    if not text[stop.end()].isspace():
        return False
    follows = _NEXT.match(text, stop.end(), block_end)
    after = follows.group(1) if follows else ""
    if not after or _is_continuation(after):
        return False
    if stop.group()[0] != "." or stop.group().startswith(".."):
        return True
    words = text[max(begins, stop.start() - _BACK) : stop.start()].split()
    if not words:
        return False
    word = words[-1].lstrip(_OPENING)
    if stop.start() - begins == len(words[-1]) and (word.isdecimal() or len(word) == 1):
        # The number of a list item, not yet a sentence.
        return False
    return _stop_ends_sentence(word, words[-2].casefold() if len(words) > 1 else "", after)


def _is_continuation(after: str) -> bool:
    """Whether a word looks like the middle of a sentence; `iPhone` does not."""
    return after[0].islower() and not any(letter.isupper() for letter in after[1:3])


def _stop_ends_sentence(word: str, before: str, after: str) -> bool:
    """Whether the full stop after a word ends a sentence, if the next word could begin one."""
    small = word.casefold()
    if word.isdecimal():
        ordinal = len(word) <= 2 and (
            before in _ORDINAL_LEADS or after.casefold() in _GERMAN_MONTHS
        )
        return not ordinal and before != "godine"
    if small in _BEFORE_NUMBERS and (after[0].isdecimal() or not set(after) - set("IVXLCDM")):
        return False
    if small in _NEVER_ENDS:
        return False
    initial = len(word) == 1 and word.isupper()
    if initial or small in _MAY_END or _INITIALISM.fullmatch(word):
        return after in _STARTERS
    return True
