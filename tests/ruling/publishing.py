"""A store of rules, and the two stages that publish them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from assay.app import App, runs
from assay.app.releases import list_releases, load_manifest
from assay.engine.contract import BoundStage, Pipeline
from assay.model.facts import CoverageReport, FactEnd
from assay.model.records import Artifact, Evidence, IngestCandidate, Record, ScoutResult, Source
from assay.model.rules import (
    Concept,
    Conflict,
    ConflictSide,
    Release,
    Rule,
    RuleEdge,
    SourcePointer,
)
from assay.ruling.payloads import ReleaseJob
from assay.ruling.release.embed import EMBED, embed
from assay.ruling.release.manifest import ReleaseManifest
from assay.ruling.release.release import RELEASE, release
from assay.settings import QueueSettings, Settings
from assay.store import tables as t
from assay.store import truth
from assay.store.dump import dump_canonical
from tests.engine.hand import all_rows, drain
from tests.ruling.release_builders import PACK, Stated, store

GIVEN = (
    ScoutResult,
    Rule, SourcePointer, Evidence, Artifact, Source, Conflict, ConflictSide, Concept, RuleEdge,
    IngestCandidate, CoverageReport, FactEnd, Release,
)  # fmt: skip


def pipeline() -> Pipeline:
    return Pipeline([BoundStage(RELEASE, release()), BoundStage(EMBED, embed)], given=GIVEN)


@dataclass
class Press:
    """The stages at work, on a store that a test fills."""

    app: App

    def store(self, *stated: Stated, more: Sequence[Record] = ()) -> None:
        store(self.app, *stated, more=more)

    def publish(self, *rule_ids: str, by: str = "iva") -> None:
        """One run of the stage, and of what follows."""
        job = ReleaseJob(pack=PACK, rule_ids=rule_ids, released_by=by)
        runs.start_run(self.app, first=[("release", job)])
        drain(self.app)

    def change(self, stated: Stated, **to: Any) -> None:
        """As a person's decision would, or an altered store."""
        self.execute(sa.update(truth.rule).where(truth.rule.c.rule_id == stated.rule_id).values(to))

    def execute(self, statement: sa.Executable) -> None:
        with self.app.engine.begin() as connection:
            connection.execute(statement)

    def status(self, stated: Stated) -> str:
        (row,) = [r for r in self.rows(truth.rule) if r["rule_id"] == stated.rule_id]
        return str(row["status"])

    def rows(self, table: sa.Table) -> list[dict[str, Any]]:
        return all_rows(self.app, table)

    def releases(self) -> list[Release]:
        """The oldest first."""
        return list_releases(self.app, PACK)[::-1]

    def manifest(self, number: int = -1) -> ReleaseManifest:
        return load_manifest(self.app, self.releases()[number])

    def dump(self) -> bytes:
        with self.app.engine.connect() as connection:
            return b"".join(dump_canonical(connection))

    def notes(self, stage: str) -> list[str]:
        rows = [row for row in self.rows(t.progress) if row["stage"] == stage]
        return [row["outcome"] for row in sorted(rows, key=lambda row: row["started_ms"])]

    def refusals(self) -> list[str]:
        return [row["error_message"] for row in self.rows(t.dead_letter)]

    def actions(self) -> list[str]:
        return [row["action"] for row in self.rows(truth.audit_log)]


def opened(make_app: Callable[..., App], settings: Settings) -> Press:
    quick = settings.model_copy(
        update={"queues": {"release": QueueSettings(rate=0), "embed": QueueSettings()}}
    )
    return Press(make_app(quick, pipeline=pipeline()))
