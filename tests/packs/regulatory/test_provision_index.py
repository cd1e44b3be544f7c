"""What surrounds a place of an act: its provision, the lists it is in, its whole paragraph."""

import pytest

from assay.model.content import ContentClass
from assay.packs.regulatory.extractor.provisions import ProvisionIndex
from assay.reading.result import Reading
from tests.packs.regulatory.passages import facts_of


def index_text(text: str, language: str) -> ProvisionIndex:
    """The provisions of a text."""
    return ProvisionIndex(Reading(content_class=ContentClass.TEXT, text=text), language)


def write_around(text: str, words: str, language: str) -> str:
    """The paragraph around some words of a text, without these."""
    at = text.index(words)
    return index_text(text, language).write_paragraph(at, at + len(words))


def test_a_paragraph_is_whole_and_leaves_its_figure_open() -> None:
    text = (
        "Članak 3.\n\n"
        "(1) Obrt se upisuje u registar.\n\n"
        "(2) Ured može odbiti upis. U tom slučaju rok je\n"
        "osam dana, računajući od objave. Protiv odluke nema žalbe.\n"
    )
    assert write_around(text, "osam dana", "hr") == (
        "Ured može odbiti upis. U tom slučaju rok je […], računajući od objave. "
        "Protiv odluke nema žalbe."
    )


def test_a_paragraph_has_its_points_and_the_words_after_them() -> None:
    text = (
        "### § 4 Antrag\n\n"
        "(1) Der Antrag ist abzulehnen, wenn\n\n"
        "1.  er unvollständig ist oder\n\n"
        "2.  die Frist von einem Jahr versäumt wurde.\n\n"
        "In diesen Fällen gilt eine Sperre von drei Monaten.\n\n"
        "(2) Die Gebühr beträgt 5 Euro.\n"
    )
    assert write_around(text, "drei Monaten", "de") == (
        "Der Antrag ist abzulehnen, wenn 1. er unvollständig ist oder 2. die Frist von einem Jahr "
        "versäumt wurde. In diesen Fällen gilt eine Sperre von […]."
    )
    assert write_around(text, "5 Euro", "de") == "Die Gebühr beträgt […]."


def test_of_a_long_paragraph_the_own_point_stays_with_what_introduces_it() -> None:
    point = "die Ware steht unter zollamtlicher Überwachung und wurde nicht verändert"
    text = (
        "### § 4 Gebühr\n\n(1) Die Gebühr beträgt für\n\n"
        + "".join(f"{number}.  Fall {number}: {point},\n\n" for number in range(1, 40))
        + "40.  den letzten Fall 7 Euro.\n\n"
    )
    assert write_around(text, "7 Euro", "de") == "Die Gebühr beträgt für den letzten Fall […]."


def test_words_outside_every_provision_have_no_paragraph() -> None:
    assert write_around("Die Gebühr beträgt 5 Euro.", "5 Euro", "de") == ""


AMENDING = (
    "##### 3. **Amendment of Act of 1999.**\n\n"
    "**3.**—The Act of 1999 is amended—\n\n"
    "(*a*) in section 24—\n\n"
    "(i) by the substitution for subsection (6) of the following subsections:\n\n"
    "“(6) A person who sells bread without a licence shall be liable on summary conviction—\n\n"
    "(*a*) for a first offence, to a fine not exceeding €500,\n\n"
    "(*b*) for a second offence, where a “relevant notice” was served—\n\n"
    "(i) in a town, to a fine not exceeding €750, or\n\n"
    "(ii) in any other place, to a fine not exceeding €700.\n\n"
    "(6A) The Minister may vary the fine.”,\n\n"
    "(ii) by the deletion of subsection (7), and\n\n"
    "(*b*) by the substitution for section 25 of the following section:\n\n"
    "“25.—(1) This section applies to bakers.\n\n"
    "(2) Where a baker sells bread, he or she shall keep a record stating that—\n\n"
    "(*a*) the bread is fresh, and\n\n"
    "(*b*) it was baked within 24 hours.”.\n\n"
    "##### 4. **Repeals.**\n\n"
    "**4.**—The Act of 1950 is repealed.\n"
)


