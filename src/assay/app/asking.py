"""Asks which rules of a release apply; the rules come from the store or an exported bundle."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
from assay.model.rules import Release
from assay.ruling.answers import (
    ApplicableValue,
    ExcludedRule,
    RuleAnswer,
    answer_question,
)
from assay.ruling.concept_search import ConceptSearch, list_labels
from assay.ruling.declaration import Facts
from assay.ruling.release.manifest import read_manifest, serialize_content
from assay.ruling.release.published_rules import PublishedRule
from assay.ruling.rules.conditions import render_condition
from assay.ruling.rules.descriptions import describe_value
from assay.ruling.situations import FieldTypes, check_situation, collect_field_types
from assay.ruling.staleness import Freshness, StaleMarks, find_stale_marks
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
    search: ConceptSearch
    """Finds its concepts by the names that a person may use for them."""
    many: frozenset[str] = frozenset()
    """Concepts that may have several values at the same time."""
    fields: FieldTypes = field(default_factory=dict)
    """The fields a situation may have, and the types of their values."""

    @cached_property
    def rules_of(self) -> Mapping[str, Sequence[PublishedRule]]:
        """topic → its rules, so that a question does not look at all others."""
        return group_pairs((parse_concept(rule.concept).topic, rule) for rule in self.rules)

    def rules_of_concept(self, concept: str) -> Sequence[PublishedRule]:
        """The rules about the same topic as a concept."""
        return self.rules_of.get(parse_concept(concept).topic, ())

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
    stale: StaleMarks | None = None
    """What has happened to the rules of the answer since the release; None if nobody can know."""

    @property
    def freshness(self) -> Freshness:
        if self.stale is None:
            return Freshness.UNKNOWN
        return Freshness.STALE if self.stale else Freshness.CURRENT

    def values(self) -> dict[str, Any]:
        """The answer as JSON."""
        answer = self.answer
        return {
            "concept": answer.concept,
            "label": answer.label,
            "as_of": answer.as_of.isoformat(),
            "situation": {name: str(value) for name, value in answer.situation.items()},
            "state": answer.state.value,
            "freshness": self.freshness.value,
            "answers": [_found_as_json(found, self.stale) for found in answer.found],
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
    aliases: Mapping[str, str] | None = None,
) -> ReleaseAnswer:
    """Find what applies to a situation on a date, today by default.

    The rules come from the store of an application, from the folder of an exported release, or
    from a release that has already been read. `aliases` name concepts of an exported release; a
    store has its own. Only a store knows whether an answer is stale.
    """
    released = _choose_rules(source, release, pack, aliases)
    known = dict(situation or {})
    check_situation(known, released.fields)
    day = as_of or today(source.clock if isinstance(source, App) else SystemClock())
    meant = released.search.find(concept)
    rules = released.rules_of_concept(meant)
    several = any(rule.concept in released.many for rule in rules)
    reply = ReleaseAnswer(answer_question(rules, meant, known, day, side_by_side=several), released)
    return check_freshness(source, reply) if isinstance(source, App) else reply


def check_freshness(app: App, reply: ReleaseAnswer) -> ReleaseAnswer:
    """The answer, with what has happened to its rules since the release, according to the store."""
    rules = [rule for found in reply.answer.found for rule in found.rules]
    releases = truth.release.c
    with explain_errors(), app.engine.connect() as connection:
        query = sa.select(truth.release).where(
            releases.pack == reply.release.pack, releases.version == reply.release.version
        )
        row = connection.execute(query).mappings().one()
        release = Release.from_row(dict(row))
        return replace(
            reply, stale=find_stale_marks(connection, rules, release, reply.answer.as_of)
        )


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
    with explain_errors(), app.engine.connect() as connection:
        rows = connection.execute(sa.select(alias.c.concept, alias.c.alias))
        labels = group_pairs((str(row.concept), str(row.alias)) for row in rows)
    return read_release(
        app.blobs.get(manifest_hash),
        state=state,
        labels=labels,
        aliases=app.settings.aliases,
        packs=app.facts,
    )


def read_exported_rules(folder: Path, aliases: Mapping[str, str] | None = None) -> ReleasedRules:
    """The rules of an exported release: its folder, or its manifest itself.

    `aliases` are names that a person uses for its concepts.
    """
    file = folder / MANIFEST if folder.is_dir() else folder
    try:
        return read_release(file.read_bytes(), aliases=aliases)
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
    labels: Mapping[str, Collection[str]] | None = None,
    aliases: Mapping[str, str] | None = None,
    packs: Mapping[str, Facts] | None = None,
) -> ReleasedRules:
    """The rules of a manifest, which must match its header.

    `labels` are further ones of its concepts, and `aliases` what a home calls them. Without
    `packs`, the installed packs are used.
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
    usual = {rule.concept: rule.label for rule in rules}
    names = {
        concept: (label, *(labels or {}).get(concept, ()), *list_labels(concept, pack))
        for concept, label in usual.items()
    }
    return ReleasedRules(
        pack=manifest.pack,
        version=manifest.version,
        manifest_hash=content_hash(data),
        state=state,
        rules=rules,
        search=ConceptSearch(
            {concept: tuple(filter(None, known)) for concept, known in names.items()}, pack, aliases
        ),
        many=frozenset(concept for concept in names if _may_be_many(concept, pack)),
        fields=collect_field_types(
            (rule.applies_when for rule in rules),
            pack.fields if pack else (),
            pack.field_types if pack else {},
        ),
    )


def _may_be_many(concept: str, pack: Facts | None) -> bool:
    predicate = pack.predicates.get(parse_concept(concept).predicate) if pack else None
    return predicate is not None and predicate.many


def _choose_rules(
    source: App | Path | ReleasedRules,
    release: str | None,
    pack: str | None,
    aliases: Mapping[str, str] | None,
) -> ReleasedRules:
    if isinstance(source, App):
        return load_rules(source, release, pack)
    found = read_exported_rules(source, aliases) if isinstance(source, Path) else source
    for expected, actual, what in ((release, found.version, "release"), (pack, found.pack, "pack")):
        if expected is not None and expected != actual:
            raise NotFound(f"This is {what} {actual}, not {expected}.")
    return found


def _found_as_json(found: ApplicableValue, stale: StaleMarks | None) -> dict[str, Any]:
    return {
        "value": found.value,
        "value_type": found.value_type,
        "unit": found.unit,
        "display": describe_value(found.value, found.value_type, found.unit),
        "assumed": list(found.assumed),
        "doubt": None if found.doubt is None else found.doubt.to_dict(),
        "rules": [
            {**_rule_as_json(rule), "stale": _marks_as_json(rule.rule_id, stale)}
            for rule in found.rules
        ],
    }


def _marks_as_json(rule_id: str, stale: StaleMarks | None) -> list[dict[str, Any]] | None:
    return None if stale is None else [mark.to_dict() for mark in stale.get(rule_id, ())]


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
