"""Summaries without a model: the sentences that say most about an item, quoted as they are.

A sentence is worth what it shares with all the others (a text repeats what it is about) and with
the title; more if it comes early, decides something or names an amount, less if it is talk. The
best is taken, then the best that does not repeat it, and so on. The time grows with the length of
the text: each sentence is compared with the sum of all, and only the best with each other.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Final

from assay.sdk.reading import skip_space, split_sentences

_WORD = re.compile(r"[^\W\d_]{3,}")
_STEM: Final = 6
"""Letters by which words are compared, so that `approve` and `approval` are the same."""
_STOPWORDS: Final = frozenset(
    _WORD.findall(
        """
        the and for that this with from are was were will shall has have had been not its his her
        their our your they them which who whom any all such may must can could would should into
        upon under over than then there here also each per via these those being about after before
        between other only more most some what when where said item agenda city council meeting
        staff report page you but out how now very just like because does did doing get got one two
        know think want going say says
        """
    )
)
_DECIDES = re.compile(
    r"\b(recommend\w*|approv\w+|authori[sz]\w+|adopt\w*|amend\w*|propos\w+|request\w*|award\w*|"
    r"requires?|increas\w+|decreas\w+|allocat\w+|appropriat\w+|construct\w*|replac\w+|purpose|"
    r"fiscal impact|not to exceed|costs?|motion (?:carried|passed|failed))\b",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"[$€£]\s?\d|\b\d[\d,.]*\s?(?:dollars|million|billion|percent|per cent|acres|units)\b|\d\s?%",
    re.IGNORECASE,
)
_TALK = re.compile(
    r"^(?:(?:thanks?|okay|ok|yes|and|but|sorry|hello|please|let me|let's|as i (?:said|say)|"
    r"good (?:morning|afternoon|evening))\b|no,|well,|so,|mr\.? ?\w+,|madam \w+,)"
    r"|\b(?:thank you|thanks very|i (?:think|mean|guess|would like|just|know|want|don't)|you know|"
    r"my (?:question|colleague|friend)|hon(?:ou?rable)? members?|point of order)\b|\?$",
    re.IGNORECASE,
)
_BOILERPLATE = re.compile(
    r"\b(?:page \d+|attachment [a-z0-9]\b|all rights reserved|click here|http|www\.|whereas|"
    r"be it (?:further )?resolved|table of contents|signature|phone|fax|"
    r"(?:prepared|reviewed|submitted) by|americans with disabilities|reasonable accommodation|"
    r"special assistance|(?:take|become) effect(?:ive)? (?:immediately|upon)|"
    # What happens at every meeting, and how to take part in it.
    r"call(?:ed|s)? (?:the |this |a )?(?:\w+ ){0,8}to order|roll call|pledge of allegiance|"
    r"invocation|moment of silence|quorum|(?:no one|nobody) (?:wished|was present)|"
    r"(?:also|were|members) present|present were|(?:the |draft )minutes (?:of|were)|"
    r"(?:open|close|closed|opened) the (?:\w+ ){0,3}(?:meeting|hearing|forum)|adjourn\w*|"
    r"limit (?:their|your) (?:comments|remarks)|(?:wish(?:ing|es)?|like) to (?:speak|address)|"
    r"(?:available|posted|published) (?:on|at|via|for public)|webcast|livestream\w*|zoom)\b",
    re.IGNORECASE,
)
_LABEL = re.compile(
    # A number, a heading in capitals or words with a colon before the first words of a sentence.
    r"\d{1,3}\s+(?=[A-Z]{3})|[(]?\d{1,3}(?:\.\d{1,3})*[a-z]?[.)]+\s+|"
    r"[(]?[A-Za-z]-?\d{0,2}[.)]\s+|[•·▪‣◦*–-]+\s+|"
    r"(?:[A-Z0-9][A-Z0-9&/,.:;'’()-]*\s+|[&–-]\s+){2,24}?(?=[A-Z][a-z'’]|A )|"
    r"[A-Z][\w&/()-]*(?:\s+(?:of|and|the|for|to|\d+|[A-Z][\w&/()-]*)){0,4}:\s+(?=[A-Z0-9])"
)
_BEGINNING = re.compile(r"[\"“(*]{0,3}\s?[A-Z0-9]")
_NUMBERED = re.compile(r"\d{1,3}\s+[A-Z]{3}")
_LINE_STOP = re.compile(
    r"(?<!\b[A-Z])(?<!\b[MD][rs])(?<!\b(?:Mrs|Hon))(?<!\b(?:No|St))\.[ \t]*+\n\s*+(?=[A-Z])"
)
_CUT_OFF = re.compile(r"(?:\b(?:or|and)|[,;:])\s\S{1,3}[.)]$")
_SHORTEST, _LONGEST = 40, 500
_MOST_CHARACTERS: Final = 200_000
"""Of one document: what matters about an item comes early."""

# The weights were chosen with the part `train` of QMSum (see `bench.civic_summaries`).
_TITLE, _EARLY, _DECISION, _MONEY, _CHAT = 0.6, 0.35, 0.05, 0.1, 0.2
_HALF: Final = 50
"""Sentences after which coming early counts half."""
_REPEATS: Final = 0.5
"""What a sentence loses for repeating another that was chosen."""
_SAME: Final = 0.6
"""From this similarity on, it is not chosen at all."""
_COMPARED: Final = 300
"""Sentences that are compared with the chosen ones: the best, whatever the length of the text."""


@dataclass(frozen=True)
class SourceText:
    """A text to summarize, and the artifact that it is or is a part of."""

    artifact_id: str
    text: str
    start: int = 0
    """Where it begins in the artifact."""


@dataclass(frozen=True)
class SummarySentence:
    """A sentence of a summary and the span of an artifact that says it."""

    text: str
    artifact_id: str
    start: int
    end: int


@dataclass(frozen=True)
class _Candidate:
    sentence: SummarySentence
    words: Mapping[str, float]
    score: float
    place: tuple[int, int]


def summarize(texts: Sequence[SourceText], title: str = "", most: int = 3) -> list[SummarySentence]:
    """At most `most` sentences, in the order of the documents; fewer if little can be said."""
    ranked = sorted(_rank(_split(texts), title), key=lambda c: (-c.score, c.place))
    left = [(candidate, 0.0) for candidate in ranked[:_COMPARED]]
    chosen: list[_Candidate] = []
    while left and len(chosen) < most:
        best = max(left, key=lambda each: each[0].score - _REPEATS * each[1])[0]
        chosen.append(best)
        alike = ((each, max(_multiply(each.words, best.words), known)) for each, known in left)
        left = [(each, known) for each, known in alike if known < _SAME]
    return [c.sentence for c in sorted(chosen, key=lambda c: c.place)]


def _split(texts: Iterable[SourceText]) -> list[tuple[SummarySentence, tuple[int, int], float]]:
    """The usable sentences with their places, and how early they come (1: at the beginning)."""
    found = []
    for number, source in enumerate(texts):
        for index, (start, end) in enumerate(_split_text(source.text[:_MOST_CHARACTERS])):
            words = " ".join(source.text[start:end].split())
            if _is_usable(words):
                sentence = SummarySentence(
                    words, source.artifact_id, source.start + start, source.start + end
                )
                early = 1 / (1 + index / _HALF) / (1 + number / 4)
                found.append((sentence, (number, start), early))
    return found


def _split_text(text: str) -> Iterator[tuple[int, int]]:
    """The sentences without what a page prints before them: headings, numbers and labels."""
    for start, end in split_sentences(text):
        # An abbreviation that ends a line, such as `7 p.m.`, may end the sentence as well.
        for stop in _LINE_STOP.finditer(text, start, end):
            yield _skip_headings(text, start, stop.start() + 1), stop.start() + 1
            start = stop.end()
        yield _skip_headings(text, start, end), end


def _skip_headings(text: str, start: int, end: int) -> int:
    place = start
    while (stop := text.find("\n", place, end)) >= 0:
        line, place = text[place:stop], skip_space(text, stop, end)
        begins = _BEGINNING.match(text, place, end)
        if begins and (_is_heading(line) or _NUMBERED.match(text, place, end)):
            start = place
    while label := _LABEL.match(text, start, end):
        start = label.end()
    return start


def _is_heading(line: str) -> bool:
    """Whether a line ends in a colon, or without a stop and has only capital and short words."""
    words = line.split()
    if not words or words[-1][-1] == ":":
        return True
    if words[-1][-1] in ".,;-" or words[-1].islower():
        return False
    return not any(word[0].islower() and len(word) > 4 for word in words)


def _is_usable(words: str) -> bool:
    if not _SHORTEST <= len(words) <= _LONGEST or words[-1] not in '.!?”"' or words[0].islower():
        return False
    if _BOILERPLATE.search(words) or _CUT_OFF.search(words):
        return False
    if sum(letter.isalpha() for letter in words) < 0.6 * len(words):
        return False
    # A list of names or a heading is mostly capitals; so is a sentence about a committee.
    long = [word for word in words.split() if len(word) > 3 and word[0].isalpha()]
    most = 0.7 if words.count(",") > 2 else 0.9
    return sum(word[0].isupper() for word in long) <= most * len(long)


def _rank(
    sentences: Sequence[tuple[SummarySentence, tuple[int, int], float]], title: str
) -> list[_Candidate]:
    bags = [Counter(_list_words(sentence.text)) for sentence, _, _ in sentences]
    spread = Counter(word for bag in bags for word in bag)
    vectors = [
        _scale({word: count * log(1 + len(bags) / spread[word]) for word, count in bag.items()})
        for bag in bags
    ]
    sums: dict[str, float] = {}
    for vector in vectors:
        for word, weight in vector.items():
            sums[word] = sums.get(word, 0.0) + weight
    centre = _scale(sums)
    subject = _scale(dict.fromkeys(_list_words(title), 1.0))
    return [
        _Candidate(
            sentence,
            vector,
            _multiply(vector, centre)
            + _TITLE * _multiply(vector, subject)
            + _EARLY * early
            + _DECISION * bool(_DECIDES.search(sentence.text))
            + _MONEY * bool(_AMOUNT.search(sentence.text))
            - _CHAT * bool(_TALK.search(sentence.text)),
            place,
        )
        for (sentence, place, early), vector in zip(sentences, vectors, strict=True)
    ]


def _list_words(text: str) -> list[str]:
    return [word[:_STEM] for word in _WORD.findall(text.lower()) if word not in _STOPWORDS]


def _scale(vector: Mapping[str, float]) -> dict[str, float]:
    """The vector with length 1; an empty one stays empty."""
    length = sqrt(sum(weight * weight for weight in vector.values())) or 1.0
    return {word: weight / length for word, weight in vector.items()}


def _multiply(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """How similar two vectors of length 1 are, from 0 to 1."""
    return sum(weight * other.get(word, 0.0) for word, weight in one.items())
