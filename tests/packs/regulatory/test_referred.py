"""What a sentence refers to within its own act, and what excepts the paragraph it is in."""

import pytest

from assay.model.content import ContentClass
from tests.packs.regulatory.passages import facts_of
from tests.packs.regulatory.test_provision_index import index_text

CROATIAN = (
    "Članak 4. (NN [98/19](https://www.example.org/cms?id=1),\n"
    "[67/23](https://www.example.org/cms?id=2))\n\n"
    "(1) Kaznit će se pravna osoba ako:\n\n"
    "1. ne prijavi zahvat,\n\n"
    "2. ne plati naknadu.\n\n"
    "(2) Kaznit će se i odgovorna osoba.\n\n"
    "(3) Iznimno od stavaka 1. i 2. ovoga članka, ustanova se ne kažnjava.\n\n"
    "Članak 5.\n\n"
    "Rok je osam dana.\n"
)
GERMAN = (
    "### § 2 Antrag\n\n"
    "(1) Der Antrag ist schriftlich zu stellen.\n\n"
    "(2) Anzugeben sind\n\n"
    "1.  der Name,\n\n"
    "2.  die Anschrift.\n\n"
    "(3) Absatz 1 gilt nicht für Behörden.\n\n"
    "### § 3 Frist\n\n"
    "Die Frist beträgt einen Monat.\n"
)
ENGLISH = (
    "##### 7. **Licences.**\n\n"
    "**7.**—(1) A person may apply for a licence where—\n\n"
    "(*a*) he or she is of age, and\n\n"
    "(*b*) the fee is paid.\n\n"
    "(2) A licence expires after one year.\n\n"
    "(3) Notwithstanding subsection (2), a first licence expires after 6 months.\n\n"
    "##### 8. **Fees.**\n\n"
    "**8.**—(1) The fee is prescribed.\n"
)
OWN = "čl. 4. st. 1.: Kaznit će se pravna osoba ako: 1. ne prijavi zahvat, 2. ne plati naknadu."


@pytest.mark.parametrize(
    ("text", "language", "at", "words", "expected"),
    [
        (CROATIAN, "hr", "odgovorna", "za prekršaj iz stavka 1. ovoga članka", [OWN]),
        (CROATIAN, "hr", "odgovorna", "iz članka 4. stavka 1. točke 2. ovoga Zakona",
         ["čl. 4. st. 1. t. 2.: Kaznit će se pravna osoba ako: ne plati naknadu."]),
        (CROATIAN, "hr", "odgovorna", "u roku iz članka 5. ovoga Zakona",
         ["čl. 5.: Rok je osam dana."]),
        (CROATIAN, "hr", "odgovorna", "u roku iz članka 5. Zakona o radu", []),
        (CROATIAN, "hr", "odgovorna", "u roku iz članka 99. ovoga Zakona", []),
        (GERMAN, "de", "Die Frist", "nach § 2 Absatz 2 Nummer 1",
         ["§ 2 Abs. 2 Nr. 1: Anzugeben sind der Name,"]),
        (GERMAN, "de", "Die Frist", "nach § 2 des Gebührengesetzes", []),
        (GERMAN, "de", "Die Frist", "nach § 2 BGebG", []),
        (GERMAN, "de", "Der Name", "nach Absatz 1", None),
        (ENGLISH, "en", "The fee is pres", "a licence under section 7(2) of this Act",
         ["section 7(2): A licence expires after one year."]),
        (ENGLISH, "en", "The fee is pres", "in paragraph (b) of subsection (1) of section 7",
         ["section 7(1)(b): A person may apply for a licence where— the fee is paid."]),
        (ENGLISH, "en", "The fee is pres", "under section 7 of the Act of 1997", []),
        (ENGLISH, "en", "The fee is pres", "under section 7 of title 26", []),
        (ENGLISH, "en", "he or she is", "in the case of paragraph (b)",
         ["section 7(1)(b): A person may apply for a licence where— the fee is paid."]),
    ],
)  # fmt: skip
def test_what_words_refer_to_is_found_in_their_act(
    text: str, language: str, at: str, words: str, expected: list[str] | None
) -> None:
    index = index_text(text, language)
    found = index.list_referred(text.lower().index(at.lower()), words)
    if expected is None:
        expected = ["§ 2 Abs. 1: Der Antrag ist schriftlich zu stellen."]
    excepting = [one for one in found if one.startswith("čl. 4. st. 3.")]
    assert [one for one in found if one not in excepting] == expected


