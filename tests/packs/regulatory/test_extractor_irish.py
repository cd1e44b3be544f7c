"""How Irish acts write times, fines on conviction, lists, and the text that they quote."""

import pytest

from assay.ruling.facts.proposals import ProposedFact
from tests.packs.regulatory.passages import facts_of, is_limited_by, words_of


def list_figures(sentence: str, lead: str = "**5.** ") -> list[ProposedFact]:
    text = f"##### 5. **Matter of this section**\n\n{lead}{sentence}"
    worded = ("refers_to", "exemption")
    return [one for one in facts_of(text, "en") if one.predicate not in worded]


@pytest.mark.parametrize(
    ("sentence", "predicate"),
    [
        # The verb after an inserted time decides.
        (
            "A registered nurse may, not later than 21 days after receipt of the notice, appeal to"
            " the Court against the decision.",
            "appeal_deadline",
        ),
        (
            "Where an application has been made to an authority and is refused, that person may,"
            " not later than 4 weeks from the decision, or such later date as the court permits,"
            " appeal against the decision to the District Court.",
            "appeal_deadline",
        ),
        (
            "An appeal shall not affect the order unless the Court, within 7 days from its date,"
            " makes an order suspending it.",
            "deadline",
        ),
        (
            "The transferor may apply to the Court by motion, not later than 14 days after the"
            " publication of the order, for the setting aside of the order.",
            "deadline",
        ),
        (
            "The provider may, within one month from the provision of the report, submit in"
            " writing any observations it has.",
            "deadline",
        ),
        (
            "Instruments of ratification shall be deposited with the Depositary before 1 July"
            " 1965.",
            "deadline",
        ),
        # Whatever a period is called, somebody has to act in it.
        (
            "The Bank shall afford that transferor 48 hours, or a shorter period on which they"
            " agree, in which to make written submissions.",
            "deadline",
        ),
        (
            "The payment shall not be accepted after the expiration of the period of 28 days"
            " beginning on the date of the notice.",
            "deadline",
        ),
        (
            "The person may, during the period of 21 days beginning on the date of the notice,"
            " make a payment of the specified amount.",
            "deadline",
        ),
        ("An audit shall be carried out by the end of the period of 6 months.", "deadline"),
        # Nobody has to act.
        ("The order, if made on appeal, shall expire three years after its making.", "period"),
        ("Claims are in respect of events occurring within a period of 3 months.", "period"),
        (
            "The person displays symptoms of infection, not later than 16 weeks after the"
            " treatment.",
            "period",
        ),
    ],
)
def test_a_time_is_a_deadline_of_the_verb_it_belongs_to(sentence: str, predicate: str) -> None:
    assert [one.predicate for one in list_figures(sentence)] == [predicate]


def test_a_time_in_a_definition_is_a_period() -> None:
    definition = "‘maternal death’ means the death of a woman within 42 days of the birth;"
    assert [one.predicate for one in list_figures(definition, "")] == ["period"]


@pytest.mark.parametrize(
    "sentence",
    [
        "A payment made on or after 1 January 2022 and on or before 31 December 2022 shall be"
        " disregarded.",
        "Irish Water shall not charge, before 1 January 2015, for water services.",
        "The court is amended by substituting “a class A fine” for “a fine not exceeding £1,000”.",
        "In section 28 by substituting “may bring it” for “may, within 6 weeks, bring it”.",
        "The first day in respect of which benefit is payable is before 6 January 2014.",
    ],
)
def test_days_between_two_others_and_old_words_are_no_facts(sentence: str) -> None:
    assert list_figures(sentence) == []


@pytest.mark.parametrize(
    ("words", "predicate"),
    [
        ("by the substitution of “within 28 days” for “within 14 days”,", "deadline"),
        (
            "by the substitution of “for a period not exceeding twelve months” for “for a period"
            " not exceeding six months”,",
            "period",
        ),
        (
            "by the substitution of “until he or she attains the age of 72 years” for “until he"
            " reaches the age of seventy years”,",
            "threshold",
        ),
    ],
)
def test_new_words_say_what_their_time_is(words: str, predicate: str) -> None:
    assert [one.predicate for one in list_figures(f"In subsection (1), {words}")] == [predicate]


