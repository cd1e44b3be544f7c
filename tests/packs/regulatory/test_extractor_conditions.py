"""Conditions, qualifiers and days in sentences of real law."""

import pytest

from assay.model.content import ContentClass
from assay.ruling.facts.proposals import ProposedFact
from tests.packs.regulatory.passages import facts_of, is_limited_by, words_of

_PARAGRAPH = "# Lagergesetz\n\n### § 4 Lager\n\n(1) "


def find_fact(text: str, language: str, value: str) -> ProposedFact:
    return next(fact for fact in facts_of(text, language) if fact.value == value)


@pytest.mark.parametrize(
    ("language", "text", "value", "words"),
    [
        (
            "de",
            "In den Fällen des § 37a Absatz 4a beträgt die Höhe der Abgabe 70 Euro pro Gigajoule.",
            "70",
            "In den Fällen des § 37a Absatz 4a",
        ),
        (
            "de",
            "Wird dem Beamten, Richter oder Soldaten Gemeinschaftsunterkunft bereitgestellt, so "
            "verringert sich der Zuschlag auf 85 Prozent.",
            "85",
            "Wird dem Beamten, Richter oder Soldaten Gemeinschaftsunterkunft bereitgestellt",
        ),
        (
            "de",
            "Der Zuschlag auf die Einkommensteuer beträgt ungeachtet des Satzes 2 5,5 Prozent.",
            "5.5",
            "ungeachtet des Satzes 2",
        ),
        (
            "en",
            "Where the authority, upon completion of the assessment, decides to oppose the "
            "acquisition, it shall, within two working days, inform the acquirer in writing.",
            "2",
            "Where the authority, upon completion of the assessment, decides to oppose the "
            "acquisition",
        ),
        (
            "en",
            "In the case of a brewer who produces not more than 2,000,000 barrels of beer, the "
            "rate of the tax shall be $3.50 per barrel.",
            "3.5",
            "In the case of a brewer who produces not more than 2,000,000 barrels of beer",
        ),
        (
            "en",
            "A person guilty of an offence under section 18 shall be liable on summary conviction "
            "to a fine not exceeding €1,900.",
            "1900",
            "A person guilty of an offence under section 18",
        ),
        (
            "en",
            "The fee is $500 ($1,000 in the case of a joint return) for each licence.",
            "1000",
            "in the case of a joint return",
        ),
        (
            "hr",
            "Ako tijelo utvrdi da je prijedlog ispravan, predstavničko tijelo raspisat će "
            "referendum u roku od 30 dana od zaprimanja odluke.",
            "30",
            "Ako tijelo utvrdi da je prijedlog ispravan",
        ),
    ],
)
def test_a_condition_ends_where_the_main_clause_begins(
    language: str, text: str, value: str, words: str
) -> None:
    assert is_limited_by(find_fact(text, language, value), words)


@pytest.mark.parametrize(
    ("language", "text", "value"),
    [
        ("en", "The fee is $500 ($1,000 in the case of a joint return).", "500"),
        (
            "hr",
            "Naknada ne može biti niža od 70% osnovice, ako ovim Zakonom nije drukčije propisano, "
            "s time da mjesečna naknada ne može biti niža od 80% proračunske osnovice.",
            "80",
        ),
    ],
)
def test_the_condition_of_another_figure_does_not_limit_a_figure(
    language: str, text: str, value: str
) -> None:
    assert is_limited_by(find_fact(text, language, value), "")


def test_a_responsible_person_is_not_the_legal_person_it_acts_for() -> None:
    fact = find_fact(
        "Za prekršaj iz stavka 1. ovoga članka kaznit će se i odgovorna osoba u pravnoj osobi "
        "novčanom kaznom od 390,00 do 1320,00 eura.",
        "hr",
        "1320",
    )
    assert {"op": "eq", "field": "taxpayer", "value": "responsible_person"} in fact.applies_when[
        "all"
    ]
    assert is_limited_by(fact, "Za prekršaj iz stavka 1. ovoga članka")


def test_a_person_named_for_the_next_figure_does_not_limit_the_first() -> None:
    text = (
        "The periodic penalty payments shall be 3 % of the average daily turnover, or, in the case "
        "of natural persons, 2 % of the average daily income."
    )
    assert "natural_person" not in str(find_fact(text, "en", "3").applies_when)
    assert "natural_person" in str(find_fact(text, "en", "2").applies_when)


