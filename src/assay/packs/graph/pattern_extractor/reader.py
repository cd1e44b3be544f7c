"""A chunk as lines: its sentences with their mentions, and what pronouns refer to."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from assay.packs.graph.computing import stop_if_unwanted
from assay.packs.graph.ids import fold_name
from assay.packs.graph.model import Chunk
from assay.packs.graph.ontology.model import Ontology
from assay.packs.graph.pattern_extractor import english
from assay.packs.graph.pattern_extractor.english import SentenceWord, split_words
from assay.packs.graph.pattern_extractor.kinds import SentenceLine, find_stated_types
from assay.packs.graph.pattern_extractor.lexicon import MOST_MEANINGS, Lexicon, Way
from assay.packs.graph.pattern_extractor.mentions import (
    Gazetteer,
    MentionKind,
    NameMention,
    find_mentions,
)

_LED_TO = frozenset({"in", "at", "of", "from", "near", "to", "is", "was"})
"""Words that lead to a place together with what contains it."""
_GOES_ON = frozenset({".", ",", ";", ")", "and"}) | english.PREPOSITIONS
_MOST_TAIL = 4
_SEEN = 2
"""How many different names must be cut the same way."""
_NAMES = frozenset({MentionKind.NAME, MentionKind.ADJECTIVE})


@dataclass(frozen=True, slots=True)
class NameCut:
    """How names are cut; by the look of their words unless something else was learned."""

    article: bool = True
    """Whether names at the start of a sentence keep their `The`."""
    commas: bool = False
    """Whether a place and what contains it are usually one name."""
    within: tuple[str, ...] = ()
    """What forms one name with the places in it, whatever the rule; folded and sorted."""
    apart: tuple[str, ...] = ()
    """What does not."""
    numbers: bool = False
    """Whether a number before a name belongs to it."""
    tails: tuple[str, ...] = ()
    """Lower-case words that end a name, folded and sorted."""


BY_LOOK = NameCut()
"""Cuts names by the look of their words."""


def cut_mentions(
    words: Sequence[SentenceWord], text: str, found: Sequence[NameMention], cut: NameCut
) -> list[NameMention]:
    """Cut the mentions of a sentence as the examples cut theirs."""
    own = list(found)
    if cut.numbers:
        own = _join_mentions(text, own, _find_numbered(own))
    if cut.tails:
        own = _add_tails(text, words, own, frozenset(cut.tails))
    if cut.commas or cut.within:
        placed = [
            index for index in _find_placed(words, own) if _is_one_name(words, own, index, cut)
        ]
        own = _join_mentions(text, own, placed)
    return own


def _is_one_name(
    words: Sequence[SentenceWord], found: Sequence[NameMention], index: int, cut: NameCut
) -> bool:
    outer = found[index + 1]
    name = fold_name(outer.words)
    if name in cut.within:
        return True
    # It is unknown, so it must not be the subject of what follows: `Born in A, B was …`.
    after = words[outer.last].low if outer.last < len(words) else "."
    led = found[index].first > 1
    return cut.commas and led and name not in cut.apart and after in _GOES_ON


def _join_mentions(text: str, found: list[NameMention], heads: Iterable[int]) -> list[NameMention]:
    """Join each of the given mentions with the next."""
    joined = set(heads)
    made: list[NameMention] = []
    for index, mention in enumerate(found):
        if index - 1 in joined:
            first = made.pop()
            mention = replace(
                mention,
                start=first.start,
                words=text[first.start : mention.end],
                first=first.first,
                kind=MentionKind.NAME,
            )
        made.append(mention)
    return made


def _find_numbered(found: Sequence[NameMention]) -> Iterator[int]:
    for index in range(len(found) - 1):
        one, other = found[index], found[index + 1]
        digits = one.kind is MentionKind.VALUE and one.words.isdigit()
        if digits and other.kind is MentionKind.NAME and one.last == other.first:
            yield index


def _find_placed(words: Sequence[SentenceWord], found: Sequence[NameMention]) -> Iterator[int]:
    """Find the places that are followed by what contains them."""
    joined = -2
    for index in range(len(found) - 1):
        one, other = found[index], found[index + 1]
        if (
            joined == index - 1
            or one.kind is not MentionKind.NAME
            or other.kind is not MentionKind.NAME
        ):
            continue
        if one.last + 1 != other.first or words[one.last].form != ",":
            continue
        before = words[one.first - 1].low if one.first else ""
        if one.first > 1 and before not in _LED_TO:
            continue
        further = found[index + 2] if index + 2 < len(found) else None
        if further is None or not _continues_list(words, other, further):
            joined = index
            yield index


def _continues_list(words: Sequence[SentenceWord], one: NameMention, further: NameMention) -> bool:
    """Whether the names are just a list: `in A, B and C`."""
    between = [words[at].low for at in range(one.last, further.first)]
    return further.kind is MentionKind.NAME and between in (
        ["and"],
        ["or"],
        [",", "and"],
        ["and", "the"],
    )


def _add_tails(
    text: str, words: Sequence[SentenceWord], found: list[NameMention], tails: frozenset[str]
) -> list[NameMention]:
    made: list[NameMention] = []
    end = 0
    for index, mention in enumerate(found):
        if mention.first < end:
            if mention.last <= end:
                continue
            start = words[end].start
            mention = replace(mention, start=start, first=end, words=text[start : mention.end])
        elif mention.kind in _NAMES and index + 1 < len(found):
            for said, last in _list_tails(words, mention, found[index + 1]):
                if said in tails:
                    end = last
                    stop = words[last - 1].end
                    mention = replace(
                        mention,
                        end=stop,
                        last=last,
                        words=text[mention.start : stop],
                        kind=MentionKind.NAME,
                    )
                    break
        made.append(mention)
    return made


def _list_tails(
    words: Sequence[SentenceWord], one: NameMention, other: NameMention
) -> Iterator[tuple[str, int]]:
    """List the lower-case words directly after a name, the longest run first."""
    if other.first != one.last or other.kind not in (MentionKind.COMMON, MentionKind.TERM):
        return
    for last in range(min(other.last, one.last + _MOST_TAIL), one.last, -1):
        yield " ".join(word.low for word in words[one.last : last]), last


class CutLearner:
    """Counts how the names of examples are cut."""

    def __init__(self) -> None:
        self._within = Counter[str]()
        self._apart = Counter[str]()
        self._numbered: tuple[set[str], set[str]] = set(), set()
        self._tails: dict[str, tuple[set[str], set[str]]] = {}

    def note_sentence(
        self, words: Sequence[SentenceWord], found: Sequence[NameMention], names: Sequence[str]
    ) -> None:
        """Record a sentence and the names in its triples."""
        own = {fold_name(name) for name in names}
        for index in _find_numbered(found):
            name = fold_name(f"{found[index].words} {found[index + 1].words}")
            self._numbered[name not in own].add(name)
        for index in _find_placed(words, found):
            one, other = (
                fold_name(found[index].words),
                fold_name(found[index + 1].words),
            )
            if f"{one}, {other}" in own:
                self._within[other] += 1
            elif one in own:
                self._apart[other] += 1
        for index in range(len(found) - 1):
            if found[index].kind in _NAMES:
                self._note_tails(words, found[index], found[index + 1], own)

    def _note_tails(
        self, words: Sequence[SentenceWord], one: NameMention, other: NameMention, own: set[str]
    ) -> None:
        name = fold_name(one.words)
        for said, _ in _list_tails(words, one, other):
            right, wrong = self._tails.setdefault(said, (set(), set()))
            if f"{name} {said}" in own:
                right.add(name)
            elif name in own:
                wrong.add(name)

    def build_cut(self, *, article: bool) -> NameCut:
        """Build the cut that most of the examples use."""
        within = sorted(
            one
            for one, count in self._within.items()
            if count >= _SEEN and count > self._apart[one]
        )
        apart = sorted(one for one, count in self._apart.items() if count >= self._within[one])
        return NameCut(
            article=article,
            commas=len(within) > 2 * len(apart),
            within=tuple(within),
            apart=tuple(apart),
            numbers=_is_usual(self._numbered),
            tails=tuple(
                sorted(said for said, counted in self._tails.items() if _is_usual(counted))
            ),
        )


def _is_usual(counted: tuple[set[str], set[str]]) -> bool:
    """Whether enough names, and most of the candidates, are cut this way."""
    right, wrong = counted
    return len(right) >= _SEEN and len(right) > len(wrong)


MOST_WORDS = 200
"""A longer sentence is read in pieces, which keeps the time linear in the text."""

_NOUNS = frozenset({MentionKind.COMMON, MentionKind.TERM})
MentionFinder = Callable[[str, Sequence[SentenceWord]], list[NameMention]]


def split_lines(chunk: Chunk, mentions_of: MentionFinder) -> list[SentenceLine]:
    """Split a chunk into sentences, with positions in the chunk's own text."""
    sentences = chunk.sentences or ((chunk.start, chunk.end),)
    found: list[SentenceLine] = []
    for start, end in sentences:
        words = split_words(chunk.text, max(0, start - chunk.start), max(0, end - chunk.start))
        for at in range(0, len(words), MOST_WORDS):
            stop_if_unwanted()
            piece = words[at : at + MOST_WORDS]
            found.append(SentenceLine(piece, mentions_of(chunk.text, piece)))
    return found


