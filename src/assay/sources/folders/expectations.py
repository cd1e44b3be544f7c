"""The expected results of a source's saved examples."""

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
    """An item expected from an example; a field left out here may be anything."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: Words
    title: Words | None = None
    published: Words | None = None
    changed: Words | None = None


class SourceExample(BaseModel):
    """A saved payload, and the expected result of reading it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: Words
    """Its name in `examples/`."""
    url: Words
    """Where it was fetched."""
    endpoint: Words | None = None
    """The endpoint whose listing this is a page of; without one, it is a document."""
    items: tuple[ExpectedItem, ...] | Annotated[int, Field(ge=0)] | None = None
    """The items of a listing in order, or how many there are."""
    parts: tuple[Words, ...] | None = None
    """Where the listing continues."""
    warns: Words | None = None
    """Words of a warning that must accompany the items."""
    described: dict[str, Any] | None = None
    """What the adapter says about a document; a field left out here may be anything."""
    refused: Words | None = None
    """Words of the error, if it must not be read at all."""

    @property
    def expects_nothing(self) -> bool:
        """Whether its expected result has not been written yet."""
        expected = (self.items, self.parts, self.described, self.refused)
        return all(part is None for part in expected)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the expectations are in a folder."""

    file: Path
    field: str


def parse_examples(
    entries: Any, file: Path, field: str, endpoints: frozenset[str]
) -> tuple[SourceExample, ...]:
    """Parse the examples of a folder, each checked against the folder's files and endpoints."""
    if not isinstance(entries, list):
        raise InvalidInput(f"{file}: {field} must be a list of examples.")
    place = _Place(file, field)
    return tuple(
        _parse_example(entry, number, place, endpoints) for number, entry in enumerate(entries, 1)
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
            f"{where}: there is no endpoint '{example.endpoint}'.",
            advice=f"Known endpoints: {known}.",
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
        raise InvalidInput(f"{where}: 'file' must be the name of a file in {EXAMPLES}/.")
    if not path.is_file():
        raise InvalidInput(f"{where}: {path} is missing.", advice="Save the payload there.")
    if path.stat().st_size > MOST_EXAMPLE_BYTES:
        raise InvalidInput(f"{where}: {path} is larger than {MOST_EXAMPLE_BYTES:,} bytes.")


def describe_validation_error(error: ValidationError) -> str:
    """The first problem of a value, with its place."""
    first = error.errors()[0]
    name = ".".join(str(part) for part in first["loc"] if not _is_union_branch(part))
    if first["type"] == "extra_forbidden":
        return f"there is no field '{name}'."
    if first["type"] == "missing":
        return f"'{name}' is missing."
    message = first["msg"][:1].lower() + first["msg"][1:]
    return f"'{name}' cannot be read: {message}." if name else f"{message}."


def _is_union_branch(part: str | int) -> bool:
    """Whether it names a kind of value that was tried, rather than a field."""
    return isinstance(part, str) and ("[" in part or part in ("int", "constrained-int"))
