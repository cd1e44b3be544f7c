"""What the figures of a provision are: deadlines or durations, limits or rates, or nothing."""

import pytest

from tests.packs.regulatory.passages import facts_of

_ACTS = {
    "hr": "**ZAKON O SKLADIŠTIMA**\n\nČlanak 4.\n\n\\(1\\) {}\n",
    "en": "# § 11. Warehouses\n\n(a) {}\n",
    "de": "# Lagergesetz\n\n### § 4 Lager\n\n(1) {}\n",
}
_FIGURES = ("currency", "percentage", "threshold", "count", "date")


def list_meanings(sentence: str, language: str) -> list[tuple[str, str, str]]:
    """The predicate, value and unit of each figure of a sentence in a provision."""
    return [
        (fact.predicate, fact.value, fact.unit)
        for fact in facts_of(_ACTS[language].format(sentence), language)
        if fact.value_type in _FIGURES
    ]


SPANS = [
    # What must pass first.
    ("hr", "Skladištar se može odreći jamstva tek po proteku dvije godine od upisa.", "2", "years"),
    (
        "hr",
        "Nova molba ne može se podnijeti prije isteka šest mjeseci od odbijanja.",
        "6",
        "months",
    ),
    ("hr", "Ured će istekom roka od 20 dana od neuspjele dostave ponoviti pregled.", "20", "days"),
    ("hr", "Dozvola se može ukinuti i prije isteka četiri godine ako se ne plaća.", "4", "years"),
    ("en", "No action may be brought before 60 days after the notice.", "60", "days"),
    (
        "en",
        "The owner shall not sell the goods until the expiration of 21 days after the notice.",
        "21",
        "days",
    ),
    ("en", "The hearing shall be held at least 10 days after the notice.", "10", "days"),
    (
        "de",
        "Die Gebühren dürfen frühestens sechs Monate vor Fälligkeit gezahlt werden.",
        "6",
        "months",
    ),
    (
        "de",
        "Die Ware darf nicht vor Ablauf von 24 Stunden nach der Meldung bewegt werden.",
        "24",
        "hours",
    ),
    # What lasts.
    (
        "en",
        "A member shall hold office for a period not exceeding 5 years from appointment.",
        "5",
        "years",
    ),
    (
        "de",
        "Die Fläche ist für einen Zeitraum von längstens acht Jahren zu überlassen.",
        "8",
        "years",
    ),
    (
        "en",
        "The total period of the payment shall not exceed 6 months from the start.",
        "6",
        "months",
    ),
    ("de", "Die Kündigung wird erst drei Monate nach der Anzeige wirksam.", "3", "months"),
    ("en", "A clerk may not be employed there within three years after the course.", "3", "years"),
    (
        "en",
        "A clerk who worked for not less than 10 years before that shall qualify.",
        "10",
        "years",
    ),
    # What is measured.
    (
        "hr",
        "Poslove može obavljati osoba koja ima četiri godine radnog iskustva.",
        "4",
        "years",
    ),
    (
        "hr",
        "Trgovac je dužan istaknuti najnižu cijenu tijekom razdoblja od 30 dana prije sniženja.",
        "30",
        "days",
    ),
    (
        "en",
        "The court may order payment for any day within the twelve months immediately preceding"
        " the date of the claim.",
        "12",
        "months",
    ),
    (
        "de",
        "Der Verwalter ist berechtigt, das Lager vier Wochen nach Androhung zu schließen.",
        "4",
        "weeks",
    ),
    ("de", "Der Bescheid ist zwei Wochen nach dem Aushang als bekannt anzusehen.", "2", "weeks"),
    (
        "de",
        "Der Kunde kann die Zusage für einen Zeitraum von jeweils höchstens zwölf Monaten im "
        "Voraus erteilen.",
        "12",
        "months",
    ),
    ("de", "Die Liste soll mindestens für fünf Jahre ab dem Aushang sichtbar sein.", "5", "years"),
]


@pytest.mark.parametrize(("language", "sentence", "value", "unit"), SPANS)
def test_times_that_pass_last_or_look_back_are_no_deadlines(
    language: str, sentence: str, value: str, unit: str
) -> None:
    found = [one for one in list_meanings(sentence, language) if one[1:] == (value, unit)]
    assert [name for name, _, _ in found] == ["period"]


