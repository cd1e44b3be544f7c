"""What can be seen of two mentions of a sentence: the features that examples are learned by."""

from collections.abc import Iterable, Iterator
from itertools import islice, pairwise

from assay.packs.graph.ids import folded_name
from assay.packs.graph.plain import english
from assay.packs.graph.plain.cueing import TypesOf
from assay.packs.graph.plain.lines import NAMED, Line
from assay.packs.graph.plain.mentions import Kind, Mention

_MASKS = {
    Kind.NAME: "§n",
    Kind.QUOTED: "§n",
    Kind.STAND_IN: "§n",
    Kind.VALUE: "§v",
    Kind.ADJECTIVE: "§a",
}
_OBJECTS = frozenset({Kind.NAME, Kind.QUOTED, Kind.VALUE, Kind.TERM, Kind.ADJECTIVE})
_NEAR = 14
"""A longer stretch between two mentions is known by its two ends."""
TELLING = "*"
"""What features begin with that are made of words, not of the look of things alone."""
NAMING = ("*o=", "*ow:", "sh:")
"""What features begin with that hold words of a name."""
MOST_PAIRS = 400
"""Most pairs of one sentence that are looked at."""


def pairs_of(line: Line, cued: Iterable[tuple[int, int]] = ()) -> list[tuple[int, int]]:
    """Which mention may be told something of, and by which: subject and object. Small words that
    nobody knows are looked at only where a cue leads to them."""
    subjects = [
        index
        for index, one in enumerate(line.mentions)
        if one.kind in NAMED or one.kind is Kind.TERM
    ]
    objects = [index for index, one in enumerate(line.mentions) if one.kind in _OBJECTS]
    every = ((s, o) for s in subjects for o in objects if s != o)
    return sorted({*islice(every, MOST_PAIRS), *islice(cued, MOST_PAIRS)})


class Seen:
    """The features of one line's pairs; what hangs on one mention alone is made once."""

    def __init__(self, line: Line, types_of: TypesOf) -> None:
        self.line = line
        self._types_of = types_of
        self._masked = _masked(line)
        self._alone: dict[int, list[str]] = {}

    def features(self, subject: int, object_: int) -> list[str]:
        """All that is seen of a pair."""
        line = self.line
        s, o = line.mentions[subject], line.mentions[object_]
        head = line.mentions[line.head_of_list(object_)]
        if head is s or (head.first < s.first < o.first):
            head = o
        way = "f" if s.first < o.first else "b"
        found = [_marked(way, feature) for feature in self._between(s, head, o)]
        found += self._object(object_, head, way)
        found.append(f"{way}s:{s.kind}{'1' if subject == self._first() else ''}")
        if line.depth[s.first]:
            found.append("s(" if line.depth[o.first] < line.depth[s.first] else "s()")
        found.append(f"s<{self._word(s.first - 1)}")
        found.append(f"{way}s>{self._word(s.last)}")
        found.append(f"sh:{line.low(s.last - 1)}")
        found += [f"st:{kind}" for kind in self._types_of(subject)]
        found.append(f"{way}slook:{look(s)}")
        if line.low(s.last) in english.RELATIVE or line.low(s.last + 1) in english.RELATIVE:
            found.append(f"{way}who{min(abs(subject - object_), 3)}")
        return found

    def _first(self) -> int:
        for index, mention in enumerate(self.line.mentions):
            if mention.kind in NAMED:
                return index
        return -1

    def _between(self, s: Mention, head: Mention, o: Mention) -> Iterator[str]:
        first, last = (s.last, head.first) if s.first < o.first else (o.last, s.first)
        words = [word for word in self._masked[first:last] if word]
        named = words.count("§n")
        yield f"n{min(named, 4)}"
        yield f"d{min(len(words) // 3, 6)}"
        if len(words) <= 6:
            yield "=" + " ".join(words)
        if len(words) > _NEAR:
            words = [*words[:5], "…", *words[-6:]]
        for word in set(words):
            yield f":{word}"
        for one, other in pairwise(words):
            yield f"::{one} {other}"

    def _object(self, index: int, head: Mention, way: str) -> list[str]:
        o = self.line.mentions[index]
        known = self._alone.get(index)
        if known is None:
            name = folded_name(o.words)
            known = [f"*o={name}", f"k:{o.kind}", f"len{min(o.last - o.first, 5)}"]
            known += [f"*ow:{self.line.low(at)}" for at in range(o.first, min(o.last, o.first + 8))]
            if head is not o:
                known.append("listed")
            one, two = self._word(head.first - 1), self._word(head.first - 2)
            known += [
                f"o<{one}",
                f"o<<{two} {one}",
                f"{o.kind}<<<{self._word(head.first - 3)} {two} {one}",
            ]
            after, next_ = self._word(o.last), self._word(o.last + 1)
            known += [f"*o>{after}", f"*o>>{after} {next_}", f"*{o.kind}<{one}>{after}"]
            near = {self._word(at) for at in range(o.first - 5, o.first)}
            known += [f"*w<{word}" for word in near]
            known += [f"*w>{word}" for word in {self._word(at) for at in range(o.last, o.last + 4)}]
            known += [f"ot:{kind}" for kind in self._types_of(index)]
            known.append(f"look:{look(o)}")
            if o.kind is Kind.VALUE:
                known.append(f"v:{shape(o.words)}")
            self._alone[index] = known
        return [*known, f"{way}k:{o.kind}", f"*{way}o<{self._word(head.first - 1)}"]

    def _word(self, at: int) -> str:
        return self._masked[at] if 0 <= at < len(self._masked) else "§"


def _marked(way: str, feature: str) -> str:
    """A feature of what stands between: a word in it makes it a telling one."""
    telling = feature[0] in ":=" and any(word.isalpha() for word in feature.strip(":=").split())
    return f"{TELLING}{way}{feature}" if telling else f"{way}{feature}"


def _masked(line: Line) -> list[str]:
    found = [word.low for word in line.words]
    for mention in line.mentions:
        mask = _MASKS.get(mention.kind)
        if mask is not None:
            found[mention.first] = mask
            found[mention.first + 1 : mention.last] = [""] * (mention.last - mention.first - 1)
    return found


def look(mention: Mention) -> str:
    """A name by the look of its words: two capitals, initials, a body, digits."""
    return "".join(map(_mark, mention.words.split()[:5]))


def _mark(word: str) -> str:
    if word[0].isdigit():
        return "d"
    if word.casefold() in english.BODY_WORDS:
        return "b"
    if not word[0].isupper():
        return "a"
    if len(word) <= 2 and word[-1] == ".":
        return "i"
    return "U" if word.isupper() and len(word) > 1 else "A"


def shape(words: str) -> str:
    """A value with its digits and letters made alike: `dd a dddd` for `12 May 2010`."""
    found: list[str] = []
    for letter in words[:24]:
        mark = "d" if letter.isdigit() else "a" if letter.isalpha() else letter
        if mark != "a" or found[-1:] != ["a"]:
            found.append(mark)
    return "".join(found)
