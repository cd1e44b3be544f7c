"""Which watches a change concerns: an index, so that changes are not compared with every watch."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from assay.model.watches import Watch
from assay.reading.words import split_words

ANY_ENDING = "*"


@dataclass(frozen=True, slots=True)
class Term:
    """A word, or the words of a phrase; the last one may have any ending."""

    words: tuple[str, ...]
    is_open: bool = False

    @property
    def anchor(self) -> str:
        """The word by which it is looked up: the longest, because that is the rarest."""
        return max(self.words, key=len)

    @property
    def has_open_anchor(self) -> bool:
        return self.is_open and self.anchor == self.words[-1]

    def is_in(self, line: Sequence[str]) -> bool:
        """Whether the words of a line contain it."""
        size = len(self.words)
        return any(self._matches(line[at : at + size]) for at in range(len(line) - size + 1))

    def _matches(self, words: Sequence[str]) -> bool:
        if not self.is_open:
            return tuple(words) == self.words
        return tuple(words[:-1]) == self.words[:-1] and words[-1].startswith(self.words[-1])


def parse_term(text: str) -> Term | None:
    """A term as a person writes it; None for one without a word."""
    words = tuple(split_words(text))
    return Term(words, text.rstrip().endswith(ANY_ENDING)) if words else None


@dataclass(frozen=True, slots=True)
class TextMatch:
    """A watch whose words are in the changed lines."""

    watch: Watch
    lines: list[str]
    """The lines that have any of its words."""


class WatchIndex:
    """Active watches by what they look for."""

    def __init__(self, watches: Iterable[Watch]) -> None:
        self._of_documents: defaultdict[tuple[str, str], list[Watch]] = defaultdict(list)
        self._of_concepts: defaultdict[str, list[Watch]] = defaultdict(list)
        self._by_word: defaultdict[str, list[Watch]] = defaultdict(list)
        self._by_beginning: defaultdict[str, list[Watch]] = defaultdict(list)
        self._terms: dict[str, list[Term]] = {}
        for watch in watches:
            self._add(watch)
        self._lengths = sorted({len(beginning) for beginning in self._by_beginning})

    def _add(self, watch: Watch) -> None:
        terms = [term for text in watch.words if (term := parse_term(text)) is not None]
        if watch.concept is not None:
            self._of_concepts[watch.concept].append(watch)
        elif terms:
            self._terms[watch.watch_id] = terms
            rarest = max(terms, key=lambda term: len(term.anchor))
            found = self._by_beginning if rarest.has_open_anchor else self._by_word
            found[rarest.anchor].append(watch)
        elif watch.url is not None:
            self._of_documents["url", watch.url].append(watch)
        elif watch.source_slug is not None:
            self._of_documents["source", watch.source_slug].append(watch)

    @property
    def has_words(self) -> bool:
        """Whether any watch looks into the text of changes."""
        return bool(self._terms)

    def find_document_watches(self, source: str, url: str, at_ms: int) -> list[Watch]:
        """The watches on this document or its source, whatever changed there."""
        found = [
            *self._of_documents.get(("url", url), ()),
            *self._of_documents.get(("source", source), ()),
        ]
        return [watch for watch in found if watch.created_ms <= at_ms]

    def find_concept_watches(self, concept: str, at_ms: int) -> list[Watch]:
        """The watches on a concept."""
        return [w for w in self._of_concepts.get(concept, ()) if w.created_ms <= at_ms]

    def find_text_matches(
        self, lines: Sequence[str], source: str, url: str, at_ms: int
    ) -> Iterator[TextMatch]:
        """The watches all of whose words are in these lines.

        The work grows with the lines, not with the watches: only those are compared whose rarest
        word is there.
        """
        if not self._terms:
            return
        split = [split_words(line) for line in lines]
        likely: dict[str, Watch] = {}
        for word in {word for words in split for word in words}:
            for watch in self._find_by_anchor(word):
                likely[watch.watch_id] = watch
        for key in sorted(likely):
            watch = likely[key]
            if watch.created_ms > at_ms or not _covers(watch, source, url):
                continue
            if (found := self._compare(watch, lines, split)) is not None:
                yield found

    def _find_by_anchor(self, word: str) -> Iterator[Watch]:
        yield from self._by_word.get(word, ())
        for length in self._lengths:
            if length > len(word):
                return
            yield from self._by_beginning.get(word[:length], ())

    def _compare(
        self, watch: Watch, lines: Sequence[str], split: Sequence[Sequence[str]]
    ) -> TextMatch | None:
        missing = set(range(len(terms := self._terms[watch.watch_id])))
        matched = []
        for line, words in zip(lines, split, strict=True):
            here = {at for at, term in enumerate(terms) if term.is_in(words)}
            missing -= here
            if here:
                matched.append(line)
        return None if missing else TextMatch(watch, matched)


def _covers(watch: Watch, source: str, url: str) -> bool:
    return watch.source_slug in (None, source) and watch.url in (None, url)