@pytest.mark.parametrize(
    ("text", "language", "at", "exception"),
    [
        (CROATIAN, "hr", "ne plati", "čl. 4. st. 3.: Iznimno od stavaka 1. i 2."),
        (CROATIAN, "hr", "odgovorna", "čl. 4. st. 3.: Iznimno od stavaka 1. i 2."),
        (GERMAN, "de", "schriftlich", "§ 2 Abs. 3: Absatz 1 gilt nicht für Behörden."),
        (GERMAN, "de", "die Anschrift", ""),
        (ENGLISH, "en", "after one year", "section 7(3): Notwithstanding subsection (2)"),
        (ENGLISH, "en", "of age", ""),
        (ENGLISH, "en", "6 months", ""),
    ],
)
def test_a_paragraph_that_excepts_another_belongs_to_its_figures(
    text: str, language: str, at: str, exception: str
) -> None:
    found = index_text(text, language).list_referred(text.index(at), "")
    assert len(found) == bool(exception)
    assert all(one.startswith(exception) for one in found)


@pytest.mark.parametrize(
    ("text", "language", "at", "expected"),
    [
        (
            "### § 9 Bußgeld\n\n(1) Ordnungswidrig im Sinne des Gesetzes handelt, wer\n\n"
            "1.  nicht meldet oder\n\n2.  nicht zahlt.\n\n"
            "(2) Die Ordnungswidrigkeit kann mit Geldbuße bis zu 500 Euro geahndet werden.\n",
            "de",
            "Die Ordnungswidrigkeit kann mit Geldbuße",
            "§ 9 Abs. 1: Ordnungswidrig im Sinne des Gesetzes handelt, wer 1. nicht meldet oder "
            "2. nicht zahlt.",
        ),
        (
            "##### 9. **Offences.**\n\n**9.**—(1) A person who sells bread commits an offence.\n\n"
            "(2) A person guilty of an offence under this section is liable to a fine of €500.\n",
            "en",
            "A person guilty of an offence under this section",
            "section 9(1): A person who sells bread commits an offence.",
        ),
    ],
)
def test_a_fine_has_the_offences_of_its_article(
    text: str, language: str, at: str, expected: str
) -> None:
    found = index_text(text, language).list_referred(text.index(at), at)
    assert found == (expected,)
    assert index_text(text, language).list_referred(text.index(at), "in a sentence") == ()


def test_an_article_in_quoted_text_is_one_of_another_act() -> None:
    text = (
        "##### 3. **Amendment.**\n\n**3.**—The Act of 1990 is amended by inserting the following:"
        "\n\n"
        "“4A.—(1) A person shall pay a fine under section 5.”.\n\n"
        "##### 5. **Repeal.**\n\n**5.**—The Act of 1950 is repealed.\n"
    )
    index = index_text(text, "en")
    assert index.list_referred(text.index("shall pay"), "a fine under section 5") == ()
    assert index.list_referred(text.index("is amended"), "a fine under section 5") == (
        "section 5: The Act of 1950 is repealed.",
    )


def test_an_article_of_an_amending_act_among_the_last_ones_refers_to_that_act() -> None:
    text = (
        "Članak 3.\n\nRok je osam dana.\n\n"
        "## Prijelazne i završne odredbe iz NN 98/19\n\n"
        "Članak 7.\n\n(1) Postupci se dovršavaju.\n\n(2) Prijava se podnosi u roku 30 dana.\n"
    )
    index = index_text(text, "hr")
    at = text.index("Prijava")
    assert index.list_referred(at, "prema članku 3. ovoga Zakona") == ()
    (own,) = index.list_referred(at, "u postupcima iz stavka 1. ovoga članka")
    assert own.endswith("Postupci se dovršavaju.")


