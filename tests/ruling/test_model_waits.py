"""A model that is denied keeps nothing from the free extractor; only its own part waits."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from assay.app import App
from assay.app.review_kinds import answer_question
from assay.app.sources import unpause_source
from assay.app.status import collect_status
from assay.errors import AuthError, InvalidInput, PriceUnknown
from assay.governor.standings import pause_source
from assay.llm.doubles.scripted import Say, ScriptedProvider
from assay.llm.limits import UNLIMITED, Policy
from assay.llm.scope import CallRequest, CallSettlement, CallState, Permit, UsageBasis
from assay.model.records import Source
from assay.model.rules import ReviewDecision
from assay.ruling.facts.proposals import Extraction, Passage
from assay.ruling.review.service import Reviewer
from assay.settings import Settings
from assay.store import tables as t
from assay.store import truth
from tests.conftest import quick_settings
from tests.ruling.plain_extractor import load_plain_packs
from tests.ruling.test_extract import act, facts, published
from tests.ruling.test_extract_model import PROSE, Asked, asking, claim, said
from tests.ruling.test_extract_sections import FAR, OTHER, OTHER_QUOTE
from tests.spine.sites import HOME, Watch, Workplace

ANA = Reviewer(person="Ana")
LONG = PROSE + FAR + OTHER
"""A document with two sections for a model."""
FREE = {("pdv.rate", "25"), ("pdv.reduced_rate", "13")}
BY_MODEL = {("harbour_levy.fee", "17"), ("harbour_levy.fee", "19")}


@dataclass
class Case:
    """A site, a model that answers about both sections, and its books."""

    watch: Watch
    asked: Asked
    provider: ScriptedProvider

    def cap(self, **caps: Any) -> None:
        """From now on these caps are in the settings."""
        assert self.asked.plane is not None
        self.asked.plane.ledger.policy = Policy(**caps)

    def latch(self) -> None:
        """The provider refuses the key."""
        assert self.asked.plane is not None
        permit = self.asked.plane.ledger.reserve(
            CallRequest(provider="local", model=self.provider.model, lane=self.provider.lane,
                        limits=UNLIMITED, prompt_tokens=1, output_tokens=0)
        )  # fmt: skip
        assert isinstance(permit, Permit)
        self.asked.plane.ledger.settle(
            permit.call_id,
            UNLIMITED,
            CallSettlement(
                state=CallState.FAILED, basis=UsageBasis.NOTHING, error=AuthError("No such key.")
            ),
        )

    def publish(self, extra: str = LONG) -> None:
        published(self.watch, a=act(extra=extra))
        self.watch.run()

    def facts(self) -> set[tuple[str, str]]:
        return set(facts(self.watch))

    def state(self) -> str:
        (candidate,) = self.watch.rows(t.candidate)
        return str(candidate["state"])

    def denial(self) -> str | None:
        (decision,) = self.watch.rows(t.routing_decision)
        return decision["denial"] and str(decision["denial"])

    def questions(self) -> list[dict[str, Any]]:
        return self.watch.rows(t.review_request, reason="EVIDENCE_TOO_LARGE")

    def answer(self, words: str) -> ReviewDecision:
        (question,) = self.questions()
        return answer_question(self.watch.app, question["request_id"], words, ANA)

    def must_have_read_all_once(self) -> None:
        """Everything was found, stored once, and paid for once."""
        assert self.state() == "ingested" and self.denial() is None
        assert self.facts() >= FREE | BY_MODEL
        assert len(self.watch.rows(truth.candidate_fact)) == len(self.facts())
        sent = [request.user for request in self.provider.requests]
        assert len(sent) == len(set(sent)) == self.provider.opens == 2
        assert self.watch.dead() == []


@pytest.fixture
def case(
    make_app: Callable[..., App], settings: Settings, shared_workplace: Workplace
) -> Iterator[Case]:
    yield from _open(make_app, settings, shared_workplace)


@pytest.fixture
def lite(make_app: Callable[..., App], home: Path, shared_workplace: Workplace) -> Iterator[Case]:
    """On SQLite, for what no database makes a difference to."""
    yield from _open(make_app, quick_settings(home), shared_workplace)


def _open(
    make_app: Callable[..., App], settings: Settings, shared: Workplace,
    packs: Mapping[str, Any] | None = None,
) -> Iterator[Case]:  # fmt: skip
    answers: list[Say] = [said(claim()), said(claim(value="19", quote=OTHER_QUOTE))]
    with asking(make_app, settings, shared, answers, packs) as (watch, asked, provider):
        yield Case(watch, asked, provider)


def test_a_day_cap_that_is_reached_keeps_only_the_model_waiting(case: Case) -> None:
    case.cap(daily_tokens=100)
    case.publish()
    assert case.facts() >= FREE and not case.facts() & BY_MODEL
    assert (case.state(), case.denial()) == ("blocked", "GLOBAL_DAILY_CAP_EXCEEDED")
    assert collect_status(case.watch.app)["blocked"] == {"GLOBAL_DAILY_CAP_EXCEEDED": 1}
    before = case.watch.notes("extract")
    case.watch.run()
    assert case.watch.notes("extract") == before == ["blocked"], "it is not extracted for nothing"
    case.cap(daily_tokens=500_000)
    case.watch.run()
    case.must_have_read_all_once()


def test_a_new_day_lets_the_model_go_on_by_itself(case: Case) -> None:
    case.cap(daily_tokens_per_source=2_600)
    case.publish()
    assert (case.state(), case.denial()) == ("blocked", "SOURCE_DAILY_CAP_EXCEEDED")
    assert case.provider.opens == 1, "one section fits into the cap of the day"
    case.watch.clock.turn(days=1)
    case.watch.run()
    case.must_have_read_all_once()


def test_a_paused_source_is_read_without_a_model(case: Case) -> None:
    engine, clock = case.watch.app.engine, case.watch.clock
    pause_source(engine, "gazette", "by hand", None, now_ms=clock.now_ms())
    case.publish()
    assert case.facts() >= FREE and case.provider.opens == 0
    assert (case.state(), case.denial()) == ("blocked", "SOURCE_IN_COOLDOWN")
    assert unpause_source(case.watch.app, "gazette") == (True, 1)
    clock.turn(seconds=31)
    case.watch.run()
    case.must_have_read_all_once()


def test_a_cooldown_and_a_circuit_keep_only_the_model_waiting(lite: Case) -> None:
    assert lite.asked.plane is not None
    ledger = lite.asked.plane.ledger
    for _ in range(3):
        ledger.note_output("gazette", empty=True)
    lite.publish()
    assert lite.facts() >= FREE and lite.denial() == "SOURCE_IN_COOLDOWN"
    lite.latch()
    ledger.clear_cooldown("gazette")
    lite.watch.run()
    assert lite.provider.opens == 0 and lite.state() == "blocked", "now its circuit is open"
    ledger.close_circuit("local")
    lite.watch.run()
    lite.must_have_read_all_once()


def test_without_a_model_in_the_settings_nothing_waits_for_one(lite: Case) -> None:
    lite.latch()
    lite.publish()
    assert (lite.state(), lite.denial()) == ("blocked", "CIRCUIT_OPEN")
    vars(lite.watch.app)["budget_view"] = None
    lite.asked.plane = None
    lite.watch.run()
    (decision,) = lite.watch.rows(t.routing_decision)
    assert decision["decision"] == "EXTRACT_LOCAL"


def test_a_model_without_a_price_waits_for_one(lite: Case) -> None:
    lite.asked.faults.append(PriceUnknown("Model 'small' has no price, and money is capped."))
    lite.publish()
    assert lite.facts() >= FREE and lite.watch.dead() == []
    assert (lite.state(), lite.denial()) == ("blocked", "GLOBAL_DAILY_CAP_EXCEEDED")
    lite.watch.run()
    lite.must_have_read_all_once()


def test_what_is_covered_waits_for_nothing(lite: Case) -> None:
    lite.cap(daily_tokens=100)
    lite.publish(extra="")
    assert (lite.state(), lite.denial()) == ("ingested", None)
    assert lite.questions() == []


def test_a_section_that_never_fits_is_a_question_and_yes_means_yes(case: Case) -> None:
    case.cap(evidence_tokens=500)
    case.publish()
    assert case.facts() >= FREE and case.provider.opens == 0
    assert (case.state(), case.denial()) == ("blocked", "EVIDENCE_TOO_LARGE")
    (question,) = case.questions()
    assert question["state"] == "OPEN" and "one may use 500" in question["question"]
    case.watch.run()
    assert len(case.questions()) == 1 and case.provider.opens == 0
    with pytest.raises(InvalidInput, match="neither yes nor no"):
        case.answer("perhaps")
    case.answer("yes, read it anyway")
    case.watch.run()
    case.must_have_read_all_once()


def test_yes_still_leaves_the_caps_of_the_day_in_force(lite: Case) -> None:
    lite.cap(evidence_tokens=500, daily_tokens=2_600)
    lite.publish()
    lite.answer("Yes")
    lite.watch.run()
    assert (lite.state(), lite.denial()) == ("blocked", "GLOBAL_DAILY_CAP_EXCEEDED")
    assert lite.provider.opens == 1
    lite.watch.clock.turn(days=1)
    lite.watch.run()
    lite.must_have_read_all_once()


def test_no_ends_the_question(case: Case) -> None:
    case.cap(evidence_tokens=500)
    case.publish()
    case.answer("no")
    assert case.state() == "ingested"
    case.cap()
    case.watch.clock.turn(days=2)
    case.watch.run()
    # The page goes back to what it said: nobody has changed their mind.
    case.watch.show("/a.html", act(rate=26))
    case.watch.run()
    case.watch.show("/a.html", act(extra=LONG))
    case.watch.run()
    assert case.provider.opens == 0 and case.state() == "ingested"
    assert [question["state"] for question in case.questions()] == ["ANSWERED"]


def test_a_larger_cap_answers_the_question(case: Case) -> None:
    case.cap(evidence_tokens=500)
    case.publish()
    case.cap(evidence_tokens=2_500)
    case.watch.run()
    assert case.provider.opens == 1, "the second section follows tomorrow"
    assert (case.state(), case.denial()) == ("blocked", "EVIDENCE_TOO_LARGE")
    case.watch.clock.turn(days=1)
    case.watch.run()
    case.must_have_read_all_once()
    assert [question["state"] for question in case.questions()] == ["MOOT"]


def read_nothing(passage: Passage) -> Extraction:
    """An extractor that leaves nothing to a model."""
    return Extraction((), ())


def test_a_pack_that_waits_for_its_model_does_not_repeat_another(
    make_app: Callable[..., App], home: Path, shared_workplace: Workplace
) -> None:
    (own,) = load_plain_packs().values()
    other = replace(own, name="other", extractor=read_nothing)
    packs = {"regulatory": own, "other": other}
    for each in _open(make_app, quick_settings(home), shared_workplace, packs):
        watch = each.watch
        each.cap(daily_tokens=100)
        published(watch, a=act(extra=LONG))
        watch.store(Source(source_slug="gazette", name="Gazette", base_url=HOME,
                           packs=["regulatory", "other"], hierarchy=1))  # fmt: skip
        watch.run()
        assert sorted(watch.notes("extract")) == ["blocked", "empty"]
        assert each.state() == "blocked"
        each.cap()
        run_id = watch.run()
        assert watch.notes("extract", run_id) == ["done"], "the other pack has finished"
        assert each.state() == "ingested" and each.provider.opens == 2
        assert each.facts() >= FREE | BY_MODEL
