"""Documents whose facts are known: reading a `truth.jsonl` and a `rules.jsonl`."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from assay.errors import InvalidInput, from_os_error
from assay.ruling.declaration import Facts

TRUTH = "truth.jsonl"
RULES = "rules.jsonl"
_Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
_Day = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d\d-\d\d$")]


class StrictLine(BaseModel):
    """A line of a truth file; a misspelt field does not go unnoticed."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class KnownFact(StrictLine):
    """A fact that a document states, recorded by a person."""

    value_type: str
    value: _Words
    unit: str = ""
    """Not compared if it is empty."""
    predicate: _Words
    subject: str = ""
    concept: str | None = None
    """None if the pack does not know the subject: then only the predicate is compared."""
    quote: _Words
    effective_from: _Day | None = None
    effective_until: _Day | None = None
    scope: str = ""
    amends: bool = False


class KnownDocument(StrictLine):
    """A document and everything that it states."""

    document: _Words
    language: _Words
    kind: str = ""
    type: str = ""
    published: _Day | None = None
    facts: tuple[KnownFact, ...]
    note: str = ""


class KnownConflict(StrictLine):
    """What contradicts a rule, and the outcome."""

    with_: str
    prevails: str | None = None
    why: str

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=lambda name: name.rstrip("_")
    )


class KnownRule(StrictLine):
    """A rule that a release should contain, or must not."""

    concept: _Words
    known: bool = True
    """Whether the pack knows the subject; if not, only the predicate is compared."""
    value_type: str
    value: _Words
    unit: str = ""
    tier: str = ""
    effective_from: _Day | None = None
    effective_until: _Day | None = None
    scope: str = ""
    documents: tuple[str, ...]
    status: Literal["holds", "loses", "open"] = "holds"
    conflict: KnownConflict | None = None
    person: bool = False
    """Whether only a person may approve it."""
    note: str = ""


_L = TypeVar("_L", bound=StrictLine)


def load_known_documents(folder: Path, pack: Facts) -> tuple[KnownDocument, ...]:
    """The documents in a folder's `truth.jsonl`; InvalidInput names the line that is wrong."""
    path = folder / TRUTH
    found: dict[str, KnownDocument] = {}
    for number, entry in read_lines(path, KnownDocument):
        where = f"{path}, line {number}"
        if entry.document in found:
            raise InvalidInput(f"{where}: '{entry.document}' appears twice.")
        if not _is_in_folder(folder, entry.document):
            raise InvalidInput(
                f"{where}: there is no document '{entry.document}' in {folder}.",
                advice="Put the document next to the truth.jsonl, or remove the line.",
            )
        _refuse_unknown(where, entry.facts, pack)
        found[entry.document] = entry
    if not found:
        raise InvalidInput(f"{path} names no document.", advice="Add a line for each document.")
    return tuple(found.values())


def load_known_rules(folder: Path) -> tuple[KnownRule, ...]:
    """The rules in a folder's `rules.jsonl`; InvalidInput names the line that is wrong."""
    return tuple(entry for _, entry in read_lines(folder / RULES, KnownRule))


def _is_in_folder(folder: Path, name: str) -> bool:
    path = folder / name
    return path.resolve().is_relative_to(folder.resolve()) and path.is_file()


def _refuse_unknown(where: str, facts: Sequence[KnownFact], pack: Facts) -> None:
    for number, fact in enumerate(facts, start=1):
        if fact.value_type not in pack.value_types:
            raise InvalidInput(
                f"{where}, fact {number}: there is no value type '{fact.value_type}'.",
                advice=f"Use one of: {', '.join(pack.value_types)}.",
            )
        if fact.predicate not in pack.predicates:
            raise InvalidInput(
                f"{where}, fact {number}: '{fact.predicate}' is not a predicate of the pack.",
                advice=f"Use one of: {', '.join(pack.predicates)}.",
            )


def read_lines(path: Path, form: type[_L]) -> Iterator[tuple[int, _L]]:
    """The lines of a file with their numbers; InvalidInput names the line that is wrong."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise InvalidInput(
            f"There is no {path.name} in {path.parent}.",
            advice="Name a folder that contains documents and what is known about them.",
        ) from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not in UTF-8: {error}.") from error
    except OSError as error:
        raise from_os_error(error, f"reading {path}") from error
    # Not `splitlines`: a quote may contain a line separator.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, _parse_line(line, form, f"{path}, line {number}")


def _parse_line(line: str, form: type[_L], where: str) -> _L:
    try:
        return form.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part + 1) if isinstance(part, int) else part for part in first["loc"])
        raise InvalidInput(
            f"{where}: {place + ': ' if place else ''}{first['msg']}.",
            advice="The corpus' README describes the format of the file.",
        ) from error
