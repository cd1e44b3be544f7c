"""Structured answers: the schema that is sent, and the validation of what comes back."""

from collections.abc import AsyncIterator, Mapping
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from assay.errors import AnswerInvalid
from assay.llm.calls import LiveAnswer
from assay.llm.scanner import ItemScanner, parse_whole_json

M = TypeVar("M", bound=BaseModel)

_LENGTHS = ("maxLength", "minLength")
_SHOWN = 200
"""How many characters of an answer an error shows."""


class LiveItems(Generic[M]):
    """A list that is arriving: iterate over it for its items."""

    def __init__(self, live: LiveAnswer, item_type: type[M], field: str) -> None:
        self.live = live
        self.rejected: list[tuple[str, str]] = []
        """Complete items that did not fit: the text and the reason."""
        self._type = item_type
        self._scanner = ItemScanner(field)

    @property
    def is_complete(self) -> bool:
        """Whether the list was there and has ended."""
        return self._scanner.is_complete

    @property
    def refused_count(self) -> int:
        """How often there was something else in place of an item or the list."""
        return self._scanner.refused

    async def __aiter__(self) -> AsyncIterator[M]:
        async for text in self.live:
            for raw in self._scanner.feed(text):
                try:
                    item = self._type.model_validate_json(raw)
                except ValidationError as error:
                    self.rejected.append((raw, _describe_first_error(error)))
                else:
                    yield item


def schema_of(answer_type: type[BaseModel]) -> Mapping[str, Any]:
    """The schema that a model must follow."""
    schema: Mapping[str, Any] = strip_lengths(answer_type.model_json_schema())
    return schema


def build_list_schema(item_type: type[BaseModel], field: str) -> Mapping[str, Any]:
    """The schema of an object with one list of such items."""
    schema = strip_lengths(item_type.model_json_schema())
    definitions = schema.pop("$defs", None)
    whole = {
        "type": "object",
        "properties": {field: {"type": "array", "items": schema}},
        "required": [field],
        "additionalProperties": False,
    }
    return whole if definitions is None else {**whole, "$defs": definitions}


def strip_lengths(schema: Any) -> Any:
    """A schema as it is sent, without lengths, which would make a model shorten a quote.

    They are still checked when the answer is read.
    """
    if isinstance(schema, dict):
        return {
            name: strip_lengths(value)
            for name, value in schema.items()
            if name not in _LENGTHS or not isinstance(value, int)
        }
    return [strip_lengths(entry) for entry in schema] if isinstance(schema, list) else schema


def validate_answer(text: str, answer_type: type[M], *, finish: str = "stop") -> M:
    """The object in an answer; AnswerInvalid if there is none, or one of another type."""
    try:
        return answer_type.model_validate(parse_whole_json(text))
    except (AnswerInvalid, ValidationError) as error:
        why = _describe_first_error(error) if isinstance(error, ValidationError) else error.what
        cut = " It was cut at max_tokens." if finish == "length" else ""
        invalid = AnswerInvalid(
            f"The answer is not a {answer_type.__name__}: {why}.{cut} It begins {text[:_SHOWN]!r}."
        )
        invalid.cut = finish == "length"
        raise invalid from error


def _describe_first_error(error: ValidationError) -> str:
    first = error.errors()[0]
    return f"{'.'.join(str(part) for part in first['loc']) or 'it'}: {first['msg']}"
