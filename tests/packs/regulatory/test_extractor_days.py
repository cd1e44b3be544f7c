"""From when and until when a fact applies."""

import pytest

from assay.model.content import ContentClass
from assay.packs.regulatory.extractor.named_provisions import list_provisions
from tests.packs.regulatory.passages import facts_of

Span = tuple[str | None, str | None]

CONSOLIDATED = """
Članak 1.

Stopa iznosi 5 %.

Članak 2. (NN [67/23](https://example.org/67))

Naknada iznosi 20 eura.

Članak 3.

Ovaj Zakon objavit će se u »Narodnim novinama«, a stupa na snagu 1. travnja 2019.

#### Prijelazne i završne odredbe iz NN 67/23

Članak 7.

Pristojba iznosi 7 eura.

Članak 8.

Ovaj Zakon stupa na snagu 1. siječnja 2024.
"""


def spans_of(text: str, language: str) -> dict[str, Span]:
    """The days of every figure that is a value."""
    return {
        fact.value: (fact.effective_from, fact.effective_until)
        for fact in facts_of(text, language)
        if fact.unit and fact.predicate != "entry_into_force"
    }


def test_only_the_unchanged_articles_of_a_consolidated_act_are_as_old_as_the_act() -> None:
    assert spans_of(CONSOLIDATED, "hr") == {
        "5": ("2019-04-01", None),
        "20": (None, None),
        "7": ("2024-01-01", None),
    }


def test_a_consolidated_act_that_marks_no_article_does_not_say_since_when_it_reads_so() -> None:
    unmarked = CONSOLIDATED.replace(" (NN [67/23](https://example.org/67))", "")
    assert spans_of(unmarked, "hr") == {
        "5": (None, None),
        "20": (None, None),
        "7": ("2024-01-01", None),
    }


def test_the_day_of_an_amending_act_is_not_that_of_the_act() -> None:
    relative = CONSOLIDATED.replace("snagu 1. travnja 2019.", "snagu osmoga dana od dana objave.")
    assert spans_of(relative, "hr") == {
        "5": (None, None),
        "20": (None, None),
        "7": ("2024-01-01", None),
    }


@pytest.mark.parametrize("head", ["Zuletzt geändert durch", "Neugefasst durch", "Geändert durch"])
def test_an_amended_german_act_does_not_say_since_when_it_reads_so(head: str) -> None:
    act = (
        "## § 1\n\nDie Gebühr beträgt 20 Euro.\n\n"
        "## § 2\n\nDieses Gesetz tritt am 1. Mai 1980 in Kraft.\n"
    )
    assert spans_of(act, "de") == {"20": ("1980-05-01", None)}
    assert spans_of(f"# Gesetz\n\n{head}\n:   Art. 2 G v. 12.8.2005\n\n{act}", "de") == {
        "20": (None, None)
    }


def test_marked_sections_were_changed() -> None:
    act = (
        "##### 1. Commencement\n\n**1.** This Act comes into operation on 1 May 1990.\n\n"
        "##### 2. Fee\n\n**2.** The fee for a licence is £20.\n\n"
        "##### 3. Rate\n\n**3.** The rate of duty is F12[7 per cent].\n"
    )
    assert spans_of(act, "en") == {"20": ("1990-05-01", None), "7": (None, None)}


@pytest.mark.parametrize(
    ("language", "first", "second"),
    [
        ("de", "## § 1\n\nDer Satz beträgt 5 %.",
         "## § 2\n\nDie Vorschrift des § 14 tritt am 1. Mai 1974 in Kraft."),
        ("en", "##### 1. Rate\n\n**1.** The rate of duty is 5%.", "##### 2. Repeal\n\n**2.** This "
         "section is deemed to have come into operation on 1 May 1992."),
        ("en", "##### 1. Rate\n\n**1.** The rate of duty is 5%.", "##### 2. Cases\n\n**2.** This "
         "Act does not have effect in a case begun on 1 May 1992."),
        ("hr", "Članak 1.\n\nStopa iznosi 5 %.", "Članak 2.\n\nUredba iz stavka 1. ovoga članka "
         "stupa na snagu 1. svibnja 2017."),
    ],
)  # fmt: skip
def test_what_is_said_of_something_else_is_not_the_day_of_the_act(
    language: str, first: str, second: str
) -> None:
    assert spans_of(f"{first}\n\n{second}\n", language) == {"5": (None, None)}


