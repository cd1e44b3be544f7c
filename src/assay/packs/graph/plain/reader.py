"""A chunk as lines: its sentences with their mentions, and what pronouns stand for."""

from collections.abc import Callable, Collection, Sequence

from assay.packs.graph.ids import folded_name
from assay.packs.graph.model import Chunk
from assay.packs.graph.ontology.model import Ontology
from assay.packs.graph.plain import english
from assay.packs.graph.plain.cuts import BY_LOOK, Cut, as_cut
from assay.packs.graph.plain.kinds import told_types
from assay.packs.graph.plain.lexicon import Lexicon
from assay.packs.graph.plain.lines import Line
from assay.packs.graph.plain.mentions import Gazetteer, Kind, Mention, mentions_in
from assay.packs.graph.plain.phrases import Way
from assay.packs.graph.plain.words import Word, words_of

MOST_WORDS = 200
"""A longer sentence is read in pieces, so that the time grows with the text alone."""

_NOUNS = frozenset({Kind.COMMON, Kind.TERM})
MentionsOf = Callable[[str, Sequence[Word]], list[Mention]]


def lines_of(chunk: Chunk, mentions_of: MentionsOf) -> list[Line]:
    """The sentences of a chunk, in places of the chunk's own text."""
    sentences = chunk.sentences or ((chunk.start, chunk.end),)
    found: list[Line] = []
    for start, end in sentences:
        words = words_of(chunk.text, max(0, start - chunk.start), max(0, end - chunk.start))
        for at in range(0, len(words), MOST_WORDS):
            piece = words[at : at + MOST_WORDS]
            found.append(Line(piece, mentions_of(chunk.text, piece)))
    return found


def found_mentions(known: Gazetteer, cut: Cut = BY_LOOK) -> MentionsOf:
    """Mentions by their look, and names that are known."""

    def found(text: str, words: Sequence[Word]) -> list[Mention]:
        return as_cut(words, text, mentions_in(text, words, known, article=cut.article), cut)

    return found


class Threads:
    """What is spoken of from sentence to sentence: whom `it` and `the film` stand for."""

    def __init__(self, ontology: Ontology, lexicon: Lexicon, first: str = "") -> None:
        self.ontology = ontology
        self.lexicon = lexicon
        self.types: dict[str, dict[str, None]] = {}
        """Name of a thing → the classes that words gave it."""
        self.given: dict[str, tuple[str, ...]] = {}
        """Name of a thing → the classes that it is known to have."""
        self.roles: dict[str, tuple[str, ...]] = {}
        """Name of a thing → the classes that follow from what was said of it."""
        self._topic = first
        self._recent: list[str] = []

    def resolved(self, line: Line) -> Line:
        """The line with its stand-ins; remembers whom it speaks of."""
        for index, mention in enumerate(line.mentions):
            if mention.kind in (Kind.NAME, Kind.QUOTED):
                told = told_types(line, self.lexicon, index)
                self.types.setdefault(self.key(mention), {}).update(dict.fromkeys(told))
        with_stand_ins = Line(line.words, self._with_stand_ins(line))
        self._remember(line)
        return with_stand_ins

    @staticmethod
    def key(mention: Mention) -> str:
        """What a mention is the same by."""
        return mention.of or folded_name(mention.words)

    def types_of(self, line: Line) -> Callable[[int], tuple[str, ...]]:
        """The classes of the mentions of a line, as far as words told them."""
        return lambda index: tuple(self.types.get(self.key(line.mentions[index]), ()))

    def given_types_of(self, line: Line) -> Callable[[int], tuple[str, ...]]:
        """The classes of the mentions of a line: those that are known, else those of its words."""

        def types(index: int) -> tuple[str, ...]:
            key = self.key(line.mentions[index])
            return self.given.get(key) or tuple(self.types.get(key, ()))

        return types

    def _kinds(self, key: str) -> Collection[str]:
        return self.given.get(key) or self.types.get(key) or self.roles.get(key, ())

    def _remember(self, line: Line) -> None:
        named = [
            (line.governed(index), index)
            for index, mention in enumerate(line.mentions)
            if mention.kind in (Kind.NAME, Kind.QUOTED)
        ]
        if not named:
            return
        keys = dict.fromkeys(self.key(line.mentions[index]) for _, index in sorted(named))
        self._topic = self._topic or next(iter(keys))
        self._recent = [*list(keys)[:6], *self._recent[:6]]

    def _with_stand_ins(self, line: Line) -> list[Mention]:
        found = list(line.mentions)
        for at, word in enumerate(line.words):
            index = line.at[at]
            if index < 0 and word.low in english.PRONOUNS and word.low not in english.RELATIVE:
                antecedent = self._antecedent(word.low)
                if antecedent:
                    found.append(
                        Mention(
                            word.start,
                            word.end,
                            word.form,
                            at,
                            at + 1,
                            Kind.STAND_IN,
                            antecedent,
                        )
                    )
            elif index >= 0 and line.mentions[index].first == at:
                self._noun_stand_in(line, index, found)
        return sorted(found, key=lambda one: one.first)

    def _antecedent(self, pronoun: str) -> str:
        """The last one that a pronoun can stand for: `he` a person first, `it` none."""
        people = self.lexicon.persons
        known = [key for key in (*self._recent, self._topic) if key]
        unknown = [key for key in known if not self._kinds(key)]
        persons = [key for key in known if people & set(self._kinds(key))]
        if pronoun in english.PERSONAL:
            found = [*persons, *(unknown if people else known)]
        else:
            found = [key for key in known if key not in persons]
        return found[0] if found else ""

    def _noun_stand_in(self, line: Line, index: int, found: list[Mention]) -> None:
        """`the college`: the last thing that is one, or the topic where nobody knows what it is."""
        mention = line.mentions[index]
        if mention.kind not in _NOUNS or line.low(mention.first - 1) not in (
            "the",
            "this",
        ):
            return
        for noun in self.lexicon.nouns_at(line.words, mention.first):
            last = mention.first + len(noun.words)
            if last > mention.last or not self._ends_there(line, last):
                continue
            key = self._last_of(noun.cls)
            if key:
                start, end = mention.start, line.words[last - 1].end
                words = mention.words[: end - start]
                self.types.setdefault(key, {})[noun.cls] = None
                found[found.index(mention)] = Mention(
                    start, end, words, mention.first, last, Kind.STAND_IN, key
                )
                return

    def _ends_there(self, line: Line, at: int) -> bool:
        """Whether a noun is the last of its phrase: no name and no further noun follows it."""
        if at >= len(line.words):
            return True
        follows = line.at[at]
        if follows < 0:
            return True
        return line.mentions[follows].kind is Kind.COMMON and any(
            cue.way in (Way.FORWARD, Way.BACKWARD) for cue in self.lexicon.cues_at(line.words, at)
        )

    def _last_of(self, cls: str) -> str:
        for key in self._recent:
            types = self._kinds(key)
            if types and self.ontology.compatible(types, (cls,)):
                return key
        if self._topic and not self._kinds(self._topic):
            return self._topic
        return ""
