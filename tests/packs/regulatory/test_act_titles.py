"""Acts and their amendments find each other by their titles, wherever a document has its own."""

from typing import Any

import pytest

from assay.model.content import ContentClass
from assay.packs.regulatory.acts.amendment_steps import list_steps
from assay.packs.regulatory.acts.instructions import find_named_acts
from assay.packs.regulatory.acts.law_changes import LawChanges, LawText
from assay.packs.regulatory.acts.naming import (
    cut_publisher,
    find_amended_name,
    find_full_name,
    identify_act,
    make_act_key,
)
from assay.packs.regulatory.acts.version_days import DatedVersion, date_versions
from assay.packs.regulatory.acts.versions import work_out_versions
from assay.packs.regulatory.extractor.reader import find_title, load_facts_with_extractor
from assay.sdk.facts import Passage
from tests.packs.regulatory.passages import passage

FACTS = load_facts_with_extractor()
ACT = """ZAKON O POREZU NA KAVU

Članak 1.
Ovim se Zakonom uređuje porez na kavu.

Članak 7.
(1) Porez na kavu plaća proizvođač.
(2) Obveznik plaća porez u roku od 15 dana od isteka mjeseca.

Članak 8.
Ovaj Zakon stupa na snagu 1. siječnja 2025.
"""
CHANGE = """ZAKON O IZMJENAMA ZAKONA O POREZU NA KAVU

Članak 1.
U Zakonu o porezu na kavu (»Narodne novine«, br. 8/24) u članku 7. {what}

Članak 2.
Ovaj Zakon stupa na snagu 1. srpnja 2026.
"""
DAYS = "stavku 2. riječi »15 dana« zamjenjuju se riječima »30 dana«."
LEVY = """Air Passenger Levy Regulations

Regulation 3
The rate of the air passenger levy is 10 per cent.

Regulation 8
An operator who understates the number of passengers forfeits € 120 for every passenger omitted.

Regulation 9
These Regulations come into operation on 29 March 2026.
"""
LEVY_CHANGE = """AIR PASSENGER LEVY (AMENDMENT) REGULATIONS 2026

1. These Regulations come into operation on 28 March 2027.

2. In regulation 3, for "10 per cent" substitute "12 per cent".

3. In regulation 8, "€ 120" becomes "€ 150".
"""


def read_text(text: str, language: str = "hr", title: str | None = None) -> Passage:
    content_class = ContentClass.HTML if title else ContentClass.TEXT
    return passage(text, language, title=title, content_class=content_class)


class Stored:
    """A text as the stage gets it."""

    def __init__(self, passage: Passage) -> None:
        self._passage = passage

    def load_passage(self) -> Passage:
        return self._passage


def amend(act: Passage, change: Passage) -> LawChanges:
    """Apply an amending act, if it finds the act by its title."""
    key = make_act_key(find_title(act))
    stored: Any = Stored(change)
    steps = list_steps([LawText("change", stored)], key, {})
    versions = date_versions([DatedVersion("act", act, "2025-01-10")])
    return work_out_versions(versions, steps, key, FACTS, {})


def list_ended(changes: LawChanges) -> set[tuple[str, str, bool]]:
    """Concept and value of what ended, and whether that is certain."""
    return {
        (one.held.fact.proposed.concept, one.held.fact.proposed.value, not one.reason)
        for one in changes.ended
    }


def list_begun(changes: LawChanges) -> set[tuple[str, str]]:
    return {(one.fact.proposed.concept, one.fact.proposed.value) for one in changes.new}


def test_an_amendment_of_plain_text_keeps_the_concept() -> None:
    changes = amend(read_text(ACT), read_text(CHANGE.format(what=DAYS)))
    assert list_ended(changes) == {("porezu_kavu.payment_deadline", "15", True)}
    assert list_begun(changes) == {("porezu_kavu.payment_deadline", "30")}
    assert changes.open == []


def test_an_article_keeps_the_subject_that_the_opening_of_its_act_names() -> None:
    act = """Pravilnik o naplati

Članak 1.
Ovim se Pravilnikom uređuje boravišna pristojba.

Članak 7.
Obveznik plaća iznos u roku od 15 dana od isteka mjeseca.
"""
    change = """Pravilnik o izmjenama Pravilnika o naplati

Članak 1.
U Pravilniku o naplati (»NN«, 8/24) u članku 7. riječi »15 dana« zamjenjuju se riječima »30 dana«.

Članak 2.
Ovaj Pravilnik stupa na snagu 1. srpnja 2026.
"""
    own = read_text(act, title="Pravilnik o naplati")
    (before,) = [f.proposed for f in DatedVersion("a", own, "").list_facts(FACTS)
                 if f.proposed.value == "15"]  # fmt: skip
    changes = amend(own, read_text(change, title="Pravilnik o izmjenama Pravilnika o naplati"))
    assert list_ended(changes) == {(before.concept, "15", True)}
    assert list_begun(changes) == {(before.concept, "30")}


