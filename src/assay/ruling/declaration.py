"""What a pack declares about its facts: domains, value types, predicates, subjects and ranges."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from assay.errors import InvalidInput, from_os_error
from assay.model.concepts import parse_concept
from assay.reading.statements import StatementMode
from assay.ruling.facts.model_extractor import ModelExtractor
from assay.ruling.facts.proposals import Extractor


@dataclass(frozen=True, slots=True)
class Predicate:
    """Something that can be stated about a subject, such as a rate or a deadline."""

    name: str
    tier: str
    value_types: tuple[str, ...]
    labels: Mapping[str, str]
    many: bool = False
    """Whether several values may apply side by side, so that two do not contradict each other."""
    composed: bool = True
    """Whether its facts become rules; a reference to another provision, for example, stays a fact.
    """
    covers: bool = True
    """Whether a fact covers the sentence that it quotes; a reference, for example, does not: what
    the sentence demands is still to be found."""


@dataclass(frozen=True, slots=True)
class Subject:
    """Something that rules are about, with its names in each language."""

    name: str
    domain: str
    labels: Mapping[str, tuple[str, ...]]
    """language → names, the usual one first, in their base form."""


@dataclass(frozen=True, slots=True)
class PlausibleRange:
    """The plausible values of a value type, or of one predicate with that type."""

    least: Decimal
    most: Decimal


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What a pack declares about its facts, as its folder describes it."""

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
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Further names of concepts, as people use them: name → concept."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """Fields of a situation that conditions may use: name → label."""
    field_types: Mapping[str, str] = field(default_factory=dict)
    """What the values of a field are: `number`, `date`, `boolean` or `text`; any, if undeclared."""
    ranges: Mapping[str, PlausibleRange] = field(default_factory=dict)
    """By value type, or by `value_type/predicate`."""
    confidence_floor: float = 0.8
    """The minimum confidence of a fact."""
    approval_floor: float = 0.95
    """The minimum confidence at which a rule of tier T2 or T3 is approved without a person."""
    accepted_modes: frozenset[StatementMode] = frozenset()
    """What may become a fact although its sentence does not simply assert it: the condition of a
    legal rule, for example, is part of the rule."""
    languages: tuple[str, ...] = ()
    """Languages in which its extractor finds facts; empty: any."""
    folder: Path
    extractor: Extractor | None = None
    model_extractor: ModelExtractor | None = None
    """How it asks a model; None: one question for each passage that its extractor did not cover."""

    def tier_of(self, predicate: str) -> str:
        """The tier of a predicate; an undeclared one gets the most critical tier."""
        known = self.predicates.get(predicate)
        return "T0" if known is None else known.tier

    def range_of(self, value_type: str, predicate: str) -> PlausibleRange | None:
        return self.ranges.get(f"{value_type}/{predicate}") or self.ranges.get(value_type)


_Slug = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,79}$")]
_Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
_LanguageCode = Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}$")]
_Share = Annotated[float, Field(ge=0.0, le=1.0)]


class _Entry(BaseModel):
    # Otherwise a misspelt name, or a string in place of a list, would go unnoticed.
    model_config = ConfigDict(extra="forbid", strict=True)


class _PredicateEntry(_Entry):
    tier: Literal["T0", "T1", "T2", "T3"]
    value_types: list[str] = Field(min_length=1)
    labels: dict[_LanguageCode, _Words]
    many: bool = False
    composed: bool = True
    covers: bool = True


class _SubjectEntry(BaseModel):
    """A domain, and names under each language code."""

    model_config = ConfigDict(extra="allow", strict=True)
    __pydantic_extra__: dict[_LanguageCode, list[_Words]]

    domain: str


class _PackFile(_Entry):
    name: _Slug
    version: str
    title: _Words
    languages: list[_LanguageCode] = []
    domains: dict[_Slug, _Words] = Field(min_length=1)
    blocked_domains: list[str] = []
    value_types: list[_Words] = Field(min_length=1)
    currencies: list[_Words] = []
    units: list[_Words] = []
    predicates: dict[_Slug, _PredicateEntry] = Field(min_length=1)
    subjects: dict[_Slug, _SubjectEntry] = {}
    aliases: dict[_Words, _Words] = {}
    fields: dict[_Slug, _Words] = {}
    field_types: dict[_Slug, Literal["number", "date", "boolean", "text"]] = {}
    ranges: dict[str, list[int | float]] = {}
    confidence_floor: _Share = 0.8
    approval_floor: _Share = 0.95
    accepted_modes: list[Literal["negated", "conditional", "reported", "asked", "wished"]] = []


def load_facts(folder: Path, extractor: Extractor | None = None) -> Facts:
    """Load the declaration in a folder's `facts.yml`; raises InvalidInput if something is wrong."""
    path = folder / "facts.yml"
    try:
        declared = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InvalidInput(f"There is no pack in {folder}: facts.yml is missing.") from error
    except OSError as error:
        raise from_os_error(error, f"reading {path}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} is not valid YAML: {error}.") from error
    if not isinstance(declared, dict):
        raise InvalidInput(f"{path} must be a mapping of names to values.")
    for name in sorted(map(str, declared)):
        if name not in _PackFile.model_fields:
            raise InvalidInput(
                f"{path}: there is no setting called '{name}'.",
                advice=f"Use one of: {', '.join(sorted(_PackFile.model_fields))}.",
            )
    try:
        given = _PackFile.model_validate(declared)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"] if part != "[key]")
        raise InvalidInput(f"{path}, {place}: {first['msg']}.") from error
    _refuse_undeclared(given, path)
    return _build_facts(given, folder, extractor)


