"""What an adapter says about a fetched document: its name, its dates, and what it changes."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date
from enum import StrEnum
from typing import Any

_LONGEST = 2_000
_MOST = 1_000
_LANGUAGE = re.compile(r"[a-z]{2,3}")


class ActChangeKind(StrEnum):
    """What a document does to another."""

    AMENDS = "amends"
    REPEALS = "repeals"
    CORRECTS = "corrects"


@dataclass(frozen=True, slots=True)
class ActChange:
    """One act that a document changes."""

    kind: ActChangeKind
    act: str
    """The act, by its ELI or by the name that its publisher gives it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentDescription:
    """A document as its publisher describes it; nothing is guessed. Dates are in ISO format."""

    title: str | None = None
    doc_id: str | None = None
    """What identifies the work wherever it is stored: its ELI, or the publisher's own number."""
    document_type: str | None = None
    """The publisher's word for it: ZAKON, REG, rule."""
    language: str | None = None
    """An ISO 639 code: hr, en, de."""
    dated: str | None = None
    """The day it was made or passed, which is seldom the day of its publication."""
    published: str | None = None
    effective_from: str | None = None
    effective_until: str | None = None
    changes: tuple[ActChange, ...] = ()
    based_on: tuple[str, ...] = ()
    """The acts that it is based on."""
    is_text: bool = True
    """Whether it is the text itself: a table of contents or a metadata record is not."""
    text_at: tuple[str, ...] = ()
    """Where the text is, if not here: addresses, or names of files beside it."""

    def as_json(self) -> dict[str, Any]:
        """What is known, as plain values; `parse_description` reverses this."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        known = {name: value for name, value in values.items() if value not in (None, ())}
        for name in ("based_on", "text_at"):
            if name in known:
                known[name] = list(known[name])
        if self.changes:
            known["changes"] = [{"kind": c.kind.value, "act": c.act} for c in self.changes]
        return known


_DAYS = ("dated", "published", "effective_from", "effective_until")
_WORDS = ("title", "doc_id", "document_type")
_LISTS = ("based_on", "text_at")
_KNOWN = tuple(field.name for field in fields(DocumentDescription))


def parse_description(given: object) -> DocumentDescription:
    """Parse an adapter's mapping into a description; ValueError says what is wrong."""
    if not isinstance(given, Mapping):
        raise ValueError(f"describe_document() returned {type(given).__name__}, not a dict")
    unknown = [str(name) for name in given if name not in _KNOWN]
    if unknown:
        raise ValueError(f"there is no field '{unknown[0]}'; known fields: {', '.join(_KNOWN)}")
    known: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    for name in _WORDS:
        if name in known:
            known[name] = _check_words(name, known[name])
    for name in _DAYS:
        if name in known:
            known[name] = _parse_day(name, known[name])
    for name in _LISTS:
        if name in known:
            known[name] = tuple(
                _check_words(name, entry) for entry in _check_list(name, known[name])
            )
    if "changes" in known:
        known["changes"] = tuple(
            _parse_change(entry) for entry in _check_list("changes", known["changes"])
        )
    if "language" in known and not _LANGUAGE.fullmatch(str(known["language"])):
        raise ValueError(f"language {known['language']!r} is not a code such as hr or en")
    if not isinstance(known.get("is_text", True), bool):
        raise ValueError("is_text is neither True nor False")
    return DocumentDescription(**known)


def _check_words(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name} {value!r:.80} is not text")
    plain = " ".join(value.split())
    if not plain or len(plain) > _LONGEST:
        raise ValueError(f"{name} has {len(plain)} characters; it may have 1 to {_LONGEST}")
    return plain


def _parse_day(name: str, value: object) -> str:
    try:
        return date.fromisoformat(_check_words(name, value)).isoformat()
    except ValueError as error:
        raise ValueError(f"{name} {value!r:.80} is not a valid date; use YYYY-MM-DD") from error


def _check_list(name: str, value: object) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise ValueError(f"{name} is not a list")
    if len(value) > _MOST:
        raise ValueError(f"{name} has {len(value)} entries; at most {_MOST} are allowed")
    return list(value)


def _parse_change(entry: object) -> ActChange:
    if isinstance(entry, ActChange):
        return entry
    if not isinstance(entry, Mapping) or set(entry) != {"kind", "act"}:
        raise ValueError(f"a change needs 'kind' and 'act', unlike {entry!r:.80}")
    if entry["kind"] not in list(ActChangeKind):
        kinds = ", ".join(ActChangeKind)
        raise ValueError(f"{entry['kind']!r:.80} is not a kind of change; known kinds: {kinds}")
    return ActChange(ActChangeKind(entry["kind"]), _check_words("act", entry["act"]))
