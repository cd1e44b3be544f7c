"""How the sections of an American code are drafted: caps, spans, insertions, lists, footnotes."""

import pytest

from assay.ruling.facts.proposals import ProposedFact
from tests.packs.regulatory.passages import facts_of, is_limited_by

_FIGURES = ("currency", "percentage", "threshold", "count", "date")


def read_section(*lines: str) -> list[ProposedFact]:
    """The figures of a section with these lines."""
    text = "\n\n".join(("# § 11. Warehouses", *lines)) + "\n"
    return [fact for fact in facts_of(text, "en") if fact.value_type in _FIGURES]


def scope_of(fact: ProposedFact) -> str:
    """The words of a condition."""
    return str(fact.applies_when.get("value", ""))


@pytest.mark.parametrize(
    ("sentence", "predicate"),
    [
        # A cap of something that nobody is charged.
        ("The amount of a grant shall not exceed 80 percent of the costs.", "threshold"),
        ("The Federal share of the cost of it shall not exceed 25 percent.", "threshold"),
        ("The rate of pay for a keeper may not exceed 96 percent of the highest.", "threshold"),
        ("The rate of tax shall not exceed 5 percent.", "rate"),
        # From when or until when something is so.
        ("The rules apply to barns after the date that is 3 years after that day.", "period"),
        ("The board shall sit until the date that is 10 years after that day.", "period"),
        ("No delay shall extend beyond the date three years from the notice.", "period"),
        ("The board shall terminate ten years after the barn is built.", "period"),
        ("After the date occurring 60 days after the notice, rule 2 shall not apply.", "period"),
        ("Goods left unclaimed two years after the sale shall be sold.", "period"),
        ("A keeper shall answer on or before the date that is 5 days after it.", "deadline"),
        # What is compared with a sum or a share.
        ("Aid is paid for each gift to the extent that the total exceeds $250.", "threshold"),
        ("Aid serves any town with a poverty rate of not less than 20 percent.", "threshold"),
        ("There is a national bond limitation of $2,000.", "threshold"),
        (
            "It may not take a contribution from a firm in which others own, directly or not, more "
            "than 50 percent of the outstanding capital stock.",
            "threshold",
        ),
        # What is said of a sum before it is changed.
        ("Aid is paid at the annual rate of $11,830, reduced by the income.", "amount"),
    ],
)
def test_caps_and_spans_are_neither_rates_nor_deadlines(sentence: str, predicate: str) -> None:
    assert [fact.predicate for fact in read_section(f"(a) {sentence}")] == [predicate]


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        (
            "If the keeper sells the goods and, at the time of the sale, the register was open, "
            "the Secretary may suspend the licence for not more than 6 months.",
            "If the keeper sells the goods and, at the time of the sale, the register was open",
        ),
        (
            "The aid ends if the price is, on average, less than $15 for 90 consecutive days.",
            "if the price is, on average, less than $15 for 90 consecutive days",
        ),
        (
            "Delays of up to ninety days may be granted, but only in accordance with rule 2.",
            "but only in accordance with rule 2",
        ),
        (
            "To the extent the Secretary finds it useful, he shall report within 18 months.",
            "To the extent the Secretary finds it useful",
        ),
        (
            "The term “large barn” means a barn worth more than $5,000 and more than 20 years old.",
            "and more than 20 years old",
        ),
        (
            "A keeper under [section 4 of this title](/us/usc/t5/s4) who sells the goods shall "
            "answer within 30 days.",
            "A keeper under section 4 of this title who sells the goods",
        ),
        (
            "In time of war, or when a law says so, a keeper may store it for 24 months.",
            "In time of war, or when a law says so",
        ),
        (
            "If the keeper has not, within 1 year after the sale, answered the buyer, it ends.",
            "If the keeper has not, within 1 year after the sale, answered the buyer",
        ),
        (
            "The share of a barn that serves the poor shall not exceed 90 percent.",
            "The share of a barn that serves the poor",
        ),
        (
            "The Secretary shall notify the keeper within 5 days of it: *Provided*, That no hay "
            "may be moved from barns that were wet.",
            "Provided, That no hay may be moved from barns that were wet",
        ),
        # What the sentence says next limits nothing.
        ("The keeper shall pay a fee, not in excess of $10, which fees may be kept.", ""),
        ("Within 9 days the Secretary shall determine which rule shall apply.", ""),
        ("The fees change every 5 years, or more frequently if the Secretary so decides.", ""),
    ],
)
def test_conditions_are_whole(sentence: str, words: str) -> None:
    assert is_limited_by(read_section(f"(a) {sentence}")[0], words)