def test_a_sentence_about_the_same_case_takes_the_condition_of_the_one_before() -> None:
    text = (
        "Die Behörde erhebt eine Gebühr, wenn der Antrag nach Ablauf der Frist gestellt wird. "
        "In diesem Fall beträgt die Gebühr 50 Euro."
    )
    fact = find_fact(text, "de", "50")
    assert is_limited_by(fact, "wenn der Antrag nach Ablauf der Frist gestellt wird")


def test_what_a_case_leads_to_applies_in_that_case() -> None:
    text = (
        "Hat das Amt einen Antrag übergangen, so ist der Bescheid zu ergänzen. Die Ergänzung muss "
        "binnen eines Monats beantragt werden."
    )
    assert is_limited_by(find_fact(text, "de", "1"), "Hat das Amt einen Antrag übergangen")


@pytest.mark.parametrize(
    "text",
    [
        "Fundstelle des Originaltextes: BGBl. I 2005, 3617\n\n1.  Die Proben sind innerhalb von "
        "drei Monaten zu nehmen.\n",
        "Erstes Jahr\n\n1.  In einem Zeitraum von insgesamt drei Monaten sind Proben zu nehmen.\n",
    ],
)
def test_where_a_text_was_printed_and_how_long_it_takes_are_no_conditions(text: str) -> None:
    words = words_of(find_fact(f"# Lagergesetz\n\n### Anlage 1\n\n{text}", "de", "3"))
    assert "Fundstelle" not in words and "Zeitraum" not in words


EXCEPTED = (
    "# Lagergesetz\n\n### § 4 Lager\n\n(1) Der Bericht ist innerhalb von drei Monaten vorzulegen. "
    "Die Belege sind fünf Jahre aufzubewahren. Satz 1 gilt nicht, soweit das Amt darauf verzichtet."
    "\n\n(2) Die Frist für die Zahlung beträgt zwei Wochen."
    "\n\n(3) Absatz 2 gilt nicht für Vereine.\n"
)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("3", "Satz 1 gilt nicht, soweit das Amt darauf verzichtet."),
        ("5", "Die Belege sind […] aufzubewahren."),
        ("2", "Absatz 2 gilt nicht für Vereine."),
    ],
)
def test_a_later_sentence_limits_the_one_that_it_names(value: str, words: str) -> None:
    assert is_limited_by(find_fact(EXCEPTED, "de", value), words)


def test_a_condition_goes_on_in_the_list_after_its_sentence() -> None:
    text = (
        "Article 5\n\n1. The Commission may impose fines not exceeding EUR 500, when it finds that "
        "the provider intentionally:\n\n(a) infringed the relevant provisions;\n\n"
        "(b) failed to comply with a request.\n"
    )
    words = words_of(find_fact(text, "en", "500"))
    assert "infringed the relevant provisions" in words
    assert "failed to comply with a request" in words


OFFENCES = (
    "**ZAKON O SKLADIŠTIMA**\n\nČlanak 9.\n\n\\(1\\) Novčanom kaznom od 100,00 eura kaznit će se "
    "za prekršaj skladištar ako:\n\n{}\n"
)


def test_the_points_of_an_offence_are_part_of_its_condition() -> None:
    done = "ne vodi evidenciju o robi koja je zaprimljena broj"
    listed = "\n\n".join(f"{at}\\. {done} {at} (članak {at}.)" for at in range(1, 13))
    words = words_of(find_fact(OFFENCES.format(listed), "hr", "100"))
    assert words.startswith("Novčanom kaznom od […] kaznit će se")
    assert f"{done} 1" in words and f"{done} 8" in words


def test_points_with_dashes_are_the_cases_of_an_offence() -> None:
    text = OFFENCES.format("-- ne vodi evidenciju robe\n\n-- ne omogući nadzor skladišta")
    fact = find_fact(text, "hr", "100")
    assert is_limited_by(fact, "ne vodi evidenciju robe")
    assert is_limited_by(fact, "ne omogući nadzor skladišta")