def build_mention_finder(known: Gazetteer, cut: NameCut = BY_LOOK) -> MentionFinder:
    """Build a finder of mentions: by their look, and by known names."""

    def find(text: str, words: Sequence[SentenceWord]) -> list[NameMention]:
        return cut_mentions(
            words, text, find_mentions(text, words, known, article=cut.article), cut
        )

    return find


class CoreferenceTracker:
    """What is mentioned from sentence to sentence, to resolve `it` and `the film`."""

    def __init__(self, ontology: Ontology, lexicon: Lexicon, first: str = "") -> None:
        self.ontology = ontology
        self.lexicon = lexicon
        self.types: dict[str, dict[str, None]] = {}
        """Name of a thing → the classes stated in words."""
        self.given: dict[str, tuple[str, ...]] = {}
        """Name of a thing → its known classes."""
        self.roles: dict[str, tuple[str, ...]] = {}
        """Name of a thing → the classes implied by its relations."""
        self._topic = first
        self._recent: list[str] = []

    def resolve_line(self, line: SentenceLine) -> SentenceLine:
        """Resolve the stand-ins of a line, and remember what it mentions."""
        for index, mention in enumerate(line.mentions):
            if mention.kind in (MentionKind.NAME, MentionKind.QUOTED):
                stated = find_stated_types(line, self.lexicon, index)
                self._note_types(self.key_of(mention), stated)
        with_stand_ins = SentenceLine(line.words, self._add_stand_ins(line))
        self._remember(line)
        return with_stand_ins

    @staticmethod
    def key_of(mention: NameMention) -> str:
        """Return the key that identifies the thing mentioned."""
        return mention.of or fold_name(mention.words)

    def types_of(self, line: SentenceLine) -> Callable[[int], tuple[str, ...]]:
        """Return a lookup of the classes of a line's mentions, as far as words state them."""
        return lambda index: tuple(self.types.get(self.key_of(line.mentions[index]), ()))

    def given_types_of(self, line: SentenceLine) -> Callable[[int], tuple[str, ...]]:
        """Return a lookup of the classes of a line's mentions: known, otherwise stated."""

        def types(index: int) -> tuple[str, ...]:
            key = self.key_of(line.mentions[index])
            return self.given.get(key) or tuple(self.types.get(key, ()))

        return types

    def _note_types(self, key: str, stated: Iterable[str]) -> None:
        known = self.types.setdefault(key, {})
        known.update(dict.fromkeys(islice(stated, MOST_MEANINGS - len(known))))

    def _kinds_of(self, key: str) -> Collection[str]:
        return self.given.get(key) or self.types.get(key) or self.roles.get(key, ())

    def _remember(self, line: SentenceLine) -> None:
        named = [
            (line.is_governed(index), index)
            for index, mention in enumerate(line.mentions)
            if mention.kind in (MentionKind.NAME, MentionKind.QUOTED)
        ]
        if not named:
            return
        keys = dict.fromkeys(self.key_of(line.mentions[index]) for _, index in sorted(named))
        self._topic = self._topic or next(iter(keys))
        self._recent = [*list(keys)[:6], *self._recent[:6]]

    def _add_stand_ins(self, line: SentenceLine) -> list[NameMention]:
        found = list(line.mentions)
        for at, word in enumerate(line.words):
            index = line.at[at]
            if index < 0 and word.low in english.PRONOUNS and word.low not in english.RELATIVE:
                antecedent = self._find_antecedent(word.low)
                if antecedent:
                    found.append(
                        NameMention(
                            word.start,
                            word.end,
                            word.form,
                            at,
                            at + 1,
                            MentionKind.STAND_IN,
                            antecedent,
                        )
                    )
            elif index >= 0 and line.mentions[index].first == at:
                self._replace_noun(line, index, found)
        return sorted(found, key=lambda one: one.first)

    def _find_antecedent(self, pronoun: str) -> str:
        """Find the last thing a pronoun can mean: `he` prefers a person, `it` excludes them."""
        people = self.lexicon.persons
        known = [key for key in (*self._recent, self._topic) if key]
        unknown = [key for key in known if not self._kinds_of(key)]
        persons = [key for key in known if people & set(self._kinds_of(key))]
        if pronoun in english.PERSONAL:
            found = [*persons, *(unknown if people else known)]
        else:
            found = [key for key in known if key not in persons]
        return found[0] if found else ""

    def _replace_noun(self, line: SentenceLine, index: int, found: list[NameMention]) -> None:
        """Resolve `the college` to the last thing that is one, or to the topic if its kind is
        unknown."""
        mention = line.mentions[index]
        if mention.kind not in _NOUNS or line.word_at(mention.first - 1) not in (
            "the",
            "this",
        ):
            return
        for noun in self.lexicon.find_nouns_at(line.words, mention.first):
            last = mention.first + len(noun.words)
            if last > mention.last or not self._ends_phrase(line, last):
                continue
            key = self._find_last_of(noun.cls)
            if key:
                start, end = mention.start, line.words[last - 1].end
                words = mention.words[: end - start]
                self._note_types(key, (noun.cls,))
                found[found.index(mention)] = NameMention(
                    start, end, words, mention.first, last, MentionKind.STAND_IN, key
                )
                return

    def _ends_phrase(self, line: SentenceLine, at: int) -> bool:
        """Whether a noun ends its phrase: no name and no further noun follows it."""
        if at >= len(line.words):
            return True
        follows = line.at[at]
        if follows < 0:
            return True
        return line.mentions[follows].kind is MentionKind.COMMON and any(
            cue.way in (Way.FORWARD, Way.BACKWARD)
            for cue in self.lexicon.find_cues_at(line.words, at)
        )

    def _find_last_of(self, cls: str) -> str:
        for key in self._recent:
            types = self._kinds_of(key)
            if types and self.ontology.are_compatible(types, (cls,)):
                return key
        if self._topic and not self._kinds_of(self._topic):
            return self._topic
        return ""
