"""Where an example's words are in its text, how they are spelled, and what surrounds them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice, pairwise

from assay.packs.graph.ids import fold_name
from assay.packs.graph.literals import find_literals
from assay.packs.graph.pattern_extractor import english
from assay.packs.graph.pattern_extractor.cues import TypesOf
from assay.packs.graph.pattern_extractor.english import split_label
from assay.packs.graph.pattern_extractor.kinds import NAMED, SentenceLine
from assay.packs.graph.pattern_extractor.mentions import MentionKind, NameMention

_ENOUGH = 0.5


def strip_marks(words: str) -> str:
    """Remove underscores, quotes and brackets from the words of a triple."""
    plain = words.replace("_", " ").strip().strip('"').strip()
    cut = plain.find(" (")
    return plain[:cut] if cut > 0 and plain.endswith(")") else plain


def align_words(
    words: str, lines: Sequence[SentenceLine], *, subject: bool = False
) -> list[tuple[int, int]]:
    """Find the mentions that match the words of a triple best, as line and index."""
    wanted = fold_name(strip_marks(words))
    values = _list_values(strip_marks(words))
    best = 0.0
    found: list[tuple[int, int]] = []
    for at, line in enumerate(lines):
        for index, mention in enumerate(line.mentions):
            if subject and mention.kind not in NAMED and mention.kind is not MentionKind.TERM:
                continue
            likeness = _rate_likeness(wanted, values, mention)
            if likeness > best:
                best, found = likeness, []
            if likeness and likeness == best:
                found.append((at, index))
    return found if best >= _ENOUGH else []


def _rate_likeness(wanted: str, values: frozenset[str], mention: NameMention) -> float:
    if mention.kind is MentionKind.STAND_IN:
        return 0.9 if mention.of == wanted else 0.0
    own = fold_name(mention.words)
    if own == wanted:
        return 1.0
    if mention.kind is MentionKind.VALUE:
        return _rate_value_likeness(values, mention)
    if mention.kind is MentionKind.ADJECTIVE:
        return 0.6 if len(own) > 3 and own[:4] == wanted[:4] else 0.0
    one, other = set(own.split()), set(wanted.split())
    shared = len(one & other)
    if not shared or (
        mention.kind in (MentionKind.COMMON, MentionKind.TERM) and shared < len(other)
    ):
        return 0.0
    return shared / len(one | other) * 0.85 + (0.1 if one <= other or other <= one else 0.0)


@lru_cache(maxsize=4096)
def _list_values(words: str) -> frozenset[str]:
    """List everything that words can mean as a value, including the years of dates."""
    found: set[str] = set()
    for value in find_literals(words):
        for reading in value.readings:
            found.add(_strip_fraction(reading.value))
            if reading.value.endswith("-01-01"):
                found.add(reading.value[:4])
    return frozenset(found)


def _rate_value_likeness(values: frozenset[str], mention: NameMention) -> float:
    own = _list_values(mention.words)
    if own & values:
        return 0.95
    return 0.0


def _strip_fraction(value: str) -> str:
    return value.removesuffix(".0")


def fold_label(label: str) -> str:
    """Normalize a property's label for lookup: only its words."""
    return " ".join(split_label(label))


_SEEN = 3
_SHARE = 0.6
"""How often words must mean an object, of all the times they occur with it."""
_LIFT = 1.5
"""How much more often than the object occurs overall."""
ParsedExample = tuple[Sequence[SentenceLine], Sequence[tuple[str, str, str]]]