def test_a_bare_time_in_an_amendment_is_not_certain() -> None:
    found = list_figures("In subsection (2), by the substitution of “2 years” for “5 years”,")
    assert all(one.confidence < 0.8 for one in found)


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        (
            "A member who does not, for a consecutive period of 6 months, attend a meeting ceases"
            " to hold office.",
            "A member who does not, for a consecutive period of 6 months, attend a meeting ceases"
            " to hold office",
        ),
        (
            "It is approved unless the Council, no later than 72 hours after receipt of the"
            " report, decides not to continue.",
            "unless the Council, no later than 72 hours after receipt of the report, decides not"
            " to continue",
        ),
        (
            "In the circumstances set out in paragraph (a), the notice shall be served within 28"
            " days of the order.",
            "In the circumstances set out in paragraph (a)",
        ),
        (
            "The team shall begin as soon as possible, but in no case later than 72 hours after"
            " arrival.",
            "",
        ),
        (
            "Elections shall be conducted at intervals of two years in accordance with rules which"
            " shall be adopted.",
            "in accordance with rules which shall be adopted",
        ),
        (
            "Points shall be endorsed where, upon conviction of the person, a disqualification"
            " order is made for a period of 6 months or less.",
            "where, upon conviction of the person, a disqualification order is made for a period"
            " of 6 months or less",
        ),
        (
            "The Authority shall not approve it until one month after its publication and if any"
            " objection is received, the Authority shall consider the objection.",
            "",
        ),
        (
            "The officer shall rule on each paper within one hour after its delivery and may rule"
            " that it is invalid if it is not signed.",
            "",
        ),
        (
            "For obligation periods beginning on or after 1 January 2020, a certificate may not be"
            " counted towards more than 15 per cent of the amount of the obligation.",
            "For obligation periods beginning on or after 1 January 2020",
        ),
    ],
)
def test_a_condition_has_its_own_words_and_no_others(sentence: str, words: str) -> None:
    (fact,) = list_figures(sentence)
    assert is_limited_by(fact, words)


FINES = """##### 16. **Provision of information**

**16.** —(1) In this section “place” includes—

(*a*) a house, or

(*b*) a yard.

(2) A person who—

(*a*) fails to comply with a requirement, or

(*b*) knowingly provides false information,

is guilty of an offence and is liable—

(i) on summary conviction, to a fine not exceeding €5,000, or

(ii) on conviction on indictment, to a fine not exceeding €50,000.

(3) A holder of a licence who permits liquor to be consumed on the premises is guilty of an offence
and liable on summary conviction to a fine not exceeding—

(*a*) for a first offence, €1,500, or

(*b*) for a second offence, €2,000.
"""


def test_each_fine_of_a_list_has_its_offence() -> None:
    found = {one.value: one for one in facts_of(FINES, "en") if one.value_type == "currency"}
    assert {one.predicate for one in found.values()} == {"penalty_max"}
    assert is_limited_by(found["50000"], "fails to comply with a requirement")
    assert is_limited_by(found["50000"], "knowingly provides false information")
    assert is_limited_by(found["50000"], "on conviction on indictment")
    holder = "A holder of a licence who permits liquor to be consumed on the premises"
    assert is_limited_by(found["2000"], holder)
    assert is_limited_by(found["2000"], "for a second offence")


QUOTED = """##### 8. **Power to hear complainant**

**8.** The Principal Act is amended by the insertion of the following sections after section 9:

**“Power to hear complainant**

**9A.** (1) A court considering an application for bail may hear evidence as to—

(a) the likelihood of interference, and

(b) the seriousness of it.

(2) A person guilty of an offence under this section shall be liable—

(a) on summary conviction, to a class A fine, or

(b) on conviction on indictment, to a fine not exceeding €50,000.

**Detention**

**9B.** (1) (a) Where a person—

(i) is in custody in a station, and

(ii) is to be released from custody,

he or she may be detained for such period, not exceeding 6 hours from the time of arrest, as the
member thinks fit.”.
"""


def test_points_of_a_quoted_section_have_its_own_leads() -> None:
    found = {one.value: one for one in facts_of(QUOTED, "en") if one.predicate != "refers_to"}
    assert is_limited_by(found["50000"], "A person guilty of an offence under this section")
    assert is_limited_by(found["50000"], "on conviction on indictment")
    detained = "(i) is in custody in a station, and (ii) is to be released from custody"
    assert is_limited_by(found["6"], detained)


def test_a_sentence_keeps_the_list_that_it_introduces() -> None:
    report = (
        "The Bank shall, within 6 months of the commencement of this section, submit to the"
        " Minister a report detailing the following:\n\n(a) the opinions of the Bank;\n\n(b) the"
        " measures it has taken."
    )
    (fact,) = list_figures(report)
    assert is_limited_by(fact, "(a) the opinions of the Bank; (b) the measures it has taken.")


def test_words_after_a_list_limit_its_points() -> None:
    earnings = (
        "A claimant has weekly income—\n\n(a) which does not exceed €150, or\n\n(b) which exceeds"
        " €150,\n\nin respect of a period of interruption which began on or after 5 January 2009."
    )
    assert all("in respect of a period" in words_of(one) for one in list_figures(earnings))