def test_quoted_text_has_lists_of_its_own() -> None:
    index = index_text(AMENDING, "en")
    person = "A person who sells bread without a licence shall be liable on summary conviction—"
    assert index.list_leads(AMENDING.index("€500")) == (person,)
    assert index.list_leads(AMENDING.index("€700")) == (
        person,
        "for a second offence, where a “relevant notice” was served—",
    )
    (last,) = index.list_leads(AMENDING.index("24 hours"))
    assert last.startswith("Where a baker sells bread")
    assert index.list_points(AMENDING.index("A person who")) == (
        "for a first offence, to a fine not exceeding €500,",
        "for a second offence, where a “relevant notice” was served— in a town, to a fine not "
        "exceeding €750, or in any other place, to a fine not exceeding €700.",
    )


def test_quoted_text_is_cited_by_the_provision_that_quotes_it() -> None:
    index = index_text(AMENDING, "en")
    assert index.cite(AMENDING.index("€700")) == "section 3(a)(i)"
    assert index.cite(AMENDING.index("24 hours")) == "section 3(b)"
    assert index.cite(AMENDING.index("The Act of 1950")) == "section 4"


def test_a_section_that_is_inserted_hides_no_section_of_the_act() -> None:
    text = (
        "##### 1. Licences.\n\n**1.**—The following is substituted for section 31:\n\n"
        "31.—(1) A licence costs €50.\n\n"
        "##### 2. Records.\n\n**2.**—(1) Records are kept.\n\n(2) They are kept for 6 years.\n\n"
        "##### 3. Fines.\n\n**3.**—A fine is €90.\n"
    )
    index = index_text(text, "en")
    assert index.cite(text.index("6 years")) == "section 2(2)"
    assert index.cite(text.index("€90")) == "section 3"


def test_american_points_below_capital_letters_and_moved_words() -> None:
    text = (
        "# § 460m–9. Use of lands\n\n"
        "(a) General rule Whoever keeps a boat on the river—\n\n"
        "shall be fined not more than $500, or imprisoned not more than 6 months.\n\n"
        "(1) without a permit; or\n\n"
        "(2) in the case of a resident—\n\n"
        "(A) The amount is as follows:\n\n"
        "(i) For a canoe, $20.\n\n"
        "(ii) For a raft, $30.\n\n"
        "(b) Briefings.— Not later than July 31 each year the agency reports.\n"
    )
    index = index_text(text, "en")
    assert index.cite(text.index("$30")) == "§ 460m–9(a)(2)(A)(ii)"
    assert index.cite(text.index("July 31")) == "§ 460m–9(b)"
    assert index.list_leads(text.index("$30"))[-1] == "The amount is as follows:"
    (lead,) = index.list_leads(text.index("$500"))
    assert lead.startswith("General rule Whoever keeps a boat on the river without a permit; or")
    assert index.list_points(text.index("a boat"))[0] == "without a permit; or"


def test_words_after_a_list_belong_to_its_points() -> None:
    text = (
        "### § 8 Beihilfe\n\n(1) Für\n\n"
        "1.  Betriebe mit höchstens zehn Beschäftigten und\n\n2.  Vereine\n\n"
        "wird auf Antrag eine Beihilfe von 300 Euro gezahlt, wenn sie im Inland tätig sind.\n"
    )
    index = index_text(text, "de")
    assert index.list_leads(text.index("300")) == (
        "Für Betriebe mit höchstens zehn Beschäftigten und Vereine",
    )
    closing, lead = index.list_leads(text.index("zehn"))
    assert lead == "Für"
    assert closing.endswith("wenn sie im Inland tätig sind.")


def test_points_in_the_lines_of_a_table_are_found() -> None:
    rule = "  -------------------------------------\n"
    text = (
        "Članak 83.\n\nZa povrede sljedećih obveza izriče se kazna do 900 eura:\n\n"
        + rule
        + "  \\(a\\)   vođenja evidencije o prodaji kruha\n          i peciva;\n"
        + "  ------- -----------------------------\n\n"
        + rule
        + "\n"
        + rule
        + "  \\(b\\)   izdavanja računa.\n"
        + "  ------- -----------------------------\n"
    )
    index = index_text(text, "hr")
    assert index.list_points(text.index("900")) == (
        "vođenja evidencije o prodaji kruha i peciva;",
        "izdavanja računa.",
    )


def test_an_article_of_an_amending_act_is_cited_with_its_gazette() -> None:
    text = (
        "Članak 15.\n\nRok je 8 dana.\n\nČlanak 16.\n\nOvaj Zakon stupa na snagu.\n\n"
        "#### Prijelazne i završne odredbe iz NN 98/19\n\n"
        "Članak 15.\n\n\\(1\\) Uredba se donosi.\n\n\\(2\\) Rok je 60 dana.\n"
    )
    index = index_text(text, "hr")
    assert index.cite(text.index("8 dana")) == "čl. 15."
    assert index.cite(text.index("60 dana")) == "čl. 15. st. 2. (NN 98/19)"