def test_both_kinds_of_persons_limit_nothing() -> None:
    text = "Novčanom kaznom do 900,00 eura kaznit će se pravna ili fizička osoba koja ne plati."
    assert "taxpayer" not in str(find_fact(text, "hr", "900").applies_when)


def test_a_colon_inside_a_wrapped_paragraph_introduces_no_list() -> None:
    text = (
        "Članak 4.\n\n\\(1\\) Posao može obavljati osoba koja ima završen studij područja "
        "znanosti, polja:\n"
        "kemija, biologija i fizika, te polje pravo, a najmanje dvije godine bavila se\n"
        "najsloženijim poslovima nadzora nad skladištima i prijevozom robe na cesti i\n"
        "nad drugim poslovima iz ovoga članka.\n"
    )
    passage = facts_of(text, "hr", content_class=ContentClass.TEXT)
    assert all(fact.quote.startswith("Posao može") for fact in passage)


def test_an_amended_place_is_not_a_condition() -> None:
    text = (
        "§ 1\n\n(1) The Act is amended—\n\n(a) in subsection (2) by substituting “33 per cent” for "
        "“30 per cent”.\n"
    )
    assert [words_of(fact) for fact in facts_of(text, "en") if fact.unit == "%"] in ([], [""])


@pytest.mark.parametrize(
    ("language", "text", "value", "qualifiers"),
    [
        (
            "de",
            "Für die Eröffnung eines Kontos erhebt die Behörde eine Gebühr von 170 Euro, für die "
            "Verwaltung eines Kontos eine Gebühr von 600 Euro pro Handelsperiode.",
            "600",
            ("für die Verwaltung eines Kontos", "pro Handelsperiode"),
        ),
        ("de", "Die Steuer beträgt 3,5 vom Hundert.", "3.5", ()),
        (
            "hr",
            "Objava ispravka može se zahtijevati u roku od 30 dana od objave informacije.",
            "30",
            ("Objava ispravka", "zahtijevati", "od objave informacije"),
        ),
        (
            "en",
            "The amount of the tax on any port use shall be an amount equal to 0.125 percent of "
            "the value of the commercial cargo involved.",
            "0.125",
            ("amount of the tax on any port use", "of the value of the commercial cargo involved"),
        ),
    ],
)
def test_qualifiers_are_the_phrases_that_say_what_a_figure_is_about(
    language: str, text: str, value: str, qualifiers: tuple[str, ...]
) -> None:
    assert find_fact(text, language, value).qualifiers == qualifiers


def test_a_point_is_qualified_by_the_words_that_introduce_its_list() -> None:
    text = (
        "§ 45\n\n(1) An Gebühren sind zu erheben für die Erteilung einer Aufenthaltserlaubnis\n\n"
        "1.  für einen Aufenthalt zu Studienzwecken 100 Euro,\n\n"
        "2.  für einen sonstigen Aufenthalt 110 Euro.\n"
    )
    fact = find_fact(text, "de", "110")
    assert "Erteilung einer Aufenthaltserlaubnis" in " ".join(fact.qualifiers)


def test_the_points_of_a_list_have_the_days_of_its_introduction() -> None:
    text = (
        "§ 2\n\n(2) Der Steuersatz ermäßigt sich in der Zeit vom 1. Januar 2021 bis zum "
        "31. Dezember 2022 für Bier aus unabhängigen Brauereien\n\n"
        "1.  auf 75 Prozent bei einer Jahreserzeugung von 40 000 hl,\n\n"
        "2.  auf 70 Prozent bei einer Jahreserzeugung von 20 000 hl.\n"
    )
    fact = find_fact(text, "de", "70")
    assert (fact.effective_from, fact.effective_until) == ("2021-01-01", "2023-01-01")


def test_each_of_several_rates_has_the_tier_beside_it() -> None:
    text = (
        "Income tax is charged at 10 per cent on the first £2,000 of taxable income, at 20 per "
        "cent on the next £30,000, and at 40 per cent on the remainder."
    )
    rates = [fact for fact in facts_of(text, "en") if fact.predicate == "rate"]
    tiers = ("on the first £2,000 of taxable income", "on the next £30,000", "on the remainder")
    assert [f"[…] {tier}" in words_of(fact) for fact, tier in zip(rates, tiers, strict=True)] == [
        True,
        True,
        True,
    ]