DEADLINES = [
    ("hr", "Stranka može podnijeti zahtjev prije isteka šest mjeseci od upisa.", "filing_deadline"),
    ("en", "If the certificate is not produced before the end of 18 days, he is free.", "deadline"),
    ("de", "Der Antrag ist mindestens zwei Wochen vor der Abfahrt zu stellen.", "filing_deadline"),
    (
        "de",
        "Der Schein ist zu ersetzen, spätestens nach Ablauf von zwei Jahren ab dann.",
        "deadline",
    ),
    ("de", "Die Meldung erfolgt sofort, spätestens jedoch drei Tage nach dem Brand.", "deadline"),
    ("de", "Die Lager sind spätestens nach jeweils sechs Monaten zu prüfen.", "deadline"),
    ("de", "Die Prüfung soll zwei Jahre nach der Eröffnung erfolgen.", "deadline"),
    # The verb that a time limit belongs to decides.
    (
        "hr",
        "Protivna stranka može u roku od 15 dana od primitka žalbe podnijeti odgovor na žalbu.",
        "filing_deadline",
    ),
    (
        "hr",
        "Odbor, ako ne završi pregled u roku od 12 mjeseci, u izvješću opisuje stanje.",
        "deadline",
    ),
    ("hr", "Žalba se podnosi u roku od osam dana od dostave.", "appeal_deadline"),
    ("hr", "Skladištar ima pravo žalbe u roku od osam dana.", "appeal_deadline"),
    ("hr", "Žalbu sud dostavlja višem sudu u roku od dva dana od primitka žalbe.", "deadline"),
    (
        "hr",
        "Skladištar može u roku od tri dana od presude podnijeti žalbu sudu.",
        "appeal_deadline",
    ),
    (
        "hr",
        "Skladištar je dužan u roku od 15 dana podnijeti zahtjev za upis u registar.",
        "registration_deadline",
    ),
    ("hr", "Komora će osnovati Upisnik skladišta u roku od dva mjeseca.", "deadline"),
    (
        "hr",
        "Skladišta su dužna uskladiti akte u roku od godine dana i podnijeti zahtjev za upis.",
        "deadline",
    ),
    ("hr", "Povrat pristojbe može se zahtijevati u roku od 90 dana od uplate.", "deadline"),
    (
        "hr",
        "Inspektor je dužan najkasnije u roku od 15 dana od nadzora podnijeti optužni prijedlog.",
        "deadline",
    ),
    (
        "hr",
        "Ne postignu li sporazum u roku od 30 dana, društvo je dužno platiti naknadu.",
        "deadline",
    ),
    # What something is compared with.
    ("hr", "Kredit s rokom povrata dužim od jedne godine odobrava uprava.", "threshold"),
    (
        "hr",
        "Ugovor sklopljen na razdoblje dulje od dvije godine mora biti u pisanom obliku.",
        "threshold",
    ),
    ("hr", "Skladištenje ne može trajati dulje od dvije godine.", "period"),
    (
        "en",
        "Not later than 30 days after the report, the Secretary shall issue rules for the filing of"
        " claims.",
        "deadline",
    ),
    ("en", "The manager shall file the return within 30 days after the sale.", "filing_deadline"),
    (
        "en",
        "The manager shall deposit a copy of the deed within 21 days of its change.",
        "filing_deadline",
    ),
    (
        "de",
        "Die Kommission gibt binnen vier Wochen nach Eingang der Anmeldung eine Stellungnahme ab.",
        "deadline",
    ),
    (
        "de",
        "Die Zettel sind drei Monate nach der Wahl zu vernichten, es sei denn, sie ist"
        " angefochten.",
        "deadline",
    ),
]


@pytest.mark.parametrize(("language", "sentence", "predicate"), DEADLINES)
def test_the_governing_verb_decides_which_deadline_it_is(
    language: str, sentence: str, predicate: str
) -> None:
    assert [name for name, _, _ in list_meanings(sentence, language)] == [predicate]


NOTHING = [
    ("de", "Die Daten sind spätestens zehn Jahre und einen Monat nach der Meldung zu löschen."),
    ("de", "Der Nachweis ist bis zum ersten Tag der Prüfung zu erbringen."),
    ("de", "Bis zum 31. Dezember 2007 müssen 50 Lager betrieben werden."),
    ("hr", "Rok počinje teći od sljedećeg dana."),
    ("hr", "Pri zbrajanju staža 12 mjeseci čini jednu godinu."),
    ("hr", "Povjerenstvo je jedna ili više osoba koje zastupaju skladište."),
    ("en", "The sum is for the year ending on the thirty-first day of March next."),
    ("en", "The master shall pay one month’s wages to the clerk."),
    ("en", "The Board may shorten the thirty days’ notice herein provided for."),
    ("en", "The amount chosen shall be evenly divisible by $50,000."),
    ("en", "A claim may be brought within that period of 30 days."),
    ("en", "Pay for the taking of goods acquired prior to August 9, 1955."),
    ("en", "Payment shall be deferred until June 1, 1987."),
    ("en", "A meeting shall be called for a day which is not a holiday."),
    ("de", "Es gilt die bis 31. Dezember 2018 gültige Fassung."),
    ("de", "Das gilt für Mieten, die nach dem 30. Juni 1990 fällig werden."),
    ("de", "Eine vor dem 20. November 1947 bestellte Hypothek ist einzutragen."),
    ("en", "The sum payable for the week commencing on the 12th day of December, 1980, is due."),
    ("de", "Die bis zum 31. Dezember 2019 eingesetzten Waagen werden anerkannt."),
    (
        "de",
        "Ordnungswidrig im Sinne des Lagerrechts handelt, wer Waren nicht zwölf Monate aufbewahrt.",
    ),
    ("de", "entgegen § 5 Absatz 3 einen Beleg nicht mindestens drei Jahre aufbewahrt,"),
    ("de", "Auf die einjährige Zugehörigkeit werden Zeiten bei anderen Lagern angerechnet."),
    ("de", "Eine Zahlung am ersten Werktag nach dem 1. Juli 2017 gilt als rechtzeitig."),
    ("de", "Als Tag der Zahlung gilt frühestens der erste Tag des Monats der Einlagerung."),
    ("de", "Geht ein Antrag vor dem 1. März 2017 ein, kann der Schein ausgestellt werden."),
    ("hr", "Ulaz je slobodan za djecu u dobi do 15 godina."),
    ("de", "Die Zahl der Lager ist nach dem Vordruck KM 6 zu bestimmen."),
    ("hr", "Skladište radi u vremenu od 08.00 do 22.00 sata."),
    ("hr", "Naknada se računa prema prosjeku u zadnjih pet godina."),
    ("hr", "Gledanost se mjeri u vremenu od 6 do 24 sata."),
    ("hr", "Skladištar ima pravo na mirovinu od prvoga dana idućeg mjeseca."),
    ("hr", "Odredba se ne odnosi na hipoteke upisane do 1. rujna 1980."),
    ("hr", 'Riječi: \\"do 5.000 dinara\\" zamjenjuju se riječima: \\"50 do 200 DEM\\".'),
]


