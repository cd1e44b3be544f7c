"""Packs that contradict themselves, each other or Assay are refused, under their name."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.app.installed_packs import load_all_packs, load_pack
from assay.app.pack_validation import (
    METRIC_PREFIXES,
    SUBJECT_KINDS,
    validate_packs,
    validate_stages,
)
from assay.app.pipeline import build_pipeline
from assay.app.tools import build_tools
from assay.engine.contract import Outcome, QueueLimits, Stage
from assay.errors import InvalidInput
from assay.llm.metering.metrics import METRICS
from assay.sdk.pack import Evaluation, Metric, Pack, PackSchedule, PackStage, ReviewKind
from assay.sdk.records import APPEND_ONLY, Record
from assay.sdk.sources import Portal, PortalPage, TenantSettings
from assay.settings import Settings
from assay.spine.payloads import PackJob

NOWHERE = Path("/nowhere/at/all")
HERE = Path(__file__).parent


class ShipFact(Record, table="ship_facts", key=("fact_id",), guard=APPEND_ONLY, hashed=True):
    """A record whose rows a pack wants hashed, which only Assay's own are."""

    fact_id: str


async def do_nothing(jobs: Sequence[Any], read: Any, services: Any) -> Sequence[Outcome]:
    return [Outcome() for _ in jobs]


def make_pack(name: str = "harbour", **declared: Any) -> Pack:
    return Pack(name=name, version="1", title="Harbour", **declared)


def make_stage(name: str, *targets: str) -> PackStage:
    stage = Stage(
        name=name,
        version=1,
        payload=PackJob,
        queue=QueueLimits(),
        next=frozenset(targets),
        entry=True,
    )
    return PackStage(stage, do_nothing)


def make_kind(name: str, *targets: str) -> ReviewKind:
    return ReviewKind(
        name=name, title=name, effect=lambda request, answer: Outcome(), next=frozenset(targets)
    )


def make_metric(name: str) -> Metric:
    return Metric(name=name, help="Ships.", read=lambda services: 1.0)


def make_schedule(cron: str) -> PackSchedule:
    return PackSchedule(name="daily", cron=cron, start=lambda services: [])


REPORTING = Portal(
    name="quays", settings=TenantSettings, start=lambda *_: (), read=lambda *_: PortalPage(),
    report="note",
)  # fmt: skip


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ({"metrics": (make_metric("ships-total"),)}, "'ships-total' cannot be the name"),
        ({"metrics": (make_metric(""),)}, "'' cannot be the name of a metric"),
        ({"metrics": (make_metric("assay_jobs"),)}, "'assay_jobs', whose name is reserved"),
        ({"review_kinds": (make_kind("rule"),)}, "review kind 'rule', which Assay already has"),
        ({"schedules": (make_schedule("daily"),)}, "'daily' is not a valid cron expression"),
        ({"schedules": (make_schedule("61 * * * *"),)}, "expression: '61 * * * *'"),
        ({"sources": NOWHERE}, "its folder of sources, /nowhere/at/all, does not exist"),
        ({"migrations": NOWHERE}, "its folder of migrations, /nowhere/at/all, does not exist"),
        ({"evaluation": Evaluation(corpus=NOWHERE)}, "its folder of corpus, /nowhere/at/all"),
        ({"records": (ShipFact,), "migrations": HERE}, "rows of ShipFact are hashed"),
        ({"facts": load_pack("regulatory").facts}, "declared under the name 'regulatory'"),
        ({"portals": (REPORTING,)}, "to the stage 'note', which is not declared"),
        (
            {"portals": (REPORTING,), "stages": (make_stage("note"),)},
            "'note', which is declared to take PackJob",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_contradiction_is_refused_under_the_name_of_its_pack(
    declared: dict[str, Any], said: str
) -> None:
    with pytest.raises(InvalidInput, match=re.escape(said)) as refused:
        validate_packs({"harbour": make_pack(**declared)})
    assert "Pack 'harbour'" in refused.value.what


@pytest.mark.parametrize("name", ["", "Harbour", "two words", "7seas", "a/b", "core", "a" * 42])
def test_a_name_that_is_not_a_word_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match=f"'{name}' cannot be the name of a pack"):
        validate_packs({name: make_pack(name)})


def test_what_fits_is_accepted() -> None:
    folder = Path(__file__).parent
    pack = make_pack(
        metrics=(make_metric("ships:total_2"),),
        review_kinds=(make_kind("berth"),),
        schedules=(make_schedule("off"), replace(make_schedule("0 5 * * *"), name="early")),
        sources=folder,
        evaluation=Evaluation(corpus=folder),
    )
    packs = {**load_all_packs(), "harbour": pack}
    validate_packs(packs)
    # The same with one thing wrong is refused, so the rest of it was really looked at.
    spoiled = replace(pack, metrics=(*pack.metrics, make_metric("ships total")))
    with pytest.raises(InvalidInput, match="ships total"):
        validate_packs({**packs, "harbour": spoiled})


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ({"stages": (make_stage("fetch"),)}, "the stage 'fetch', which Assay already has"),
        ({"stages": (make_stage("dock"),)}, "the stage 'dock', which pack 'docks' already has"),
        ({"stages": (make_stage("land", "moor"),)}, "its stage 'land' leads to the stage 'moor'"),
        ({"review_kinds": (make_kind("berth", "moor"),)}, "its review kind 'berth' leads to the"),
    ],
)
def test_stages_that_clash_or_lead_nowhere_are_refused(declared: dict[str, Any], said: str) -> None:
    docks = make_pack("docks", stages=(make_stage("dock"),))
    with pytest.raises(InvalidInput, match=said) as refused:
        build_pipeline(build_tools(Settings()), {"docks": docks, "harbour": make_pack(**declared)})
    assert "Pack 'harbour'" in refused.value.what


def test_a_pack_may_lead_to_stages_of_assay_and_of_other_packs() -> None:
    kind = make_kind("berth", "dock", "router")
    harbour = make_pack(stages=(make_stage("land", "dock", "router"),), review_kinds=(kind,))
    docks = make_pack("docks", stages=(make_stage("dock"),))
    packs = {"harbour": harbour, "docks": docks}
    validate_stages(packs, ["router"])
    # Without one of the stages that it leads to, the same pack is refused.
    with pytest.raises(InvalidInput, match="'router'"):
        validate_stages(packs, [])
    with pytest.raises(InvalidInput, match="'dock'"):
        validate_stages({"harbour": harbour}, ["router"])


def test_the_reserved_prefixes_cover_all_of_assays_metrics() -> None:
    assert all(metric.prometheus_name.startswith(METRIC_PREFIXES) for metric in METRICS)


def test_the_reserved_subjects_are_those_that_assay_writes() -> None:
    package = Path(assay.__file__).parent
    files = [path for path in package.rglob("*.py") if "packs" not in path.parts]
    written = {
        name for path in files for name in re.findall(r'subject_kind="(\w+)"', path.read_text())
    }
    assert written == set(SUBJECT_KINDS)
