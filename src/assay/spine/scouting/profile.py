"""What a pack looks for when scout judges cheaply whether a document is worth reading.

A text becomes a string with one letter for each word: the letter of the first list of the pack's
vocabulary that has the word, `n` for a number, `x` for a word on no list. Signals are regular
expressions over these letters, such as `n%` for a number before a word of the list `%`.
"""

import pickle
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache, cached_property
from typing import Any, Final

from assay.errors import InvalidInput
from assay.reading.stems import OTHER, Letters
from assay.reading.words import split_words

NO_PACK: Final = ""
"""Used in place of a pack's name if no pack watches a source."""
NUMBER: Final = "n"
"""The letter of a number."""
UNKNOWN_KIND: Final = "UNKNOWN"
"""The kind of a document that has not been read yet, or in which nothing names a kind."""
_TITLE = 300
_BEGINNING = 300


@dataclass(frozen=True, slots=True)
class TextSignals:
    """What was counted in a text."""

    words: int
    counts: Mapping[str, int]
    """By the names of the profile's signals."""
    density: float
    """How much of the text is about what the pack looks for, 0 to 1."""

    def __getitem__(self, name: str) -> int:
        return self.counts[name]


@dataclass(frozen=True, slots=True)
class KindClues:
    """What to choose a document's kind by: its title, its text, and its signals."""

    title: str
    text: str
    signals: TextSignals
    name_kind: Callable[[str], str | None]
    """Returns the kind that the first word which names a kind stands for."""

    def kind_in_title(self) -> str | None:
        return self.name_kind(_strip_site_name(self.title[:_TITLE]))

    def kind_at_beginning(self) -> str | None:
        return self.name_kind(self.text[:_BEGINNING])


def choose_named_kind(clues: KindClues) -> str:
    """The kind that the title names, otherwise the one that the beginning of the text names."""
    return clues.kind_in_title() or clues.kind_at_beginning() or UNKNOWN_KIND


def expect_no_determinism(_signals: TextSignals) -> float:
    """For packs that cannot say whether their rules find everything without a model."""
    return 0.0


@dataclass(frozen=True, kw_only=True)
class DocumentKind:
    """A kind of document."""

    weight: float = 0.0
    """How much it adds to the score."""
    names: str = ""
    """Words that name it in a title, in the notation of `assay.reading.stems`."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Scouting:
    """A pack's scouting profile. The default accepts every readable document in any language.

    Its functions must be at the top level of a module, because profiles are sent to other
    processes.
    """

    languages: frozenset[str] = frozenset()
    """Languages that the pack reads; empty: every language."""
    vocabulary: Mapping[str, str] = field(default_factory=dict)
    """Word lists, each under a letter, in the notation of `assay.reading.stems`; a word that is on
    several lists counts for the first."""
    signals: Mapping[str, str] = field(default_factory=dict)
    """Regular expressions over the letters of a text, by name."""
    density: Mapping[str, float] = field(default_factory=dict)
    """Signals in favour of a document, and how much each counts."""
    full_density: float = 0.12
    """The share of signals among the words at which a text counts as wholly about the subject."""
    kinds: Mapping[str, DocumentKind] = field(default_factory=dict)
    """The kinds of document; a word that could name two of them names the first."""
    choose_kind: Callable[[KindClues], str] = choose_named_kind
    """Returns one of `kinds`, or `UNKNOWN_KIND`."""
    expect_determinism: Callable[[TextSignals], float] = expect_no_determinism
    """Returns how likely the pack's own rules find everything without a model, 0 to 1."""
    threshold: float | None = None
    """The minimum score; None: what the health of the source requires."""

    def __post_init__(self) -> None:
        for letter in self.vocabulary:
            if len(letter) != 1 or letter in (NUMBER, OTHER):
                raise InvalidInput(
                    f"Scouting: '{letter}' cannot be the letter of a word list.",
                    advice=f"Use one character for each list, except {NUMBER} and {OTHER}.",
                )
        for name, pattern in self.signals.items():
            try:
                re.compile(pattern)
            except re.error as error:
                raise InvalidInput(
                    f"Scouting: signal '{name}' is not a regular expression: {error}."
                ) from error
        if unknown := sorted(set(self.density) - set(self.signals)):
            raise InvalidInput(
                f"Scouting: density counts '{unknown[0]}', which is not a signal.",
                advice=f"Declare it among the signals: {', '.join(sorted(self.signals))}.",
            )
        if self.full_density <= 0 or not 0 <= (self.threshold or 0.0) <= 1:
            raise InvalidInput(
                "Scouting: full_density must be positive and threshold between 0 and 1."
            )

    @property
    def is_neutral(self) -> bool:
        """Whether it looks for nothing in particular; then quality alone decides."""
        return not self.signals and not self.kinds

    def weigh_kind(self, kind: str) -> float:
        """How much a kind adds to the score."""
        if kind == UNKNOWN_KIND and kind not in self.kinds:
            return 0.0
        if kind not in self.kinds:
            raise InvalidInput(f"Scouting: '{kind}' was chosen, which is not among the kinds.")
        return self.kinds[kind].weight

    def __reduce__(self) -> tuple[Any, ...]:
        # Every document that is sent to another process comes with its profiles. Here they are
        # pickled only once; there they become one object, whose word lists are compiled once.
        return _restore_profile, (self._bytes,)

    @cached_property
    def _bytes(self) -> bytes:
        given = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        plain = {k: dict(v) if isinstance(v, Mapping) else v for k, v in given.items()}
        return pickle.dumps(plain)


NEUTRAL: Final = Scouting()
"""The profile of a pack that declares none."""


@cache
def _restore_profile(data: bytes) -> Scouting:
    return Scouting(**pickle.loads(data))


class CompiledProfile:
    """A profile that is ready to apply to texts."""

    def __init__(self, profile: Scouting) -> None:
        self.profile = profile
        self._letters = Letters(profile.vocabulary, figures=NUMBER)
        self._patterns = {
            name: pattern if len(pattern) == 1 else re.compile(pattern)
            for name, pattern in profile.signals.items()
        }
        self._kinds = dict(zip(map(chr, range(0x100, 0x10000)), profile.kinds, strict=False))
        names = {letter: profile.kinds[kind].names for letter, kind in self._kinds.items()}
        self._kind_letters = Letters(names)

    def count_signals(self, words: Sequence[str]) -> TextSignals:
        """Count the signals of a text, given its words."""
        letters = self._letters.letters_of(words)
        counts = {
            name: letters.count(pattern)
            if isinstance(pattern, str)
            else len(pattern.findall(letters))
            for name, pattern in self._patterns.items()
        }
        signals = sum(weight * counts[name] for name, weight in self.profile.density.items())
        density = signals / max(1, len(letters)) / self.profile.full_density
        return TextSignals(len(letters), counts, max(0.0, min(1.0, density)))

    def choose_kind(self, title: str | None, text: str, signals: TextSignals) -> str:
        """The kind of a document."""
        return self.profile.choose_kind(KindClues(title or "", text, signals, self._name_kind))

    def _name_kind(self, text: str) -> str | None:
        letters = self._kind_letters.letters_of(split_words(text)).replace(OTHER, "")
        return self._kinds[letters[0]] if letters else None


@cache
def compile_profile(profile: Scouting) -> CompiledProfile:
    """A profile, compiled once per process."""
    return CompiledProfile(profile)


def _strip_site_name(title: str) -> str:
    """A title without the site's name at its end."""
    for mark in (" | ", " • ", " – ", " - "):
        before, separator, _ = title.rpartition(mark)
        if separator and before.strip():
            return before
    return title