def test_a_limit_of_one_rate_is_not_that_of_another() -> None:
    text = (
        "Porez na dohodak plaća se po stopi od 20% na poreznu osnovicu do visine 50.400,00 eura i "
        "po stopi od 30% na dio porezne osnovice koji prelazi iznos od 50.400,00 eura."
    )
    conditions = [fact.applies_when for fact in facts_of(text, "hr") if fact.predicate == "rate"]
    assert [one["op"] for one in conditions] == ["lte", "gt"]


@pytest.mark.parametrize(
    ("language", "text", "value", "words"),
    [
        (
            "de",
            "Ist dies unterblieben, kann binnen zwei Wochen ab Verkündung des Urteils eine "
            "Ergänzung beantragt werden.",
            "2",
            "Ist dies unterblieben",
        ),
        (
            "de",
            "Für Geschädigte, die einen Anspruch auf eine Pflegezulage haben, beträgt die "
            "Gebühr 70 Euro.",
            "70",
            "Für Geschädigte, die einen Anspruch auf eine Pflegezulage haben",
        ),
        (
            "de",
            "Bei Schafen dürfen die Gebühren 10 Euro je Tier nicht übersteigen.",
            "10",
            "Bei Schafen",
        ),
        (
            "de",
            "Werden Belege, die nicht zum Antrag gehören, in einer anderen Sprache eingereicht, so "
            "sind Übersetzungen innerhalb eines Monats nachzureichen.",
            "1",
            "Werden Belege, die nicht zum Antrag gehören, in einer anderen Sprache eingereicht",
        ),
        (
            "de",
            f"{_PARAGRAPH}"
            "Kommen Händler der Aufforderung nicht nach, so kann das Amt ihnen eine Nachfrist von "
            "drei Wochen setzen.",
            "3",
            "Kommen Händler der Aufforderung nicht nach",
        ),
        (
            "de",
            "Eine Lagerung, die dazu führt, dass die Ware verdirbt, ist innerhalb von zwei Wochen "
            "zu beenden.",
            "2",
            "Eine Lagerung, die dazu führt, dass die Ware verdirbt",
        ),
        (
            "de",
            "Die Ordnungswidrigkeit kann in den Fällen des Absatzes 1 Nummer 5 sowie des Absatzes "
            "2 Nummer 1, 2 und 5 mit einer Geldbuße bis zu dreißigtausend Euro geahndet werden.",
            "30000",
            "in den Fällen des Absatzes 1 Nummer 5 sowie des Absatzes 2 Nummer 1, 2 und 5",
        ),
        (
            "de",
            "Die Umlage im Jahr 2021 beträgt 40 Euro.",
            "40",
            "im Jahr 2021",
        ),
        (
            "de",
            f"{_PARAGRAPH}"
            "Einem Unternehmen, an dem das Lager beteiligt ist, dürfen Darlehen in Höhe von bis zu "
            "20 Prozent der Eigenmittel gewährt werden.",
            "20",
            "Einem Unternehmen, an dem das Lager beteiligt ist",
        ),
        (
            "hr",
            "U opravdanim slučajevima taj rok može trajati do šest mjeseci.",
            "6",
            "U opravdanim slučajevima",
        ),
        (
            "hr",
            "Novčanom kaznom u iznosu od 500,00 eura kaznit će se za prekršaj trgovac koji: ne "
            "istakne cijenu ili ne izda račun.",
            "500",
            "za prekršaj trgovac koji: ne istakne cijenu ili ne izda račun",
        ),
        (
            "hr",
            "Raskine li potrošač ugovor, trgovac je dužan vratiti cijenu u roku od 14 dana.",
            "14",
            "Raskine li potrošač ugovor",
        ),
        (
            "hr",
            "Ako sudac, koji je izrekao kaznu, nije nadležan za upućivanje, dostavit će spis u "
            "roku od tri dana.",
            "3",
            "Ako sudac, koji je izrekao kaznu, nije nadležan za upućivanje",
        ),
        (
            "hr",
            "Iznimno, iz osobito opravdanih razloga prijavu je dopušteno podnijeti najkasnije 48 "
            "sati prije početka.",
            "48",
            "iz osobito opravdanih razloga",
        ),
        (
            "hr",
            "U iznimno opravdanim okolnostima mjera može trajati do šest mjeseci.",
            "6",
            "U iznimno opravdanim okolnostima",
        ),
        (
            "en",
            "The authority may refuse the permit where the operator has not paid the fee within "
            "30 days of the notice.",
            "30",
            "where the operator has not paid the fee within 30 days of the notice",
        ),
    ],
)
def test_a_condition_is_kept_whole(language: str, text: str, value: str, words: str) -> None:
    assert is_limited_by(find_fact(text, language, value), words)