def test_a_fact_has_what_its_sentence_refers_to_as_context() -> None:
    text = (
        "Zakon o vodama\n\nČlanak 5.\n\n"
        "(1) Novčanom kaznom od 1.000,00 eura kaznit će se pravna osoba koja ne prijavi zahvat.\n\n"
        "(2) Za prekršaj iz stavka 1. ovoga članka kaznit će se i odgovorna osoba novčanom kaznom "
        "od 300,00 eura.\n"
    )
    (fact,) = [one for one in facts_of(text, language="hr") if one.value == "300"]
    assert fact.context[-1] == (
        "čl. 5. st. 1.: Novčanom kaznom od 1.000,00 eura kaznit će se pravna osoba koja ne prijavi "
        "zahvat."
    )


def test_a_long_provision_is_cut_and_a_heading_of_a_number_left_out() -> None:
    points = "\n\n".join(f"{n}. ne izvrši radnju broj {n} u roku," for n in range(1, 190))
    text = (
        f"### Članak 5.\n\n(1) Kaznit će se pravna osoba ako:\n\n{points}\n\n"
        "(2) Za prekršaj iz stavka 1. ovoga članka kaznit će se i odgovorna osoba novčanom kaznom "
        "od 300,00 eura.\n"
    )
    (fact,) = [one for one in facts_of(text, language="hr") if one.value == "300"]
    (words,) = fact.context
    assert words.startswith("čl. 5. st. 1.: Kaznit će se pravna osoba ako: 1. ne izvrši")
    assert words.endswith(" …")
    assert 2_900 < len(words) <= 3_002


@pytest.mark.parametrize(
    ("text", "language", "at", "expected"),
    [
        (
            CROATIAN,
            "hr",
            "odgovorna",
            [
                OWN,
                "čl. 4. st. 3.: Iznimno od stavaka 1. i 2. ovoga članka, ustanova se ne kažnjava.",
            ],
        ),
        (
            GERMAN,
            "de",
            "der Name",
            [
                "§ 2 Abs. 1: Der Antrag ist schriftlich zu stellen.",
                "§ 2 Abs. 3: Absatz 1 gilt nicht für Behörden.",
            ],
        ),
        (GERMAN, "de", "Die Frist", []),
    ],
)
def test_a_figure_has_the_other_paragraphs_of_its_article(
    text: str, language: str, at: str, expected: list[str]
) -> None:
    assert list(index_text(text, language).list_beside(text.index(at), ())) == expected


def test_only_the_nearest_paragraphs_that_fit_belong_to_a_figure() -> None:
    words = "Der Antrag enthält viele Angaben. " * 30
    paragraphs = "".join(f"({number}) {words}\n\n" for number in range(1, 9))
    text = f"### § 1 Antrag\n\n{paragraphs}"
    index = index_text(text, "de")
    found = index.list_beside(text.index("(5) ") + 4, ())
    assert [one.partition(":")[0] for one in found] == ["§ 1 Abs. 4", "§ 1 Abs. 6"]
    further = index.list_beside(text.index("(5) ") + 4, found[:1])
    assert [one.partition(":")[0] for one in further] == ["§ 1 Abs. 3", "§ 1 Abs. 6"]


def test_a_figure_has_the_headings_of_its_chapter_and_its_article() -> None:
    text = (
        "# Ausbildungsverordnung\n\n## Abschnitt 3 - Prüfung in der Fachrichtung Klavierbau\n\n"
        "### § 14 Arbeitsauftrag\n\n(4) Die Prüfungszeit beträgt insgesamt 24 Stunden.\n"
    )
    (fact,) = (one for one in facts_of(text, "de") if one.value == "24")
    assert fact.context[:2] == ("Prüfung in der Fachrichtung Klavierbau", "Arbeitsauftrag")


def test_a_figure_of_an_annex_has_its_heading_there_and_not_that_of_the_last_chapter() -> None:
    text = (
        "# Höchstbetragsverordnung\n\n## § 1 Zweck\n\nGefördert wird der Bau."
        "\n\n## Abschnitt 5 - Ausnahmen\n\n### § 2 Anwendung\n\n"
        "Diese Verordnung gilt für alle.\n\n## Anlage 1\n\n## Errichtung von Schutzräumen\n\n"
        "Bei Ausführung des Schutzraumes als Tiefgarage erhöht sich der Höchstbetrag um 25 Euro.\n"
    )
    facts = facts_of(text, "de", content_class=ContentClass.TEXT)
    (fact,) = (one for one in facts if one.value == "25")
    assert fact.context == ("Errichtung von Schutzräumen",)
