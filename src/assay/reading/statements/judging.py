"""Judges a statement by the words around its value: the cues of its clause and of what governs it.

No parser: a sentence is cut into clauses at its punctuation and at the words that begin a clause,
and a cue counts for the clause that contains it, for what it governs, or for the few words after
it. A sentence in a language without a list of cues is not judged.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from assay.reading.sentences import split_sentences
from assay.reading.statements.clauses import STRONG, StatementClause, cut_clauses
from assay.reading.statements.croatian import CROATIAN
from assay.reading.statements.cue_lists import CueList
from assay.reading.statements.english import ENGLISH
from assay.reading.statements.german import GERMAN
from assay.reading.statements.spelling import Place, simplify_spelling

_LISTS = {
    "en": ENGLISH,
    "de": GERMAN,
    "hr": CROATIAN,
    "bs": CROATIAN,
    "sr": CROATIAN,
    "sh": CROATIAN,
}
LANGUAGES = frozenset(_LISTS)
_ENDING = re.compile(r"[:(–—](?=[^:(–—]*$)")
_COMMENTED = (",", "(", ")", "–", "—", "--")
"""Marks around what interrupts a clause."""
_QUOTES = '"“”„«»'
_QUOTED = re.compile(r"[\"“„«»]([^\"“”„«»]{12,})[\"“”«»]|``(.{12,}?)''")
_WORD = re.compile(r"\w+")
_NARROW = 4
"""How many words after it `without` covers."""
_WINDOW = 600
"""How far around a quote its sentence may reach."""
_ASKED = re.compile(r"\?[\"'”’»)\]]*\s*$")


class StatementMode(StrEnum):
    """How a sentence puts a statement forward."""

    ASSERTED = "asserted"
    NEGATED = "negated"
    CONDITIONAL = "conditional"
    """It depends on something, or is only possible."""
    REPORTED = "reported"
    """Somebody else says or believes it."""
    ASKED = "asked"
    WISHED = "wished"
    """Somebody wants, plans or demands it."""


@dataclass(frozen=True, slots=True)
class JudgedStatement:
    """The mode of a statement, and the words that show it."""

    mode: StatementMode
    cue: str = ""
    """Empty if it is asserted."""

    @property
    def is_asserted(self) -> bool:
        return self.mode is StatementMode.ASSERTED


ASSERTED = JudgedStatement(StatementMode.ASSERTED)


def judge_quote(
    text: str, start: int, end: int, values: Sequence[Place], language: str
) -> JudgedStatement:
    """Judge the values of a quote in the sentences that contain it, beyond its own ends.

    A quote can leave out the `not` before it. The values are places in the text; of several, one
    that is asserted is enough, because a sentence may name a value twice.
    """
    if language not in _LISTS:
        return ASSERTED
    first, last = max(0, start - _WINDOW), min(len(text), end + _WINDOW)
    sentences = split_sentences(text, first, last)
    found = ASSERTED
    for value in values:
        at = next((n for n, s in enumerate(sentences) if s[0] <= value[0] < s[1]), None)
        if at is None:
            return ASSERTED
        around = sentences[at]
        own = (value[0] - around[0], min(value[1], around[1]) - around[0])
        found = judge_statement(text[slice(*around)], own, language)
        if found.is_asserted:
            found = _judge_neighbours(text, sentences, at, _LISTS[language])
        if found.is_asserted:
            return found
    return found


def _judge_neighbours(
    text: str, sentences: Sequence[Place], at: int, cues: CueList
) -> JudgedStatement:
    """Whether the sentence before or after one says that it is false."""
    before = [(cues.labels, one) for one in sentences[max(0, at - 1) : at]]
    after = [
        (kind, one) for one in sentences[at + 1 : at + 2] for kind in (cues.verdicts, cues.labels)
    ]
    for pattern, (start, end) in (*before, *after):
        # A verdict is short, and a hostile sentence is not.
        said = simplify_spelling(text[start : min(end, start + _WINDOW)], ())[0]
        if pattern.fullmatch(said):
            return JudgedStatement(StatementMode.NEGATED, " ".join(said.split()))
    return ASSERTED


def judge_statement(
    sentence: str, value: Place, language: str, others: Sequence[Place] = ()
) -> JudgedStatement:
    """Judge what a sentence says about the value at a place; `others` are further names in it."""
    cues = _LISTS.get(language)
    if cues is None:
        return ASSERTED
    # A hostile sentence of many clauses must not take long.
    first, last = max(0, value[0] - _WINDOW), min(len(sentence), value[1] + _WINDOW)
    shown = [one for one in others if first <= one[0] < one[1] <= last]
    moved = [(start - first, end - first) for start, end in (value, *shown)]
    plain, (own, *names) = simplify_spelling(sentence[first:last], moved)
    return _Judge(plain, own, names, cues).judge()


class _Judge:
    """One sentence, without the words of its names and harmless phrases."""

    def __init__(self, sentence: str, value: Place, others: Sequence[Place], cues: CueList) -> None:
        self.sentence = sentence
        self.value = value
        self.cues = cues
        text = sentence
        for start, end in (value, *others):
            text = text[:start] + "_" * (end - start) + text[end:]
        text = cues.harmless.sub(lambda match: "_" * len(match[0]), text)
        self.asides = [m for m in cues.asides.finditer(text) if not self._contains_value(m)]
        for aside in self.asides:
            text = text[: aside.start()] + " " * len(aside[0]) + text[aside.end() :]
        self.text = text
        self.clauses = cut_clauses(self.text, cues)
        self.own = next(
            n
            for n, clause in enumerate(self.clauses)
            if value[0] < clause.end or n == len(self.clauses) - 1
        )

    def judge(self) -> JudgedStatement:
        for check in (
            self._is_asked,
            self._is_denied,
            self._is_supposed,
            self._is_false,
            self._is_governed,
            self._is_wished,
            self._is_said,
        ):
            found = check()
            if found is not None:
                return found
        return ASSERTED

    def _contains_value(self, match: re.Match[str]) -> bool:
        return match.start() < self.value[1] and self.value[0] < match.end()

    def _words_between(self, start: int, end: int) -> int:
        return len(_WORD.findall(self.text, start, end))

    def _find(
        self, pattern: re.Pattern[str], clause: StatementClause, *, before_value: bool = False
    ) -> re.Match[str] | None:
        end = min(clause.end, self.value[0]) if before_value else clause.end
        return next(
            (m for m in pattern.finditer(self.text, clause.start, end) if not self._is_name(m)),
            None,
        )

    def _is_name(self, match: re.Match[str]) -> bool:
        """Whether a cue is written like a part of a name: with a capital within the sentence.

        A negation is so only at the end of a title: taking a name for one loses a fact, and taking
        one for a name makes a false fact.
        """
        if match.re in (self.cues.negations, self.cues.falsehoods):
            return match[0][0].isupper() and _ASKED.match(self.text, match.end()) is not None
        before = self.text[: match.start()].rstrip()
        if not match[0][0].isupper() or not before or before[-1] in _QUOTES + ":.!?`'":
            return False
        return not (self.cues is GERMAN and match.re is GERMAN.speech)

    def _show(self, mode: StatementMode, cue: str) -> JudgedStatement:
        return JudgedStatement(mode, " ".join(cue.split()))

    @property
    def _clause(self) -> StatementClause:
        return self.clauses[self.own]

    # What it can be.

    def _is_asked(self) -> JudgedStatement | None:
        cues, clause = self.cues, self._clause
        if clause.kind == "whether":
            words = cues.whether_words.search(self.text, clause.start)
            return self._show(StatementMode.ASKED, words[0] if words else "?")
        if not _ASKED.search(self.sentence) or clause.kind == "relative":
            return None
        last = self.text[: self.text.rindex("?")].split()[-1:]
        titled = bool(last) and last[0][:1].isupper()
        if cues.questions.match(self.text) or not titled:
            return self._show(StatementMode.ASKED, "?")
        return None

    def _is_denied(self) -> JudgedStatement | None:
        cues, clause = self.cues, self._clause
        found = cues.labels.match(self.text) or self._find_verdict()
        if found is None and clause.kind != "contrast":
            found = self._find(cues.negations, clause) or self._find_interrupted()
            if found is not None and self._is_until(found):
                found = None
        if found is not None:
            return self._show(StatementMode.NEGATED, found[0])
        found = self._find(cues.denials, clause, before_value=True)
        if found is not None and found.end() < self.value[0]:
            return self._show(StatementMode.NEGATED, found[0])
        found = self._find(cues.narrow_negations, clause, before_value=True)
        if found is None:
            return None
        reaches = self._words_between(found.end(), self.value[0]) < _NARROW
        governs = cues.infinitives.search(self.text, self.value[1], clause.end)
        if reaches or governs:
            return self._show(StatementMode.NEGATED, found[0])
        return None

    def _find_verdict(self) -> re.Match[str] | None:
        """What the sentence ends with, if that denies it: `Ann was born in Rome (false).`"""
        last = _ENDING.search(self.text, self.value[1])
        return last and self.cues.verdicts.fullmatch(self.text, last.end())

    def _find_interrupted(self) -> re.Match[str] | None:
        """The negation of a clause that goes on after a comment: `was not, some say, born`."""
        clause = self._clause
        if clause.kind or clause.after not in _COMMENTED:
            return None
        begin = max((one.start for one in self._until_own() if one.after in STRONG), default=0)
        for found in self.cues.negations.finditer(self.text, begin, clause.start):
            rest = self.text[found.end() : clause.start - len(clause.after)].strip()
            if rest.startswith(_COMMENTED) and len(rest) > 1:
                return found
        return None

    def _is_until(self, negation: re.Match[str]) -> bool:
        """Whether only the time before the value is denied: `did not open until 1974`."""
        return any(
            self._words_between(found.end(), self.value[0]) < 2
            for found in self.cues.until.finditer(self.text, negation.end(), self.value[0])
        )

    def _is_supposed(self) -> JudgedStatement | None:
        cues, clause = self.cues, self._clause
        if clause.kind == "if":
            opened = cues.if_words.search(self.text, clause.start)
            governor = self.clauses[self.own - 1] if self.own else None
            asked = governor is not None and self._find(cues.doubts, governor) is not None
            mode = StatementMode.ASKED if asked else StatementMode.CONDITIONAL
            return self._show(mode, opened[0] if opened else "")
        found = self._find(cues.suppositions, clause)
        if found is not None:
            return self._show(StatementMode.CONDITIONAL, found[0])
        if clause.kind == "relative":
            return None
        inverted = cues.inversions.match(self.text)
        if inverted is not None and not any(c.after in STRONG for c in self._until_own()):
            return self._show(StatementMode.CONDITIONAL, inverted[0])
        return self._depends_on_condition()

    def _until_own(self) -> Sequence[StatementClause]:
        return self.clauses[: self.own + 1]

    def _depends_on_condition(self) -> JudgedStatement | None:
        """Whether a clause follows from an `if` before it, or is limited by one right after it."""
        cues, clause = self.cues, self._clause
        for before in reversed(self.clauses[: self.own]):
            if clause.after in STRONG or before.kind == "relative":
                break
            if before.kind == "if" and clause.kind in ("", "and", "that"):
                opened = cues.if_words.search(self.text, before.start)
                return self._show(StatementMode.CONDITIONAL, opened[0] if opened else "")
            if before.kind not in ("", "and"):
                break
        after = self.clauses[self.own + 1 : self.own + 2]
        if not after or after[0].kind != "if" or after[0].is_joined or after[0].after in STRONG:
            return None
        if self._find(cues.past, clause) or self._find(cues.doubts, clause):
            return None
        opened = cues.if_words.search(self.text, after[0].start)
        return self._show(StatementMode.CONDITIONAL, opened[0] if opened else "")

    def _is_governed(self) -> JudgedStatement | None:
        """Whether a clause before it says that this is not so, or only said or wished."""
        cues, clause = self.cues, self._clause
        is_infinitive = self._has_infinitive(clause)
        if not self.own or (clause.kind not in ("that", "and", "") and not is_infinitive):
            return None
        chain = list(reversed(self.clauses[: self.own]))
        if clause.kind in ("and", "") and not is_infinitive:
            # `that A is so and B is so`: the second goes with the first.
            if clause.kind == "" or chain[0].kind != "that":
                return None
            chain = chain[1:]
        for before in chain:
            if before.kind == "relative" and before.after == ",":
                continue
            for mode, pattern in (
                (StatementMode.NEGATED, cues.denials),
                (StatementMode.NEGATED, cues.negations),
                # `It was wrong to move` says that somebody moved.
                *(() if is_infinitive else ((StatementMode.NEGATED, cues.falsehoods),)),
                (StatementMode.REPORTED, cues.hearsay),
                (StatementMode.REPORTED, cues.speech),
                (StatementMode.WISHED, cues.wishes),
                (StatementMode.CONDITIONAL, cues.suppositions),
            ):
                found = self._find(pattern, before)
                if found is not None:
                    return self._show(mode, found[0])
            if before.kind not in ("that", "and"):
                break
        return None

    def _is_false(self) -> JudgedStatement | None:
        """Whether the sentence ends with what denies its beginning: `Dass A so ist, ist falsch`."""
        if self.own or self._clause.kind != "that" or len(self.clauses) == 1:
            return None
        for pattern in (self.cues.falsehoods, self.cues.negations, self.cues.denials):
            found = self._find(pattern, self.clauses[1])
            if found is not None:
                return self._show(StatementMode.NEGATED, found[0])
        return None

    def _has_infinitive(self, clause: StatementClause) -> bool:
        return self.cues.infinitives.search(self.text, clause.start, clause.end) is not None

    def _is_wished(self) -> JudgedStatement | None:
        found = self._find(self.cues.wishes, self._clause, before_value=True)
        return None if found is None else self._show(StatementMode.WISHED, found[0])

    def _is_said(self) -> JudgedStatement | None:
        cues, clause = self.cues, self._clause
        found = self._find(cues.hearsay, clause)
        if found is None and clause.kind in ("", "and"):
            found = cues.hearsay.match(self.text)
        if found is not None:
            return self._show(StatementMode.REPORTED, found[0])
        found = self._find(cues.speech, clause, before_value=True)
        if found is not None and not self._names_speaker(found, clause):
            return self._show(StatementMode.REPORTED, found[0])
        return self._is_said_aside() or self._is_said_after() or self._is_quoted()

    def _is_said_aside(self) -> JudgedStatement | None:
        """Whether an aside in the clause says who says it: `was, as rumour has it, born`."""
        clause = self._clause
        for aside in self.asides:
            if clause.start <= aside.start() < clause.end:
                found = self.cues.hearsay.search(aside[0]) or self.cues.speech.search(aside[0])
                if found is not None:
                    return self._show(StatementMode.REPORTED, found[0])
        return None

    def _names_speaker(self, verb: re.Match[str], clause: StatementClause) -> bool:
        """Whether the value is who speaks: `…, said Ann Lee of Acme`."""
        first = not self.text[clause.start : verb.start()].strip(" ,")
        before = self.text[: verb.start()].rstrip()[-1:]
        return (first and bool(before)) or (bool(before) and before in _QUOTES + ",")

    def _is_said_after(self) -> JudgedStatement | None:
        """Whether the sentence ends with who says it."""
        last = self.clauses[-1]
        if self.own == len(self.clauses) - 1 or last.kind:
            return None
        if self._words_between(last.start, last.end) > 14 or last.after in STRONG:
            return None
        found = self._find(self.cues.speech, last)
        if found is None or self.text[last.start : found.start()].count(" ") > 7:
            return None
        if self._clause.kind == "relative":
            return None
        return self._show(StatementMode.REPORTED, found[0])

    def _is_quoted(self) -> JudgedStatement | None:
        for match in _QUOTED.finditer(self.sentence):
            if match.start() < self.value[0] < match.end():
                rest = self.text[: match.start()] + " " + self.text[match.end() :]
                found = self.cues.speech.search(rest)
                if found is not None:
                    return self._show(StatementMode.REPORTED, found[0])
        return None
