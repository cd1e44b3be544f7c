"""The rules of the router: their order, their edges, and who is asked."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.governor.budget import BudgetRequest, BudgetSnapshot
from assay.governor.health import HOUR_MS, HealthLevel
from assay.llm.admission import ProviderState
from assay.llm.circuit import Circuit, CircuitState
from assay.llm.doubles.scripted import ScriptedProvider
from assay.llm.limits import Policy, Price, ProviderLimits
from assay.llm.messages import Lane, ProviderRank
from assay.llm.scope import Denial, SourceStanding
from assay.llm.window import SLOT_MS, RateWindow
from assay.model.records import ScoutResult
from assay.spine.routing import (
    EXTRACTING,
    LOOK_AGAIN_MS,
    SECTION_TOKENS,
    EvidenceRoute,
    RouteTarget,
    RoutingTerms,
    combine_routes,
    decide_for_pack,
    decide_route,
    is_wait_over,
)

NOON = 1_700_049_600_000
MIDNIGHT = NOON + 12 * HOUR_MS
LOCAL = ScriptedProvider(name="local", lane=Lane.LOCAL)
CLOUD = ScriptedProvider(name="cloud", lane=Lane.CLOUD, rank=ProviderRank.SECOND)
DEAREST = ScriptedProvider(name="dearest", lane=Lane.CLOUD, rank=ProviderRank.LAST)
LATCHED = ProviderState(circuit=Circuit(CircuitState.LATCHED, reason="the key is refused"))
OPEN = ProviderState(
    circuit=Circuit(CircuitState.OPEN, failures=5, changed_ms=NOON - 1_000, reason="it broke")
)


def judged(score: float = 0.5, **changed: Any) -> ScoutResult:
    given: dict[str, Any] = {
        "evidence_id": "ev",
        "worth_it_score": score,
        "doc_type": "REGULATION",
        "content_length": 4_000,
        "language": "en",
        "boilerplate_ratio": 0.1,
        "estimated_tokens": 1_000,
    }
    return ScoutResult(**{**given, **changed})


def books(*providers: ScriptedProvider, **changed: Any) -> BudgetSnapshot:
    given: dict[str, Any] = {"policy": Policy(), "now_ms": NOON, "states": {}, "meters": {},
                             "rests": {}, "charged": {}}  # fmt: skip
    return BudgetSnapshot(providers=providers, **{**given, **changed})


def terms(prospects: BudgetSnapshot | None = None, **changed: Any) -> RoutingTerms:
    return replace(RoutingTerms(source="gazette", now_ms=NOON, prospects=prospects), **changed)


def routed(result: ScoutResult, *providers: ScriptedProvider, **books_of: Any) -> EvidenceRoute:
    return decide_route(result, terms(books(*providers, **books_of)))


def test_the_rules_hold_in_their_order() -> None:
    everything = judged(0.1, skip_reason="too short", duplicate_of="ev_0", needs_ocr=True)
    assert decide_route(everything, terms()).reason == "too short"
    copy = everything.model_copy(update={"skip_reason": None})
    assert decide_route(copy, terms()).reason == "a copy of ev_0"
    low = copy.model_copy(update={"duplicate_of": None})
    assert decide_route(low, terms()).reason == "score 0.10 is under 0.40"
    assert decide_route(low, terms()).decision is RouteTarget.SKIP
    pictures = low.model_copy(update={"worth_it_score": 0.4})
    assert decide_route(pictures, terms()).decision is RouteTarget.OCR
    text = pictures.model_copy(update={"needs_ocr": False})
    assert decide_route(text, terms()).decision is RouteTarget.EXTRACT_LOCAL


@pytest.mark.parametrize("level", list(HealthLevel))
def test_the_score_at_the_threshold_passes_and_the_next_below_does_not(level: HealthLevel) -> None:
    held = terms(threshold=level.scout_threshold)
    at = decide_route(judged(level.scout_threshold), held)
    assert at.decision is RouteTarget.EXTRACT_LOCAL
    assert f"reaches {level.scout_threshold:.2f}" in at.reason
    under = decide_route(judged(level.scout_threshold - 1e-6), held)
    assert under.decision is RouteTarget.SKIP
    assert under.reason.endswith(f"is under {level.scout_threshold:.2f}")


def test_a_score_that_is_the_threshold_on_paper_passes() -> None:
    # 0.3 + 0.1 and its like miss their mark by a bit of the last place, on either side.
    for score in (0.39999999999999997, 0.4, 0.30000000000000004 + 0.1):
        assert decide_route(judged(score), terms()).decision is RouteTarget.EXTRACT_LOCAL


def test_the_same_score_goes_other_ways_at_other_levels() -> None:
    ways = {
        level: decide_route(judged(0.38), terms(threshold=level.scout_threshold)).decision
        for level in HealthLevel
    }
    assert [level.name for level, way in ways.items() if way is not RouteTarget.SKIP] \
        == ["GOOD", "EXCELLENT"]  # fmt: skip


def test_without_a_provider_nothing_is_denied() -> None:
    found = decide_route(judged(estimated_tokens=10**9), terms())
    assert found.decision is RouteTarget.EXTRACT_LOCAL
    assert found.reason == (
        "score 0.50 reaches 0.40; no provider is configured: the deterministic extractor reads it"
    )
    assert (found.provider, found.denial, found.retry_ms) == (None, None, None)


def test_pictures_are_never_denied_for_want_of_tokens() -> None:
    none_left = books(LOCAL, meters={"all": (500_000, 0)})
    paused = SourceStanding(paused=True, paused_until_ms=MIDNIGHT)
    for held in (terms(none_left), terms(none_left, standing=paused)):
        assert decide_route(judged(needs_ocr=True), held).decision is RouteTarget.OCR


def test_a_local_model_comes_first_whatever_the_score() -> None:
    for score in (0.4, 0.7, 0.9, 1.0):
        found = routed(judged(score), DEAREST, CLOUD, LOCAL)
        assert (found.decision, found.provider) == (RouteTarget.EXTRACT_LOCAL, "local")


@pytest.mark.parametrize(
    ("score", "decision", "provider"),
    [
        (0.69, RouteTarget.EXTRACT_LOCAL, None),
        (0.7, RouteTarget.EXTRACT_CLOUD, "cloud"),
        (0.9, RouteTarget.EXTRACT_CLOUD, "cloud"),
    ],
)
def test_the_cloud_is_for_what_is_worth_it(
    score: float, decision: RouteTarget, provider: str | None
) -> None:
    found = routed(judged(score), DEAREST, CLOUD)
    assert (found.decision, found.provider) == (decision, provider)
    if provider is None:
        assert "0.69 is too little for the cloud" in found.reason


def test_the_dearest_is_for_what_is_worth_most() -> None:
    assert routed(judged(0.89), DEAREST).decision is RouteTarget.EXTRACT_LOCAL
    assert routed(judged(0.9), DEAREST).provider == "dearest"


def test_the_cloud_needs_a_source_in_fair_health() -> None:
    found = decide_route(
        judged(0.9), terms(books(CLOUD), standing=SourceStanding(allow_cloud=False))
    )
    assert (found.decision, found.provider) == (RouteTarget.EXTRACT_LOCAL, None)
    assert "health of its source" in found.reason


def test_where_the_local_model_is_out_of_reach_the_cloud_is_asked() -> None:
    found = routed(judged(0.8), LOCAL, CLOUD, states={"local": OPEN})
    assert (found.decision, found.provider) == (RouteTarget.EXTRACT_CLOUD, "cloud")
    assert "circuit of 'local' is open" in found.reason


def test_what_is_not_worth_the_cloud_waits_for_the_local_model() -> None:
    found = routed(judged(0.6), LOCAL, CLOUD, states={"local": OPEN})
    assert (found.decision, found.denial) == (RouteTarget.EXTRACT_LOCAL, Denial.CIRCUIT_OPEN)
    assert (found.provider, found.retry_ms) == ("local", NOON - 1_000 + 120_000)
    assert "the deterministic extractor reads it, and local later" in found.reason


def test_a_latched_circuit_is_looked_at_again_in_some_hours() -> None:
    found = routed(judged(), LOCAL, states={"local": LATCHED})
    assert (found.decision, found.denial) == (RouteTarget.EXTRACT_LOCAL, Denial.CIRCUIT_OPEN)
    assert found.retry_ms == NOON + LOOK_AGAIN_MS


def test_of_several_denials_the_one_that_ends_first_counts() -> None:
    found = routed(judged(0.8), LOCAL, CLOUD, states={"local": LATCHED, "cloud": OPEN})
    assert (found.decision, found.provider) == (RouteTarget.EXTRACT_CLOUD, "cloud")
    assert found.retry_ms == NOON - 1_000 + 120_000
    assert "'cloud'" in found.reason


@pytest.mark.parametrize(
    ("used", "denial"),
    [
        ({"all": (499_000, 0)}, None),
        ({"all": (499_001, 0)}, Denial.GLOBAL_DAILY_CAP_EXCEEDED),
        ({"source:gazette": (49_000, 0)}, None),
        ({"source:gazette": (49_001, 0)}, Denial.SOURCE_DAILY_CAP_EXCEEDED),
        ({"source:council": (50_000, 0)}, None),
    ],
)
def test_a_cap_of_the_day_keeps_the_model_waiting_until_midnight(
    used: dict[str, tuple[int, int]], denial: Denial | None
) -> None:
    found = routed(judged(), LOCAL, meters=used)
    assert found.denial is denial
    assert found.retry_ms == (None if denial is None else MIDNIGHT)
    assert (found.decision, found.provider) == (RouteTarget.EXTRACT_LOCAL, "local")


def test_a_cap_on_money_lets_a_free_model_through() -> None:
    prices = {LOCAL.model: Price(input_per_million=9, output_per_million=9)}
    dear = ScriptedProvider(name="dear", lane=Lane.LOCAL, model="dear")
    policy = Policy(daily_cost_micros=1_000, prices={
        **prices, "dear": Price(input_per_million=9_000_000, output_per_million=0),
    })  # fmt: skip
    assert routed(judged(), dear, policy=policy).denial is Denial.GLOBAL_DAILY_CAP_EXCEEDED
    free = Policy(daily_cost_micros=0, prices={
        LOCAL.model: Price(input_per_million=0, output_per_million=0),
    })  # fmt: skip
    assert routed(judged(), LOCAL, policy=free).provider == "local"


def test_a_model_without_a_price_waits_and_loses_nothing() -> None:
    found = routed(judged(), LOCAL, policy=Policy(daily_cost_micros=1))
    assert (found.decision, found.retry_ms) == (RouteTarget.EXTRACT_LOCAL, NOON + LOOK_AGAIN_MS)
    assert found.denial is Denial.GLOBAL_DAILY_CAP_EXCEEDED
    assert "has no price" in found.reason


def test_a_long_document_is_read_in_sections_as_far_as_its_cap_allows() -> None:
    assert routed(judged(estimated_tokens=100_000), LOCAL).provider == "local"
    left = 8_000 - SECTION_TOKENS
    assert routed(judged(estimated_tokens=100_000), LOCAL, charged={"ev": left}).provider == "local"
    spent = routed(judged(estimated_tokens=100_000), LOCAL, charged={"ev": left + 1})
    assert (spent.decision, spent.denial) == (RouteTarget.EXTRACT_LOCAL, Denial.EVIDENCE_TOO_LARGE)
    assert spent.retry_ms == MIDNIGHT


def test_a_document_of_which_no_section_fits_waits_for_a_person_or_for_a_larger_cap() -> None:
    small = Policy(evidence_tokens=500)
    found = routed(judged(estimated_tokens=501), LOCAL, CLOUD, policy=small)
    assert (found.decision, found.denial) == (RouteTarget.EXTRACT_LOCAL, Denial.EVIDENCE_TOO_LARGE)
    assert found.retry_ms == NOON + LOOK_AGAIN_MS
    assert found.reason == (
        "score 0.50 reaches 0.40; the deterministic extractor reads it, and local later: "
        "the document needs 501 tokens; one may use 500"
    )
    answered = {"policy": small, "answers": {"ev": True}}
    allowed = routed(judged(estimated_tokens=501), LOCAL, **answered)
    assert (allowed.provider, allowed.denial) == ("local", None)
    capped = routed(judged(estimated_tokens=501), LOCAL, **answered, meters={"all": (500_000, 0)})
    assert capped.denial is Denial.GLOBAL_DAILY_CAP_EXCEEDED, "the caps of the day still hold"
    declined = routed(judged(estimated_tokens=501), LOCAL, policy=small, answers={"ev": False})
    assert (declined.provider, declined.denial, declined.retry_ms) == (None, None, None)
    assert "a person lets no model read it" in declined.reason


def test_a_model_with_a_narrow_limit_is_passed_over() -> None:
    narrow = ScriptedProvider(
        name="narrow", lane=Lane.LOCAL, limits=ProviderLimits(tokens_per_minute=999)
    )
    assert routed(judged(), narrow).denial is Denial.EVIDENCE_TOO_LARGE
    assert routed(judged(), narrow, LOCAL).provider == "local"


def test_what_the_denied_call_needed_decides_when_it_may_be_asked_again() -> None:
    left = books(LOCAL, meters={"all": (499_000, 0)})
    needs = [decide_route(judged(), terms(left, tokens=tokens)).denial for tokens in (1_000, 1_001)]
    assert needs == [None, Denial.GLOBAL_DAILY_CAP_EXCEEDED]


@pytest.mark.parametrize("score", [0.6, 0.8])
def test_a_wait_is_over_if_a_provider_may_be_asked_or_none_is_left_to_ask(score: float) -> None:
    request = BudgetRequest(source="gazette", evidence="ev", tokens=1_000)

    def over(*providers: ScriptedProvider, **books_of: Any) -> bool:
        return is_wait_over(score, request, books(*providers, **books_of))

    assert over(LOCAL)
    assert not over(LOCAL, states={"local": LATCHED})
    assert over(LOCAL, CLOUD, states={"local": LATCHED}) == (score >= 0.7)
    assert not over(LOCAL, meters={"all": (499_001, 0)})
    assert over(LOCAL, states={"local": LATCHED}, answers={"ev": False})
    assert over(DEAREST), "no provider is for such a score"
    assert is_wait_over(score, request, None)


def test_a_rest_and_a_pause_keep_the_model_waiting_until_they_end() -> None:
    resting = routed(judged(), LOCAL, rests={"gazette": NOON + 1})
    assert (resting.denial, resting.retry_ms) == (Denial.SOURCE_IN_COOLDOWN, NOON + 1)
    assert routed(judged(), LOCAL, rests={"gazette": NOON}).provider == "local"
    paused = terms(books(LOCAL), standing=SourceStanding(paused=True, paused_until_ms=NOON + 1))
    found = decide_route(judged(), paused)
    assert (found.denial, found.retry_ms) == (Denial.SOURCE_IN_COOLDOWN, NOON + 1)
    assert (found.decision, found.provider) == (RouteTarget.EXTRACT_LOCAL, "local")
    for_ever = replace(paused, standing=SourceStanding(paused=True))
    assert decide_route(judged(), for_ever).retry_ms == NOON + LOOK_AGAIN_MS
    without_model = replace(paused, prospects=None)
    assert decide_route(judged(), without_model).denial is None, "there is nothing to spend"


def test_what_only_has_to_wait_a_moment_is_routed() -> None:
    limits = ProviderLimits(requests_per_minute=1, smooth_s=60.0)
    narrow = ScriptedProvider(name="narrow", lane=Lane.LOCAL, limits=limits)
    full = RateWindow(slots=((NOON // SLOT_MS, 1, 10),))
    found = routed(judged(), narrow, states={"narrow": ProviderState(window=full)})
    assert (found.decision, found.provider) == (RouteTarget.EXTRACT_LOCAL, "narrow")


scores = st.floats(0.0, 1.0)
thresholds = st.sampled_from([level.scout_threshold for level in HealthLevel])
standings = st.builds(
    SourceStanding,
    multiplier=st.sampled_from([level.multiplier for level in HealthLevel]),
    allow_cloud=st.booleans(),
    paused=st.booleans(),
    paused_until_ms=st.none() | st.integers(NOON + 1, NOON + HOUR_MS),
)
offices = st.lists(st.sampled_from([LOCAL, CLOUD, DEAREST]), unique_by=lambda p: p.name)
states = st.dictionaries(
    st.sampled_from(["local", "cloud", "dearest"]), st.sampled_from([LATCHED, OPEN])
)
meters = st.dictionaries(
    st.sampled_from(["all", "source:gazette"]), st.tuples(st.integers(0, 600_000), st.just(0))
)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(
    scores, thresholds, standings, offices, states, meters, st.integers(0, 10_000), st.booleans()
)
def test_every_decision_is_whole(
    score: float, threshold: float, standing: SourceStanding, providers: list[ScriptedProvider],
    known: dict[str, ProviderState], used: dict[str, tuple[int, int]], tokens: int, pictures: bool,
) -> None:  # fmt: skip
    prospects = books(*providers, states=known, meters=used) if providers else None
    held = terms(prospects, threshold=threshold, standing=standing)
    result = judged(score, estimated_tokens=tokens, needs_ocr=pictures)
    found = decide_route(result, held)
    assert found == decide_route(result, held)
    assert found.reason
    assert (found.decision is RouteTarget.SKIP) == (round(score, 9) < threshold)
    denied = found.denial is not None
    assert denied == (found.retry_ms is not None)
    if found.retry_ms is not None:
        assert found.retry_ms > NOON
        assert found.decision in EXTRACTING and found.provider is not None
        assert not pictures
    if found.decision is RouteTarget.EXTRACT_CLOUD:
        assert score >= 0.7
        assert standing.allow_cloud
        assert found.provider != "local"
    if standing.paused and found.provider is not None:
        assert denied
    # Whatever a budget says, the extractor of a pack reads what is worth it.
    worth = round(score, 9) >= threshold
    expected = RouteTarget.OCR if pictures else None
    assert not worth or found.decision is expected or found.decision in EXTRACTING


def test_a_document_that_no_pack_takes_is_decided_as_such() -> None:
    unwatched = decide_for_pack("", judged(), terms(), is_installed=False)
    assert (unwatched.decision, unwatched.reason) == (
        RouteTarget.NO_PACK, "no pack watches this source",
    )  # fmt: skip
    assert not unwatched.is_waiting
    missing = decide_for_pack("civic", judged(), terms(), is_installed=False)
    assert missing.decision is RouteTarget.NO_PACK
    assert missing.reason.endswith("but the pack 'civic' is not installed")
    assert missing.retry_ms == NOON + LOOK_AGAIN_MS
    for pack in ("", "civic"):
        # Its pages are not read for nobody, and what is worthless anyway waits for nobody.
        scan = decide_for_pack(pack, judged(needs_ocr=True), terms(), is_installed=False)
        assert scan.decision is RouteTarget.NO_PACK
        worthless = decide_for_pack(pack, judged(0.1), terms(), is_installed=False)
        assert worthless.decision is RouteTarget.SKIP


SKIPPED = EvidenceRoute(decision=RouteTarget.SKIP, reason="too short")
GOING = EvidenceRoute(decision=RouteTarget.EXTRACT_LOCAL, reason="worth it")
SOON = EvidenceRoute(decision=RouteTarget.EXTRACT_LOCAL, reason="cap reached", retry_ms=NOON + 1)
LATER = EvidenceRoute(decision=RouteTarget.NO_PACK, reason="not installed", retry_ms=NOON + 2)


def test_a_document_waits_if_one_pack_waits_and_is_skipped_if_all_skip_it() -> None:
    assert combine_routes({"a": SKIPPED}) == SKIPPED
    assert combine_routes({"a": SKIPPED, "b": SKIPPED}).decision is RouteTarget.SKIP
    assert combine_routes({"a": SKIPPED, "b": GOING}) == GOING
    assert combine_routes({"a": GOING, "b": SOON, "c": SKIPPED}) == SOON
    both = combine_routes({"a": LATER, "b": GOING, "c": SOON})
    assert both.is_waiting
    assert both.retry_ms == NOON + 1
    assert both.reason == "a: not installed; c: cap reached"