@pytest.mark.parametrize(("language", "sentence"), NOTHING)
def test_figures_that_lay_nothing_down_are_no_facts(language: str, sentence: str) -> None:
    assert list_meanings(sentence, language) == []


def test_the_second_time_of_a_chain_only_says_when_the_first_begins() -> None:
    sentence = "Not later than 90 days after the expiration of 1 year, the Board shall meet."
    assert list_meanings(sentence, "en") == [("deadline", "90", "days")]


SHARES = [
    ("en", "At least 20 per cent of the notices shall be in Irish.", "threshold"),
    ("en", "A State may use not more than 10 percent of the funds for staff.", "threshold"),
    ("de", "Der Anteil an Aktien darf maximal 20 Prozent des Kapitals betragen.", "threshold"),
    ("hr", "Povećanje površine ne prelazi više od 30 % skladišta.", "threshold"),
    ("de", "Das Land gewährt einen mit 4 vom Hundert verzinslichen Betrag.", "interest_rate"),
    ("de", "Die Rente wird um 3 Prozent erhöht.", "rate"),
    ("de", "Das gilt nicht für Waren mit einem Anteil von 30 Prozent oder weniger.", "threshold"),
    ("de", "Die Sätze für Lager sind um 13 Prozent und die für Höfe anzuheben.", "surcharge"),
    ("en", "Interest is due on the judgment at the rate of 2 per cent per annum.", "interest_rate"),
    ("en", "The annual salary of the warden shall be increased by 25 percent.", "rate"),
]


@pytest.mark.parametrize(("language", "sentence", "predicate"), SHARES)
def test_limits_of_what_nobody_pays_are_thresholds(
    language: str, sentence: str, predicate: str
) -> None:
    assert [name for name, _, _ in list_meanings(sentence, language)] == [predicate]


def test_what_must_not_be_exceeded_at_any_time_is_a_threshold() -> None:
    sentence = (
        "The total debt of the Board shall not be such that it exceeds at any one time £40,000."
    )
    assert list_meanings(sentence, "en") == [("threshold", "40000", "GBP")]


def test_a_fine_from_at_least_one_sum_to_another_has_a_minimum_and_a_maximum() -> None:
    sentence = (
        "Skladištar će se kazniti novčanom kaznom u iznosu od najmanje 400,00 eura do 900,00 eura."
    )
    assert list_meanings(sentence, "hr") == [
        ("penalty_min", "400", "EUR"),
        ("penalty_max", "900", "EUR"),
    ]


def test_a_later_item_of_a_list_of_fines_is_a_fine() -> None:
    text = (
        "# Warehouses Act\n\n##### 7. Offences\n\n(4) On conviction a keeper is liable—\n\n"
        "(a) for a first offence, to a fine not exceeding €1,200, and\n\n"
        "(b) for any later offence, €1,900.\n"
    )
    assert [fact.predicate for fact in facts_of(text, "en") if fact.unit == "EUR"] == [
        "penalty_max",
        "penalty_max",
    ]


def test_notes_below_a_section_of_a_code_are_not_law() -> None:
    text = (
        "# § 11. Warehouses\n\nThe keeper shall file a report within 30 days.\n\n"
        "*([Pub. L. 98–89](/us/pl/98/89), Aug. 26, 1983, [97 Stat. 576](/us/stat/97/576).)*\n\n"
        "Section 11 provides that a keeper must file a report within 45 days.\n\n"
        "Sec. 2. *Purchases*. Within 60 days the Board shall issue a plan.\n"
    )
    assert [fact.value for fact in facts_of(text, "en") if fact.value_type == "count"] == ["30"]
