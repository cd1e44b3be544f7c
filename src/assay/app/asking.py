"""Asking what holds: the rules of a release, from the store or from an exported bundle."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from assay.app.composition import App
from assay.app.installed_packs import load_pack
from assay.app.pack_entries import list_pack_names
from assay.app.releases import find_release
from assay.clock import Clock, SystemClock
from assay.errors import ContentBroken, InvalidInput, NotFound, from_os_error
from assay.model.hashes import content_hash
from assay.ruling.answers import (
    ApplicableValue,
    ExcludedRule,
    RuleAnswer,
    answer_question,
    find_concept,
)
from assay.ruling.declaration import Facts
from assay.ruling.release.manifest import read_manifest, serialize_content
from assay.ruling.release.published_rules import PublishedRule
from assay.ruling.rules.conditions import fields_of, render_condition
from assay.ruling.rules.conditions.nodes import DATE_FIELD
from assay.ruling.rules.descriptions import describe_value
from assay.store import truth
from assay.store.database import explain_errors

MANIFEST = "manifest.jsonl"
PUBLISHED = "PUBLISHED"


@dataclass(frozen=True, kw_only=True)
class ReleasedRules:
    """The rules of one release, and what its concepts go by."""

    pack: str
    version: str
    manifest_hash: str
    """Of the manifest as it is stored or exported."""
    state: str = PUBLISHED
    rules: tuple[PublishedRule, ...]
    names: Mapping[str, frozenset[str]]
    """concept → the names that a person may give it."""
    many: frozenset[str] = frozenset()
    """Concepts of which several values may hold side by side."""
    fields: frozenset[str] = frozenset()
    """What a situation may tell."""

    def values(self) -> dict[str, Any]:
        return {
            "pack": self.pack,
            "version": self.version,
            "state": self.state,
            "manifest_hash": self.manifest_hash,
        }


@dataclass(frozen=True)
class ReleaseAnswer:
    """An answer, and the release that it comes from."""

    answer: RuleAnswer
    release: ReleasedRules

    def values(self) -> dict[str, Any]:
        """For a machine."""
        answer = self.answer
        return {
            "concept": answer.concept,
            "label": answer.label,
            "as_of": answer.as_of.isoformat(),
            "situation": {name: str(value) for name, value in answer.situation.items()},
            "state": answer.state.value,
            "answers": [_found_as_json(found) for found in answer.found],
            "others": [_miss_as_json(miss) for miss in answer.misses],
            "open_fields": list(answer.open_fields),
            "release": self.release.values(),
        }


def ask(
    source: App | Path | ReleasedRules,
    concept: str,
    situation: Mapping[str, object] | None = None,
    as_of: date | None = None,
    *,
    release: str | None = None,
    pack: str | None = None,
) -> ReleaseAnswer:
    """What holds for a situation on a day, today unless one is named.

    The rules come from the store of an application, from the folder of an exported release, or
    from a release that was read before.
    """
    released = _choose_rules(source, release, pack)
    told = dict(situation or {})
    _refuse_unknown_fields(told, released)
    day = as_of or today(source.clock if isinstance(source, App) else SystemClock())
    meant = find_concept(concept, released.names)
    several = meant in released.many
    return ReleaseAnswer(
        answer_question(released.rules, meant, told, day, side_by_side=several), released
    )


def today(clock: Clock) -> date:
    """The day by a clock, in UTC."""
    return datetime.fromtimestamp(clock.now_ms() / 1000, UTC).date()


def parse_day(told: str) -> date:
    """A day as a person writes it."""
    try:
        return date.fromisoformat(told.strip())
    except ValueError as error:
        raise InvalidInput(f"'{told}' is no day.", advice="Write it as 2026-01-31.") from error


def load_rules(app: App, release: str | None = None, pack: str | None = None) -> ReleasedRules:
    """The rules of a release of the store; the newest in force, unless one is named."""
    found = find_release(app, release, pack)
    return load_stored_rules(app, found.manifest_hash, found.state)


def load_stored_rules(app: App, manifest_hash: str, state: str = PUBLISHED) -> ReleasedRules:
    """The rules of a stored manifest, whose bytes are checked against their hash."""
    alias = truth.concept_alias
    aliases: dict[str, set[str]] = {}
    with explain_errors(), app.engine.connect() as connection:
        for concept, name in connection.execute(sa.select(alias.c.concept, alias.c.alias)):
            aliases.setdefault(concept, set()).add(name)
    data = app.blobs.get(manifest_hash)
    return read_release(data, state=state, aliases=aliases, packs=app.facts)


def read_exported_rules(folder: Path) -> ReleasedRules:
    """The rules of an exported release: its folder, or its manifest itself."""
    file = folder / MANIFEST if folder.is_dir() else folder
    try:
        return read_release(file.read_bytes())
    except FileNotFoundError as error:
        raise InvalidInput(
            f"There is no release in {folder}: {MANIFEST} is missing.",
            advice="'assay release export' writes one.",
        ) from error
    except OSError as error:
        raise from_os_error(error, f"reading {file}") from error


def read_release(
    data: bytes,
    *,
    state: str = PUBLISHED,
    aliases: Mapping[str, set[str]] | None = None,
    packs: Mapping[str, Facts] | None = None,
) -> ReleasedRules:
    """The rules of a manifest, which must be those that its header speaks of.

    Without `packs`, those that are installed are known.
    """
    manifest = read_manifest(data)
    if (
        content_hash(serialize_content(manifest.rules, manifest.records))
        != manifest.header["content_hash"]
    ):
        raise ContentBroken(
            f"The rules of release {manifest.version} are not those that its header speaks of.",
            advice="Somebody changed the manifest; take a whole copy of the release.",
        )
    rules = tuple(PublishedRule.from_line(line) for line in manifest.rules)
    if packs is not None:
        pack = packs.get(manifest.pack)
    else:
        pack = load_pack(manifest.pack).facts if manifest.pack in list_pack_names() else None
    names = {rule.concept: {rule.label} for rule in rules}
    for concept, known in names.items():
        known |= (aliases or {}).get(concept, set()) | _collect_labels(concept, pack)
    asked = {field for rule in rules for field in fields_of(rule.applies_when)}
    return ReleasedRules(
        pack=manifest.pack,
        version=manifest.version,
        manifest_hash=content_hash(data),
        state=state,
        rules=rules,
        names={concept: frozenset(known - {""}) for concept, known in names.items()},
        many=frozenset(concept for concept in names if _may_be_many(concept, pack)),
        fields=frozenset(asked | set(pack.fields if pack else ())),
    )


def _collect_labels(concept: str, pack: Facts | None) -> set[str]:
    """The names of a concept in every language that its pack knows."""
    subject_name, _, predicate_name = concept.rpartition(".")
    subject = pack.subjects.get(subject_name) if pack else None
    predicate = pack.predicates.get(predicate_name) if pack else None
    if subject is None or predicate is None:
        return set()
    return {
        f"{name}: {predicate.labels.get(language, predicate_name)}"
        for language, names in subject.labels.items()
        for name in names
    }


def _may_be_many(concept: str, pack: Facts | None) -> bool:
    predicate = pack.predicates.get(concept.rpartition(".")[2]) if pack else None
    return predicate is not None and predicate.many


def _choose_rules(
    source: App | Path | ReleasedRules, release: str | None, pack: str | None
) -> ReleasedRules:
    if isinstance(source, App):
        return load_rules(source, release, pack)
    found = read_exported_rules(source) if isinstance(source, Path) else source
    for wanted, is_there, what in ((release, found.version, "release"), (pack, found.pack, "pack")):
        if wanted is not None and wanted != is_there:
            raise NotFound(f"This is {what} {is_there}, not {wanted}.")
    return found


def _refuse_unknown_fields(situation: Mapping[str, object], released: ReleasedRules) -> None:
    if DATE_FIELD in situation:
        raise InvalidInput(
            "The day is no part of the situation.", advice="Say it with --as-of (as_of)."
        )
    for name in sorted(situation):
        if name not in released.fields:
            known = sorted(released.fields - {DATE_FIELD})
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"Did you mean '{near[0]}'? " if near else ""
            raise InvalidInput(
                f"No rule asks about '{name}'.",
                advice=f"{hint}Known are {', '.join(known) or 'none'}.",
            )


def _found_as_json(found: ApplicableValue) -> dict[str, Any]:
    return {
        "value": found.value,
        "value_type": found.value_type,
        "unit": found.unit,
        "said": describe_value(found.value, found.value_type, found.unit),
        "assumed": list(found.assumed),
        "rules": [_rule_as_json(rule) for rule in found.rules],
    }


def _miss_as_json(miss: ExcludedRule) -> dict[str, Any]:
    rule = miss.rule
    return {
        "why": miss.why.value,
        "told": miss.told,
        "fields": list(miss.fields),
        "said": describe_value(rule.value, rule.value_type, rule.unit),
        "rule": _rule_as_json(rule),
    }


def _rule_as_json(rule: PublishedRule) -> dict[str, Any]:
    return {**rule.to_dict(), "condition": render_condition(rule.applies_when)}
