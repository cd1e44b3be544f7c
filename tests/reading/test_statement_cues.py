"""Conditions, rumours and verdicts that are written without the usual words."""

import pytest
from bench.statements import OwnSentence, is_refused

from assay.reading.statements import StatementMode, judge_quote, judge_statement

NOT_ASSERTED = {
    "en": """
conditional: Should the merger go ahead, Ada Byron works for [Acme Ltd].
conditional: SHOULD THE MERGER GO AHEAD, ADA BYRON WORKS FOR [ACME LTD].
conditional: Were the merger to go ahead, Acme owns [Zenith].
conditional: Provided the merger goes ahead, Ada Byron works for [Acme Ltd].
conditional: Subject to approval, Ada Byron works for [Acme Ltd].
conditional: Ada Byron works for [Acme Ltd], subject to approval.
conditional: Pending approval, Ada Byron works for [Acme Ltd].
conditional: Under the proposal, Acme owns [Zenith].
conditional: In the event of a merger, Ada Byron works for [Acme].
reported: According to a rumour, Ada Byron was born in [London].
reported: According to an old rumor, Ada Byron was born in Rome and works for [Acme].
reported: Ada Byron was, as rumour has it, born in [London].
negated: It is a myth that Ada Byron was born in [London].
negated: It is a common misconception that Ada Byron was born in [London].
negated: That Ada Byron was born in [London], is false.
negated: Myth: Ada Byron was born in [London].
negated: Fact check (false): Ada Byron was born in [London].
negated: Ada Byron was born in [London] (false).
negated: Ada Byron was born in [London]: not true.
conditional: On condition of approval, Ada Byron works for [Acme].
negated: Ada Byron ceased to be director of [Acme].
negated: Acme withdrew its bid for [Zenith].
negated: The takeover of [Zenith] fell through.
negated: Acme has yet to open a plant in [Split].
negated: Acme almost bought [Zenith].
negated: Ada Byron was almost born in [London].
negated: Acme was not, as some say, founded in [1998].
negated: Acme was not founded, as some say, in [1998].
negated: Acme was not (as some say) founded in [1998].
negated: Acme was never, some say, founded in [1998].
""",
    "de": """
conditional: Kommt die Fusion zustande, leitet Ada Byron [Acme].
conditional: Stimmt der Rat zu, arbeitet Ada Byron für [Acme].
conditional: Steigt der Umsatz um 2,5 Prozent, so erhält Ada Byron [500 Euro].
conditional: Unter dem Vorbehalt der Zustimmung leitet Ada Byron [Acme].
conditional: Vorbehaltlich der Zustimmung leitet Ada Byron [Acme].
negated: Dass Ada Byron in [London] geboren wurde, ist falsch.
negated: Dass Ada Byron in [London] geboren wurde, stimmt nicht.
negated: Es ist eine Lüge, dass Ada Byron in [London] geboren wurde.
negated: Ada Byron ist mitnichten in [London] geboren.
negated: Irrtümlich wird [London] als Geburtsort von Ada Byron genannt.
negated: Die Übernahme von [Zenit] scheiterte.
negated: Acme verzichtet auf die Übernahme von [Zenit].
negated: Die Firma wurde nicht, wie manche sagen, [1998] gegründet.
""",
    "hr": """
conditional: Uz uvjet odobrenja, Ada vodi [Acme].
conditional: Uz uvjet da se tvrtke spoje, Ada vodi [Acme].
reported: Prema jednoj glasini, Ada je rođena u [Londonu].
negated: Tvrtka negira kupnju [Zenita].
negated: Laž je da je Ada rođena u [Londonu].
negated: Neistina je da je Ada rođena u [Londonu].
negated: Preuzimanje [Zenita] je propalo.
negated: Tvrtka nije, kako neki kažu, osnovana [1998.]
""",
}
ASSERTED = {
    "en": """
Acme employs almost [300] people.
Profits almost doubled to [4 million].
The firm provided the tools to [Acme].
Acme was founded in 1998, provided funds and moved to [Rome].
Income subject to tax is listed in [Annex I].
The act, as amended in 1999, came into force in [2001].
The museum, as planned, opened in [1974].
Acme withdrew from Spain and moved to [Rome].
That means the [convictions] stand, a ruling likely to be appealed.
""",
    "de": """
Geboren in Wien, studierte er in [Linz].
Gegründet 1898 in Kiel, gehört die Firma heute zu [Acme].
Die Firma kommt aus Wien, gehört aber heute zu [Acme].
Das Haus wurde, wie geplant, [1998] gebaut.
Dass Ada Byron in [London] geboren wurde, ist bekannt.
Es war falsch, nach [Berlin] zu ziehen.
""",
    "hr": """
Tvrtka je, kako je planirano, osnovana [1998.]
Uprava je propala, a tvrtka je preseljena u [Rim].
""",
}


def list_cases(listed: dict[str, str], before: str = "") -> list[tuple[str, str]]:
    """Each line with its language."""
    return [
        (language, before + line)
        for language in listed
        for line in listed[language].split("\n")[1:-1]
    ]


@pytest.mark.parametrize(("language", "line"), list_cases(NOT_ASSERTED))
def test_other_words_than_if_and_not_are_recognized(language: str, line: str) -> None:
    sentence = OwnSentence.parse(language, line)
    assert judge_statement(sentence.text, sentence.value, language).mode is sentence.mode


@pytest.mark.parametrize(("language", "line"), list_cases(ASSERTED, "asserted: "))
def test_the_same_words_may_leave_a_statement_asserted(language: str, line: str) -> None:
    assert not is_refused(OwnSentence.parse(language, line))


def judge_born(text: str, language: str = "en") -> StatementMode:
    """What a text says about London."""
    start = text.index("London")
    place = (start, start + len("London"))
    return judge_quote(text, *place, [place], language).mode


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Fact check: false. Ada Byron was born in London.", "en"),
        ("FACT CHECK: FALSE. Ada Byron was born in London.", "en"),
        ("Fact-check verdict – mostly false\n\nAda Byron was born in London.", "en"),
        ("Ada Byron was born in London. This is false.", "en"),
        ("Ada Byron was born in London. _Not true!_", "en"),
        ("Ada Byron was born in London. Verdict: false.", "en"),
        ("Faktencheck: falsch. Ada Byron wurde in London geboren.", "de"),
        ("Ada Byron ist in London geboren. Mitnichten.", "de"),
        ("Ada je rođena u Londonu. To nije točno.", "hr"),
        ("Provjera činjenica: netočno. Ada je rođena u Londonu.", "hr"),
    ],
)
def test_a_verdict_in_the_next_sentence_denies(text: str, language: str) -> None:
    assert judge_born(text, language) is StatementMode.NEGATED


@pytest.mark.parametrize(
    "text",
    [
        "Many say that Ada was born in Paris. That is false. Ada was born in London.",
        "Ada was born in London. That is true.",
        "Ada was born in London. Her brother wasn't.",
        "Fact check: true. Ada was born in London.",
    ],
)
def test_a_verdict_on_something_else_does_not_count(text: str) -> None:
    assert judge_born(text) is StatementMode.ASSERTED