GRANT = (
    "The amount of the grant shall be £200 if the children are two in number, £300 where they are "
    "three in number and £400 if they exceed three in number."
)


DELAY = (
    "Izvršenje se može odgoditi u slučajevima iz točke 2. najduže za tri mjeseca, u slučajevima iz "
    "točke 5. najduže za šest mjeseci."
)


@pytest.mark.parametrize(
    ("language", "text", "value", "words"),
    [
        (
            "hr",
            "Podatak se upisuje u roku od 15 dana ako nije bilo žalbe odnosno u roku od 30 dana "
            "ako je bilo žalbe.",
            "15",
            "ako nije bilo žalbe",
        ),
        (
            "hr",
            "Sud će kazniti novčanom kaznom od 330,00 eura osobu koja zlouporabi prava u sporu.",
            "330",
            "osobu koja zlouporabi prava u sporu",
        ),
        ("hr", DELAY, "3", "u slučajevima iz točke 2"),
        ("hr", DELAY, "6", "u slučajevima iz točke 5"),
        (
            "hr",
            "Pravo postoji ako je zahtjev podnesen u roku od šest mjeseci, a ako je podnesen "
            "kasnije, prestaje.",
            "6",
            "ako je zahtjev podnesen u roku od šest mjeseci",
        ),
        (
            "hr",
            "Zahtjev za upis podnosi se i u slučaju zapreke najkasnije u roku od 15 dana.",
            "15",
            "",
        ),
        ("en", GRANT, "200", "if the children are two in number"),
        ("en", GRANT, "300", "where they are three in number"),
        ("en", GRANT, "400", "if they exceed three in number"),
        (
            "de",
            "Die Gebühren dürfen bei der Entziehung der Zulassung 400 Euro, in allen übrigen "
            "Fällen 250 Euro nicht überschreiten.",
            "400",
            "",
        ),
        (
            "de",
            f"{_PARAGRAPH}"
            "Einwendungen können in den Fällen des § 1 Nr. 1 bis zu zwei Wochen und im Fall des § "
            "1 Nr. 5 bis zu einem Monat nach der Auslegung erhoben werden.",
            "1",
            "im Fall des § 1 Nr. 5",
        ),
        (
            "de",
            f"{_PARAGRAPH}"
            "Die schriftliche Prüfung soll nicht länger als vier Stunden, die mündliche nicht "
            "länger als 45 Minuten dauern.",
            "4",
            "",
        ),
        (
            "en",
            "The reimbursement may not exceed $5,000,000; except that the reimbursement in any "
            "year may not exceed $7,000,000.",
            "5000000",
            "",
        ),
        (
            "en",
            "The applicant and its representative, if any, shall pay a fee of £50.",
            "50",
            "",
        ),
    ],
)
def test_each_of_several_figures_has_its_own_condition(
    language: str, text: str, value: str, words: str
) -> None:
    assert is_limited_by(find_fact(text, language, value), words)


def test_words_of_another_paragraph_do_not_lead_into_a_sentence() -> None:
    text = (
        "**2.**—(1) A person shall be guilty of an offence if— (a) he or she opens any voting "
        "equipment.\n\n(2) A person guilty of an offence under this section shall be liable on "
        "summary conviction to a fine not exceeding €3,500."
    )
    fact = find_fact(text, "en", "3500")
    assert is_limited_by(fact, "A person guilty of an offence under this section")
    assert "voting equipment" not in words_of(fact)


def test_a_lettered_article_ends_its_sentence() -> None:
    text = (
        "Where a provider avails itself of this option, it shall apply under Article 6d. Every "
        "provider shall pay a fee of €50."
    )
    assert words_of(find_fact(text, "en", "50")) == ""
