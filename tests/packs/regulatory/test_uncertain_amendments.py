"""Amendments that leave a question: nothing is certain while it is open, and no value is lost."""

from dataclasses import dataclass

import pytest

from assay.model.records import ReviewRequest
from assay.packs.regulatory.acts.amended_laws import doubt_statements
from assay.packs.regulatory.acts.amendment_steps import list_steps
from assay.packs.regulatory.acts.instructions import find_named_acts
from assay.packs.regulatory.acts.law_changes import (
    AmendedLaw,
    LawChanges,
    LawText,
    OpenInstruction,
)
from assay.packs.regulatory.acts.naming import identify_act, make_amended_law_id
from assay.packs.regulatory.acts.version_days import DatedVersion
from assay.packs.regulatory.acts.versions import work_out_versions
from assay.packs.regulatory.extractor.reader import load_facts_with_extractor
from assay.packs.regulatory.jobs import StatuteJob
from assay.packs.regulatory.questions import build_amendment_request, decide_amendment
from assay.sdk.errors import InvalidInput
from assay.sdk.facts import Passage
from tests.packs.regulatory.passages import passage

FACTS = load_facts_with_extractor()
CROATIAN = """Zakon o turističkoj pristojbi
Članak 1.
Ovim se Zakonom uređuje turistička pristojba koju plaćaju iznajmljivači.
Članak 2.
(1) Turistička pristojba plaća se po stopi od 5 % od iznosa računa za smještaj.
(2) Iznajmljivač čuva račune najmanje 7 godina od isteka godine na koju se odnose.
Članak 3.
Novčanom kaznom u iznosu od 50,00 eura kaznit će se iznajmljivač koji ne plati pristojbu.
Članak 4.
Ovaj Zakon stupa na snagu 1. siječnja 2025.
"""
CROATIAN_CHANGE = """Zakon o izmjenama Zakona o turističkoj pristojbi
Članak 1.
U Zakonu o turističkoj pristojbi (»Službeni list«, br. 8/24) {}
Članak 2.
Ovaj Zakon stupa na snagu {}.
"""
GERMAN = """Biersteuergesetz
§ 1 Gegenstand
Bier unterliegt der Biersteuer.
§ 2 Steuertarif
Der Steuersatz der Biersteuer beträgt 10 Prozent der Bemessungsgrundlage.
§ 3 Anmeldung
Brauereien müssen die Biersteuer bis zum 20. des Folgemonats anmelden. Brauereien müssen Belege \
zehn Jahre aufbewahren.
"""
GERMAN_CHANGE = """Gesetz zur Änderung des Biersteuergesetzes
Artikel 1
Das Biersteuergesetz vom 15. Juli 2009 (BGBl. I S. 1870) wird wie folgt geändert:
1. {}
Artikel 2
Dieses Gesetz tritt am {} in Kraft.
"""
BRITISH = """The Quarry Tax Regulations 2019
1. Interpretation
In these Regulations the quarry tax is the tax on aggregate.
2. Rate
The rate of quarry tax is 10 per cent of the value of the aggregate.
"""
BRITISH_CHANGE = """The Quarry Tax (Amendment) Regulations 2026
1. Commencement
These Regulations come into force on {1}.
2. Amendment
In {0} of the Quarry Tax Regulations 2019, for “10 per cent” substitute “12 per cent”.
"""
EUROPEAN = """Regulation (EU) 2021/2282 of the Council on levies
Official Journal of the European Union
Article 4
The rate of the levy on plastics is 10 % of the value.
"""
EUROPEAN_CHANGE = """Commission Regulation (EU) 2026/77 amending Regulation (EU) 2021/2282
Official Journal of the European Union
THE EUROPEAN COMMISSION, HAS ADOPTED THIS REGULATION:
Article 1
In Article 4 of Regulation (EU) 2021/2282, in the {}, ‘10 %’ is replaced by ‘12 %’.
Article 2
This Regulation shall apply from {}.
"""
TRADITIONS = {
    "hr": (CROATIAN, CROATIAN_CHANGE, ("1. srpnja 2026.", "1. kolovoza 2026.")),
    "de": (GERMAN, GERMAN_CHANGE, ("1. Juli 2026", "1. August 2026")),
    "uk": (BRITISH, BRITISH_CHANGE, ("1 July 2026", "1 August 2026")),
    "eu": (EUROPEAN, EUROPEAN_CHANGE, ("1 July 2026", "1 August 2026")),
}
JULY, AUGUST = "2026-07-01", "2026-08-01"


