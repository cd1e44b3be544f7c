"""Finds the concept that a person means: by its name, a label, an alias, or the words of these."""

import difflib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final

from assay.engine.grouping import group_pairs
from assay.errors import InvalidInput, NotFound
from assay.model.concepts import ConceptName, parse_concept
from assay.ruling.declaration import Facts
from assay.ruling.rules.conditions.values import fold_text

_MAX_SUGGESTIONS: Final = 5
"""How many names are suggested in place of an unknown one."""
_SHORT: Final = 3
"""Words of at most so many letters, such as *of* or *the*, may be left over."""
_WORD = re.compile(r"[^\W_]+")
_Words = frozenset[str]


class ConceptSearch:
    """Some concepts of a pack, and how people name them."""

    def __init__(
        self,
        labels: Mapping[str, Collection[str]],
        facts: Facts | None = None,
        aliases: Mapping[str, str] | None = None,
    ) -> None:
        self.labels = labels
        """concept → its labels, the usual one first."""
        self._facts = facts
        # What a home sets goes before what its packs declare.
        declared = {**(facts.aliases if facts else {}), **(aliases or {})}
        self._aliases = {fold_text(name): concept for name, concept in declared.items()}

    def find(self, name: str) -> str:
        """The concept of a name; what its concepts have in common, if several differ only in
        jurisdiction and kind."""
        name = self._aliases.get(fold_text(name), name)
        if name in self.labels:
            return name
        meant = self.select(name)
        if len(meant) == 1:
            return meant[0]
        if not meant:
            near = " or ".join(map(self._describe, self._find_similar(fold_text(name))))
            raise NotFound(
                f"No released rule is about '{name}'.",
                advice=f"{f'Did you mean {near}? ' if near else ''}"
                "'assay rules list' lists all concepts.",
            )
        parsed = [parse_concept(concept) for concept in meant]
        if len({one.topic for one in parsed}) > 1:
            choice = " or ".join(map(self._describe, meant))
            raise InvalidInput(
                f"'{name}' may mean {choice}.", advice="Ask for one of them by its name."
            )
        folded = parse_concept(fold_text(name))
        if all(folded.covers(one) for one in parsed):
            return str(folded)
        return str(
            replace(
                parsed[0],
                jurisdiction=_find_common(one.jurisdiction for one in parsed),
                kind=_find_common(one.kind for one in parsed),
            )
        )

    def select(self, name: str) -> Sequence[str]:
        """All concepts that a name covers, in order; none if nothing has that name."""
        folded = fold_text(self._aliases.get(fold_text(name), name))
        wanted = parse_concept(folded)
        covered = [key for key in self.labels if wanted.covers(parse_concept(fold_text(key)))]
        named = covered or self._of_label.get(folded) or [*self._select_by_words(folded)]
        return sorted(named or self._select_by_kind(folded))

    def suggest(self, name: str) -> list[str]:
        """The topics whose names are most similar to one that names nothing."""
        return self._find_similar(fold_text(name))

    def _describe(self, concept: str) -> str:
        """A concept with its label, in English where the pack has it."""
        label = label_concept(concept, self._facts) or next(iter(self.labels.get(concept, ())), "")
        return f"{concept} ({label})" if label else concept

    @cached_property
    def _of_label(self) -> Mapping[str, Sequence[str]]:
        """label → the concepts that have it."""
        pairs = ((fold_text(label), key) for key in self.labels for label in self.labels[key])
        return group_pairs(dict.fromkeys(pairs))

    @cached_property
    def _topics(self) -> Mapping[str, Sequence[ConceptName]]:
        return group_pairs((name.topic, name) for name in map(parse_concept, sorted(self.labels)))

    def _select_by_words(self, folded: str) -> Iterator[str]:
        """The concepts whose subject and predicate, each in any language, are all that is asked."""
        prefix, colon, rest = folded.partition(":")
        known = {name.jurisdiction for names in self._topics.values() for name in names} - {""}
        where = prefix.strip() if colon and prefix.strip() in known else ""
        asked = _split_words(rest if where else folded)
        for names in self._topics.values():
            left = min(self._list_leftovers(asked, names[0]), key=len, default=None)
            for name in names if left is not None else ():
                if where in ("", name.jurisdiction) and _is_kind(left or frozenset(), name):
                    yield str(name)

    def _select_by_kind(self, folded: str) -> Iterator[str]:
        """The concepts whose predicate and kind are all that is asked: the subject of an act that
        sets a single berth fee goes without saying."""
        asked = _split_words(folded)
        for names in self._topics.values():
            for predicate in self._list_predicates(names[0]):
                left = frozenset(word for word in asked - predicate if len(word) > _SHORT)
                if left and predicate <= asked:
                    yield from (str(name) for name in names if _is_whole_kind(left, name))
                    break

    def _list_leftovers(self, asked: _Words, topic: ConceptName) -> Iterator[_Words]:
        """The words that are neither the subject nor the predicate, for each way to name both."""
        for predicate in self._list_predicates(topic):
            if predicate <= asked:
                for subject in self._list_subjects(topic):
                    if subject <= asked:
                        rest = asked - predicate - subject
                        yield frozenset(word for word in rest if len(word) > _SHORT)

    def _list_subjects(self, topic: ConceptName) -> Collection[_Words]:
        if topic.subject in self._subject_words:
            return self._subject_words[topic.subject]
        own = (label.partition(":")[0] for label in self.labels[str(topic)])
        return _split_all((topic.subject, *own))

    def _list_predicates(self, topic: ConceptName) -> Collection[_Words]:
        if topic.predicate in self._predicate_words:
            return self._predicate_words[topic.predicate]
        own = (label.partition(":")[2] for label in self.labels[str(topic)])
        return _split_all((topic.predicate, *filter(None, own)))

    @cached_property
    def _predicate_words(self) -> Mapping[str, Collection[_Words]]:
        declared = self._facts.predicates.values() if self._facts else ()
        return {one.name: _split_all((one.name, *one.labels.values())) for one in declared}

    @cached_property
    def _subject_words(self) -> Mapping[str, Collection[_Words]]:
        declared = self._facts.subjects.values() if self._facts else ()
        return {
            one.name: _split_all((one.name, *(n for names in one.labels.values() for n in names)))
            for one in declared
        }

    def _find_similar(self, folded: str) -> list[str]:
        """The topics whose names are most similar."""
        of_name = {
            fold_text(name): topic
            for topic, names in self._topics.items()
            for name in (topic, *(label for one in names for label in self.labels[str(one)]))
        }
        asked = _split_words(folded)
        about = [
            topic
            for topic, names in self._topics.items()
            if any(subject <= asked for subject in self._list_subjects(names[0]))
        ]
        about.sort(key=lambda topic: -self._compare_words(asked, self._topics[topic][0]))
        within = [of_name[name] for name in of_name if folded and folded in name]
        like = [of_name[name] for name in difflib.get_close_matches(folded, list(of_name), n=20)]
        return list(dict.fromkeys([*about, *within, *like]))[:_MAX_SUGGESTIONS]

    def _compare_words(self, asked: _Words, topic: ConceptName) -> float:
        """How similar words are to a subject and a predicate in any language."""
        given = " ".join(sorted(asked))
        names = (
            " ".join(sorted(subject | predicate))
            for subject in self._list_subjects(topic)
            for predicate in self._list_predicates(topic)
        )
        return max(difflib.SequenceMatcher(None, given, name).ratio() for name in names)


