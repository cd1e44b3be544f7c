"""The formulas with which acts of five traditions change others."""

import pytest

from assay.packs.regulatory.acts.amending import Tradition, apply_operations, parse_amendments
from assay.packs.regulatory.acts.instructions import find_named_acts
from assay.packs.regulatory.acts.naming import make_act_key
from assay.packs.regulatory.acts.shapes import Operation, OperationKind, UnclearInstruction
from assay.packs.regulatory.acts.trees import read_act
from tests.packs.regulatory.passages import passage

HR = (
    "Članak 1.\nU Zakonu o porezu (»Narodne novine«, br. 73/13.) u članku 1. "
    "stavku 1. riječ »a« briše se.\nČlanak 2.\n"
)
DE = (
    "Artikel 1\nÄnderung des Steuergesetzes\nDas Steuergesetz vom 1. Mai 2020 "
    "(BGBl. I S. 3) wird wie folgt geändert:\n"
)
UK = "2.—(1) The Value Added Tax Act 1994 is amended as follows.\n"
EU = "Article 1\nRegulation (EU) No 575/2013 is amended as follows:\n"
LEAD = {"hr": HR, "de": DE, "uk": UK, "eu": EU}


def parse(tradition: Tradition, text: str) -> list[Operation | UnclearInstruction]:
    found = parse_amendments("act", LEAD[tradition] + text, tradition)
    return found[1:] if tradition == "hr" else found


def parse_one(tradition: Tradition, text: str) -> Operation:
    found = parse(tradition, text)
    assert len(found) == 1, found
    assert isinstance(found[0], Operation), found[0]
    return found[0]


WORDS = [
    (
        "hr",
        "U članku 3. iznos od »55.000,00 eura« mijenja se i glasi: »60.000,00 eura«.",
        "art_3",
        "55.000,00 eura",
        "60.000,00 eura",
    ),
    (
        "hr",
        "U članku 18. umjesto »180.000 eura« treba stajati »200.000 eura«.",
        "art_18",
        "180.000 eura",
        "200.000 eura",
    ),
    (
        "hr",
        "U članku 38. stavku 3. riječi: »12 %« zamjenjuju se riječima: »13 %«.",
        "art_38__para_3",
        "12 %",
        "13 %",
    ),
    (
        "hr",
        "U članku 6. stavku 2. iznos »55.000,00 eura« zamjenjuje se iznosom »60.000,00 eura«.",
        "art_6__para_2",
        "55.000,00 eura",
        "60.000,00 eura",
    ),
    (
        "hr",
        "U članku 7. u prvoj rečenici broj: »30« zamjenjuje se brojem: »33«.",
        "art_7__sentence_1",
        "30",
        "33",
    ),
    (
        "hr",
        "Članak 7. mijenja se tako da se u trećoj rečenici broj »30« zamjenjuje brojem »33«.",
        "art_7__sentence_3",
        "30",
        "33",
    ),
    (
        "de",
        "1. In § 12 Absatz 2 wird die Angabe „7“ durch die Angabe „5“ ersetzt.",
        "sec_12__para_2",
        "7",
        "5",
    ),
    (
        "de",
        "1. § 12 wird wie folgt geändert:\na) Absatz 1 wird wie folgt geändert:\naa)"
        " In Satz 2 werden die Wörter „alt und“ durch das Wort „neu“ ersetzt.",
        "sec_12__para_1__sentence_2",
        "alt und",
        "neu",
    ),
    (
        "de",
        "1. In § 4 Nummer 8 Buchstabe a wird der Betrag „50 000 Euro“ durch „60 000 Euro“ ersetzt.",
        "sec_4__point_8__point_a",
        "50 000 Euro",
        "60 000 Euro",
    ),
    ("uk", "(2) In section 5(2), for “£792” substitute “£858”.", "sec_5__para_2", "£792", "£858"),
    (
        "uk",
        "(2) In section 5—\n(a) in subsection (3)(b), for “one” substitute “two”;",
        "sec_5__para_3__point_b",
        "one",
        "two",
    ),
    (
        "uk",
        "(2) In paragraph 3 of Schedule 1, for “one” substitute “two”.",
        "annex_1__para_3",
        "one",
        "two",
    ),
    ("eu", "(1) in Article 3, ‘credit’ is replaced by ‘loan’;", "art_3", "credit", "loan"),
    (
        "eu",
        "(1) in Article 3(2), point (b), the words ‘two years’ are replaced by "
        "the words ‘three years’;",
        "art_3__para_2__point_b",
        "two years",
        "three years",
    ),
]