def test_a_reference_over_two_lines_begins_no_point() -> None:
    text = (
        "### § 5 Fristen\n\n(1) Die Frist beträgt für Anträge nach den Nummern\n"
        "1. und 2. sowie für Anzeigen nach den folgenden Nummern\n"
        "2. und 3. dieses Absatzes einen Monat.\n"
    )
    index = index_text(text, "de")
    assert index.cite(text.index("einen")) == "§ 5 Abs. 1"


FEES = """## Anlage Gebührenverzeichnis

*    *   Nr.

    *   Gebührentatbestand

    *   Gebühr in Euro


*    *   Anmeldung


*    *   2. Sonstige Anträge


*    *   **B. Gebühren der Gerichte**


*    *   **I. Widerspruch**


*    *   401 300

    *   in anderen Fällen . . . . . .

    *   200 EUR


*    *   **II. Klage**


*    *   402 100

    *   Verfahren im Allgemeinen

    *   80 EUR

"""


def test_a_row_is_about_its_label_and_its_group() -> None:
    facts = facts_of(FEES, "de", content_class=ContentClass.TEXT)
    courts = "B. Gebühren der Gerichte"
    assert [(fact.value, fact.qualifiers[:3]) for fact in facts] == [
        ("200", (courts, "I. Widerspruch", "in anderen Fällen")),
        ("80", (courts, "II. Klage", "Verfahren im Allgemeinen")),
    ]


def test_prose_in_a_table_is_about_the_label_of_its_row() -> None:
    text = (
        "## Anlage 1 Erzeugnisse\n\n"
        "*    *   Nr.\n\n    *   Bezeichnung\n\n    *   Beschreibung\n\n\n"
        "*    *   5.\n\n    *   Malznektar\n\n"
        "    *   Malznektar ist ein Erzeugnis, das durch Zusatz von Wasser zu gekeimtem Getreide "
        "hergestellt wird und das weder gegoren noch gefärbt ist, solange es als Getränk zum "
        "direkten Verbrauch bestimmt ist.\n\n\n"
        "*    *\n    *\n    *   Der Zusatz von Honig ist bis zu höchstens 20 Prozent des "
        "Gesamtgewichts des fertigen Erzeugnisses zulässig. Unbeschadet anderer Vorschriften kann "
        "der Honig durch Zucker ersetzt werden, soweit dies auf der Packung angegeben ist.\n"
    )
    (fact,) = facts_of(text, "de", content_class=ContentClass.TEXT)
    assert fact.qualifiers[0] == "Malznektar"


def test_a_row_begins_with_its_first_cell() -> None:
    text = (
        "##### SCHEDULE.\n\n| Lands | Purpose | Rent |\n| --- | --- | --- |\n"
        "| 3. The mill in Mill St. (commonly called Upper Street) with the yards behind it and the "
        "store that was built in 1890 and used until the year in which the mill was closed. "
        "| Commercial purposes. Site no longer required. | £60 |\n"
    )
    (fact,) = facts_of(text, "en", content_class=ContentClass.TEXT)
    assert fact.quote.startswith("3. The mill")
    assert fact.quote.endswith("£60")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        (
            "de",
            "## § 10 Kosten\n\n(3) Den Ländern werden für Leistungen nach §\n"
            "3 Absatz 2 in Verbindung mit Absatz 1 vom Bund 50 vom Hundert erstattet.\n",
        ),
        (
            "hr",
            "Članak 75.\n\nPravilnike iz članka 54. stavka 3. i članka\n"
            "107. stavka 3. ovoga Zakona donosi Vijeće u roku od 90 dana.\n",
        ),
    ],
)
def test_a_reference_over_two_lines_ends_no_sentence(language: str, text: str) -> None:
    (fact,) = (
        one
        for one in facts_of(text, language, content_class=ContentClass.TEXT)
        if one.value in ("50", "90")
    )
    assert fact.quote.startswith(("Den Ländern", "Pravilnike"))


def test_a_title_introduces_no_list() -> None:
    text = (
        "# § 12. Reports\n\n(a) Matter to be submitted\n\n"
        "(1) The agency reports within 30 days.\n\n"
        "(b) Exceptions.—\n\n(1) No report is due within 10 days.\n"
    )
    index = index_text(text, "en")
    assert index.cite(text.index("30 days")) == "§ 12(a)(1)"
    assert index.list_leads(text.index("30 days")) == ()
    assert index.list_leads(text.index("10 days")) == ()