class Spelling:
    """Which words of the texts correspond to which words of the triples."""

    def __init__(self, examples: Sequence[ParsedExample]) -> None:
        self._written: dict[str, dict[str, Counter[str]]] = {}
        self._opened: list[str] = []
        beside: dict[str, dict[str, Counter[str]]] = {}
        seen: dict[str, Counter[str]] = {}
        totals: dict[str, Counter[str]] = {}
        for lines, triples in examples:
            own = set(_list_words(lines))
            for predicate in {one for _, one, _ in triples}:
                seen.setdefault(predicate, Counter()).update(own)
            for subject, predicate, object_ in triples:
                totals.setdefault(predicate, Counter())[object_] += 1
                self._note_spelling("", subject, lines, subject=True)
                if not self._note_spelling(predicate, object_, lines):
                    for words in own - {fold_name(subject)} - self._list_verbs(own):
                        counted = beside.setdefault(predicate, {}).setdefault(words, Counter())
                        counted[object_] += 1
        self._meant = _choose_meanings(beside, seen, totals)

    def find_meant(
        self, lines: Sequence[SentenceLine], predicate: str, object_: str
    ) -> list[tuple[int, int]]:
        """Find the mentions that mean an object in words other than its own."""
        meant = self._meant.get(predicate, {})
        return [
            (at, index)
            for at, line in enumerate(lines)
            for index, mention in enumerate(line.mentions)
            if meant.get(fold_name(mention.words)) == object_
        ]

    def keeps_article(self) -> bool:
        """Whether names at the start of texts keep their `The` in the triples."""
        kept = sum(written.casefold().startswith("the") for written in self._opened)
        return 2 * kept >= len(self._opened)

    def list_terms(self) -> frozenset[str]:
        """List the words that mean an object in words other than its own."""
        return frozenset(words for meant in self._meant.values() for words in meant)

    def build_table(self) -> dict[str, dict[str, str]]:
        """Map property (empty for subjects) → words → their most frequent spelling."""
        found: dict[str, dict[str, str]] = {}
        for predicate, by_words in sorted(self._written.items()):
            for words, counted in sorted(by_words.items()):
                found.setdefault(predicate, {})[words] = min(
                    counted, key=lambda one: (-counted[one], one)
                )
        for predicate, meant in sorted(self._meant.items()):
            for words, object_ in sorted(meant.items()):
                found.setdefault(predicate, {}).setdefault(words, object_)
        return found

    @staticmethod
    def _list_verbs(own: set[str]) -> set[str]:
        return {words for words in own if words.endswith(("ed", "ing"))}

    def _note_spelling(
        self, predicate: str, words: str, lines: Sequence[SentenceLine], *, subject: bool = False
    ) -> bool:
        places = align_words(words, lines, subject=subject)
        for at, index in places:
            mention = lines[at].mentions[index]
            if subject and mention.words.startswith("The "):
                self._opened.append(words)
            if mention.kind is not MentionKind.STAND_IN:
                counted = self._written.setdefault(predicate, {})
                counted.setdefault(fold_name(mention.words), Counter())[words] += 1
        return bool(places)


def _list_words(lines: Sequence[SentenceLine]) -> list[str]:
    return [
        fold_name(mention.words)
        for line in lines
        for mention in line.mentions
        if mention.kind is not MentionKind.STAND_IN
    ]


def _choose_meanings(
    beside: dict[str, dict[str, Counter[str]]],
    seen: dict[str, Counter[str]],
    totals: dict[str, Counter[str]],
) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for predicate, by_words in sorted(beside.items()):
        for words, counted in sorted(by_words.items()):
            object_ = min(counted, key=lambda one: (-counted[one], one))
            often = counted[object_]
            share = often / seen[predicate][words]
            usual = totals[predicate][object_] / totals[predicate].total()
            if often >= _SEEN and share >= max(_SHARE, min(0.9, _LIFT * usual)):
                found.setdefault(predicate, {})[words] = object_
    return found


_MASKS = {
    MentionKind.NAME: "§n",
    MentionKind.QUOTED: "§n",
    MentionKind.STAND_IN: "§n",
    MentionKind.VALUE: "§v",
    MentionKind.ADJECTIVE: "§a",
}
_OBJECTS = frozenset(
    {
        MentionKind.NAME,
        MentionKind.QUOTED,
        MentionKind.VALUE,
        MentionKind.TERM,
        MentionKind.ADJECTIVE,
    }
)
_NEAR = 14
"""A longer stretch between two mentions is represented by its two ends."""
TELLING = "*"
"""Prefix of features that are based on words, not only on the look of things."""
NAMING = ("*o=", "*ow:", "sh:")
"""Prefixes of features that contain words of a name."""
MOST_PAIRS = 400
"""Most pairs per sentence that are considered."""


def list_pairs(line: SentenceLine, cued: Iterable[tuple[int, int]] = ()) -> list[tuple[int, int]]:
    """List the pairs of mentions that may be subject and object. Unknown lower-case words are
    considered only if a cue leads to them."""
    subjects = [
        index
        for index, one in enumerate(line.mentions)
        if one.kind in NAMED or one.kind is MentionKind.TERM
    ]
    objects = [index for index, one in enumerate(line.mentions) if one.kind in _OBJECTS]
    every = ((s, o) for s in subjects for o in objects if s != o)
    return sorted({*islice(every, MOST_PAIRS), *islice(cued, MOST_PAIRS)})