@dataclass(frozen=True)
class Stored:
    """A text as the store has it."""

    passage: Passage

    def load_passage(self) -> Passage:
        return self.passage


def amend(country: str, *changes: str, answers: dict[str, str] | None = None) -> LawChanges:
    """The act of a country after instructions, each in an act of its own, in July and August."""
    act, template, days = TRADITIONS[country]
    language = country if country in ("hr", "de") else "en"
    texts = [template.format(each, day) for each, day in zip(changes, days, strict=False)]
    laws = [
        LawText(f"ev_{at}", Stored(passage(text, language, title=text.split("\n", 1)[0])))  # type: ignore[arg-type]
        for at, text in enumerate(texts)
    ]
    own = passage(act, language, title=act.split("\n", 1)[0])
    key = identify_act(own.reading.title or "", act)
    said = answers or {}
    version = DatedVersion("ev_act", own, "2025-06-01")
    return work_out_versions([version], list_steps(laws, key, said), key, FACTS, said)


def ends(changes: LawChanges) -> set[tuple[str, str, bool]]:
    """Value and day of each end, and whether it is certain."""
    return {(e.held.fact.proposed.value, e.day, not e.reason) for e in changes.ended}


def begins(changes: LawChanges) -> set[tuple[str, str | None]]:
    return {(h.fact.proposed.value, h.fact.proposed.effective_from) for h in changes.new}


def question(changes: LawChanges) -> OpenInstruction:
    (found,) = changes.open
    return found


MISSING = [
    ("hr", "u članku 3. stavku 2. riječi »50,00« zamjenjuju se riječima »60,00«.", "50"),
    ("de", "In § 2 Absatz 3 wird die Angabe „10“ durch die Angabe „12“ ersetzt.", "10"),
    ("de", "In § 2 Satz 2 wird die Angabe „10“ durch die Angabe „12“ ersetzt.", "10"),
    ("uk", "regulation 2(3)", "10"),
    ("eu", "second paragraph", "10"),
]


@pytest.mark.parametrize(("country", "what", "value"), MISSING)
def test_a_place_that_the_act_does_not_have_is_doubted_around_it(
    country: str, what: str, value: str
) -> None:
    changes = amend(country, what)
    assert ends(changes) == {(value, JULY, False)}
    ended = amend(country, what, answers={question(changes).question: "ended"})
    assert ends(ended) == {(value, JULY, True)} and ended.open == []
    kept = amend(country, what, answers={question(changes).question: "no_change"})
    assert kept == LawChanges()


def test_an_article_that_the_act_does_not_have_may_be_any() -> None:
    changes = amend("hr", "u članku 9. riječi »5 %« zamjenjuju se riječima »6 %«.")
    assert {value for value, _, is_certain in ends(changes) if not is_certain} >= {"5", "7", "50"}


def test_a_new_article_casts_no_doubt_on_the_others() -> None:
    changes = amend("hr", "iza članka 9. dodaje se članak 9.a koji glasi: »Članak 9.a\nTekst.«.")
    assert len(changes.open) == 1 and changes.ended == []


def test_a_new_figure_is_doubted_while_its_provision_is_asked_about() -> None:
    unclear = "u članku 2. stavku 1. riječi »8 %« zamjenjuju se riječima »9 %«."
    clear = "u članku 2. stavku 1. riječi »5 %« zamjenjuju se riječima »6 %«."
    changes = amend("hr", unclear, clear)
    assert begins(changes) == {("6", AUGUST)}
    assert {("5", JULY, False), ("5", AUGUST, True), ("6", JULY, False)} == ends(changes)
    kept = amend("hr", unclear, clear, answers={question(changes).question: "no_change"})
    assert ends(kept) == {("5", AUGUST, True)}