def test_excepted_paragraphs_have_days_of_their_own() -> None:
    text = (
        "Članak 1.\n\nStopa iznosi 5 %.\n\nČlanak 2.\n\n(1) Naknada iznosi 20 eura.\n\n"
        "(2) Pristojba iznosi 9 eura.\n\nČlanak 4.\n\nNaknada za uvid iznosi 3 eura.\n\n"
        "Članak 5.\n\nOvaj Zakon stupa na snagu 1. travnja 2019., osim članka 2. stavka 1. ovoga "
        "Zakona koji stupa na snagu 7. lipnja 2022. te članka 4. točke 2. ovoga Zakona koji stupa "
        "na snagu 1. siječnja 2023."
    )
    assert spans_of(text, "hr") == {
        "5": ("2019-04-01", None),
        "20": ("2022-06-07", None),
        "9": ("2019-04-01", None),
        "3": (None, None),
    }


def test_sections_are_excepted_from_the_day_of_an_act() -> None:
    text = (
        "##### 1. Fee\n\n**1.** The fee for a licence is £20.\n\n"
        "##### 2. Rate\n\n**2.** The rate of duty is 7 per cent.\n\n"
        "##### 3. Fine\n\n**3.** The fee for a copy is £4.\n\n"
        "##### 4. Commencement\n\n**4.** (1) This Act, other than *sections 2* and *3*, shall come "
        "into operation on 1 March 2012.\n\n(2) *Section 2* comes into operation on 1 May 2012.\n\n"
        "(3) *Section 3* comes into operation on such day as the Minister may appoint.\n"
    )
    assert spans_of(text, "en") == {
        "20": ("2012-03-01", None),
        "7": ("2012-05-01", None),
        "4": (None, None),
    }


@pytest.mark.parametrize(
    ("language", "act", "treaty"),
    [
        (
            "hr",
            "**ZAKON O SKLADIŠTIMA**\n\nČlanak 1.\n\nNaknada iznosi 20 eura.\n\nČlanak 2.\n\n"
            "Ovaj Zakon stupa na snagu 1. svibnja 2010.\n\n",
            "KONVENCIJA O SKLADIŠTIMA\n\nČlanak 1.\n\nPristojba iznosi 30 eura.\n",
        ),
        (
            "de",
            "# Lagergesetz\n\n### § 1 Gebühr\n\nDie Gebühr beträgt 20 Euro.\n\n### § 2 "
            "Inkrafttreten\n\nDieses Gesetz tritt am 1. Mai 2010 in Kraft.\n\n",
            "### Abkommen über Lager\n\n### Artikel 1 Gebühr\n\nDie Gebühr beträgt 30 Euro.\n",
        ),
    ],
)
def test_a_treaty_annexed_to_an_act_does_not_have_its_day(
    language: str, act: str, treaty: str
) -> None:
    days = {fact.value: fact.effective_from for fact in facts_of(act + treaty, language)}
    assert (days["20"], days["30"]) == ("2010-05-01", None)


def test_the_day_of_a_cited_recommendation_is_not_that_of_a_figure() -> None:
    text = "Stopa iznosi 5 % za društva iz Preporuke Komisije od 6. svibnja 2003."
    assert [fact.effective_from for fact in facts_of(text, "hr")] == [None]


def test_the_heading_of_an_annex_says_from_when_it_applies() -> None:
    text = (
        "## § 1\n\nDie Gebühr beträgt 20 Euro.\n\n"
        "## Anlage 1 Gültig ab 1. Mai 2026\n\nDie Gebühr für Hunde beträgt 30 Euro.\n\n"
        "## Anlage 2 Gültig ab 1. Juli 2026\n\nDie Gebühr für Katzen beträgt 40 Euro.\n\n"
        "## Anlage 3\n\nDie Gebühr für Vögel beträgt 50 Euro.\n"
    )
    assert spans_of(text, "de") == {
        "20": (None, None),
        "30": ("2026-05-01", None),
        "40": ("2026-07-01", None),
        "50": (None, None),
    }


SECTIONS = """
##### 5 Rate.

**5.**—(1) The rate of duty is 5 per cent.

(2) The fee for a copy is £20.

(3) {}

##### 6 Fee.

**6.**—(1) The licence fee is £70.
"""


