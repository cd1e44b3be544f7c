"""A pack that asks in its own way: six stages behind the extract stage, past the same gates."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from assay.app import App
from assay.app.installed_packs import load_installed_facts
from assay.app.intake import ingest_file
from assay.app.job_admin import retry_jobs
from assay.governor.budget import BudgetView
from assay.llm.doubles.scripted import Say, ScriptedProvider, ScriptEntry
from assay.llm.doubles.words import WordEstimator
from assay.llm.limits import Policy
from assay.llm.messages import Lane, ModelRequest
from assay.llm.plane import ControlPlane
from assay.llm.requests.supervisor import Supervisor
from assay.ruling.facts.extract import ExtractionModel
from assay.ruling.facts.model_extractor import ExtractionAccess
from assay.store import tables as t
from assay.store import truth
from assay.store.results import ResultStore
from tests.conftest import quick_settings
from tests.spine.sites import Watch, Workplace, watching
from tests.waiting import PATIENCE_S

RUN = "Marko Babić has run Acme Systems for years."
TEXT = f"Acme Systems was founded in 1998. {RUN} The pumps are blue, and Split is far away."
ENTITIES = [
    {"mention": "Acme Systems", "type": "company"},
    {"mention": "Marko Babić", "type": "person"},
    {"mention": "Split", "type": "settlement"},
]
CLAIMS = [
    {"subject": "Acme Systems", "property": "led by", "object": "Marko Babić"},
    {"subject": "Acme Systems", "property": "based in", "object": "Split"},
]


def reply(request: ModelRequest) -> ScriptEntry:
    """What the model says: it takes back one of its claims when it is asked to verify them."""
    told: list[dict[str, Any]] = []
    if request.schema_name == "entities":
        told = ENTITIES
    elif request.schema_name == "relations":
        told = CLAIMS
    else:
        for line in request.user.partition("Statements:")[2].splitlines():
            number, dot, rest = line.partition(". ")
            if dot and number.strip().isdigit():
                object_ = rest.rpartition("→")[2].strip()
                told.append(
                    {
                        "n": int(number), "object": object_, "words": RUN,
                        "supported": object_ != "Split", "confidence": 0.97,
                    }
                )  # fmt: skip
    return Say(json.dumps({request.schema_name: told}, ensure_ascii=False))


@contextmanager
def talking(
    make_app: Callable[..., App], home: Path, shared: Workplace, policy: Policy
) -> Iterator[tuple[Watch, ScriptedProvider]]:
    provider = ScriptedProvider(script=[reply] * 40, name="local", lane=Lane.LOCAL)
    made: list[tuple[BudgetView, ControlPlane, Supervisor, ResultStore]] = []

    def access_to(name: str, source: str, evidence: str) -> ExtractionAccess:
        _, _, supervisor, results = made[0]
        return ExtractionAccess(
            supervisor=supervisor, provider=name, model=provider.model, source=source,
            evidence=evidence, results=results,
        )  # fmt: skip

    async def ask(*_given: Any) -> Any:
        raise AssertionError("the stage asked its own question")

    model = ExtractionModel(ask, lambda source, empty: None, access_to)
    with watching(
        make_app, quick_settings(home), shared, packs=load_installed_facts(), model=model,
        budget_view=lambda: made[0][0],
    ) as watch:  # fmt: skip
        engine = watch.app.engine
        given: dict[str, Any] = {
            "clock": watch.clock, "cached": True, "retry_delays_s": (),
            "estimator": WordEstimator(),
        }  # fmt: skip
        plane = ControlPlane(engine, [provider], policy=policy, **given)
        ledger = ControlPlane(engine, [provider], **given).ledger
        shelf = ResultStore(engine, watch.app.blobs)
        made.append((BudgetView(ledger, [provider]), plane, Supervisor(plane), shelf))
        yield watch, provider
        shared.loop.submit(plane.close()).result(timeout=PATIENCE_S)


@pytest.fixture
def talk(
    make_app: Callable[..., App], home: Path, shared_workplace: Workplace
) -> Callable[..., Any]:
    return lambda policy=None: talking(make_app, home, shared_workplace, policy or Policy())


def given(watch: Watch) -> str:
    key = ingest_file(watch.app, TEXT.encode(), name="letter.txt", pack="graph", hierarchy=1)
    watch.drain()
    return key


def facts(watch: Watch) -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["concept"], row["value"]): row for row in watch.rows(truth.candidate_fact)}


def test_what_a_model_found_and_grounded_is_a_fact_with_its_words(talk: Callable[..., Any]) -> None:
    with talk() as (watch, _):
        given(watch)
        found = facts(watch)
        led = found["acme_systems.led_by", "Marko Babić"]
        assert (led["extractor"], led["quote"], led["confidence"]) == ("model:local", RUN, 0.97)
        assert found["acme_systems.founded_in", "1998"]["extractor"] == "deterministic@2"
        assert ("acme_systems.based_in", "Split") not in found
        (run,) = watch.rows(t.agent_run)
        assert (run["outcome"], run["items_produced"], run["provider"]) == (
            "SUCCESS_APPLIED", 1, "local",
        )  # fmt: skip
        assert run["tokens_used"] > 0
        calls = watch.rows(t.spending.call)
        assert {call["source_slug"] for call in calls} == {"files-graph"}
        assert {call["stage"] for call in calls} == {
            "entityExtraction", "relationExtraction", "grounding",
        }  # fmt: skip
        # Surely read, of tier T2: no person is needed.
        (rule,) = watch.rows(truth.rule, concept="acme_systems.led_by")
        assert rule["status"] == "APPROVED"
        assert watch.dead() == []


def test_nothing_is_spent_twice(talk: Callable[..., Any]) -> None:
    with talk() as (watch, _):
        given(watch)
        spent, before = len(watch.rows(t.spending.call)), watch.dump()
        (job,) = watch.rows(t.job, stage="extract")
        (kept,) = watch.rows(t.spending.result)
        assert (kept["kind"], kept["completeness"]) == ("graph", "complete")
        retry_jobs(watch.app, [job["job_id"]])
        watch.drain()
        assert len(watch.rows(t.spending.call)) == spent
        assert watch.dump() == before


def test_what_may_not_be_spent_now_waits_and_is_done_later(talk: Callable[..., Any]) -> None:
    with talk(Policy(daily_tokens=10)) as (watch, _):
        key = given(watch)
        assert len(watch.rows(t.spending.call)) == 0
        (candidate,) = watch.rows(t.candidate)
        assert (candidate["state"], candidate["evidence_id"]) == ("blocked", key)
        assert "no model may be asked now" in candidate["last_error"]
        assert candidate["next_retry_unix"] is not None
        assert watch.notes("extract") == ["blocked"]
        assert ("acme_systems.founded_in", "1998") in facts(watch)


def test_without_a_way_to_ask_the_pack_reads_by_itself(
    make_app: Callable[..., App], home: Path, shared_workplace: Workplace
) -> None:
    async def ask(*_given: Any) -> Any:
        raise AssertionError("the stage asked its own question")

    with watching(
        make_app, quick_settings(home), shared_workplace, packs=load_installed_facts(),
        model=ExtractionModel(ask, lambda source, empty: None),
    ) as watch:  # fmt: skip
        given(watch)
        assert ("acme_systems.founded_in", "1998") in facts(watch)
        assert watch.rows(t.agent_run) == []
