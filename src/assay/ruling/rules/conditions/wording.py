"""The words that conditions are rendered with, in each language."""

from dataclasses import dataclass

from assay.model.months import list_month_names


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
