"""What kind of thing a figure is about, for whom and per which unit, in the sentence's words."""

import re
from collections.abc import Iterator, Sequence

from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.figures import Figure

_REACH = 160
_MOST = 4
_BREAKS = re.compile(
    # Verbs, and what introduces a figure.
    r"[,;:()\[\]·„“”»«\"]+|(?<!\w)(?:iznos[ie]|iznosu|plaća(?:ju)?(?:\sse)?|obračunava(?:\sse)?|(?-i:je(?!\s[A-ZÄÖÜ]))|su|se"
    r"|kazni?t\sće(?:\sse)?|novčan\w{1,3}\skazn\w{1,3}|ne\smože|može|mogu|biti|najviše|najmanje"
    r"|do|od|duž(?:an|na|ni)|dužn\w|u\sroku|is|are|be|shall|may|must|will|been|not\sexceeding"
    r"|up\sto|at\sleast|more\sthan|less\sthan|imposed|charged|equal|beträgt|betragen|ist|sind"
    r"|wird|werden|kann|können|erhoben|bis\szu|mehr\sals|höchstens|mindestens|in\shöhe|von|auf"
    r"|at|to|wenn|if|ako|percent|per\scent|prozent)(?!\w)",
    re.IGNORECASE,
)
_NOISE = re.compile(r"\\(?=[^\w\s])|\*{1,3}|(?<!\w)F\d{1,4}\[")
_WORD = re.compile(r"[^\W\d_]{3,}")
_EDGES = " ,;:.–—-\n\t"


def find_qualifiers(clause: Clause, figure: Figure, case: Sequence[str]) -> tuple[str, ...]:
    """The phrases around a figure that are not its condition, those nearest to it."""
    start, _ = clause.part_of(figure.start)
    before = clause.masked[max(start, figure.start - _REACH) : figure.start]
    after = clause.words_after(figure)[:_REACH]
    taken = " ".join(case).casefold()
    near = [*list(_find_phrases(before, taken))[-_MOST // 2 :]]
    near += list(_find_phrases(after, taken))[: _MOST // 2]
    return tuple(dict.fromkeys(near))


def _find_phrases(words: str, taken: str) -> Iterator[str]:
    for part in _BREAKS.split(_NOISE.sub("", " ".join(words.split()))):
        phrase = part.strip(_EDGES)
        if _WORD.search(phrase) and phrase.casefold() not in taken:
            yield phrase
