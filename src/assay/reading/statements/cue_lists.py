"""What a language needs so that its statements can be judged: its cues, and how clauses begin."""

import re
from dataclasses import dataclass


def compile_phrases(listed: str) -> re.Pattern[str]:
    """A pattern for any of the listed phrases: `_` is a space, `*` any ending, `~` up to three
    words, and `ß` may be written `ss`, as it is in capitals."""
    phrases = sorted(listed.split(), key=len, reverse=True)
    written = "|".join(
        re.escape(phrase)
        .replace("_", r"\s+")
        .replace(r"\*", r"\w{0,12}")
        .replace(r"\~", r"(?:\w+\s+){0,3}?")
        .replace("~", r"(?:\w+\s+){0,3}?")
        .replace("ß", "(?:ß|ss)")
        for phrase in phrases
    )
    # Not a part of a compound, but `-not-` is the word.
    return re.compile(rf"(?<!\w)(?<!\w-)(?:{written})(?!\w)(?!-\w)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class CueList:
    """The cues of a language; each pattern is built by `compile_phrases`."""

    harmless: re.Pattern[str]
    """Phrases that contain a cue and deny, suppose or report nothing: `not only`."""
    asides: re.Pattern[str]
    """What interrupts a clause, between commas: `was not, as some say, born`."""
    negations: re.Pattern[str]
    """What denies the clause that contains it."""
    narrow_negations: re.Pattern[str]
    """What denies only the few words after it: `instead of`."""
    denials: re.Pattern[str]
    """Verbs that deny what follows them, or what they govern."""
    falsehoods: re.Pattern[str]
    """Nouns and adjectives that deny the clause which they are said of: `it is a myth that`."""
    verdicts: re.Pattern[str]
    """What denies what precedes it, as a sentence or at the end of one: `That is false.`"""
    labels: re.Pattern[str]
    """What denies what follows it: `Fact check: false.`"""
    suppositions: re.Pattern[str]
    """What makes the clause that contains it hypothetical or uncertain."""
    inversions: re.Pattern[str]
    """How a sentence begins that supposes something without `if`."""
    hearsay: re.Pattern[str]
    """What marks the clause that contains it as somebody else's claim."""
    speech: re.Pattern[str]
    """Verbs and nouns of saying and believing: what they govern is reported."""
    wishes: re.Pattern[str]
    """Verbs of wishing and planning, for what follows them or what they govern."""
    doubts: re.Pattern[str]
    """What governs an open question: `if` after it means `whether`."""
    questions: re.Pattern[str]
    """How a question begins."""
    if_words: re.Pattern[str]
    whether_words: re.Pattern[str]
    relatives: re.Pattern[str]
    complements: re.Pattern[str]
    """What introduces a clause that the one before it governs: `that`."""
    subordinates: re.Pattern[str]
    """What introduces any other clause: `because`."""
    coordinators: re.Pattern[str]
    """What may introduce a further main clause: `and`."""
    contrasts: re.Pattern[str]
    """What introduces the truth after a denial: `not A but B`."""
    verbs: re.Pattern[str]
    """Words that are likely verbs or participles: a stretch that has one is a clause."""
    past: re.Pattern[str]
    """Words that show a clause to tell what happened."""
    until: re.Pattern[str]
    """`not until 1974`: what follows is denied only for the time before."""
    infinitives: re.Pattern[str]
    """What shows a clause without its own subject: the one before it governs it."""
