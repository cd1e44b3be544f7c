"""The rules of a corpus after a person approved everything: what a release is evaluated on."""

import tempfile
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from assay.app import App, releases
from assay.app.evaluation import CorpusPart
from assay.demo.play import DemoCallbacks, play_demo
from assay.demo.reviewer import EVALUATOR, decide_reviews
from assay.model.hashes import content_hash
from assay.model.rules import PERSON_TIERS
from assay.ruling.evaluation.rule_scoring import ScoredRule
from assay.ruling.facts.gates import is_value_in_quote
from assay.ruling.review.judgement import HOLDING
from assay.sdk.demo import Demo
from assay.settings import Settings
from assay.store import tables as t
from assay.store import truth
from assay.store.database import explain_errors


@dataclass(frozen=True)
class CorpusRelease:
    """The result for a whole corpus."""

    version: str
    manifest_hash: str
    released: tuple[ScoredRule, ...]
    held_back: tuple[ScoredRule, ...]
    """Approved, but supported only by one source that is not official."""
    outside_quotes: int
    """Released values that are not found in a quote cited for them; there must be none."""
    without_person: int
    """Released rules of tier T0 or T1 that no person approved; there must be none."""

    def rules_of_part(self, part: str, *, held_back: bool = False) -> list[ScoredRule]:
        """The rules that are supported by documents of a part, such as `seen`."""
        rules = (*self.released, *self.held_back) if held_back else self.released
        found = []
        for rule in rules:
            own = frozenset(
                name.partition("/")[2] for name in rule.documents if name.startswith(f"{part}/")
            )
            if own:
                found.append(replace(rule, documents=own))
        return found


def release_corpus(
    settings: Settings, pack: str, demo: Demo, parts: Sequence[CorpusPart]
) -> CorpusRelease:
    """Run the whole pipeline over the sites that publish a corpus; no model is called.

    The home is deleted afterwards.
    """
    with tempfile.TemporaryDirectory(prefix="assay-eval-") as folder:
        scratch = settings.model_copy(
            update={"home": Path(folder) / "home", "database_url": None, "providers": {}}
        )
        play_demo(scratch, {pack: demo}, days=demo.last_day, watchers=DemoCallbacks())
        with App(scratch) as app:
            decide_reviews(app, pack, EVALUATOR)
            releases.create_release(app, pack, by=EVALUATOR.name, stop=threading.Event())
            return collect_corpus_release(app, pack, parts)


def collect_corpus_release(app: App, pack: str, parts: Sequence[CorpusPart]) -> CorpusRelease:
    """The rules of a pack's current release, with the documents that support each."""
    release = releases.find_release(app, pack=pack)
    lines = releases.load_manifest(app, release).rules
    names = _name_documents(parts)
    known = {line["rule_id"] for line in lines}
    return CorpusRelease(
        version=release.version,
        manifest_hash=release.manifest_hash,
        released=tuple(
            _build_rule(line, names, [source["evidence_hash"] for source in line["sources"]])
            for line in lines
        ),
        held_back=tuple(
            _build_rule(row, names, hashes)
            for row, hashes in _load_approved(app, pack)
            if row["rule_id"] not in known
        ),
        outside_quotes=sum(not _is_in_quotes(line) for line in lines),
        without_person=sum(
            line["tier"] in PERSON_TIERS and not line["approved_by"] for line in lines
        ),
    )


def _name_documents(parts: Sequence[CorpusPart]) -> dict[str, tuple[str, ...]]:
    """Documents such as `seen/act.html`, by the hash of their bytes, which evidence also has."""
    found: dict[str, tuple[str, ...]] = {}
    for part in parts:
        for document in part.documents:
            key = content_hash((part.folder / document.document).read_bytes())
            found[key] = (*found.get(key, ()), f"{part.name}/{document.document}")
    return found


def _is_in_quotes(line: Mapping[str, Any]) -> bool:
    value = line["value"], line["value_type"], line["unit"]
    return all(is_value_in_quote(*value, source["quote"]) for source in line["sources"])


def _build_rule(
    row: Mapping[str, Any], names: Mapping[str, tuple[str, ...]], hashes: Iterable[str]
) -> ScoredRule:
    return ScoredRule(
        concept=row["concept"],
        value_type=row["value_type"],
        value=row["value"],
        unit=row["unit"],
        effective_from=row["effective_from"],
        effective_until=row["effective_until"],
        documents=frozenset(name for key in hashes for name in names.get(key, ())),
    )


def _load_approved(app: App, pack: str) -> list[tuple[Mapping[str, Any], list[str]]]:
    """Every approved or published rule of a pack, with the hashes of its evidence."""
    pointer, evidence = truth.source_pointer, t.evidence
    of_rule: dict[str, list[str]] = {}
    cited = sa.select(pointer.c.rule_id, evidence.c.content_hash).join(
        evidence, evidence.c.evidence_id == pointer.c.evidence_id
    )
    rules = sa.select(truth.rule).where(truth.rule.c.pack == pack, truth.rule.c.status.in_(HOLDING))
    with explain_errors(), app.engine.connect() as connection:
        for rule_id, content_hash in connection.execute(cited.distinct()):
            of_rule.setdefault(rule_id, []).append(content_hash)
        rows = connection.execute(rules.order_by(truth.rule.c.rule_id)).mappings().all()
    return [(dict(row), of_rule.get(row["rule_id"], [])) for row in rows]
