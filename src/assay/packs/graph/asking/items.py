"""The items of a model's answers: few fields, with short names.

Extra fields and slightly different names are accepted; the schema given to the model has only what
is asked for.
"""

import math
import re
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic.json_schema import SkipJsonSchema, WithJsonSchema

from assay.packs.graph.model import Refusal, RefusedClaim

LONGEST_CLAIM = 300
"""Most characters of a claim that a refusal shows."""
_DETAIL = 300
_MOST_TYPES = 8
_MOST_ATTRIBUTES = 40
_NUMBER = re.compile(r"\s*[\[(#]?\s*[A-Za-z]{0,9}\.?\s*#?(\d{1,6})\s*[\])]?[.:]?\s*")


def show_answer(words: object, most: int = LONGEST_CLAIM) -> str:
    """Put what a model wrote on one line, shortened, without what cannot be stored."""
    # Folding twice the length is enough, and avoids folding a long string for nothing.
    start = str(words)[: 2 * most].encode("utf-8", "replace").decode()
    line = " ".join("".join(c if c.isprintable() else " " for c in start).split())
    return line if len(line) <= most else line[: most - 1] + "…"


def refuse_claim(reason: Refusal, detail: str, *claim: object) -> RefusedClaim:
    """Refuse a claim, with the parts that it consisted of."""
    joined = " | ".join(show_answer(part, LONGEST_CLAIM // 2) for part in claim)
    return RefusedClaim(reason, show_answer(detail, _DETAIL), show_answer(joined))


def refuse_invalid(raw: str, why: str) -> RefusedClaim:
    """Refuse an item that does not have the requested shape."""
    return refuse_claim(
        Refusal.NOT_VALID, f"It does not fit: {show_answer(why, _DETAIL // 2)}.", raw
    )


def _coerce_text(value: object) -> object:
    """Accept a number as text, because models write numbers where text is expected."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value


def _coerce_optional_text(value: object) -> object:
    return "" if value is None else _coerce_text(value)


def _coerce_list(value: object) -> object:
    given = value if isinstance(value, list) else [value]
    return [_coerce_text(one) for one in given[:_MOST_TYPES] if one is not None]


def _coerce_share(value: object) -> object:
    """Convert to 0–1: models write `95`, `"0.95"` and `"95%"` too."""
    if isinstance(value, str):
        plain = value.strip()
        value = plain.removesuffix("%").strip()
        percent = plain.endswith("%")
    else:
        percent = False
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return value
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return value
    return number / 100 if math.isfinite(number) and (percent or 1 < number <= 100) else number


def _coerce_number(value: object) -> object:
    match = _NUMBER.fullmatch(value) if isinstance(value, str) and len(value) < 30 else None
    return match[1] if match else value


Text = Annotated[str, BeforeValidator(_coerce_text)]
OptionalText = Annotated[str, BeforeValidator(_coerce_optional_text)]
Share = Annotated[float, Field(ge=0.0, le=1.0), BeforeValidator(_coerce_share)]


def _trim_schema(schema: dict[str, Any]) -> None:
    """Remove what no model needs from a schema and require every field: the schema counts towards
    the tokens, and models leave out optional fields."""
    fields = schema["properties"]
    for field in fields.values():
        for spare in ("title", "default", "minimum", "maximum"):
            field.pop(spare, None)
    schema.pop("title", None)
    schema.pop("description", None)
    schema.update(required=list(fields), additionalProperties=False)


class _Asked(BaseModel):
    """An item whose fields have other names too."""

    model_config = ConfigDict(json_schema_extra=_trim_schema)
    other_names: ClassVar[Mapping[str, str]] = {}

    @model_validator(mode="before")
    @classmethod
    def _accept_other_names(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        own = dict(given)
        for other, name in cls.other_names.items():
            if other in own and name not in own:
                own[name] = own.pop(other)
        return own


class AskedAttribute(_Asked):
    """A value that a model told of an entity."""

    other_names = {"name": "property", "predicate": "property"}

    property: Text
    value: Text


class AskedEntity(_Asked):
    """A thing as a model names it."""

    other_names = {"name": "mention", "entity": "mention", "types": "type", "class": "type"}

    mention: Text
    """Exact words of the text."""
    type: Annotated[
        list[str],
        BeforeValidator(_coerce_list),
        Field(min_length=1),
        WithJsonSchema({"type": "string"}),
    ]
    """One of the listed classes; a list of them is accepted too."""
    attributes: SkipJsonSchema[
        Annotated[list[AskedAttribute], Field(max_length=_MOST_ATTRIBUTES)]
    ] = []
    """Not asked for: values are asked for as relations, which are verified. Read if given."""


class AskedRelation(_Asked):
    """A statement as a model makes it."""

    other_names = {"predicate": "property", "relation": "property", "value": "object"}

    subject: Text
    """The number of an entity, such as `E1`; its name is accepted too."""
    property: Text
    object: Text
    """The number of an entity, or a value in the words of the text."""
    quote: SkipJsonSchema[OptionalText] = ""
    """Not asked for, because it costs more than all the rest; the sentence is found without it."""


class AskedVerdict(_Asked):
    """What a model says of one statement. Its words come before its verdict, as they should."""

    other_names = {"number": "n", "id": "n", "quote": "words", "evidence": "words"}

    n: Annotated[int, BeforeValidator(_coerce_number)]
    """The number of the statement."""
    object: OptionalText = ""
    """The object of the statement again, to check that the answer has the right number."""
    words: OptionalText = ""
    """The words of the text that say so."""
    supported: bool
    confidence: Share = 0.0
