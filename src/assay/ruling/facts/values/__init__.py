"""Finding values in Croatian, English and German: numbers, sums, percentages, dates, durations.

Every `scan_…` function returns what a text contains, in order, with exact offsets, in time that
grows only with the length of the text.
"""

from assay.ruling.facts.values.dates import DateAt, is_date, scan_dates
from assay.ruling.facts.values.durations import DAY_OF_MONTH, DurationAt, scan_durations
from assay.ruling.facts.values.money import SumAt, scan_currencies, scan_sums
from assay.ruling.facts.values.numbers import NumberAt, format_number, read_number, scan_numbers
from assay.ruling.facts.values.percentages import PercentageAt, scan_percentages
from assay.ruling.facts.values.quote_check import is_value_in_quote

__all__ = [
    "DAY_OF_MONTH",
    "DateAt",
    "DurationAt",
    "NumberAt",
    "PercentageAt",
    "SumAt",
    "format_number",
    "is_date",
    "is_value_in_quote",
    "read_number",
    "scan_currencies",
    "scan_dates",
    "scan_durations",
    "scan_numbers",
    "scan_percentages",
    "scan_sums",
]
