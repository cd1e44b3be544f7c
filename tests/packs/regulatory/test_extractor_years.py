"""Years that English law names, and the days of which figures they are."""

import pytest

from assay.packs.regulatory.extractor.effect import EffectSpan
from assay.packs.regulatory.extractor.named_years import read_row_label, read_year_label
from assay.reading.result import TableData
from tests.packs.regulatory.passages import facts_of

Span = tuple[str, str | None, str | None]


def spans_of(text: str, jurisdiction: str) -> list[Span]:
    """The value and the days of every figure of a section."""
    section = f"##### 5. **Matter of this section**\n\n{text}"
    return [
        (fact.value, fact.effective_from, fact.effective_until)
        for fact in facts_of(section, "en", jurisdiction=jurisdiction)
        if fact.predicate not in ("refers_to", "exemption")
    ]


@pytest.mark.parametrize(
    ("jurisdiction", "text", "spans"),
    [
        # The fiscal year of the United States.
        (
            "us",
            "The grant shall be not more than $5,000,000 for fiscal year 2020.",
            [("5000000", "2019-10-01", "2020-10-01")],
        ),
        (
            "us",
            "The fee shall be $40 for each of fiscal years 2009 through 2013.",
            [("40", "2008-10-01", "2013-10-01")],
        ),
        (
            "us",
            "The fee shall be $40 for fiscal years 2009, 2010, and 2011.",
            [("40", "2008-10-01", "2011-10-01")],
        ),
        (
            "us",
            "The fee shall be $40 for fiscal year 2009, $50 for fiscal year 2010, and $60 for"
            " fiscal year 2011 and each fiscal year thereafter.",
            [
                ("40", "2008-10-01", "2009-10-01"),
                ("50", "2009-10-01", "2010-10-01"),
                ("60", "2010-10-01", None),
            ],
        ),
        (
            "us",
            "For fiscal year 2009, the fee is $40, and for fiscal year 2010, the fee is $50.",
            [("40", "2008-10-01", "2009-10-01"), ("50", "2009-10-01", "2010-10-01")],
        ),
        (
            "us",
            "Fiscal year 1999 and each fiscal year thereafter, the rate shall be 15 percent.",
            [("15", "1998-10-01", None)],
        ),
        (
            "us",
            "Beginning with fiscal year 2014 and ending with fiscal year 2018, the fee is $70.",
            [("70", "2013-10-01", "2018-10-01")],
        ),
        (
            "us",
            "For each fiscal year after fiscal year 2010, the fee is $40.",
            [("40", "2010-10-01", None)],
        ),
        ("us", "Through fiscal year 2010, the fee is $40.", [("40", None, "2010-10-01")]),
        ("us", "For fiscal year 1975, the fee is $40.", [("40", "1974-07-01", "1975-07-01")]),
        (
            "us",
            "For the fiscal year ending June 30, 1967, the fee is $40.",
            [("40", "1966-07-01", "1967-07-01")],
        ),
        (
            "us",
            "The fee is $40 for the fiscal year ending June 30, 1967, and for each of the three"
            " succeeding fiscal years.",
            [("40", "1966-07-01", "1970-07-01")],
        ),
        (
            "us",
            "From the fees collected for fiscal year 2004, the rate of the levy is 3 percent.",
            [("3", "2003-10-01", "2004-10-01")],
        ),
        (
            "us",
            "The fee for fiscal year 2012 shall be—\n\n(1) $40 for a resident; and\n\n(2) $50 for"
            " any other person.",
            [("40", "2011-10-01", "2012-10-01"), ("50", "2011-10-01", "2012-10-01")],
        ),
        (
            "us",
            "The fee shall be—\n\n(1) $40 for fiscal year 2012; and\n\n(2) $50 for fiscal year"
            " 2013 and each succeeding fiscal year.",
            [("40", "2011-10-01", "2012-10-01"), ("50", "2012-10-01", None)],
        ),
        (
            "us",
            "Not later than 60 days after each audit and annually thereafter through fiscal year"
            " 2031, the Secretary shall submit a report.",
            [("60", None, "2031-10-01")],
        ),
        (
            "us",
            "Effective with fiscal year 1978 and each fiscal year thereafter, the fee is $40.",
            [("40", "1977-10-01", None)],
        ),
        (
            "us",
            "For the period of fiscal years 2024 through 2029, the fee is $40.",
            [("40", "2023-10-01", "2029-10-01")],
        ),
        (
            "us",
            "The total of the fees charged for fiscal years 2015 through 2019 shall not exceed"
            " $900.",
            [("900", "2014-10-01", "2019-10-01")],
        ),
        (
            "us",
            "In each of the fiscal years 1990 through 1993 the fee shall not exceed $30, and shall"
            " not exceed $50 in each subsequent fiscal year.",
            [("30", "1989-10-01", "1993-10-01"), ("50", "1993-10-01", None)],
        ),
        (
            "us",
            "A rate of 2 percent of the fees collected for fiscal year 1979 may be used for"
            " repairs.",
            [("2", "1978-10-01", "1979-10-01")],
        ),
        # Taxable and calendar years.
        (
            "us",
            "The rate of tax is 21 percent for taxable years beginning after December 31, 2017,"
            " and before January 1, 2026.",
            [("21", "2018-01-01", "2026-01-01")],
        ),
        (
            "us",
            "In the case of taxable years beginning after 2015, the rate of tax is 12 percent.",
            [("12", "2016-01-01", None)],
        ),
        (
            "us",
            "The rate of tax is 12 percent for taxable years beginning in 2009 or 2010.",
            [("12", "2009-01-01", "2011-01-01")],
        ),
        (
            "us",
            "For plan years beginning on or after January 1, 2022, the fee shall be $30.",
            [("30", "2022-01-01", None)],
        ),
        (
            "us",
            "The fee shall be $50 for calendar year 2024.",
            [("50", "2024-01-01", "2025-01-01")],
        ),
        (
            "us",
            "The rate is 95 percent for calendar quarters in 2017.",
            [("95", "2017-01-01", "2018-01-01")],
        ),
        # Ireland.
        (
            "ie",
            "As respects the year of assessment 2015 and each subsequent year of assessment, the"
            " rate of tax shall be 20 per cent.",
            [("20", "2015-01-01", None)],
        ),
        (
            "ie",
            "As respects the year of assessment 2001, the rate of tax shall be 20 per cent.",
            [("20", "2001-04-06", "2002-01-01")],
        ),
        (
            "ie",
            "For the year of assessment 1999-2000, the rate of tax shall be 24 per cent.",
            [("24", "1999-04-06", "2000-04-06")],
        ),
        (
            "ie",
            "A rate of 0.6 per cent of the chargeable amount shall be charged for each of the"
            " years 2011, 2012 and 2013.",
            [("0.6", "2011-01-01", "2014-01-01")],
        ),
        (
            "ie",
            "In the financial year 2002, an amount of €635 shall be paid into the Exchequer.",
            [("635", "2002-01-01", "2003-01-01")],
        ),
        (
            "ie",
            "A sum of €1,561 shall be charged annually on the Fund in the thirty-two successive"
            " financial years commencing with the financial year ending on 31 December 2013.",
            [("1561", "2013-01-01", "2045-01-01")],
        ),
        (
            "ie",
            "The Executive shall, not later than 30 April in each year beginning with the year"
            " 2006, prepare a report.",
            [("--04-30", "2006-01-01", None)],
        ),
        (
            "ie",
            "The fee for a lease made—\n\n(a) on or after 1 January 2004—\n\n(i) is €10,000.",
            [("10000", "2004-01-01", None)],
        ),
        (
            "ie",
            "A sum of €805 to redeem borrowings shall be charged annually on the growing produce of"
            " that Fund in the thirty successive financial years commencing with the financial year"
            " ending on 31 December 2004.",
            [("805", "2004-01-01", "2034-01-01")],
        ),
        (
            "ie",
            "The fee is €25,000 or, in the case of the year of assessment 2001, €18,500.",
            [("25000", None, None), ("18500", "2001-04-06", "2002-01-01")],
        ),
        (
            "ie",
            "The rate of tax for payments made on or after 1 January 2014 and before 1 January"
            " 2016 is 12 per cent.",
            [("12", "2014-01-01", "2016-01-01")],
        ),
        (
            "ie",
            "For the period beginning on 1 March 2015 and ending on 31 May 2015, the rate of levy"
            " is 4 per cent.",
            [("4", "2015-03-01", "2015-06-01")],
        ),
        (
            "ie",
            "For the period from 1 January 2024 up to and including 31 December 2024, the rate of"
            " levy is 4 per cent.",
            [("4", "2024-01-01", "2025-01-01")],
        ),
        # The United Kingdom.
        (
            "uk",
            "For the tax year 2013-14 the basic rate is 20 per cent.",
            [("20", "2013-04-06", "2014-04-06")],
        ),
        (
            "uk",
            "For the tax year 2013-14 and subsequent tax years the basic rate is 20 per cent.",
            [("20", "2013-04-06", None)],
        ),
    ],
)
def test_the_years_of_a_statement_are_those_of_its_figures(
    jurisdiction: str, text: str, spans: list[Span]
) -> None:
    assert spans_of(text, jurisdiction) == spans