def _refuse_undeclared(given: _PackFile, path: Path) -> None:
    """Raise an error if one part of the declaration names something that no other part declares."""
    for name in sorted(set(given.blocked_domains) & set(given.domains)):
        raise InvalidInput(f"{path}: the domain '{name}' is both declared and blocked.")
    for name, subject in given.subjects.items():
        if subject.domain not in given.domains:
            raise InvalidInput(
                f"{path}: subject '{name}' has an unknown domain '{subject.domain}'."
            )
    for name, predicate in given.predicates.items():
        for value_type in predicate.value_types:
            if value_type not in given.value_types:
                raise InvalidInput(
                    f"{path}: predicate '{name}' has an unknown value type '{value_type}'."
                )
    for name, concept in given.aliases.items():
        if parse_concept(concept).predicate not in given.predicates:
            raise InvalidInput(
                f"{path}: alias '{name}' is for '{concept}', whose predicate is not declared."
            )
    for name in given.field_types:
        if name not in given.fields:
            raise InvalidInput(f"{path}: field type '{name}' is for an unknown field.")
    for name, ends in given.ranges.items():
        value_type, _, predicate_name = name.partition("/")
        if value_type not in given.value_types:
            raise InvalidInput(f"{path}: range '{name}' is for an unknown value type.")
        if predicate_name and predicate_name not in given.predicates:
            raise InvalidInput(f"{path}: range '{name}' is for an unknown predicate.")
        if len(ends) != 2 or not ends[0] <= ends[1]:
            raise InvalidInput(f"{path}: range '{name}' must be a minimum and a maximum.")


def _build_facts(given: _PackFile, folder: Path, extractor: Extractor | None) -> Facts:
    return Facts(
        name=given.name,
        version=given.version,
        title=given.title,
        domains=given.domains,
        blocked_domains=frozenset(given.blocked_domains),
        value_types=tuple(given.value_types),
        currencies=frozenset(given.currencies),
        units=frozenset(given.units),
        predicates={
            name: Predicate(
                name,
                entry.tier,
                tuple(entry.value_types),
                entry.labels,
                many=entry.many,
                composed=entry.composed,
                covers=entry.covers,
            )
            for name, entry in given.predicates.items()
        },
        subjects={
            name: Subject(
                name,
                entry.domain,
                {key: tuple(names) for key, names in (entry.model_extra or {}).items() if names},
            )
            for name, entry in given.subjects.items()
        },
        aliases=given.aliases,
        fields=given.fields,
        field_types=given.field_types,
        ranges={
            name: PlausibleRange(*(Decimal(str(end)) for end in ends))
            for name, ends in given.ranges.items()
        },
        confidence_floor=given.confidence_floor,
        approval_floor=given.approval_floor,
        accepted_modes=frozenset(map(StatementMode, given.accepted_modes)),
        languages=tuple(given.languages),
        folder=folder,
        extractor=extractor,
    )
