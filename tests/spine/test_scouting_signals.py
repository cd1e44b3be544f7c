"""What is counted in a text, in three languages."""

import pytest

from assay.packs.regulatory.scouting import SCOUTING, expect_determinism
from assay.reading.words import split_words
from assay.spine.scouting.profile import TextSignals, compile_profile


def signals(text: str) -> TextSignals:
    return compile_profile(SCOUTING).count_signals(split_words(text))


@pytest.mark.parametrize(
    ("text", "amounts", "dates"),
    [
        ("Stopa iznosi 25 %.", 1, 0),
        ("Stopa iznosi 12,5%", 1, 0),
        ("najviše 1.250,00 eura godišnje", 1, 0),
        ("EUR 40,000 a year", 1, 0),
        ("$6.10 for each unit", 1, 0),
        ("34,8 Cent je Kilometer", 1, 0),
        ("do 20. svibnja 2025.", 0, 1),
        ("within 30 days", 0, 1),
        ("innerhalb von 14 Tagen", 0, 1),
        ("članak 25. stavak 3.", 0, 0),
        ("page 25 of 30", 0, 0),
    ],
)
def test_figures_are_numbers_with_a_unit(text: str, amounts: int, dates: int) -> None:
    found = signals(text)
    assert (found["amounts"], found["dates"]) == (amounts, dates)


@pytest.mark.parametrize(
    "text",
    [
        "poreza pravilnikom kaznama obveznicima",
        "taxes penalties regulations",
        "Gewerbesteuer Fristen",
    ],
)
def test_words_of_rules_are_known_with_their_endings(text: str) -> None:
    found = signals(text)
    assert found["rules"] + found["duties"] == len(text.split())


@pytest.mark.parametrize("text", ["Članak 5. stavak 2.", "Article 5 paragraph 2", "§ 5 Absatz 2"])
def test_articles_count_with_their_number(text: str) -> None:
    assert signals(text)["articles"] == 2
    assert signals("članak u novinama")["articles"] == 0


def test_a_date_in_a_report_is_no_signal_but_a_deadline_is() -> None:
    assert signals("Susret je bio 5. lipnja u parku.").density == 0.0
    assert signals("Mora biti predano do 5. lipnja u parku.").density > 0.2


def test_density_is_the_share_of_signals_up_to_one() -> None:
    assert signals("").density == 0.0
    assert signals("jabuke i kruške na stolu").density == 0.0
    assert signals("porez stopa rok kazna").density == 1.0


def test_more_text_of_the_same_kind_has_the_same_density() -> None:
    text = "Obveznik koji ima dvorište i psa plaća porez na kuću od kamena i drva. "
    assert signals(text * 20).density == pytest.approx(signals(text).density)


def test_bare_numbers_speak_against_doing_without_a_model() -> None:
    assert expect_determinism(signals("Stopa iznosi 25 %.")) > 0.8
    assert expect_determinism(signals("Stopa iznosi 25 %. 7 9 13 42 8 6")) < 0.5
