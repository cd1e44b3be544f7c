"""Build a tree of provisions step by step, keeping the place of every word."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from assay.packs.regulatory.acts.shapes import (
    JOINING_SPACE,
    Act,
    Provision,
    ProvisionKind,
    Span,
    Words,
)

Stretch = tuple[int, int]
DEEPEST = 8
"""Levels below an article; what is nested deeper stays in the words of its provision."""


@dataclass(slots=True)
class ProvisionDraft:
    """A provision whose words are still being collected."""

    path: str
    number: str = ""
    heading: list[Stretch] = field(default_factory=list)
    opening: list[Stretch] = field(default_factory=list)
    closing: list[Stretch] = field(default_factory=list)
    has_parts: bool = False

    def add_words(self, start: int, end: int) -> None:
        """Add words: before its parts, or after them."""
        if end > start:
            (self.closing if self.has_parts else self.opening).append((start, end))


class ActDraft:
    """The provisions found so far."""

    def __init__(self, source: str, text: str, *, wraps: bool = False) -> None:
        self.text = text
        self.wraps = wraps
        """Whether a paragraph may run over several lines."""
        self.provisions: list[ProvisionDraft] = []
        self._source = source
        self._times: dict[str, int] = {}

    def add(
        self, kind: ProvisionKind, value: str, number: str, parent: ProvisionDraft | None = None
    ) -> ProvisionDraft:
        """Begin a provision. A second one of the same number gets `_2` at the end of its path."""
        name = f"{kind}_{value}" if value else str(kind)
        path = f"{parent.path}__{name}" if parent else name
        times = self._times[path] = self._times.get(path, 0) + 1
        if times > 1:
            path = f"{path}_{times}"
        if parent is not None:
            parent.has_parts = True
        draft = ProvisionDraft(path, number)
        self.provisions.append(draft)
        return draft

    def count(self, kind: ProvisionKind, parent: ProvisionDraft) -> int:
        """Count one more part of a provision, for parts that have no printed number."""
        key = f"{parent.path}__{kind} counted"
        self._times[key] = self._times.get(key, 0) + 1
        return self._times[key]

    def finish(self) -> Act:
        """The act."""
        return Act(
            tuple(
                Provision(
                    draft.path,
                    draft.number,
                    self._join(draft.heading),
                    self._join(draft.opening),
                    self._join(draft.closing),
                )
                for draft in self.provisions
            )
        )

    def _join(self, stretches: Sequence[Stretch]) -> Words:
        """Words in one piece: lines are joined by a space, paragraphs by the line end they have."""
        if not stretches:
            return Words()
        text, source = self.text, self._source
        parts: list[str] = []
        spans: list[Span] = []
        for start, end in stretches:
            if spans:
                gap = text[spans[-1].end : start]
                if gap == "\n" and not self.wraps:
                    # Paragraphs that follow each other: one stretch with the line end inside.
                    spans[-1] = Span(source, spans[-1].start, end)
                    parts += ("\n", text[start:end])
                    continue
                if gap.count("\n") > (1 if self.wraps else 0):
                    at = spans[-1].end + gap.index("\n")
                    spans.append(Span(source, at, at + 1))
                    parts.append("\n")
                elif text[start] not in ".,;:)":
                    spans += JOINING_SPACE.spans
                    parts.append(" ")
            spans.append(Span(source, start, end))
            parts.append(text[start:end])
        return Words("".join(parts), tuple(spans))