def test_a_fact_that_its_amended_article_does_not_say_any_more_is_doubted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever a changed article is read as by itself, the fact of the whole act is not certain."""
    monkeypatch.setattr("assay.packs.regulatory.acts.changes._LawBook._read_facts", lambda *_: [])
    changes = amend(read_text(ACT), read_text(CHANGE.format(what=DAYS)))
    assert list_ended(changes) == {("porezu_kavu.payment_deadline", "15", False)}
    (asked,) = changes.open
    assert (asked.target, asked.day) == ("art_7__para_2", "2026-07-01")


def test_regulations_of_plain_text_are_amended() -> None:
    changes = amend(read_text(LEVY, "en"), read_text(LEVY_CHANGE, "en"))
    assert {(value, sure) for _, value, sure in list_ended(changes)} == {
        ("10", True),
        ("120", True),
    }
    assert {value for _, value in list_begun(changes)} == {"12", "150"}
    assert {concept.partition(".")[0] for concept, _ in list_begun(changes)} == {
        "air_passenger_levy"
    }
    assert changes.open == []


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (LEVY_CHANGE, "AIR PASSENGER LEVY (AMENDMENT) REGULATIONS 2026"),
        (
            "The Air Passenger Levy (Amendment) Regulations 2026\n\n"
            "1. These Regulations come into force on 1 July 2026.\n",
            "The Air Passenger Levy (Amendment) Regulations 2026",
        ),
        (
            "Citation and commencement\n\n1. These Regulations may be cited as the Air Passenger "
            "Levy (Amendment) Regulations 2026 and come into force on 1 July 2026.\n\n"
            "2. In regulation 3 of the Air Passenger Levy Regulations 2025, omit “10”.\n",
            "Air Passenger Levy (Amendment) Regulations 2026",
        ),
    ],
)
def test_a_sentence_about_an_act_is_not_its_title(text: str, title: str) -> None:
    assert find_title(read_text(text, "en")) == title


def test_pages_with_the_title_of_their_site_are_known_by_their_headings() -> None:
    changes = amend(
        read_text(f"Narodne novine\n{ACT}", title="Narodne novine"),
        read_text(f"Narodne novine\n{CHANGE.format(what=DAYS)}", title="Narodne novine"),
    )
    assert list_ended(changes) == {("porezu_kavu.payment_deadline", "15", True)}
    assert list_begun(changes) == {("porezu_kavu.payment_deadline", "30")}


def test_a_title_that_names_no_act_gives_way_only_to_the_name_of_an_act() -> None:
    assert find_title(read_text(ACT, title="Propisi")) == "ZAKON O POREZU NA KAVU"
    notice = "Objava stope\n\nStopa zatezne kamate iznosi 8 % godišnje.\n"
    assert find_title(read_text(notice, title="Objava stope")) == "Objava stope"
    guide = f"Vodič kroz PDV\n\n{ACT}"
    assert find_title(read_text(guide, title="Vodič kroz PDV")) == "Vodič kroz PDV"


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Zakon o kavi | Narodne novine", "Zakon o kavi"),
        ("Narodne novine – Zakon o kavi", "Zakon o kavi"),
        ("Zakon o kavi", "Zakon o kavi"),
    ],
)
def test_a_title_is_without_its_publisher(title: str, name: str) -> None:
    assert cut_publisher(title) == name


@pytest.mark.parametrize(
    "title", ["Narodne novine", "Službeni list br. 8/24", "Gesetze im Internet", "EUR-Lex"]
)
def test_a_gazette_is_not_an_act(title: str) -> None:
    assert identify_act(title, "") == ""


def test_british_titles_name_the_amended_act_without_its_year() -> None:
    named = find_amended_name("The Landfill Tax (Amendment) (No. 2) Regulations 2026")
    assert named == "Landfill Tax Regulations"
    cited = "In the Landfill Tax Regulations 1996 omit"
    assert find_full_name(named, cited) == "Landfill Tax Regulations 1996"
    assert find_full_name(named, "nothing of the kind") == named
    assert find_full_name(named, f"{cited}; in the Landfill Tax Regulations 2001 omit") == ""


def test_instructions_that_name_no_act_are_about_the_one_in_the_title() -> None:
    assert find_named_acts("e", read_text(LEVY_CHANGE, "en")) == {
        "air-passenger-levy-regulations": "AIR PASSENGER LEVY REGULATIONS"
    }