@pytest.mark.parametrize(
    ("says", "first", "second"),
    [
        ("*Subsection (1)* comes into operation on 1 January 2014.", "2014-01-01", None),
        ("This section shall be deemed to have come into operation on the 1st day of June, 1969.",
         "1969-06-01", "1969-06-01"),
        ("This section has effect in relation to gifts taken on or after the 11th day of April, "
         "1994.", "1994-04-11", "1994-04-11"),
        ("This section has effect in relation to deaths after 17 June 1993.",
         "1993-06-18", "1993-06-18"),
        ("Subsections (1) and (2) apply as respects payments made on or after 1 May 2013.",
         "2013-05-01", "2013-05-01"),
        ("This section applies for the year of assessment 2014 and each subsequent year.",
         "2014-01-01", "2014-01-01"),
        ("The amendments made by this section apply to returns made on or after 1 May 2013.",
         "2013-05-01", "2013-05-01"),
        ("This section does not apply to gifts taken on or after 1 May 2013.", None, None),
        ("This section applies to individuals born on or after 1 May 1960.", None, None),
        ("“This section comes into operation on 1 May 2013.”", None, None),
    ],
)  # fmt: skip
def test_a_section_says_from_when_it_applies(
    says: str, first: str | None, second: str | None
) -> None:
    assert spans_of(SECTIONS.format(says), "en") == {
        "5": (first, None),
        "20": (second, None),
        "70": (None, None),
    }


def test_a_section_may_except_what_relates_to_certain_provisions() -> None:
    text = (
        "##### 20 Increases.\n\n**20.**—(1) The fee in section 8 (3) is £22.\n\n"
        "(2) The fee in section 17 (2) is £28.\n\n"
        "(3) Subject to subsection (4), this section shall come into operation on 7 April 1980.\n\n"
        "(4) The increases, in so far as they relate to sections 17 (2) and 19 of the Principal "
        "Act, shall come into operation on 4 April 1980.\n"
    )
    assert spans_of(text, "en") == {"22": ("1980-04-07", None), "28": ("1980-04-04", None)}


@pytest.mark.parametrize(
    ("language", "text", "value", "span"),
    [
        ("de", "Der Beitrag für das Jahr 2026 beträgt 30 Euro.", "30",
         ("2026-01-01", "2027-01-01")),
        ("de", "Der Beitrag beträgt für das Kalenderjahr 2026 und die folgenden Jahre 30 Euro.",
         "30", ("2026-01-01", None)),
        ("de", "§ 3\n\n(1) Die Beiträge betragen im Jahr 2026\n\n1.  für Hunde 30 Euro,\n\n"
         "2.  für Katzen 20 Euro.\n", "20", ("2026-01-01", "2027-01-01")),
        ("hr", "Naknada za 2026. godinu iznosi 30 eura.", "30", ("2026-01-01", "2027-01-01")),
        ("en", "The fee for the year 2026 is £30.", "30", ("2026-01-01", "2027-01-01")),
        ("de", "§ 2\n\n(1) Der Beitrag beträgt für Zeiten\n\n1.  bis zum 31. Dezember 1956 "
         "monatlich 15 Euro,\n\n2.  vom 1. Januar 1957 bis zum 31. Dezember 1976 monatlich "
         "20 Euro.\n", "15", (None, "1957-01-01")),
        ("de", "Die Gebühr nach der Verordnung über Renten vom 9. Juli 1957 (BGBl. I S. 704) "
         "beträgt 15 Euro.", "15", (None, None)),
    ],
)  # fmt: skip
def test_a_sentence_says_when_its_figure_applies(
    language: str, text: str, value: str, span: Span
) -> None:
    assert spans_of(text, language)[value] == span


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("članaka 51. i 101. koji", [("51", ""), ("101", "")]),
        (
            "članka 42. stavaka 5. i 6., članka 83. stavka 9.",
            [("42", "5"), ("42", "6"), ("83", "9")],
        ),
        ("sections 4 and 5(2) to", [("4", ""), ("5", "2")]),
        ("§§ 3 bis 5 am", [("3", ""), ("4", ""), ("5", "")]),
        ("§ 7 Absatz 2 und 3", [("7", "2"), ("7", "3")]),
    ],
)
def test_provisions_are_listed(words: str, found: list[tuple[str, str]]) -> None:
    assert [(one.number, one.paragraph) for one in list_provisions(words)] == found


