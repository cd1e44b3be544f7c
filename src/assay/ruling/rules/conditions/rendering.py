"""Conditions as sentences, in each language, that a person can check against the law."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import assert_never

from assay.errors import InvalidInput
from assay.model.months import list_month_names
from assay.ruling.rules.conditions.evaluation import Explanation
from assay.ruling.rules.conditions.nodes import (
    Always,
    And,
    Between,
    Compare,
    Comparison,
    Condition,
    Exists,
    InEffect,
    Leaf,
    Matches,
    Never,
    Not,
    OneOf,
    Or,
    Value,
    parts_of,
)
from assay.ruling.rules.conditions.values import format_decimal


@dataclass(frozen=True, kw_only=True)
class Wording:
    """The words of one language; `{field}` and `{value}` are placeholders."""

    always: str
    never: str
    all_of: str
    any_of: str
    not_so: str
    yes: str
    no: str
    quotes: tuple[str, str]
    group: str
    """The separator between thousands."""
    point: str
    """The decimal point."""
    months: tuple[str, ...]
    day: str
    eq: str
    neq: str
    numbers: dict[str, str]
    """By comparison, for numbers; `between` with `{low}` and `{high}`."""
    days: dict[str, str]
    """By comparison, for days; `between` and `period` with `{low}` and `{high}`."""
    exists: str
    matches: str
    holds: str
    fails: str
    unknown: str
    """Added if `{fields}` are missing."""


ENGLISH = Wording(
    always="always",
    never="never",
    all_of="and",
    any_of="or",
    not_so="it is not so that {inner}",
    yes="yes",
    no="no",
    quotes=("“", "”"),
    group=",",
    point=".",
    months=list_month_names("en"),
    day="{day} {month} {year}",
    eq="{field} is {value}",
    neq="{field} is known and is not {value}",
    numbers={
        "gt": "{field} is more than {value}",
        "gte": "{field} is at least {value}",
        "lt": "{field} is less than {value}",
        "lte": "{field} is at most {value}",
        "between": "{field} is from {low} to {high}",
    },
    days={
        "gt": "{field} is after {value}",
        "gte": "{field} is {value} or later",
        "lt": "{field} is before {value}",
        "lte": "{field} is {value} or earlier",
        "between": "{field} is from {low} to {high}, both included",
        "period": "{field} is {low} or later and before {high}",
    },
    exists="{field} is known",
    matches="{field} fits the pattern {value}",
    holds="yes",
    fails="no",
    unknown="not known: {fields}",
)

CROATIAN = Wording(
    always="uvijek",
    never="nikad",
    all_of="i",
    any_of="ili",
    not_so="nije točno da {inner}",
    yes="da",
    no="ne",
    quotes=("„", "”"),
    group=".",
    point=",",
    months=list_month_names("hr"),
    day="{day}. {month} {year}.",
    eq="{field} je {value}",
    neq="{field} je poznato i nije {value}",
    numbers={
        "gt": "{field} iznosi više od {value}",
        "gte": "{field} iznosi najmanje {value}",
        "lt": "{field} iznosi manje od {value}",
        "lte": "{field} iznosi najviše {value}",
        "between": "{field} iznosi od {low} do {high}",
    },
    days={
        "gt": "{field} je nakon {value}",
        "gte": "{field} je {value} ili kasnije",
        "lt": "{field} je prije {value}",
        "lte": "{field} je {value} ili ranije",
        "between": "{field} je od {low} zaključno do {high}",
        "period": "{field} je {low} ili kasnije, a prije {high}",
    },
    exists="{field} je poznato",
    matches="{field} odgovara uzorku {value}",
    holds="da",
    fails="ne",
    unknown="nije poznato: {fields}",
)

GERMAN = Wording(
    always="immer",
    never="nie",
    all_of="und",
    any_of="oder",
    not_so="es trifft nicht zu: {inner}",
    yes="ja",
    no="nein",
    quotes=("„", "“"),
    group=".",
    point=",",
    months=list_month_names("de"),
    day="{day}. {month} {year}",
    eq="{field} ist {value}",
    neq="{field} ist bekannt und nicht {value}",
    numbers={
        "gt": "{field} beträgt mehr als {value}",
        "gte": "{field} beträgt mindestens {value}",
        "lt": "{field} beträgt weniger als {value}",
        "lte": "{field} beträgt höchstens {value}",
        "between": "{field} beträgt {low} bis {high}",
    },
    days={
        "gt": "{field} liegt nach dem {value}",
        "gte": "{field} ist der {value} oder später",
        "lt": "{field} liegt vor dem {value}",
        "lte": "{field} ist der {value} oder früher",
        "between": "{field} liegt zwischen dem {low} und dem {high}, beide eingeschlossen",
        "period": "{field} ist der {low} oder später und liegt vor dem {high}",
    },
    exists="{field} ist bekannt",
    matches="{field} entspricht dem Muster {value}",
    holds="ja",
    fails="nein",
    unknown="nicht bekannt: {fields}",
)

WORDINGS = {"en": ENGLISH, "hr": CROATIAN, "de": GERMAN}


def render_condition(
    condition: Condition, language: str = "en", labels: Mapping[str, str] | None = None
) -> str:
    """The condition in words; `labels` gives fields other names than their own."""
    return _make_renderer(language, labels).render(condition)


def render_explanation(
    explanation: Explanation, language: str = "en", labels: Mapping[str, str] | None = None
) -> list[str]:
    """One line for each condition on a field: whether it holds, or which field is missing."""
    return list(_make_renderer(language, labels).list_lines(explanation))


def _make_renderer(language: str, labels: Mapping[str, str] | None) -> "_Renderer":
    if language not in WORDINGS:
        raise InvalidInput(
            f"Conditions cannot be worded in '{language}'.",
            advice=f"Use one of: {', '.join(WORDINGS)}.",
        )
    return _Renderer(WORDINGS[language], labels or {})


@dataclass(frozen=True, slots=True)
class _Renderer:
    words: Wording
    labels: Mapping[str, str]

    def render(self, condition: Condition) -> str:
        match condition:
            case Always():
                return self.words.always
            case Never():
                return self.words.never
            case And(members):
                return f" {self.words.all_of} ".join(map(self.render_inner, members))
            case Or(members):
                return f" {self.words.any_of} ".join(map(self.render_inner, members))
            case Not(member):
                return self.words.not_so.format(inner=self.render_inner(member))
            case _:
                return self.render_leaf(condition)

    def render_inner(self, condition: Condition) -> str:
        """A part, in parentheses if it could otherwise be read together with its neighbours."""
        plain = self.render(condition)
        bracketed = isinstance(condition, Not) or len(parts_of(condition)) > 1
        return f"({plain})" if bracketed else plain

    def find_label(self, field: str) -> str:
        return self.labels.get(field, field.replace("_", " "))

    def render_leaf(self, leaf: Leaf) -> str:
        field = self.find_label(leaf.field)
        match leaf:
            case Compare(comparison, _, value):
                return self.render_comparison(field, comparison, value)
            case OneOf(_, values):
                return self.words.eq.format(field=field, value=self.render_list(values))
            case Exists():
                return self.words.exists.format(field=field)
            case Between(_, low, high):
                return self.render_bounds(field, "between", Comparison.LTE, low, high)
            case Matches(_, pattern):
                return self.words.matches.format(field=field, value=self.quote_text(pattern))
            case InEffect(_, start, until):
                return self.render_bounds(field, "period", Comparison.LT, start, until)
            case _:
                assert_never(leaf)

    def render_comparison(self, field: str, comparison: Comparison, value: Value) -> str:
        if comparison in (Comparison.EQ, Comparison.NEQ):
            phrase = self.words.eq if comparison is Comparison.EQ else self.words.neq
        else:
            phrase = self.choose_phrases(value)[comparison.value]
        return phrase.format(field=field, value=self.format_value(value))

    def render_bounds(
        self, field: str, name: str, upper: Comparison, low: Value | None, high: Value | None
    ) -> str:
        if low is not None and high is not None:
            phrase = self.choose_phrases(low)[name]
            return phrase.format(
                field=field, low=self.format_value(low), high=self.format_value(high)
            )
        if low is not None:
            return self.render_comparison(field, Comparison.GTE, low)
        if high is not None:
            return self.render_comparison(field, upper, high)
        return self.words.exists.format(field=field)

    def choose_phrases(self, value: Value) -> Mapping[str, str]:
        return self.words.days if isinstance(value, date) else self.words.numbers

    def render_list(self, values: Sequence[Value]) -> str:
        *first, last = (self.format_value(value) for value in values)
        return f"{', '.join(first)} {self.words.any_of} {last}" if first else last

    def format_value(self, value: Value) -> str:
        if isinstance(value, bool):
            return self.words.yes if value else self.words.no
        if isinstance(value, Decimal):
            return self.format_number(value)
        return self.format_day(value) if isinstance(value, date) else self.quote_text(value)

    def format_number(self, number: Decimal) -> str:
        whole, _, fraction = format_decimal(abs(number)).partition(".")
        grouped = f"{int(whole):,}".replace(",", self.words.group)
        sign = "-" if number < 0 else ""
        return f"{sign}{grouped}{self.words.point}{fraction}" if fraction else f"{sign}{grouped}"

    def format_day(self, day: date) -> str:
        month = self.words.months[day.month - 1]
        return self.words.day.format(day=day.day, month=month, year=day.year)

    def quote_text(self, text: str) -> str:
        opening, closing = self.words.quotes
        return f"{opening}{text}{closing}"

    def list_lines(self, explanation: Explanation) -> Iterator[str]:
        if explanation.parts:
            for part in explanation.parts:
                yield from self.list_lines(part)
            return
        verdict = self.words.holds if explanation.holds else self.words.fails
        unknown = ", ".join(map(self.find_label, explanation.missing))
        reason = f" ({self.words.unknown.format(fields=unknown)})" if unknown else ""
        yield f"{verdict}: {self.render(explanation.condition)}{reason}"
