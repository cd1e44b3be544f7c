"""Reading figures in Croatian, English and German: numbers, sums, percentages, dates, times.

Every `…_in` gives what stands in a text, in order, with exact offsets, in time that grows with
the text alone.
"""

from assay.ruling.facts.values.dates import DateAt, dates_in, is_date
from assay.ruling.facts.values.durations import DAY_OF_MONTH, DurationAt, durations_in
from assay.ruling.facts.values.money import SumAt, currencies_in, sums_in
from assay.ruling.facts.values.numbers import NumberAt, canonical, numbers_in, read_number
from assay.ruling.facts.values.percentages import PercentageAt, percentages_in
from assay.ruling.facts.values.quoted import value_in_quote

__all__ = [
    "DAY_OF_MONTH",
    "DateAt",
    "DurationAt",
    "NumberAt",
    "PercentageAt",
    "SumAt",
    "canonical",
    "currencies_in",
    "dates_in",
    "durations_in",
    "is_date",
    "numbers_in",
    "percentages_in",
    "read_number",
    "sums_in",
    "value_in_quote",
]