@pytest.mark.parametrize(
    ("sentence", "value", "span"),
    [
        ("Ab dem 1. Januar 2024 beträgt die Gebühr 5 Euro.", "5", ("2024-01-01", None)),
        # The day says which licences are meant.
        (
            "Die Gültigkeit der ab dem 19. Januar 2013 ausgestellten Scheine ist auf 15 Jahre "
            "befristet.",
            "15",
            (None, None),
        ),
        # The day belongs to a case.
        (
            "Für Anlagen, die bis zum 30. Juni 2022 in Betrieb genommen wurden, gilt eine Frist von"
            " zwei Jahren.",
            "2",
            (None, None),
        ),
        # Each of two values has its own time.
        (
            "Die Zuschüsse belaufen sich vom 3. Oktober 1990 bis zum 31. Dezember 1990 auf 5 "
            "Prozent und vom 1. Januar 1991 bis zum 30. Juni 1991 auf 2 Prozent.",
            "2",
            ("1991-01-01", "1991-07-01"),
        ),
    ],
)
def test_a_sentence_dates_only_its_own_statement(sentence: str, value: str, span: Span) -> None:
    found = facts_of(f"# Lagergesetz\n\n### § 4 Lager\n\n(1) {sentence}\n", "de")
    spans = [(one.effective_from, one.effective_until) for one in found if one.value == value]
    assert spans == [span]


_TEA = "# Teegesetz\n\n## § 4\n\nDer Satz beträgt 16 Prozent.\n\n## § 9\n\n"
_CAJ = "# Zakon o porezu na čaj\n\n## Članak 5.\n\nStopa iznosi 5 %.\n\n## Članak 40.\n\n"
_DUTY = "# Tea Act 2026\n\n## Section 5\n\nThe rate is 20 %.\n\n## Section 9\n\n"


@pytest.mark.parametrize(
    ("language", "text", "span"),
    [
        (
            "hr",
            _CAJ + "Ovaj Zakon stupa na snagu 1. siječnja 2024., a članak 5. stupa na snagu danom "
            "pristupanja Republike Hrvatske Europskoj uniji.",
            (None, None),
        ),
        (
            "hr",
            _CAJ + "Ovaj Zakon stupa na snagu 1. siječnja 2024., a članak 5. stupa na snagu "
            "1. srpnja 2024.",
            ("2024-07-01", None),
        ),
        ("hr", _CAJ + "Ovaj Zakon počinje važiti 1.1.2026.", ("2026-01-01", None)),
        (
            "hr",
            _CAJ + "Ovaj Zakon stupa na snagu 1. siječnja 2024. i prestaje važiti 1. svibnja 2030.",
            ("2024-01-01", "2030-05-01"),
        ),
        (
            "de",
            _TEA + "Dieses Gesetz tritt am 1. Januar 2026 in Kraft und am 31. Dezember 2030 außer "
            "Kraft.",
            ("2026-01-01", "2031-01-01"),
        ),
        (
            "de",
            _TEA + "Dieses Gesetz tritt am 1. Januar 2026 in Kraft. Es tritt mit Ablauf des "
            "3. Mai 2030 außer Kraft.",
            ("2026-01-01", "2030-05-04"),
        ),
        (
            "de",
            _TEA + "Dieses Gesetz tritt am 1. Januar 2026 in Kraft. Das Saftgesetz tritt am "
            "31. Dezember 2027 außer Kraft.",
            ("2026-01-01", None),
        ),
        (
            "en",
            _DUTY + "This Act comes into force on 1 May 2026 and expires at the end of "
            "3 April 2031.",
            ("2026-05-01", "2031-04-04"),
        ),
        ("de", "Für Umsätze vor dem 1. Januar 2007 beträgt der Satz 16 Prozent.",
         (None, "2007-01-01")),
        ("de", "Für Umsätze bis zum 31. Dezember 2006 beträgt der Satz 16 Prozent.",
         (None, "2007-01-01")),
    ],
)  # fmt: skip
def test_the_clause_of_an_act_dates_its_articles_and_its_end(
    language: str, text: str, span: Span
) -> None:
    values = set(spans_of(text, language).values())
    assert values == {span}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Der Betrag wird um 100 Euro im Jahr 2011, um 120 Euro im Jahr 2012 und um 140 Euro im "
            "Jahr 2013 erhöht.",
            {"100": "2011-01-01", "120": "2012-01-01", "140": "2013-01-01"},
        ),
        (
            "Das Entgelt beträgt 1.000 Euro ab dem 1. Januar 2021, 1.100 Euro ab dem 1. Januar "
            "2022 und 1.200 Euro ab dem 1. Januar 2023.",
            {"1000": "2021-01-01", "1100": "2022-01-01", "1200": "2023-01-01"},
        ),
        (
            "Der Beitrag beträgt für das Jahr 2023 50 Euro und für das Jahr 2024 60 Euro.",
            {"50": "2023-01-01", "60": "2024-01-01"},
        ),
    ],
)
def test_each_of_several_figures_has_its_own_year(text: str, expected: dict[str, str]) -> None:
    found = facts_of(f"Gesetz über Mittel\n\n§ 3 Mittel\n\n{text}\n", "de")
    days = {one.value: one.effective_from for one in found if one.value in expected}
    assert days == expected