@pytest.mark.parametrize(("tradition", "text", "target", "old", "new"), WORDS)
def test_words_are_replaced_where_the_instruction_says(
    tradition: Tradition, text: str, target: str, old: str, new: str
) -> None:
    operation = parse_one(tradition, text)
    assert (operation.kind, operation.target) == (OperationKind.REPLACE_WORDS, target)
    assert (operation.old, operation.new.text) == (old, new)


def test_the_place_of_new_words_is_in_the_amending_act() -> None:
    text = "(2) In section 5(2), for “£792” substitute “£858”."
    operation = parse_one("uk", text)
    (span,) = operation.new.spans
    assert (UK + text)[span.start : span.end] == "£858"
    assert (UK + text)[operation.quote.start : operation.quote.end].startswith("In section 5(2)")


OTHERS = [
    ("hr", "Članak 12. briše se.", OperationKind.DELETE, ["art_12"]),
    (
        "hr",
        "U članku 9. stavci 2. i 3. brišu se.",
        OperationKind.DELETE,
        ["art_9__para_2", "art_9__para_3"],
    ),
    (
        "hr",
        "U članku 9. iza riječi: »robe« dodaju se riječi: »i usluge«.",
        OperationKind.INSERT_WORDS,
        ["art_9"],
    ),
    (
        "hr",
        "Naslov iznad članka 21. mijenja se i glasi: »Rokovi«.",
        OperationKind.REPLACE,
        ["art_21"],
    ),
    ("de", "1. § 7 wird aufgehoben.", OperationKind.DELETE, ["sec_7"]),
    (
        "de",
        "1. Die §§ 30 bis 32 werden aufgehoben.",
        OperationKind.DELETE,
        ["sec_30", "sec_31", "sec_32"],
    ),
    (
        "de",
        "1. In § 5 Absatz 1 werden die Wörter „oder so“ gestrichen.",
        OperationKind.DELETE_WORDS,
        ["sec_5__para_1"],
    ),
    (
        "de",
        "1. In § 5 Absatz 1 werden nach dem Wort „Bücher“ ein Komma und das Wort "
        "„Karten“ eingefügt.",
        OperationKind.INSERT_WORDS,
        ["sec_5__para_1"],
    ),
    (
        "de",
        "1. Dem § 5 Absatz 2 wird folgender Satz angefügt:\n„Dies gilt nicht.“",
        OperationKind.INSERT,
        ["sec_5__para_2__sentence_last"],
    ),
    ("uk", "(2) Omit section 7.", OperationKind.DELETE, ["sec_7"]),
    ("uk", "(2) Sections 10 and 11 are repealed.", OperationKind.DELETE, ["sec_10", "sec_11"]),
    ("uk", "(2) In section 5(1), omit “old”.", OperationKind.DELETE_WORDS, ["sec_5__para_1"]),
    (
        "uk",
        "(2) In section 5(1), after “goods” insert “and services”.",
        OperationKind.INSERT_WORDS,
        ["sec_5__para_1"],
    ),
    (
        "eu",
        "(1) in Article 5(3), point (b) is deleted;",
        OperationKind.DELETE,
        ["art_5__para_3__point_b"],
    ),
    ("eu", "(1) paragraph 3 of Article 5 is deleted;", OperationKind.DELETE, ["art_5__para_3"]),
]


@pytest.mark.parametrize(("tradition", "text", "kind", "targets"), OTHERS)
def test_other_operations_are_recognised(
    tradition: Tradition, text: str, kind: OperationKind, targets: list[str]
) -> None:
    found = parse(tradition, text)
    assert [(each.kind, each.target) for each in found if isinstance(each, Operation)] == [
        (kind, target) for target in targets
    ]