class PairFeatures:
    """The features of one line's pairs; those that depend on one mention only are built once."""

    def __init__(self, line: SentenceLine, types_of: TypesOf) -> None:
        self.line = line
        self._types_of = types_of
        self._masked = _mask_mentions(line)
        self._alone: dict[int, list[str]] = {}

    def list_features(self, subject: int, object_: int) -> list[str]:
        """List the features of a pair."""
        line = self.line
        s, o = line.mentions[subject], line.mentions[object_]
        head = line.mentions[line.find_list_head(object_)]
        if head is s or (head.first < s.first < o.first):
            head = o
        way = "f" if s.first < o.first else "b"
        found = [_mark_telling(way, feature) for feature in self._list_between(s, head, o)]
        found += self._list_object_features(object_, head, way)
        found.append(f"{way}s:{s.kind}{'1' if subject == self._find_first_named() else ''}")
        if line.depth[s.first]:
            found.append("s(" if line.depth[o.first] < line.depth[s.first] else "s()")
        found.append(f"s<{self._word_at(s.first - 1)}")
        found.append(f"{way}s>{self._word_at(s.last)}")
        found.append(f"sh:{line.word_at(s.last - 1)}")
        found += [f"st:{kind}" for kind in self._types_of(subject)]
        found.append(f"{way}slook:{describe_look(s)}")
        if line.word_at(s.last) in english.RELATIVE or line.word_at(s.last + 1) in english.RELATIVE:
            found.append(f"{way}who{min(abs(subject - object_), 3)}")
        return found

    def _find_first_named(self) -> int:
        for index, mention in enumerate(self.line.mentions):
            if mention.kind in NAMED:
                return index
        return -1

    def _list_between(self, s: NameMention, head: NameMention, o: NameMention) -> Iterator[str]:
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

    def _list_object_features(self, index: int, head: NameMention, way: str) -> list[str]:
        o = self.line.mentions[index]
        known = self._alone.get(index)
        if known is None:
            name = fold_name(o.words)
            known = [f"*o={name}", f"k:{o.kind}", f"len{min(o.last - o.first, 5)}"]
            known += [
                f"*ow:{self.line.word_at(at)}" for at in range(o.first, min(o.last, o.first + 8))
            ]
            if head is not o:
                known.append("listed")
            one, two = self._word_at(head.first - 1), self._word_at(head.first - 2)
            known += [
                f"o<{one}",
                f"o<<{two} {one}",
                f"{o.kind}<<<{self._word_at(head.first - 3)} {two} {one}",
            ]
            after, next_ = self._word_at(o.last), self._word_at(o.last + 1)
            known += [f"*o>{after}", f"*o>>{after} {next_}", f"*{o.kind}<{one}>{after}"]
            near = {self._word_at(at) for at in range(o.first - 5, o.first)}
            known += [f"*w<{word}" for word in near]
            known += [
                f"*w>{word}" for word in {self._word_at(at) for at in range(o.last, o.last + 4)}
            ]
            known += [f"ot:{kind}" for kind in self._types_of(index)]
            known.append(f"look:{describe_look(o)}")
            if o.kind is MentionKind.VALUE:
                known.append(f"v:{describe_shape(o.words)}")
            self._alone[index] = known
        return [*known, f"{way}k:{o.kind}", f"*{way}o<{self._word_at(head.first - 1)}"]

    def _word_at(self, at: int) -> str:
        return self._masked[at] if 0 <= at < len(self._masked) else "§"


def _mark_telling(way: str, feature: str) -> str:
    """Mark a feature of what is between two mentions as telling if it contains a word."""
    telling = feature[0] in ":=" and any(word.isalpha() for word in feature.strip(":=").split())
    return f"{TELLING}{way}{feature}" if telling else f"{way}{feature}"


def _mask_mentions(line: SentenceLine) -> list[str]:
    found = [word.low for word in line.words]
    for mention in line.mentions:
        mask = _MASKS.get(mention.kind)
        if mask is not None:
            found[mention.first] = mask
            found[mention.first + 1 : mention.last] = [""] * (mention.last - mention.first - 1)
    return found


def describe_look(mention: NameMention) -> str:
    """Describe a name by the look of its words: capitals, initials, an organization, digits."""
    return "".join(map(_classify_word, mention.words.split()[:5]))


def _classify_word(word: str) -> str:
    if word[0].isdigit():
        return "d"
    if word.casefold() in english.BODY_WORDS:
        return "b"
    if not word[0].isupper():
        return "a"
    if len(word) <= 2 and word[-1] == ".":
        return "i"
    return "U" if word.isupper() and len(word) > 1 else "A"


def describe_shape(words: str) -> str:
    """Describe a value by its digits and letters: `dd a dddd` for `12 May 2010`."""
    found: list[str] = []
    for letter in words[:24]:
        mark = "d" if letter.isdigit() else "a" if letter.isalpha() else letter
        if mark != "a" or found[-1:] != ["a"]:
            found.append(mark)
    return "".join(found)
