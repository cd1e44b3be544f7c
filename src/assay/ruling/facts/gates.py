"""The gates between a proposal and a fact: each is a statement; the first that is false decides.

A proposal that fails is not lost: it is stored with the reason.
"""

import datetime
import re
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum

from assay.errors import InvalidInput
from assay.reading.result import MarkKind, Reading
from assay.reading.statements import StatementMode, judge_quote
from assay.ruling.declaration import Facts
from assay.ruling.facts.proposals import ProposedFact
from assay.ruling.facts.quotes import MIN_QUOTE, QuoteSpan, locate_quote
from assay.ruling.facts.values.dates import is_date
from assay.ruling.facts.values.durations import DAY_OF_MONTH
from assay.ruling.facts.values.numbers import NUMERIC_TYPES
from assay.ruling.facts.values.quote_check import (
    PERCENT_UNITS,
    TIME_UNITS,
    find_value_places,
    is_value_in_quote,
)
from assay.ruling.rules.conditions import fields_of, parse_condition

__all__ = [
    "AcceptedFact",
    "GateResult",
    "RejectedFact",
    "Rejection",
    "check_proposal",
    "is_value_in_quote",
]

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,23})(?:\.[0-9]{0,23}[1-9])?")
_CURRENCY = re.compile(r"[A-Za-z]{3}|[$€£¥]")
_YEAR = re.compile(r"[0-9]{4}")
_MEASURE = re.compile(r"[^\s\x00-\x1f\x7f]{0,24}")


class Rejection(StrEnum):
    """Why a proposal is not a fact."""

    INVALID_DOMAIN = "INVALID_DOMAIN"
    OUT_OF_RANGE = "OUT_OF_RANGE"
    INVALID_CURRENCY = "INVALID_CURRENCY"
    INVALID_DATE = "INVALID_DATE"
    NO_QUOTE_MATCH = "NO_QUOTE_MATCH"
    VALUE_NOT_IN_QUOTE = "VALUE_NOT_IN_QUOTE"
    NOT_ASSERTED = "NOT_ASSERTED"
    LOW_CONFIDENCE = "LOW_CONFIDENCE"
    VALIDATION_FAILED = "VALIDATION_FAILED"


@dataclass(frozen=True, slots=True)
class AcceptedFact:
    """A proposal that passed every gate, with its quote exactly as in the text."""

    proposed: ProposedFact
    """Its `quote` and `start` are exact: `text[start:end] == quote`."""
    start: int
    end: int
    page: int | None
    covers: bool = True
    """Whether it covers the sentence that it quotes."""

    @property
    def quote(self) -> str:
        return self.proposed.quote


@dataclass(frozen=True, slots=True)
class RejectedFact:
    """A proposal that failed a gate."""

    proposed: ProposedFact
    reason: Rejection
    detail: str
    """One sentence."""


_SAID_OTHERWISE = {
    StatementMode.NEGATED: "denies it",
    StatementMode.CONDITIONAL: "makes it depend on something or calls it possible",
    StatementMode.REPORTED: "reports it as somebody's claim",
    StatementMode.ASKED: "asks it",
    StatementMode.WISHED: "wishes or plans it",
}

GateResult = AcceptedFact | RejectedFact