def test_a_new_text_settles_what_was_asked_about_the_old_one() -> None:
    unclear = "u članku 2. stavku 1. riječi »8 %« zamjenjuju se riječima »9 %«."
    whole = (
        "u članku 2. stavak 1. mijenja se i glasi: »(1) Turistička pristojba plaća se po stopi od "
        "6 % od iznosa računa za smještaj.«."
    )
    changes = amend("hr", unclear, whole)
    assert ends(changes) == {("5", JULY, False), ("5", AUGUST, True)}


NUMBER_ONLY = "u članku 3. broj »50,00« zamjenjuje se brojem »60,00«."


def test_a_value_is_doubted_if_the_amending_act_does_not_name_the_unit_of_the_new_one() -> None:
    changes = amend("hr", NUMBER_ONLY)
    assert ends(changes) == {("50", JULY, False)}
    asked = question(changes)
    assert (asked.target, asked.figure) == ("art_3__para_1", "60 EUR")
    assert amend("hr", NUMBER_ONLY, answers={asked.question: "no_change"}).ended == []
    ended = amend("hr", NUMBER_ONLY, answers={asked.question: "ended"})
    assert ends(ended) == {("50", JULY, True)} and ended.open == []
    later = amend("hr", NUMBER_ONLY, answers={asked.question: "ended from 2026-09-01"})
    assert ends(later) == {("50", "2026-09-01", True)}


def test_a_doubted_value_ends_when_a_later_act_replaces_the_new_one() -> None:
    later = "u članku 3. riječi »60,00 eura« zamjenjuju se riječima »70,00 eura«."
    changes = amend("hr", NUMBER_ONLY, later)
    assert ends(changes) == {("50", JULY, False), ("50", AUGUST, True)}
    assert begins(changes) == {("70", AUGUST)}


def test_a_value_whose_sentence_gets_more_words_is_read_with_them() -> None:
    what = "u članku 2. stavku 2. iza riječi »godina« dodaju se riječi », a ustanova trajno,«."
    changes = amend("hr", what)
    assert changes.open == []
    assert ends(changes) == {("7", JULY, True)}
    (held,) = changes.new
    said = held.fact.proposed
    assert (said.value, said.effective_from) == ("7", JULY)
    assert "[…], a ustanova trajno, od isteka" in str(said.applies_when)
    assert held.evidence_id == "ev_act" and "7 godina od isteka" in said.quote


def test_a_value_that_may_have_another_meaning_is_doubted() -> None:
    what = "u članku 2. stavku 2. iza riječi »godina« dodaju se riječi »bez prekida«."
    changes = amend("hr", what)
    assert ends(changes) == {("7", JULY, False)}
    assert amend("hr", what, answers={question(changes).question: "no_change"}).ended == []


TWELVE = "In § 3 Satz 2 wird das Wort „zehn“ durch das Wort „zwölf“ ersetzt."


def test_a_change_of_one_sentence_keeps_the_value_of_another() -> None:
    changes = amend("de", TWELVE)
    assert ends(changes) == {("20", JULY, True), ("10", JULY, False)}
    assert begins(changes) == {("20", JULY)}
    (held,) = changes.new
    assert "zwölf Jahre" in str(held.fact.proposed.applies_when)
    assert (question(changes).target, question(changes).figure) == ("sec_3__para_1", "12 years")


def test_a_question_quotes_the_instruction_that_it_is_about() -> None:
    both = f"In § 2 wird die Angabe „10“ durch die Angabe „11“ ersetzt.\n2. {TWELVE}"
    changes = amend("de", both)
    text = GERMAN_CHANGE.format(both, TRADITIONS["de"][2][0])
    assert {(one.figure, text[one.quote.start : one.quote.end][:8]) for one in changes.open} == {
        ("11 %", "In § 2 w"),
        ("12 years", "In § 3 S"),
    }
    first, second = changes.open
    assert first.question != second.question
    answered = amend("de", both, answers={first.question: "no_change"})
    assert answered.open == [second]


def test_what_cannot_be_read_casts_doubt_on_the_figure_beside_it() -> None:
    what = "u članku 2. stavku 1. riječi »plaća se« zamjenjuju se riječima »ne plaća se«."
    changes = amend("hr", what)
    assert ends(changes) == {("5", JULY, False)} and len(changes.open) == 1
    assert amend("hr", what, answers={question(changes).question: "no_change"}).ended == []


