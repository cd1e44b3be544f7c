"""After the days: a person decides, a release is cut, and nothing of it happens twice."""

from datetime import date
from pathlib import Path

import pytest

from assay.app import App
from assay.app.asking import ask
from assay.app.evaluation import CorpusPart, evaluate_rules, load_corpus_parts
from assay.app.installed_packs import load_facts_of
from assay.app.reviewing import list_open_requests
from assay.app.rule_queries import describe_rule, list_rules
from assay.cli.evaluate import RuleEvaluation, render_rule_scores, rule_evaluation_as_json
from assay.demo.corpus_release import CorpusRelease, collect_corpus_release, release_corpus
from assay.demo.play import DayReport
from assay.demo.result import DemoResult, count_records
from assay.demo.reviewer import ReviewRound
from assay.model.rules import PERSON_TIERS
from assay.packs.regulatory import CORPUS
from assay.packs.regulatory.demo import REVIEWER, build_country_demo
from assay.ruling.answers import AnswerState
from assay.ruling.evaluation.rule_scoring import ScoredRule
from assay.settings import Settings
from tests.demo.part import PACK, played, settings_of

ACCOMMODATION = "pdv.reduced_rate.doruck_polup_punog_smjest"
TRANSPORT = "pdv.reduced_rate.domac_prijev_putnik"
HOLDING = ("APPROVED", "PUBLISHED")
PARTS: tuple[CorpusPart, ...] = load_corpus_parts(load_facts_of(PACK), CORPUS)
Played = tuple[Settings, list[DayReport], DemoResult]