@pytest.mark.parametrize(
    ("jurisdiction", "text"),
    [
        # The years of what a figure is measured by, of an act, of a condition, of persons.
        (
            "us",
            "An amount of 50 percent of the sums received for fiscal year 1999 is due as a fee.",
        ),
        ("us", "The fee is $50 or the amount payable for fiscal year 1998, whichever is less."),
        ("us", "The fee in effect for fiscal year 2010 shall be increased by 5 percent."),
        ("us", "The fee is 105 percent of the amount in effect for fiscal year 2010."),
        (
            "us",
            "The fee under the National Parks Authorization Act for Fiscal Year 2010 is $500.",
        ),
        ("us", "If a State received a grant in fiscal year 2010, the fee is $400."),
        ("us", "A carrier that was inspected in calendar year 2010 shall pay a fee of $400."),
        ("us", "Not later than 60 days after fiscal year 2012, the Board shall submit a report."),
        ("us", "The fee that remains due from fiscal year 2012 is $400."),
        ("us", "A report for fiscal year 2012 shall be submitted within 60 days of the audit."),
        (
            "ie",
            "The rate for persons born after 1 January 1950 and before 1 May 1960 is 2 per cent.",
        ),
        # Years that are relative, incomplete, or begin on days that nobody can know.
        ("us", "For the next fiscal year the fee is $400."),
        ("us", "For fiscal years 2005, 2006, and 2008, the fee is $700."),
        ("us", "For fiscal years 2005 and 2006 the fee is $70 and $80, respectively."),
        ("us", "For its fiscal year 2005 a corporation shall pay a fee of $700."),
        ("us", "For fiscal year 2013-2014 the fee is $700."),
        ("us", "For crop year 2013 the fee is $700."),
        ("us-ca", "For fiscal year 2013, the fee is $700."),
        ("", "For fiscal year 2013, the fee is $700."),
        ("", "For the tax year 2013-14 the basic rate is 20 per cent."),
        ("ie", "For the year of assessment 1998 the rate of tax shall be 24 per cent."),
        ("ie", "For the year of assessment 2009-10 the rate of tax shall be 24 per cent."),
        ("us", "The fee is $400 for fiscal year 2010 and the preceding fiscal year."),
    ],
)
def test_other_years_stay_in_the_wording(jurisdiction: str, text: str) -> None:
    found = spans_of(text, jurisdiction)
    assert found
    assert {day for _, *days in map(tuple, found) for day in days} == {None}