ACT = StatuteJob(act_key="zakon", source="gazette")


def ask(changes: LawChanges) -> ReviewRequest:
    return build_amendment_request(question(changes), "riječi", ACT, "Zakon", 0)


def test_a_question_about_a_figure_asks_for_nothing_that_it_cannot_use() -> None:
    request = ask(amend("hr", NUMBER_ONLY))
    assert "60 EUR" in request.question and ".." not in request.question
    assert "->" not in request.question
    with pytest.raises(InvalidInput):
        decide_amendment(request, 'art_3__para_1: "50,00" -> "60,00"')
    assert decide_amendment(request, "no_change").records


@pytest.mark.parametrize(
    ("country", "what", "reason"),
    [
        ("de", "In § 2 Satz 2 wird die Angabe „10“ durch die Angabe „12“ ersetzt.",
         "the instruction names sentence 2, but the provision has only one sentence"),
        ("hr", "u članku 2. dosadašnjem stavku 2., koji je postao stavak 3., riječi »7 godina« "
         "zamjenjuju se riječima »8 godina«.",
         "which provision is meant is not clear: “dosadašnjem …, koji je postao” is not "
         "understood"),
    ],
)  # fmt: skip
def test_reasons_can_be_read(country: str, what: str, reason: str) -> None:
    assert question(amend(country, what)).reason == reason


def test_a_sentence_of_a_section_without_paragraphs_is_counted() -> None:
    what = "In § 3 Satz 2 wird die Angabe „zehn Jahre“ durch die Angabe „zwölf Jahre“ ersetzt."
    changes = amend("de", what)
    assert changes.open == []
    assert begins(changes) >= {("12", JULY)}


@pytest.mark.parametrize(
    "name", ["Gebührengesetz für Tee", "Gesetz über die Gebühren für Tee", "Teegebührengesetz"]
)
@pytest.mark.parametrize("cited", ["", " vom 15. Juli 2009 (BGBl. I S. 1870)"])
def test_an_act_of_any_name_is_found(name: str, cited: str) -> None:
    text = GERMAN_CHANGE.replace(
        "Biersteuergesetz vom 15. Juli 2009 (BGBl. I S. 1870)", name + cited
    ).replace("des Biersteuergesetzes", "von Gesetzen")
    text = text.format("In § 4 wird die Angabe „10“ durch die Angabe „12“ ersetzt.", "1. Juli 2026")
    named = find_named_acts("ev", passage(text, "de"))
    assert list(named) == [identify_act(name, "")]


def test_what_an_amended_amending_act_says_by_itself_is_doubted() -> None:
    own = "Članak 2.\nDo kraja 2027. godine turistička pristojba plaća se po stopi od 35 %.\n"
    first = passage(CROATIAN_CHANGE.format("članak 3. briše se.", "1. siječnja 2026.").replace(
        "Članak 2.", own + "Članak 3."), "hr", title="Zakon o izmjenama")  # fmt: skip
    text = CROATIAN_CHANGE.replace("U Zakonu o", "U Zakonu o izmjenama Zakona o").format(
        "u članku 2. riječi »35 %« zamjenjuju se riječima »33 %«.", "1. srpnja 2026."
    )
    later = passage(text, "hr", title="Zakon o izmjeni Zakona o izmjenama")
    key = identify_act("Zakon o izmjenama Zakona o turističkoj pristojbi", "")
    laws = [AmendedLaw("ev_first", key, LawText("ev_later", Stored(later)))]  # type: ignore[arg-type]
    texts = [LawText("ev_first", Stored(first))]  # type: ignore[arg-type]
    assert ("35", JULY, False) in ends(doubt_statements(texts, laws, FACTS, {}))
    question_id = make_amended_law_id("ev_later", key)
    assert doubt_statements(texts, laws, FACTS, {question_id: "no_change"}) == LawChanges()
    ended = doubt_statements(texts, laws, FACTS, {question_id: "ended from 2026-08-01"})
    assert ("35", AUGUST, True) in ends(ended)