@pytest.fixture(scope="module")
def country(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """A played part of the country; playing it again changes nothing."""
    settings = settings_of(tmp_path_factory.mktemp("country") / "home")
    return settings, *played(settings)


def decided_in(ending: DemoResult) -> ReviewRound:
    assert ending.decided is not None
    return ending.decided


def test_the_story_has_all_its_parts(country: Played) -> None:
    settings, days, ending = country
    assert [day.day for day in days] == [1, 2]
    assert ending.rules["PENDING_REVIEW"]["T0"] > 20
    assert not PERSON_TIERS & ending.rules.get("APPROVED", {}).keys()
    # Rules that contradict each other are asked about together.
    assert 20 < ending.questions["TIER_T0"]["open"] <= ending.rules["PENDING_REVIEW"]["T0"]
    assert ending.questions["CONFLICT"]["open"] > 0
    assert {conflict["decided_by"] for conflict in ending.conflicts} >= {REVIEWER.name}
    assert ending.created.release is not None
    assert ending.proof.ok, ending.proof.faults
    assert ending.proof.rules == ending.release.rule_count > 20
    assert ending.replies
    for _, reply in ending.replies:
        assert reply.answer.state in (AnswerState.ANSWERED, AnswerState.AS_WORDED)
        (found,) = reply.answer.found
        assert all(source.quote for rule in found.rules for source in rule.sources)
        assert reply.release.version == ending.release.version
    with App(settings) as app:
        assert count_records(app)["model_calls"] == 0


VAT_ACT, VAT_CHANGE = "/sluzbeni/2024/88/1412.html", "/sluzbeni/2026/31/402.html"
WORDED = ("pdv.threshold", "pdv.retention_period.knjig", "pausalni.threshold.upisan")
"""Their sentences limit them in words that only a person can apply to a case."""
FLAT_ACT, FLAT_CHANGE = "/propisi/pravilnik-pausal.html", "/propisi/pausal-izmjena.txt"


@pytest.mark.parametrize(
    ("concept", "day", "value", "words", "amended", "page"),
    [
        ("pdv.threshold", "2026-06-30", "55000", "iznos od 55.000,00 eura", "", VAT_ACT),
        ("pdv.threshold", "2026-07-01", "60000", "»60.000,00 eura«", "55.000,00 eura", VAT_CHANGE),
        (ACCOMMODATION, "2026-06-30", "12", "Po sniženoj stopi od 12 %", "", VAT_ACT),
        (ACCOMMODATION, "2026-07-01", "13", "»13 %«", "stopi od 12 % oporezuju", VAT_CHANGE),
        (TRANSPORT, "2026-06-30", None, "", "", ""),
        (TRANSPORT, "2026-07-01", "6", "javnog prijevoza putnika", "", VAT_CHANGE),
        ("pdv.retention_period.knjig", "2026-06-30", "10", "najmanje 10 godina", "", VAT_ACT),
        ("pdv.retention_period.knjig", "2026-07-01", "11", "»najmanje 11 godina«",
         "čuva najmanje 10 godina", VAT_CHANGE),
        ("pausalni.threshold.upisan", "2025-12-31", "55000", "ne prelazi 55.000,00", "", FLAT_ACT),
        ("pausalni.threshold.upisan", "2026-01-01", "60000", "»60.000,00 eura«",
         "ne prelazi 55.000,00", FLAT_CHANGE),
        ("pausalni.filing_deadline", "2025-12-31", "--01-15", "do 15. siječnja", "", FLAT_ACT),
        ("pausalni.filing_deadline", "2026-01-01", "--01-31", "»31. siječnja«",
         "do 15. siječnja", FLAT_CHANGE),
    ],
)  # fmt: skip
def test_every_amended_value_is_right_on_both_days_and_quotes_both_acts(
    country: Played, concept: str, day: str, value: str | None, words: str, amended: str, page: str
) -> None:
    settings, _, _ = country
    with App(settings) as app:
        answer = ask(app, concept, as_of=date.fromisoformat(day)).answer
    if value is None:
        assert answer.state is AnswerState.NONE
        return
    worded = concept in (ACCOMMODATION, *WORDED)
    assert answer.state is (AnswerState.AS_WORDED if worded else AnswerState.ANSWERED)
    (found,) = answer.found
    assert found.value == value
    quoted = [source for rule in found.rules for source in rule.sources]
    law = [source for source in quoted if source.url.endswith(page)]
    assert law
    for source in law:
        assert words in source.quote
        assert amended in source.amended
        assert bool(source.amended) is bool(amended)


@pytest.mark.parametrize(("day", "value"), [("2026-03-01", "8.15"), ("2026-08-01", "7.9")])
def test_a_page_that_is_replaced_for_each_period_keeps_the_periods_before(
    country: Played, day: str, value: str
) -> None:
    with App(country[0]) as app:
        answer = ask(
            app, "stope_zatezne_kamate.interest_rate", as_of=date.fromisoformat(day)
        ).answer
    assert answer.state in (AnswerState.ANSWERED, AnswerState.AS_WORDED)
    assert [found.value for found in answer.found] == [value]


def test_one_reduced_rate_is_not_the_answer_about_all_of_them(country: Played) -> None:
    with App(country[0]) as app:
        answer = ask(app, "pdv.reduced_rate", as_of=date(2026, 7, 1)).answer
    assert answer.state is AnswerState.AS_WORDED
    assert {"6", "13"} <= {found.value for found in answer.found}


def test_every_instruction_of_the_amending_acts_was_applied(country: Played) -> None:
    with App(country[0]) as app:
        asked, left_out = list_open_requests(app, limit=1000)
    assert left_out == 0
    assert [one for one in asked if one["subject_kind"] not in ("rule", "conflict")] == []


def test_nobody_but_the_person_approves_what_is_grave(country: Played) -> None:
    settings, _, ending = country
    with App(settings) as app:
        rules, _ = list_rules(app, limit=10_000)
    holding = [rule for rule in rules if rule["status"] in HOLDING]
    grave = {rule["rule_id"] for rule in holding if rule["tier"] in PERSON_TIERS}
    assert {rule["approved_by"] for rule in holding if rule["rule_id"] in grave} == {REVIEWER.name}
    assert grave <= set(decided_in(ending).approved)
    assert {rule["approved_by"] for rule in holding} <= {REVIEWER.name, None}


def test_something_grave_waits_and_is_said_why(country: Played) -> None:
    settings, _, ending = country
    left = [entry for entry in decided_in(ending).left if entry.tier == "T0"]
    assert left
    assert all(entry.why for entry in decided_in(ending).left)
    with App(settings) as app:
        for entry in left:
            shown = describe_rule(app, entry.subject)
            assert (shown["status"], shown["approved_by"]) == ("PENDING_REVIEW", None)
            assert shown["releases"] == []


def test_what_a_hostile_page_orders_is_not_released(country: Played) -> None:
    settings, _, ending = country
    with App(settings) as app:
        rates, _ = list_rules(app, concept="pdv.rate", limit=100)
        released = [rule for rule in rates if describe_rule(app, rule["rule_id"])["releases"]]
    values = {rule["value"] for rule in released}
    assert "24" in values
    assert "0" not in values
    named = {source.url for _, reply in ending.replies for found in reply.answer.found
             for rule in found.rules for source in rule.sources}  # fmt: skip
    assert not any("vat-zero" in url or "porez-nula" in url for url in named)


def test_a_second_time_nothing_happens(country: Played) -> None:
    settings, _, first = country
    with App(settings) as app:
        before = count_records(app)
    days, second = played(settings)
    with App(settings) as app:
        assert count_records(app) == before
    assert [day.day for day in days] == [2]
    assert (decided_in(second).approved, decided_in(second).resolved) == ((), ())
    assert decided_in(second).left == decided_in(first).left
    assert second.created.release is None
    assert second.release == first.release


def test_rules_are_judged_by_what_a_release_holds(country: Played) -> None:
    with App(country[0]) as app:
        judged = collect_corpus_release(app, PACK, PARTS)
    assert (judged.outside_quotes, judged.without_person) == (0, 0)
    assert len(judged.released) == country[2].release.rule_count
    seen = PARTS[0]
    score = evaluate_rules(seen, judged.rules_of_part("seen"))
    assert score.overall.released > 20
    assert (score.overall.precision or 0) > 0.8
    assert judged.rules_of_part("unseen") == []
    assert len(judged.rules_of_part("seen", held_back=True)) > len(judged.rules_of_part("seen"))


def test_an_evaluation_leaves_no_home_behind(tmp_path: Path) -> None:
    act = frozenset({"seen/trosarina-pivo.html"})
    judged = release_corpus(settings_of(tmp_path / "unused"), PACK, build_country_demo(act), PARTS)
    assert judged.released
    assert {rule.documents for rule in judged.released} == {act}
    assert not (tmp_path / "unused").exists()


def test_what_eval_shows_of_rules() -> None:
    rate = ScoredRule(concept="pdv.rate", value_type="percentage", value="24", unit="%",
                        documents=frozenset({"seen/pdv-zakon.html"}))  # fmt: skip
    judged = CorpusRelease(
        version="1.0.0", manifest_hash="ab" * 32, released=(rate,), held_back=(),
        outside_quotes=0, without_person=0,
    )  # fmt: skip
    seen = PARTS[0]
    score = evaluate_rules(seen, judged.rules_of_part("seen"))
    entry = RuleEvaluation("seen", released=score, approved=score)
    told = rule_evaluation_as_json(judged, entry)
    assert (told["values_outside_their_quotes"], told["t0_t1_without_a_person"]) == (0, 0)
    assert (told["released"]["precision"], told["released"]["released"]) == (1.0, 1)
    assert told["released"]["surplus"] == []
    assert render_rule_scores(judged, [entry]).renderables