def test_words_that_end_with_if_lead_into_their_points() -> None:
    (fact,) = read_section(
        "(a) A barn shall be exempt from this section in a calendar year if—",
        "(1) it is not used; and",
        "(2) the value of all goods in it is less than $500.",
    )
    assert "A barn shall be exempt from this section in a calendar year if" in scope_of(fact)


def test_words_that_end_with_unless_are_kept_above_a_list_in_a_list() -> None:
    (fact,) = read_section(
        "(a) It shall be unlawful to sell goods (other than hay) to a person unless—",
        "(1) the keeper has—",
        "(A) within 1 day after the offer, told the Secretary; and",
    )
    assert "It shall be unlawful to sell goods" in scope_of(fact)


def test_points_whose_beginning_is_missing_state_nothing() -> None:
    assert not read_section(
        "(1) the Secretary has heard the keeper;",
        "(2) a period of 60 days after the hearing has passed.",
    )


def test_a_point_after_a_comparison_is_a_limit() -> None:
    facts = read_section(
        "(a) The income of the keeper may not exceed—",
        "(1) 95 percent of the median income; or",
        "(2) 115 percent of that income in a costly area.",
    )
    assert [fact.predicate for fact in facts] == ["threshold", "threshold"]


def test_which_year_is_meant_is_no_deadline() -> None:
    facts = read_section(
        "(a) The base year is—",
        "(1) if there is an agreement, the last year ending at least 6 months before the sale.",
    )
    assert [fact.predicate for fact in facts] == ["period"]


def test_sums_of_a_list_of_fines_are_the_greatest_fines() -> None:
    facts = read_section(
        "(a) A keeper may be fined not more than the greatest of—",
        "(1) for a felony, not more than $250; or",
        "(2) for a lesser offense, not more than $50.",
    )
    assert [fact.predicate for fact in facts] == ["penalty_max", "penalty_max"]


def test_a_sum_alone_in_a_list_of_fines_is_the_greatest_fine() -> None:
    (fact,) = read_section(
        "(a) The court may set a civil penalty of not more than the greater of—",
        "(1) $140,000; or",
        "(2) triple the gain.",
    )
    assert fact.predicate == "penalty_max"


def test_a_sum_that_charges_are_counted_by_is_no_fact() -> None:
    facts = read_section("(a) The charge shall in no case exceed 10 cents per $100 of goods.")
    assert "100" not in [fact.value for fact in facts]


@pytest.mark.parametrize(
    "lines",
    [
        # In a heading, a defined term, or what a report is about.
        ("(a) $10,000 exclusion for barns In the case of a barn, the keeper may choose.",),
        ("(a) The term “8 percent barn” means a barn with a roof.",),
        (
            "(a) The Secretary shall submit a report that includes—",
            "(1) an assessment of the staff required to ensure 100 percent inspection.",
        ),
        # What was so before a day.
        ("(a) Goods named in the list that was kept prior to May 3, 1974, shall be kept.",),
        ("(a) He keeps the powers that he shall have had on the day before May 3, 1988.",),
        # Notes of the publisher, also those that begin like a section.
        ("#### **Editorial Notes**", "Section 12, act Mar. 27, 1942, set a fee of $50."),
    ],
)
def test_figures_that_are_only_mentioned_are_no_facts(lines: tuple[str, ...]) -> None:
    assert not read_section(*lines)


def test_footnotes_are_not_part_of_a_sentence() -> None:
    first, second = read_section(
        "(a) Within 30 days after the fund is 11 So in original. Probably should be “are”. closed, "
        "the keeper shall answer.22 So in original. Probably should be “reply.” The keeper shall "
        "pay a fee of $5 under rule 3 33 See References in Text note below. of that title."
    )
    assert first.quote.startswith("Within 30 days after the fund is")
    assert (first.value, second.value) == ("30", "5")


@pytest.mark.parametrize(
    ("sentence", "span"),
    [
        ("It is valid for the 5-year period beginning on May 3, 1990.", (None, None)),
        (
            "In the period beginning on May 3, 1990, and ending on May 31, 1990, the fee is $5.",
            ("1990-05-03", "1990-06-01"),
        ),
    ],
)
def test_the_days_of_a_period(sentence: str, span: tuple[str | None, str | None]) -> None:
    (fact,) = read_section(f"(a) {sentence}")
    assert (fact.effective_from, fact.effective_until) == span


def test_the_day_of_an_exception_is_not_that_of_the_section() -> None:
    fact = read_section(
        "(a) A keeper shall pay a fee of $5.",
        "(b) This section shall apply to all barns, except that subsection (c) shall apply "
        "beginning on May 1, 1992.",
    )[0]
    assert fact.value == "5"
    assert fact.effective_from is None
