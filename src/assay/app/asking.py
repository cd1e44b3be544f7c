"""Asks which rules of a release apply; the rules come from the store or an exported bundle."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from assay.app.composition import App
from assay.app.installed_packs import load_pack
from assay.app.pack_entries import list_pack_names
from assay.app.releases import find_release
from assay.clock import Clock, SystemClock
from assay.engine.grouping import group_pairs
from assay.errors import ContentBroken, InvalidInput, NotFound, from_os_error
from assay.model.concepts import parse_concept
from assay.model.hashes import content_hash
from assay.model.ids import suggest_name
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
    """The rules of one release, and the names of its concepts."""

    pack: str
    version: str
    manifest_hash: str
    """Hash of the manifest as it is stored or exported."""
    state: str = PUBLISHED
    rules: tuple[PublishedRule, ...]
    names: Mapping[str, frozenset[str]]
    """concept → the names a person may use for it."""
    many: frozenset[str] = frozenset()
    """Concepts that may have several values at the same time."""
    fields: frozenset[str] = frozenset()
    """The fields a situation may have."""

    @cached_property
    def rules_of(self) -> Mapping[str, Sequence[PublishedRule]]:
        """topic → its rules, so that a question does not look at all others."""
        return group_pairs((parse_concept(rule.concept).topic, rule) for rule in self.rules)

    def values(self) -> dict[str, Any]:
        return {
            "pack": self.pack,
            "version": self.version,
            "state": self.state,
            "manifest_hash": self.manifest_hash,
        }


@dataclass(frozen=True)
class ReleaseAnswer:
    """An answer, and the release it comes from."""

    answer: RuleAnswer
    release: ReleasedRules

    def values(self) -> dict[str, Any]:
        """The answer as JSON."""
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
    """Find what applies to a situation on a date, today by default.

    The rules come from the store of an application, from the folder of an exported release, or
    from a release that has already been read.
    """
    released = _choose_rules(source, release, pack)
    known = dict(situation or {})
    _refuse_unknown_fields(known, released)
    day = as_of or today(source.clock if isinstance(source, App) else SystemClock())
    meant = find_concept(concept, released.names)
    rules = released.rules_of.get(parse_concept(meant).topic, ())
    several = any(rule.concept in released.many for rule in rules)
    return ReleaseAnswer(answer_question(rules, meant, known, day, side_by_side=several), released)


def today(clock: Clock) -> date:
    """The current UTC date of a clock."""
    return datetime.fromtimestamp(clock.now_ms() / 1000, UTC).date()


def parse_day(text: str) -> date:
    """Parse a date as a person writes it."""
    try:
        return date.fromisoformat(text.strip())
    except ValueError as error:
        raise InvalidInput(f"'{text}' is not a valid date.", advice="Use YYYY-MM-DD.") from error


def load_rules(app: App, release: str | None = None, pack: str | None = None) -> ReleasedRules:
    """The rules of a release in the store; by default the newest one in force."""
    found = find_release(app, release, pack)
    return load_stored_rules(app, found.manifest_hash, found.state)


def load_stored_rules(app: App, manifest_hash: str, state: str = PUBLISHED) -> ReleasedRules:
    """The rules of a stored manifest; its bytes are checked against their hash."""
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
            f"{folder} does not contain a release: {MANIFEST} is missing.",
            advice="Create one with 'assay release export'.",
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
    """The rules of a manifest, which must match its header.

    Without `packs`, the installed packs are used.
    """
    manifest = read_manifest(data)
    if (
        content_hash(serialize_content(manifest.rules, manifest.records))
        != manifest.header["content_hash"]
    ):
        raise ContentBroken(
            f"The rules of release {manifest.version} do not match its header.",
            advice="The manifest was changed; get an intact copy of the release.",
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
    parts = parse_concept(concept)
    subject = pack.subjects.get(parts.subject) if pack else None
    predicate = pack.predicates.get(parts.predicate) if pack else None
    if subject is None or predicate is None:
        return set()
    return {
        f"{name}: {predicate.labels.get(language, parts.predicate)}"
        for language, names in subject.labels.items()
        for name in names
    }


def _may_be_many(concept: str, pack: Facts | None) -> bool:
    predicate = pack.predicates.get(parse_concept(concept).predicate) if pack else None
    return predicate is not None and predicate.many


def _choose_rules(
    source: App | Path | ReleasedRules, release: str | None, pack: str | None
) -> ReleasedRules:
    if isinstance(source, App):
        return load_rules(source, release, pack)
    found = read_exported_rules(source) if isinstance(source, Path) else source
    for expected, actual, what in ((release, found.version, "release"), (pack, found.pack, "pack")):
        if expected is not None and expected != actual:
            raise NotFound(f"This is {what} {actual}, not {expected}.")
    return found


def _refuse_unknown_fields(situation: Mapping[str, object], released: ReleasedRules) -> None:
    if DATE_FIELD in situation:
        raise InvalidInput(
            "The date is not part of the situation.", advice="Give it with --as-of (as_of)."
        )
    for name in sorted(situation):
        if name not in released.fields:
            known = sorted(released.fields - {DATE_FIELD})
            hint = suggest_name(name, known)
            raise InvalidInput(
                f"No rule asks about '{name}'.",
                advice=f"{hint}Known fields: {', '.join(known) or 'none'}.",
            )


def _found_as_json(found: ApplicableValue) -> dict[str, Any]:
    return {
        "value": found.value,
        "value_type": found.value_type,
        "unit": found.unit,
        "display": describe_value(found.value, found.value_type, found.unit),
        "assumed": list(found.assumed),
        "doubt": None if found.doubt is None else found.doubt.to_dict(),
        "rules": [_rule_as_json(rule) for rule in found.rules],
    }


def _miss_as_json(miss: ExcludedRule) -> dict[str, Any]:
    rule = miss.rule
    return {
        "why": miss.why.value,
        "reason": miss.reason,
        "fields": list(miss.fields),
        "display": describe_value(rule.value, rule.value_type, rule.unit),
        "rule": _rule_as_json(rule),
    }


def _rule_as_json(rule: PublishedRule) -> dict[str, Any]:
    return {**rule.to_dict(), "condition": render_condition(rule.applies_when)}