@pytest.mark.parametrize(
    ("language", "sentence", "expected"),
    [
        (
            "de",
            "Ab dem Jahr 2022 übermitteln die Länder jeweils spätestens am 10. Januar eines jeden"
            " Jahres die Angaben.",
            ("2022-01-01", None),
        ),
        (
            "de",
            "Die Prämie beträgt in den Jahren 2011 bis 2019 je Hektar 25 Euro.",
            ("2011-01-01", "2020-01-01"),
        ),
        (
            "de",
            "Die Prämie in einer Region für das Jahr 2012 erhöht sich nur für das Jahr 2012 um 25"
            " Euro.",
            ("2012-01-01", "2013-01-01"),
        ),
        (
            "de",
            "Abweichend von § 9 darf bis zum 31. Dezember 2011 an höchstens 30 Tagen im Jahr der"
            " Grenzwert überschritten werden.",
            (None, "2012-01-01"),
        ),
        (
            "de",
            "Für Anlagen, die in den Jahren 2011 bis 2019 errichtet wurden, beträgt die Gebühr 25"
            " Euro.",
            (None, None),
        ),
        (
            "hr",
            "U razdoblju od 2014. do 2020. godine naknada iznosi 100 eura.",
            ("2014-01-01", "2021-01-01"),
        ),
        ("hr", "Od 2022. godine naknada iznosi 100 eura.", ("2022-01-01", None)),
        ("en", "For the years 2011 to 2019 the fee is €30.", ("2011-01-01", "2020-01-01")),
    ],
)
def test_years_of_a_statement_are_its_days(language: str, sentence: str, expected: Span) -> None:
    heads = {"de": "## § 5\n\n", "hr": "Članak 5.\n\n", "en": "##### 5. Fee\n\n**5.** "}
    (found,) = (
        one
        for one in facts_of(f"{heads[language]}{sentence}\n", language)
        if one.value_type != "cross_reference"
    )
    assert (found.effective_from, found.effective_until) == expected


def test_the_words_before_a_table_say_what_its_rows_are_and_when() -> None:
    text = (
        "# Pauschalenverordnung\n\n## § 1 Pauschalen\n\nDie Pauschalen zur Erstattung der "
        "Aufwendungen betragen für die Haushaltsjahre 2019 und 2020 jeweils:\n\n"
        "*    *   Bayern\n\n    *   1 961 196 Euro\n\n\n*    *   Berlin\n\n    *   866 078 Euro\n\n"
        "## § 2 Ende\n\nDiese Verordnung tritt am 1. Januar 2019 in Kraft.\n"
    )
    facts = facts_of(text, "de", content_class=ContentClass.TEXT)
    found = [one for one in facts if one.unit == "EUR"]
    assert {(one.effective_from, one.effective_until) for one in found} == {
        ("2019-01-01", "2021-01-01")
    }
    assert [one.applies_when["value"] for one in found] == ["Bayern", "Berlin"]
    assert all(one.context[1].startswith("Die Pauschalen zur Erstattung") for one in found)


def test_what_the_unification_treaty_says_of_an_act_is_not_as_old_as_the_act() -> None:
    text = (
        "# Verordnung\n\n## § 1 Dauer\n\nDie Ausbildung dauert drei Jahre.\n\n## § 2 Ende\n\n"
        "Diese Verordnung tritt am 1. August 1982 in Kraft.\n\n## Anhang EV (BGBl. II 1990, 889)"
        "\n\nDie Frist beträgt 14 Tage.\n"
    )
    assert spans_of(text, "de") == {"3": ("1982-08-01", None), "14": (None, None)}
