"""A denial counts however it is spelled."""

from dataclasses import replace

import pytest
from bench.statements import OwnSentence, is_refused

from assay.reading.statements import StatementMode, judge_statement
from assay.reading.statements.spelling import simplify_spelling
from tests.reading.test_statements import LANGUAGES, SENTENCES


def write_in_capitals(sentence: OwnSentence) -> OwnSentence:
    """The same sentence in capitals; its places move where `ß` becomes `SS`."""
    text = sentence.text
    value, *others = (
        (len(text[:start].upper()), len(text[:end].upper()))
        for start, end in (sentence.value, *sentence.others)
    )
    return replace(sentence, text=text.upper(), value=value, others=tuple(others))


@pytest.mark.parametrize("language", LANGUAGES)
def test_capitals_change_nothing(language: str) -> None:
    own = [one for one in SENTENCES if one.language == language]
    changed = {one.text for one in own if is_refused(one) != is_refused(write_in_capitals(one))}
    # Only its capitals show that this ends with a title.
    assert changed <= {"The journal is published in Vienna under the title Why Not?"}


@pytest.mark.parametrize(
    "written",
    [
        "was NOT born",
        "was Not born",
        "WAS NOT BORN",
        "was _not_ born",
        "was __not__ born",
        "was *not* born",
        "was -not- born",
        "was n\u200bot born",
        "was no\u00adt born",
        "was \ufeffnot born",
        "was n\u0336o\u0336t\u0336 born",
        "was \uff4e\uff4f\uff54 born",
        "was n\u043et born",
        "wasn't born",
        "wasn’t born",
        "wasn´t born",
        "wasn`t born",
        "wasn\u02bct born",
        "wasn\uff07t born",
        "WASN´T born",
    ],
)
def test_a_denial_counts_however_it_is_spelled(written: str) -> None:
    sentence = OwnSentence.parse("en", f"negated: Ada Byron {written} in [London].")
    found = judge_statement(sentence.text, sentence.value, "en")
    assert found.mode is StatementMode.NEGATED


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "THE FEE OF [500] IS NOT DUE."),
        ("de", "Die Firma wurde NICHT [1998] gegründet."),
        ("de", "Die Firma wurde _nicht_ [1998] gegründet."),
        ("de", "AUẞER [BERLIN] GEHÖRT ALLES DAZU."),
        ("de", "AUSSER [BERLIN] GEHÖRT ALLES DAZU."),
        ("hr", "Tvrtka NIJE osnovana [1998.]"),
        ("hr", "Tvrtka _nije_ osnovana [1998.]"),
        ("hr", "Tvrtka nec\u0301e otvoriti pogon u [Splitu]."),
    ],
)
def test_a_denial_counts_in_each_language(language: str, line: str) -> None:
    sentence = OwnSentence.parse(language, f"negated: {line}")
    found = judge_statement(sentence.text, sentence.value, language)
    assert found.mode is StatementMode.NEGATED


@pytest.mark.parametrize(
    "line",
    [
        "ADA BYRON WAS BORN IN [LONDON].",
        "The WHO was founded in [1948].",
        "Regulation (EU) No 1308/2013 was adopted in [2013].",
        "Directive No. 5 and Directives Nos 6 and 7 were adopted in [2013].",
        "The fi\u00adrm was foun\u200bded in [1998].",
    ],
)
def test_what_is_asserted_stays_so(line: str) -> None:
    assert not is_refused(OwnSentence.parse("en", f"asserted: {line}"))


def test_places_follow_the_letters_that_are_left() -> None:
    text = "\u200bn\u00adot\u200b in Gre\u0301at\u200b Town."
    start = text.index("Town")
    plain, [place] = simplify_spelling(text, [(start, start + 4)])
    assert (plain, plain[slice(*place)]) == ("not in Gréat Town.", "Town")
