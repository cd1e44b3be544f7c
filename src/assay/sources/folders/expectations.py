"""What the saved examples of a source must give."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assay.errors import InvalidInput
from assay.sources.addresses import parse_address

EXAMPLES = "examples"
MOST_EXAMPLE_BYTES = 5_000_000
_SHOWN = 200

Words = Annotated[str, Field(min_length=1, max_length=2000)]


class ExpectedItem(BaseModel):
    """An item that an example gives; what is left out here may be anything."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: Words
    title: Words | None = None
    published: Words | None = None
    changed: Words | None = None


class SourceExample(BaseModel):
    """A saved payload, and what reading it must give."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: Words
    """Its name in `examples/`."""
    url: Words
    """Where it was fetched."""
    endpoint: Words | None = None
    """It is a page of this endpoint's listing; without it, it is a document."""
    items: tuple[ExpectedItem, ...] | Annotated[int, Field(ge=0)] | None = None
    """The items of a listing in their order, or how many there are."""
    parts: tuple[Words, ...] | None = None
    """Where the listing goes on."""
    warns: Words | None = None
    """Words of a warning that has to come with the items."""
    described: dict[str, Any] | None = None
    """What the adapter tells of a document; what is left out here may be anything."""
    refused: Words | None = None
    """Words of the error, where it must not be read at all."""

    @property
    def expects_nothing(self) -> bool:
        """Whether nobody has written yet what it must give."""
        told = (self.items, self.parts, self.described, self.refused)
        return all(part is None for part in told)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in a folder the expectations stand."""

    file: Path
    field: str


def parse_examples(
    told: Any, file: Path, field: str, endpoints: frozenset[str]
) -> tuple[SourceExample, ...]:
    """The examples of a folder, each checked against the folder's files and endpoints."""
    if not isinstance(told, list):
        raise InvalidInput(f"{file}: {field} must be a list of examples.")
    place = _Place(file, field)
    return tuple(
        _parse_example(entry, number, place, endpoints) for number, entry in enumerate(told, 1)
    )


def _parse_example(
    entry: Any, number: int, place: _Place, endpoints: frozenset[str]
) -> SourceExample:
    where = f"{place.file}: example {number}"
    try:
        example = SourceExample.model_validate(entry)
    except ValidationError as error:
        raise InvalidInput(f"{where}: {describe_validation_error(error)}") from error
    where = f"{place.file}: example {number} ({example.file[:_SHOWN]})"
    try:
        parse_address(example.url)
    except InvalidInput as error:
        raise InvalidInput(f"{where}: 'url': {error.what}", advice=error.advice) from error
    if example.endpoint is not None and example.endpoint not in endpoints:
        known = ", ".join(sorted(endpoints))
        raise InvalidInput(
            f"{where}: there is no endpoint '{example.endpoint}'.", advice=f"There are {known}."
        )
    listing = (example.items, example.parts, example.warns)
    if example.endpoint is None and any(part is not None for part in listing):
        raise InvalidInput(f"{where}: 'items', 'parts' and 'warns' are for a page of an endpoint.")
    if example.endpoint is not None and example.described is not None:
        raise InvalidInput(
            f"{where}: 'described' is for a document, not for a page of an endpoint."
        )
    _check_file(example.file, place.file.parent / EXAMPLES, where)
    return example


def _check_file(name: str, folder: Path, where: str) -> None:
    path = folder / name
    if Path(name).name != name or name.startswith("."):
        raise InvalidInput(f"{where}: 'file' is the name of a file in {EXAMPLES}/.")
    if not path.is_file():
        raise InvalidInput(f"{where}: {path} is missing.", advice="Save the payload there.")
    if path.stat().st_size > MOST_EXAMPLE_BYTES:
        raise InvalidInput(f"{where}: {path} is larger than {MOST_EXAMPLE_BYTES:,} bytes.")


def describe_validation_error(error: ValidationError) -> str:
    """The first thing that is wrong with a value, with its place."""
    first = error.errors()[0]
    name = ".".join(str(part) for part in first["loc"] if not _is_union_branch(part))
    if first["type"] == "extra_forbidden":
        return f"there is nothing called '{name}'."
    if first["type"] == "missing":
        return f"'{name}' is missing."
    message = first["msg"][:1].lower() + first["msg"][1:]
    return f"'{name}' cannot be read: {message}." if name else f"{message}."


def _is_union_branch(part: str | int) -> bool:
    """Whether it names a kind of value that was tried, not a field."""
    return isinstance(part, str) and ("[" in part or part in ("int", "constrained-int"))