class _GateFailed(Exception):
    """A gate failed."""

    def __init__(self, reason: Rejection, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


def check_proposal(
    proposed: ProposedFact, reading: Reading, pack: Facts, language: str = ""
) -> GateResult:
    """Whether a proposal is a fact of the document; a proposal is data and never trusted.

    Whether it is asserted can only be told in a language whose cues are known.
    """
    try:
        _domain_is_known(proposed, pack)
        _predicate_takes_the_value(proposed, pack)
        _value_is_canonical(proposed, pack)
        _days_are_in_order(proposed)
        _condition_is_valid(proposed, pack)
        span = _quote_is_in_the_text(proposed, reading)
        _value_is_in_the_quote(proposed, reading, span)
        _value_is_asserted(proposed, reading, span, pack, language)
        _value_is_plausible(proposed, pack)
        _confidence_is_enough(proposed, pack)
    except _GateFailed as failed:
        return RejectedFact(proposed, failed.reason, failed.detail)
    exact = replace(proposed, quote=reading.text[span.start : span.end], start=span.start)
    covers = pack.predicates[proposed.predicate].covers
    return AcceptedFact(exact, span.start, span.end, reading.page_of(span.start), covers)


def _domain_is_known(proposed: ProposedFact, pack: Facts) -> None:
    if proposed.domain in pack.blocked_domains:
        raise _GateFailed(Rejection.INVALID_DOMAIN, f"The domain '{proposed.domain}' is blocked.")
    if proposed.domain not in pack.domains:
        raise _GateFailed(
            Rejection.INVALID_DOMAIN,
            f"The pack '{pack.name}' has no domain '{proposed.domain}'.",
        )


def _predicate_takes_the_value(proposed: ProposedFact, pack: Facts) -> None:
    predicate = pack.predicates.get(proposed.predicate)
    if not proposed.subject.strip():
        raise _validation_error("The fact has no subject.")
    if predicate is None:
        raise _validation_error(f"The pack '{pack.name}' has no predicate '{proposed.predicate}'.")
    if proposed.value_type not in pack.value_types:
        raise _validation_error(
            f"The pack '{pack.name}' has no value type '{proposed.value_type}'."
        )
    if proposed.value_type not in predicate.value_types:
        raise _validation_error(
            f"'{predicate.name}' takes no value of type '{proposed.value_type}'."
        )


def _validation_error(detail: str) -> _GateFailed:
    return _GateFailed(Rejection.VALIDATION_FAILED, detail)


def _value_is_canonical(proposed: ProposedFact, pack: Facts) -> None:
    _unit_fits(proposed, pack)
    values = [proposed.value] if proposed.replaces is None else [proposed.value, proposed.replaces]
    for value in values:
        if proposed.value_type == "date":
            if not is_date(value):
                raise _GateFailed(Rejection.INVALID_DATE, f"'{value}' is not a valid date.")
        elif proposed.value_type in NUMERIC_TYPES:
            if _NUMBER.fullmatch(value) is None or value == "-0":
                raise _validation_error(
                    f"'{value}' is not a number in canonical form, such as 39816.84."
                )
        elif proposed.value_type == "year":
            if _YEAR.fullmatch(value) is None or value == "0000":
                raise _GateFailed(Rejection.INVALID_DATE, f"'{value}' is not a year, such as 2026.")
        elif not value or value != " ".join(value.split()):
            raise _validation_error(
                "The words of the value are missing, or their white space is not folded."
            )


def _unit_fits(proposed: ProposedFact, pack: Facts) -> None:
    unit, value_type = proposed.unit, proposed.value_type
    known = unit in pack.units
    if value_type == "currency" or (
        value_type == "threshold" and not known and _CURRENCY.fullmatch(unit)
    ):
        if unit not in pack.currencies:
            raise _GateFailed(
                Rejection.INVALID_CURRENCY, f"'{unit}' is not a currency of the pack."
            )
        return
    fits = {
        "percentage": known and unit in PERCENT_UNITS,
        "threshold": unit == "" or known,
        "count": unit == "" or (known and unit in TIME_UNITS),
        # A number of anything: its unit is as free as what it counts.
        "number": _MEASURE.fullmatch(unit) is not None,
    }.get(value_type, unit == "")
    if not fits:
        raise _validation_error(f"'{unit}' is not a unit of a value of type '{value_type}'.")


def _days_are_in_order(proposed: ProposedFact) -> None:
    days = []
    for day in (proposed.effective_from, proposed.effective_until):
        if day is not None and (day.startswith("--") or not is_date(day)):
            raise _GateFailed(Rejection.INVALID_DATE, f"'{day}' is not a valid date.")
        days.append(None if day is None else datetime.date.fromisoformat(day))
    first, end = days
    if first is not None and end is not None and first >= end:
        raise _GateFailed(
            Rejection.INVALID_DATE, f"It would end on {end}, before it began on {first}."
        )


def _condition_is_valid(proposed: ProposedFact, pack: Facts) -> None:
    try:
        condition = parse_condition(proposed.applies_when)
    except InvalidInput as error:
        raise _validation_error(f"The condition is not valid: {error}") from error
    unknown = sorted(set(fields_of(condition)) - set(pack.fields))
    if unknown:
        raise _validation_error(
            f"The condition asks for '{unknown[0]}', which the pack does not declare."
        )


def _quote_is_in_the_text(proposed: ProposedFact, reading: Reading) -> QuoteSpan:
    span = locate_quote(proposed.quote, reading.text, proposed.start)
    if span is None:
        if len(proposed.quote.strip()) < MIN_QUOTE:
            detail = f"A quote has at least {MIN_QUOTE} characters."
        elif proposed.start is None:
            detail = "The quote was not found in the text."
        else:
            detail = f"The quote was not found in the text at character {proposed.start}."
        raise _GateFailed(Rejection.NO_QUOTE_MATCH, detail)
    return span


def _value_is_in_the_quote(proposed: ProposedFact, reading: Reading, span: QuoteSpan) -> None:
    quote = reading.text[span.start : span.end]
    standing = _blank_struck_words(reading, span)
    if not standing.strip():
        raise _validation_error("The quote is struck out.")
    values = [proposed.value] if proposed.replaces is None else [proposed.value, proposed.replaces]
    for value in values:
        if not is_value_in_quote(value, proposed.value_type, proposed.unit, quote):
            raise _GateFailed(
                Rejection.VALUE_NOT_IN_QUOTE,
                f"'{' '.join(filter(None, (value, proposed.unit)))}' was not found in the quote.",
            )
    if not is_value_in_quote(proposed.value, proposed.value_type, proposed.unit, standing):
        raise _validation_error("The value is struck out.")


def _value_is_asserted(
    proposed: ProposedFact, reading: Reading, span: QuoteSpan, pack: Facts, language: str
) -> None:
    quote = reading.text[span.start : span.end]
    values = [
        (span.start + start, span.start + end)
        for start, end in find_value_places(proposed.value, proposed.value_type, quote)
    ]
    judged = judge_quote(reading.text, span.start, span.end, values, language)
    if not judged.is_asserted and judged.mode not in pack.accepted_modes:
        raise _GateFailed(
            Rejection.NOT_ASSERTED,
            f"The sentence {_SAID_OTHERWISE[judged.mode]} ({judged.mode.value}: '{judged.cue}').",
        )


def _blank_struck_words(reading: Reading, span: QuoteSpan) -> str:
    """The words of a span, with blanks for those that are struck out."""
    text = reading.text[span.start : span.end]
    for mark in reading.marks:
        if mark.kind is MarkKind.STRUCK and mark.start < span.end and span.start < mark.end:
            start, end = max(0, mark.start - span.start), min(len(text), mark.end - span.start)
            text = text[:start] + " " * (end - start) + text[end:]
    return text


def _value_is_plausible(proposed: ProposedFact, pack: Facts) -> None:
    if proposed.value_type not in NUMERIC_TYPES:
        return
    value = Decimal(proposed.value)
    if proposed.unit == DAY_OF_MONTH and not (1 <= value <= 31 and value == int(value)):
        raise _GateFailed(Rejection.OUT_OF_RANGE, f"No month has a day {proposed.value}.")
    plausible = pack.range_of(proposed.value_type, proposed.predicate)
    if plausible is not None and not plausible.least <= value <= plausible.most:
        raise _GateFailed(
            Rejection.OUT_OF_RANGE,
            f"{proposed.value} is not between {plausible.least} and {plausible.most}.",
        )


def _confidence_is_enough(proposed: ProposedFact, pack: Facts) -> None:
    # Written so that a confidence of NaN fails as well.
    if not pack.confidence_floor <= proposed.confidence <= 1:
        raise _GateFailed(
            Rejection.LOW_CONFIDENCE,
            f"A confidence of {proposed.confidence} is not between {pack.confidence_floor} and 1.",
        )
