"""What the description of a git repository may say: which files, since when, which branch."""

import re
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from assay.errors import InvalidInput

Pattern = Annotated[str, Field(min_length=1, max_length=500)]
_BRANCH = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._/+-]{0,199}")
_SINCE = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")


class HistoryOptions(BaseModel):
    """How to read the history of a git repository; everything has a default."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: Annotated[tuple[Pattern, ...], Field(max_length=100)] = ()
    """The files that are documents, as `laws/**` or `*.md`; all of them by default."""
    since: str | None = None
    """`2015`, `2015-03` or `2015-03-01`. What the repository had on that day is the first version
    of each document; earlier versions are left out."""
    branch: str | None = None
    """The branch to follow; by default the one that the repository itself points to."""
    mirror: bool = False
    """Whether the repository copies a publisher from time to time. A change then happened on an
    unknown day between two commits, not on the day of the commit."""

    @field_validator("path", mode="before")
    @classmethod
    def _take_one_pattern(cls, given: Any) -> Any:
        return (given,) if isinstance(given, str) else given

    @field_validator("path")
    @classmethod
    def _refuse_odd_patterns(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in given:
            if not pattern.isprintable() or pattern.startswith("/") or ".." in pattern.split("/"):
                raise ValueError(f"{pattern!r} is not a path in a repository, such as laws/**")
        return given

    @field_validator("since", mode="before")
    @classmethod
    def _complete_day(cls, given: Any) -> Any:
        if given is None:
            return None
        text = str(given)
        if not _SINCE.fullmatch(text):
            raise ValueError(f"{text!r} is not a valid date; use 2015 or 2015-03-01")
        return date.fromisoformat(f"{text}-01-01"[:10]).isoformat()

    @field_validator("branch")
    @classmethod
    def _refuse_odd_names(cls, given: str | None) -> str | None:
        if given is not None and (not _BRANCH.fullmatch(given) or ".." in given):
            raise ValueError(f"{given!r} is not a valid branch name")
        return given

    @property
    def since_ms(self) -> int | None:
        """The first moment of the day in `since`."""
        if self.since is None:
            return None
        day = date.fromisoformat(self.since)
        return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp() * 1000)


def parse_history_options(given: dict[str, Any]) -> HistoryOptions:
    """The options in a description; an error names the one that is wrong."""
    try:
        return HistoryOptions.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"]) or "options"
        raise InvalidInput(
            f"'{name}' cannot be read: {first['msg'].removeprefix('Value error, ')}.",
            advice=f"A git repository has the options {', '.join(HistoryOptions.model_fields)}.",
        ) from error


def is_local_repository(path: Path) -> bool:
    """Whether a folder is a git repository: with a work tree, or bare."""
    return (path / ".git").exists() or is_bare_repository(path)


def is_bare_repository(path: Path) -> bool:
    """Whether a folder is what git keeps in `.git`."""
    return (path / "HEAD").is_file() and all((path / n).is_dir() for n in ("objects", "refs"))