NEW_TEXTS = [
    (
        "hr",
        "U članku 38. iza stavka 3. dodaje se stavak 4. koji glasi:\n»(4) Po stopi "
        "»od 6 %« oporezuju se:\na) knjige\nb) prijevoz.«",
        "art_38__para_4",
        ["art_38__para_4__point_a", "art_38__para_4__point_b"],
    ),
    (
        "hr",
        "Članak 12. mijenja se i glasi:\n»Članak 12.\n(1) Prvi.\n(2) Drugi.«",
        "art_12",
        ["art_12__para_1", "art_12__para_2"],
    ),
    (
        "hr",
        "Iza članka 20. dodaje se članak 20.a koji glasi:\n»Članak 20.a\nNovi tekst.«",
        "art_20a",
        ["art_20a__para_1"],
    ),
    (
        "de",
        "1. Nach § 5 wird folgender § 5a eingefügt:\n„§ 5a\nÜbergang\n(1) „Eins“ gilt.\n(2) Zwei.“",
        "sec_5a",
        ["sec_5a__para_1", "sec_5a__para_2"],
    ),
    (
        "de",
        "1. § 19 Absatz 1 wird wie folgt gefasst:\n„(1) Die Steuer\n1. entfällt und\n2. ruht.“",
        "sec_19__para_1",
        ["sec_19__para_1__point_1", "sec_19__para_1__point_2"],
    ),
    (
        "uk",
        "(2) In section 5, after subsection (3) insert—\n“(3A) New “text”—\n(a)"
        " first; and\n(b) second.”",
        "sec_5__para_3A",
        ["sec_5__para_3A__point_a", "sec_5__para_3A__point_b"],
    ),
    (
        "uk",
        "(2) For section 7 substitute—\n“7 Heading\n(1) First.\n(2) Second.”",
        "sec_7",
        ["sec_7__para_1", "sec_7__para_2"],
    ),
    (
        "eu",
        "(1) Article 5(2) is replaced by the following:\n‘2. The Member States’ "
        "authorities shall:\n(a) act; and\n(b) don’t wait.’;",
        "art_5__para_2",
        ["art_5__para_2__point_a", "art_5__para_2__point_b"],
    ),
    (
        "eu",
        "(1) in Article 5, the following paragraph is inserted:\n‘2a. New paragraph.’;",
        "art_5__para_2a",
        [],
    ),
    (
        "eu",
        "(1) the following Article is inserted:\n‘Article 6a\nTitle\n1. One.\n2. Two.’;",
        "art_6a",
        ["art_6a__para_1", "art_6a__para_2"],
    ),
]


@pytest.mark.parametrize(("tradition", "text", "target", "parts"), NEW_TEXTS)
def test_new_text_ends_where_its_structure_ends(
    tradition: Tradition, text: str, target: str, parts: list[str]
) -> None:
    operation = parse_one(tradition, text + "\n")
    assert operation.target == target
    assert [each.path for each in operation.provisions] == [target, *parts]
    words = " ".join(each.opening.text for each in operation.provisions)
    assert not words.endswith(("“", "”", "«", "’"))


def test_renumbering_a_row_begins_at_its_end() -> None:
    found = parse("hr", "U članku 38. dosadašnji stavci 4. i 5. postaju stavci 5. i 6.")
    assert [(e.target, e.renumbered) for e in found if isinstance(e, Operation)] == [
        ("art_38__para_5", "art_38__para_6"),
        ("art_38__para_4", "art_38__para_5"),
    ]


@pytest.mark.parametrize(
    ("tradition", "text"),
    [
        (
            "de",
            "1. In § 14 Absatz 1 werden jeweils die Wörter „alt“ durch die Wörter „neu“ ersetzt.",
        ),
        ("uk", "(2) In section 8(1), for “£792” in each place substitute “£858”."),
    ],
)
def test_everywhere_is_understood(tradition: Tradition, text: str) -> None:
    assert parse_one(tradition, text).everywhere


def test_a_stretch_of_words_has_a_beginning_and_an_end() -> None:
    text = (
        "(2) In section 9(3), for the words from “the person” to “the Commissioners” "
        "substitute “HMRC”."
    )
    operation = parse_one("uk", text)
    assert (operation.old, operation.until, operation.new.text) == (
        "the person",
        "the Commissioners",
        "HMRC",
    )


def test_each_amended_act_of_a_document_keeps_its_own_instructions() -> None:
    text = (
        DE + "1. § 7 wird aufgehoben.\nArtikel 2\nÄnderung der Abgabenordnung\n"
        "Die Abgabenordnung in der Fassung vom 1. Oktober 2002 wird wie folgt geändert:\n"
        "1. § 8 wird aufgehoben.\n"
    )
    found = parse_amendments("act", text, "de")
    assert [(each.instrument, each.target) for each in found] == [
        ("Steuergesetz", "sec_7"),
        ("Abgabenordnung", "sec_8"),
    ]


UNCLEAR = [
    ("hr", "U članku 22. stavku 1. riječi se mijenjaju u odgovarajućem padežu.", "art_22__para_1"),
    (
        "de",
        "1. In § 21 Absatz 3 wird die Tabelle wie aus der Anlage ersichtlich geändert.",
        "sec_21__para_3",
    ),
    (
        "uk",
        "(2) In section 13(1), in the definition of “x” make a change and insert it.",
        "sec_13__para_1",
    ),
    (
        "eu",
        "(1) in Article 7(2), the table is replaced by the following:\n‘text’;",
        "art_7__para_2",
    ),
]


@pytest.mark.parametrize(("tradition", "text", "target"), UNCLEAR)
def test_an_instruction_that_is_not_understood_is_reported_with_its_provision(
    tradition: Tradition, text: str, target: str
) -> None:
    (found,) = parse(tradition, text)
    assert isinstance(found, UnclearInstruction)
    assert found.target == target
    assert found.reason


