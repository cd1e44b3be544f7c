"""The country's rules after a person approved whatever was asked: what a release is judged by."""

import tempfile
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from assay.app import App, releases
from assay.demo.country import PACK, Country
from assay.demo.person import EVALUATOR, agreeing, decide
from assay.demo.play import Watchers, play
from assay.ruling.declaration import PERSON_TIERS
from assay.ruling.evaluation.rule_scoring import ReleasedRule
from assay.ruling.facts.gates import value_in_quote
from assay.ruling.review.judgement import HOLDING
from assay.settings import Settings
from assay.store import tables as t
from assay.store import truth
from assay.store.database import plain_errors

_DAYS = 2


@dataclass(frozen=True)
class JudgedRules:
    """What came of the whole country."""

    version: str
    manifest_hash: str
    released: tuple[ReleasedRule, ...]
    held_back: tuple[ReleasedRule, ...]
    """Approved, but resting on one source that is no law."""
    outside_quotes: int
    """Released values that do not stand in a quote that is cited for them; there must be none."""
    without_person: int
    """Released rules of tier T0 or T1 that no person approved; there must be none."""

    def of(self, part: str, *, held_back: bool = False) -> list[ReleasedRule]:
        """The rules that rest on documents of a part, such as `seen`."""
        rules = (*self.released, *self.held_back) if held_back else self.released
        found = []
        for rule in rules:
            own = frozenset(
                name.partition("/")[2] for name in rule.documents if name.startswith(f"{part}/")
            )
            if own:
                found.append(replace(rule, documents=own))
        return found


def judged_rules(settings: Settings, documents: frozenset[str] | None = None) -> JudgedRules:
    """Run the whole spine over the country in a home that is thrown away; no model is asked.

    `documents` leaves out all others.
    """
    with tempfile.TemporaryDirectory(prefix="assay-eval-") as folder:
        scratch = settings.model_copy(
            update={"home": Path(folder) / "home", "database_url": None, "providers": {}}
        )
        play(scratch, days=_DAYS, watchers=Watchers(), documents=documents)
        with App(scratch) as app:
            decide(app, EVALUATOR, agreeing)
            releases.create(app, PACK, by=EVALUATOR, stop=threading.Event())
            return judged_in(app)


def judged_in(app: App) -> JudgedRules:
    """The rules of the current release of a home that watches the country."""
    release = releases.release_of(app, pack=PACK)
    lines = releases.manifest_of(app, release).rules
    names = Country().names()
    known = {line["rule_id"] for line in lines}
    return JudgedRules(
        version=release.version,
        manifest_hash=release.manifest_hash,
        released=tuple(
            _rule(line, names, [source["evidence_hash"] for source in line["sources"]])
            for line in lines
        ),
        held_back=tuple(
            _rule(row, names, hashes)
            for row, hashes in _approved(app)
            if row["rule_id"] not in known
        ),
        outside_quotes=sum(not _stands(line) for line in lines),
        without_person=sum(
            line["tier"] in PERSON_TIERS and not line["approved_by"] for line in lines
        ),
    )


def _stands(line: Mapping[str, Any]) -> bool:
    told = line["value"], line["value_type"], line["unit"]
    return all(value_in_quote(*told, source["quote"]) for source in line["sources"])


def _rule(
    row: Mapping[str, Any], names: Mapping[str, tuple[str, ...]], hashes: Iterable[str]
) -> ReleasedRule:
    return ReleasedRule(
        concept=row["concept"],
        value_type=row["value_type"],
        value=row["value"],
        unit=row["unit"],
        effective_from=row["effective_from"],
        effective_until=row["effective_until"],
        documents=frozenset(name for key in hashes for name in names[key]),
    )


def _approved(app: App) -> list[tuple[Mapping[str, Any], list[str]]]:
    """Every rule that is approved or published, and the hashes of what it rests on."""
    pointer, evidence = truth.source_pointer, t.evidence
    of_rule: dict[str, list[str]] = {}
    resting = sa.select(pointer.c.rule_id, evidence.c.content_hash).join(
        evidence, evidence.c.evidence_id == pointer.c.evidence_id
    )
    rules = sa.select(truth.rule).where(truth.rule.c.status.in_(HOLDING))
    with plain_errors(), app.engine.connect() as connection:
        for rule_id, content_hash in connection.execute(resting.distinct()):
            of_rule.setdefault(rule_id, []).append(content_hash)
        rows = connection.execute(rules.order_by(truth.rule.c.rule_id)).mappings().all()
    return [(dict(row), of_rule.get(row["rule_id"], [])) for row in rows]
