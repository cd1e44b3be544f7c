"""What a pack declares: domains, value types, predicates with their tiers, subjects, ranges."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml

from assay.errors import InvalidInput, from_os_error
from assay.rules.proposals import Extractor

LANGUAGES = ("hr", "en", "de")
TIERS = ("T0", "T1", "T2", "T3")
PERSON_TIERS = frozenset({"T0", "T1"})
"""What only a person may approve."""
_KNOWN = frozenset(
    {
        "name",
        "version",
        "title",
        "domains",
        "blocked_domains",
        "value_types",
        "currencies",
        "units",
        "confidence_floor",
        "approval_floor",
        "determinism_floor",
        "predicates",
        "subjects",
        "fields",
        "ranges",
    }
)


@dataclass(frozen=True, slots=True)
class Predicate:
    """What can be said of a subject."""

    name: str
    tier: str
    value_types: tuple[str, ...]
    labels: Mapping[str, str]
    many: bool = False
    """Whether several values may hold side by side, so that two are no contradiction."""
    composed: bool = True
    """Whether its facts become rules; a reference to another provision is a fact and no more."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A thing of which rules speak, with its names in each language."""

    name: str
    domain: str
    labels: Mapping[str, tuple[str, ...]]
    """language → names, the usual one first, in their basic form."""


@dataclass(frozen=True, slots=True)
class Range:
    """What is plausible for a value type, or for one predicate of it."""

    least: Decimal
    most: Decimal


@dataclass(frozen=True, kw_only=True)
class Pack:
    """A pack as its folder declares it."""

    name: str
    version: str
    title: str
    domains: Mapping[str, str]
    """name → label."""
    blocked_domains: frozenset[str] = frozenset()
    value_types: tuple[str, ...]
    currencies: frozenset[str] = frozenset()
    units: frozenset[str] = frozenset()
    predicates: Mapping[str, Predicate]
    subjects: Mapping[str, Subject] = field(default_factory=dict)
    fields: Mapping[str, str] = field(default_factory=dict)
    """Fields of a situation that conditions speak of: name → label."""
    ranges: Mapping[str, Range] = field(default_factory=dict)
    """By value type, or by `value_type/predicate`."""
    confidence_floor: float = 0.8
    """The least confidence of a fact."""
    approval_floor: float = 0.95
    """The least confidence of a rule of tier T2 or T3 that needs no person."""
    determinism_floor: float = 0.7
    """Scout's confidence from which no model is asked."""
    folder: Path
    extractor: Extractor | None = None

    def tier(self, predicate: str) -> str:
        """The tier of a predicate; what nobody declared is as grave as can be."""
        known = self.predicates.get(predicate)
        return "T0" if known is None else known.tier

    def range_of(self, value_type: str, predicate: str) -> Range | None:
        return self.ranges.get(f"{value_type}/{predicate}") or self.ranges.get(value_type)


def load_pack(folder: Path, extractor: Extractor | None = None) -> Pack:
    """The pack of a folder with a `pack.yml`; InvalidInput says what is wrong with it."""
    path = folder / "pack.yml"
    try:
        told = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InvalidInput(f"There is no pack in {folder}: pack.yml is missing.") from error
    except OSError as error:
        raise from_os_error(error, f"reading {path}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} is no YAML: {error}.") from error
    if not isinstance(told, dict):
        raise InvalidInput(f"{path} must be a mapping of names to values.")
    for name in sorted(map(str, told)):
        if name not in _KNOWN:
            raise InvalidInput(
                f"{path}: there is nothing called '{name}'.",
                advice=f"Known are {', '.join(sorted(_KNOWN))}.",
            )
    try:
        return _pack(told, folder, extractor)
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise InvalidInput(f"{path} is not as a pack must be: {error!r}.") from error


def _pack(told: Mapping[str, Any], folder: Path, extractor: Extractor | None) -> Pack:
    predicates = {name: _predicate(name, entry) for name, entry in told["predicates"].items()}
    subjects = {name: _subject(name, entry) for name, entry in told.get("subjects", {}).items()}
    domains = {str(name): str(label) for name, label in told["domains"].items()}
    for subject in subjects.values():
        if subject.domain not in domains:
            raise ValueError(f"subject {subject.name} has an unknown domain {subject.domain}")
    return Pack(
        name=told["name"],
        version=str(told["version"]),
        title=told["title"],
        domains=domains,
        blocked_domains=frozenset(told.get("blocked_domains", ())),
        value_types=tuple(told["value_types"]),
        currencies=frozenset(told.get("currencies", ())),
        units=frozenset(told.get("units", ())),
        predicates=predicates,
        subjects=subjects,
        fields=dict(told.get("fields", {})),
        ranges={
            name: Range(Decimal(str(low)), Decimal(str(high)))
            for name, (low, high) in told.get("ranges", {}).items()
        },
        confidence_floor=float(told.get("confidence_floor", 0.8)),
        approval_floor=float(told.get("approval_floor", 0.95)),
        determinism_floor=float(told.get("determinism_floor", 0.7)),
        folder=folder,
        extractor=extractor,
    )


def _predicate(name: str, entry: Mapping[str, Any]) -> Predicate:
    if entry["tier"] not in TIERS:
        raise ValueError(f"predicate {name}: {entry['tier']!r} is no tier")
    return Predicate(
        name,
        entry["tier"],
        tuple(entry["value_types"]),
        dict(entry["labels"]),
        many=bool(entry.get("many", False)),
        composed=bool(entry.get("composed", True)),
    )


def _subject(name: str, entry: Mapping[str, Any]) -> Subject:
    labels = {language: tuple(entry[language]) for language in LANGUAGES if language in entry}
    return Subject(name, entry["domain"], labels)