@pytest.mark.parametrize(
    ("tradition", "text"),
    [
        ("hr", "Ovaj Zakon stupa na snagu osmoga dana od dana objave u »Narodnim novinama«."),
        ("de", "2. Dieses Gesetz tritt am Tag nach der Verkündung in Kraft."),
        ("uk", "(2) This section comes into force on 1st April 2020."),
        (
            "eu",
            "(1) This Regulation shall enter into force on the twentieth day following "
            "publication.",
        ),
    ],
)
def test_commencement_is_not_an_amendment(tradition: Tradition, text: str) -> None:
    assert parse(tradition, text) == []


def test_two_changes_of_one_provision_in_one_clause_are_both_understood() -> None:
    found = parse(
        "de",
        "1. In § 10 Absatz 4 werden die Wörter „durch Aushang“ gestrichen und wird die Angabe "
        "„§ 16f“ durch die Angabe „§ 35“ ersetzt.",
    )
    assert [(e.kind.value, e.target, e.old) for e in found if isinstance(e, Operation)] == [
        ("delete_words", "sec_10__para_4", "durch Aushang"),
        ("replace_words", "sec_10__para_4", "§ 16f"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "1. In der Überschrift, in § 1 Satz 1 und in § 5 wird jeweils das Wort "
        "„a“ durch das Wort „b“ ersetzt.",
        "1. § 9 Absatz 1 Satz 1 und 2 wird wie folgt gefasst:\n„Erster Satz. Zweiter Satz.“",
        "1. § 3 Absatz 2 wird durch die folgenden Absätze 2 und 3 ersetzt:\n„(2) Zwei.\n(3) Drei.“",
    ],
)
def test_a_clause_about_several_things_is_not_guessed(text: str) -> None:
    (found,) = parse("de", text)
    assert isinstance(found, UnclearInstruction)


def test_a_regulation_that_amends_an_unnumbered_schedule_is_read_to_its_paragraphs() -> None:
    text = (
        "2. In the Schedule to the Health Protection (Coronavirus, Restrictions) (England) (No. 4) "
        "Regulations 2020—\n(a) in paragraph 30—\n(i) number the existing text as "
        "sub-paragraph (1);\n(ii) after sub-paragraph (1) insert—\n“(2) Text.”;\n"
    )
    first, second = parse_amendments("act", text, "uk")
    assert isinstance(first, UnclearInstruction)
    assert isinstance(second, Operation)
    assert first.target.startswith("annex_1__para_30")
    assert second.target == "annex_1__para_30__point_2"
    assert second.instrument.startswith("Health Protection (Coronavirus, Restrictions)")


def test_an_act_may_be_named_without_its_gazette() -> None:
    text = (
        "Članak 1.\nU članku 3. Pravilnika o paušalnom oporezivanju iznos »5 eura« zamjenjuje se "
        "iznosom »6 eura«.\nČlanak 2.\nU članku 7. Zakona riječi »a« zamjenjuju se riječima »b«.\n"
    )
    found = parse_amendments("act", text, "hr")
    assert [each.instrument for each in found] == ["Pravilnika o paušalnom oporezivanju"] * 2


def test_a_title_may_follow_the_issuer_and_the_legal_basis() -> None:
    text = (
        "MINISTARSTVO FINANCIJA\n\nNa temelju članka 55. Zakona o porezu na dohodak ministar donosi"
        "\n\nPRAVILNIK O IZMJENAMA PRAVILNIKA O PAUŠALNOM OPOREZIVANJU\n\nČlanak 1.\n\n"
        "U članku 7. riječi »15. siječnja« zamjenjuju se riječima »31. siječnja«.\n"
    )
    found = find_named_acts("act", passage(text, "hr"))
    assert list(found) == [make_act_key("Pravilnik o paušalnom oporezivanju")]


@pytest.mark.parametrize(
    ("text", "left", "questions"),
    [
        ("1. § 1 Absatz 1 Satz 2 und 3 wird aufgehoben.\n", "A gilt. D gilt.", 0),
        (
            "1. § 1 Absatz 1 wird wie folgt geändert:\na) Satz 2 wird aufgehoben.\n"
            "b) Satz 3 wird aufgehoben.\n",
            "A gilt. C gilt. D gilt.",
            1,
        ),
    ],
)
def test_deleted_sentences_do_not_give_their_number_to_the_next(
    text: str, left: str, questions: int
) -> None:
    act = read_act("act", "§ 1\n(1) A gilt. B gilt. C gilt. D gilt.\n§ 2\nEnde.\n")
    lead = "Artikel 1\nDas Steuergesetz wird wie folgt geändert:\n"
    found = parse_amendments("change", lead + text, "de")
    operations = [each for each in found if isinstance(each, Operation)]
    changed, _, deferred = apply_operations(act, operations)
    assert changed.by_path()["sec_1__para_1"].opening.text == left
    assert len(deferred) == questions