def label_concept(concept: str, facts: Facts | None) -> str:
    """The English label of a concept without its jurisdiction and kind; empty if there is none."""
    return next(iter(list_labels(concept, facts, "en")), "")


def list_labels(concept: str, facts: Facts | None, language: str = "") -> list[str]:
    """The labels of a concept's topic in a language, the usual one first; in all, if none is
    given."""
    name = parse_concept(concept)
    subject = facts.subjects.get(name.subject) if facts else None
    predicate = facts.predicates.get(name.predicate) if facts else None
    if subject is None or predicate is None:
        return []
    return [
        f"{own}: {predicate.labels.get(key, name.predicate)}"
        for key, names in subject.labels.items()
        if language in ("", key)
        for own in names
    ]


def _find_common(parts: Iterable[str]) -> str:
    """What all of these are; empty if they differ."""
    known = set(parts)
    return known.pop() if len(known) == 1 else ""


def _is_whole_kind(left: _Words, name: ConceptName) -> bool:
    """Whether the words name the whole kind, and nothing else."""
    stems = name.kind.split("_") if name.kind else []
    matched = all(any(word.startswith(stem) for word in left) for stem in stems)
    return bool(stems) and matched and _is_kind(left, name)


def _is_kind(left: _Words, name: ConceptName) -> bool:
    """Whether the remaining words name the kind, of which concepts have the stems."""
    stems = name.kind.split("_") if name.kind else []
    return all(any(word.startswith(stem) for stem in stems) for word in left)


def _split_words(folded: str) -> _Words:
    return frozenset(_WORD.findall(folded.replace("_", " ")))


def _split_all(names: Iterable[str]) -> set[_Words]:
    return {_split_words(fold_text(name)) for name in names}