@pytest.mark.parametrize(
    ("jurisdiction", "statement", "span"),
    [
        (
            "ie",
            "Subsection (1) shall apply as respects the year of assessment 2001 and each"
            " subsequent year of assessment.",
            ("2001-04-06", None),
        ),
        (
            "ie",
            "This section applies for the year of assessment 2014.",
            ("2014-01-01", "2015-01-01"),
        ),
        (
            "us",
            "This section shall apply to taxable years beginning after December 31, 2017, and"
            " before January 1, 2026.",
            ("2018-01-01", "2026-01-01"),
        ),
    ],
)
def test_a_section_may_say_for_which_years_it_applies(
    jurisdiction: str, statement: str, span: tuple[str, str | None]
) -> None:
    found = spans_of(f"(1) The rate of tax is 5 per cent.\n\n(2) {statement}", jurisdiction)
    assert found == [("5", *span)]


def test_a_row_may_be_of_a_year() -> None:
    rows = (("Fiscal year", "Fee"), ("2013", "$50"), ("2014 and thereafter", "$60"))
    text = "\n".join("\t".join(row) for row in rows)
    facts = facts_of(text, "en", tables=(TableData(0, len(text), rows),), jurisdiction="us")
    assert [(one.value, one.effective_from, one.effective_until) for one in facts] == [
        ("50", "2012-10-01", "2013-10-01"),
        ("60", "2013-10-01", None),
    ]


@pytest.mark.parametrize(
    ("label", "span"),
    [
        ("Fiscal year 2013", EffectSpan("2012-10-01", "2013-10-01")),
        ("For calendar years 2010 through 2012:", EffectSpan("2010-01-01", "2013-01-01")),
        ("Fee for fiscal year 2013", EffectSpan("2012-10-01", "2013-10-01")),
        ("Fiscal year 2013 (estimate)", EffectSpan()),
        ("Fee set in fiscal year 2013", EffectSpan()),
        ("2013", EffectSpan()),
    ],
)
def test_a_label_of_years_has_no_other_words(label: str, span: EffectSpan) -> None:
    assert read_year_label(label, "us") == span


def test_a_row_is_of_a_year_only_under_a_head_that_says_so() -> None:
    assert read_row_label("2009", "If the taxable year begins in:", "us") == EffectSpan(
        "2009-01-01", "2010-01-01"
    )
    assert read_row_label("2009", "Year of manufacture", "us") == EffectSpan()
    assert read_row_label("2009", "Number", "us") == EffectSpan()