def test_a_new_sentence_after_a_list_is_not_introduced_by_it() -> None:
    text = (
        "### § 9 Unterlagen\n\n(1) Unterlagen sind zu vernichten, soweit sie nicht\n\n"
        "1.  für die Abrechnung oder\n\n2.  für ein Verfahren\n\n"
        "benötigt werden. Die Behörde prüft dies.\n\n"
        "Unterlagen, die aufbewahrt wurden, sind jedenfalls nach Ablauf von\n"
        "drei Jahren zu vernichten.\n"
    )
    index = index_text(text, "de")
    assert index.list_leads(text.index("drei")) == ()


def test_words_that_add_to_a_case_come_with_its_sentence() -> None:
    text = (
        "### § 7 Umzug\n\n(1) Bei einem Umzug ins Ausland werden 20 Prozent der Stufe A 13 "
        "gezahlt. "
        "Für Angehörige werden zusätzlich gezahlt:\n\n"
        "1.  für Ehegatten 19 Prozent,\n\n2.  für Kinder 7 Prozent.\n\n"
        "(2) Der Antrag ist zu begründen. Beizufügen sind\n\n1.  Belege der letzten drei Jahre.\n"
    )
    index = index_text(text, "de")
    (lead,) = index.list_leads(text.index("7 Prozent"))
    assert lead.startswith("Bei einem Umzug")
    assert index.list_leads(text.index("drei Jahre")) == ("Beizufügen sind",)


def test_links_are_not_part_of_the_words_of_a_lead() -> None:
    text = (
        "# § 8. Aid\n\n(a) If the sum under [section 3 of this title](/us/usc/t4/s3) is spent—\n\n"
        "(1) the limit is $500; and\n\n(2) no aid is due.\n"
    )
    (lead,) = index_text(text, "en").list_leads(text.index("$500"))
    assert lead == "If the sum under section 3 of this title is spent—"


def test_a_section_is_not_introduced_by_its_first_subsection() -> None:
    text = (
        "##### 6 Loans.\n\n**6.**—(1) This section applies to sums which—\n\n"
        "(*a*) a council borrowed, and\n\n(*b*) were spent on seed.\n\n"
        "(2) Every such sum shall be repaid within 2 years.\n\n"
        "##### 7 Rates.\n\n7.—(1) A rate is due.\n\n(2) It is due within 3 months.\n"
    )
    index = index_text(text, "en")
    assert index.cite(text.index("seed")) == "section 6(1)(b)"
    assert index.cite(text.index("2 years")) == "section 6(2)"
    assert index.list_leads(text.index("2 years")) == ()
    assert index.cite(text.index("3 months")) == "section 7(2)"


def test_a_list_below_a_title_is_not_taken_for_the_next_letters() -> None:
    text = (
        "# § 200305. Grants\n\n##### § 200305. Grants\n\n"
        + "".join(f"({letter}) Nothing.\n\n" for letter in "abcdefg")
        + "(h) Reimbursement\n\n(1) Costs\n\n"
        "(A) In general The Attorney General may reimburse.\n\n(B) Procedure\n\n"
        "(i) In general Rules shall be made.\n\n(ii) Maximum The rules under clause (i)—\n\n"
        "(I) shall set a maximum; and\n\n(II) may allow exceptions.\n\n(2) Grants may be awarded."
        "\n\n(i) Supplement Amounts supplement others.\n\n(1) Other Nothing else.\n\n"
        "(A) Lists These are:\n\n(i) one.\n\n(ii) two.\n\n(j) Authorization Sums are authorized.\n"
    )
    index = index_text(text, "en")
    cited = {words: index.cite(text.index(words)) for words in ("Rules", "shall set", "Amounts")}
    assert cited == {
        "Rules": "§ 200305(h)(1)(B)(i)",
        "shall set": "§ 200305(h)(1)(B)(ii)(I)",
        "Amounts": "§ 200305(i)",
    }
    assert index.cite(text.index("two.")) == "§ 200305(i)(1)(A)(ii)"
    assert index.cite(text.index("Sums")) == "§ 200305(j)"


def test_a_first_subsection_directly_after_its_number_is_cited() -> None:
    text = (
        "# Lobbying Act 2015\n\n##### 13. Information\n\n**13.**(1) The Commission may require "
        "information.\n\n(2) It shall publish it.\n"
    )
    assert index_text(text, "en").cite(text.index("The Commission")) == "section 13(1)"
