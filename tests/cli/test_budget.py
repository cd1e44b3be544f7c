"""`budget`, `circuit` and `cooldown`: what was spent, what is shut, and letting it go on."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from assay.app import App
from assay.app.composition import init_home
from assay.app.models import governor_of, ledger_of, missing_keys, plane_of, policy_of, providers_of
from assay.clock import SystemClock, TurnedClock
from assay.errors import AssayError, AuthError, InvalidSetting, ProviderFailed
from assay.governor.standings import pause, standing_of
from assay.llm.admission import day_of
from assay.llm.limits import PROVIDER_LIMITS, UNLIMITED, Policy, Price
from assay.llm.messages import Lane, Usage
from assay.llm.scope import Ask, Basis, CallScope, CallState, Permit, Settlement
from assay.settings import load
from assay.store import guards
from tests.cli.calls import answer, call, refusal

FILE = """\
daily_cost = 2.0
[providers.local]
kind = "ollama"
model = "small"
[providers.gpt]
kind = "openai"
model = "large"
key_env = "GPT_KEY"
[prices.large]
input_per_million = 100
output_per_million = 400
[prices.small]
input_per_million = 0
output_per_million = 0
"""
KEY = "sk-this-is-the-key"


@dataclass
class Spent:
    """A home whose ledger holds calls of today."""

    home: Path
    app: App
    day: str

    def call(
        self, source: str | None, prompt: int, output: int, *, provider: str = "local",
        model: str = "small", **scope: Any,
    ) -> Permit:  # fmt: skip
        ask = Ask(
            provider=provider, model=model, lane=Lane.LOCAL, limits=UNLIMITED,
            prompt_tokens=prompt, output_tokens=output, scope=CallScope(source=source, **scope),
        )  # fmt: skip
        permit = ledger_of(self.app).reserve(ask)
        assert isinstance(permit, Permit)
        return permit

    def end(self, permit: Permit, prompt: int, output: int) -> None:
        settlement = Settlement(
            state=CallState.DONE, basis=Basis.REPORTED, usage=Usage(prompt, output)
        )
        ledger_of(self.app).settle(permit.call_id, UNLIMITED, settlement)

    def fail(self, error: AssayError, *, times: int = 1, provider: str = "gpt") -> None:
        for _ in range(times):
            permit = self.call(None, 1, 0, provider=provider, model="large")
            settlement = Settlement(state=CallState.FAILED, basis=Basis.NOTHING, error=error)
            ledger_of(self.app).settle(permit.call_id, UNLIMITED, settlement)

    def execute(self, statement: str) -> None:
        with self.app.engine.begin() as connection:
            connection.execute(sa.text(statement))


@pytest.fixture
def spent(home: Path) -> Iterator[Spent]:
    init_home(load(home=home, env={}))
    (home / "assay.toml").write_text(FILE)
    with App(load(home=home, env={})) as app:
        app.migrate()
        yield Spent(home, app, day_of(SystemClock().now_ms()))


@pytest.fixture
def two_sources(spent: Spent) -> Spent:
    """Two ended calls, one under way, one on nobody's account."""
    first = spent.call("gazette", 1_000, 500, provider="gpt", model="large", stage="extract",
                       run_id="run-1", request_id="req-1")  # fmt: skip
    spent.end(first, 900, 100)
    spent.end(spent.call("council", 20_000, 2_000, stage="extract", run_id="run-1"), 19_000, 1_500)
    spent.call("gazette", 1_000, 500, stage="compose", request_id="req-1")
    spent.end(spent.call(None, 50, 50), 50, 10)
    return spent


def test_a_day_without_calls(spent: Spent) -> None:
    found = answer(spent.home, "budget")
    assert found["day"] == spent.day
    assert found["tokens"] == {"cap": 500_000, "used": 0, "reserved": 0, "left": 500_000}
    assert (found["calls"], found["rows"], found["cooldowns"]) == (0, [], [])
    assert "No model was called." in call(spent.home, "budget").stdout


def test_the_budget_of_today(two_sources: Spent) -> None:
    found = answer(two_sources.home, "budget")
    assert found["tokens"] == {
        "cap": 500_000, "used": 21_560, "reserved": 1_500, "left": 476_940,
    }  # fmt: skip
    # 900 × 100 + 100 × 400 millionths.
    assert found["micros"] == {
        "cap": 2_000_000, "used": 130_000, "reserved": 0, "left": 1_870_000,
    }  # fmt: skip
    assert (found["calls"], found["open"], found["lost"], found["unpriced"]) == (4, 1, 0, 0)
    rows = {row["name"]: row for row in found["rows"]}
    assert [row["name"] for row in found["rows"]] == ["council", "gazette", None]
    gazette = rows["gazette"]
    assert (gazette["used_tokens"], gazette["reserved_tokens"], gazette["open"]) == (
        1_000,
        1_500,
        1,
    )
    assert (gazette["cap"], gazette["left"]) == (50_000, 47_500)
    assert (rows[None]["cap"], rows[None]["left"]) == (None, None)
    assert found["disagreements"] == []


def test_the_budget_as_text(two_sources: Spent) -> None:
    told = call(two_sources.home, "budget")
    assert told.exit_code == 0
    for words in (
        "21,560 used, 1,500 set aside, 476,940 of 500,000 left",
        "0.1300 used, 1.8700 of 2.0000 left",
        "4, of which 1 open, 0 lost",
        "ledger and meters agree",
        "47,500",
        "council",
    ):
        assert words in told.stdout


@pytest.mark.parametrize(
    ("by", "sums"),
    [
        ("source", {"council": 20_500, "gazette": 2_500, None: 60}),
        ("stage", {"extract": 21_500, "compose": 1_500, "other": 60}),
        ("provider", {"local": 22_060, "gpt": 1_000}),
        ("model", {"small": 22_060, "large": 1_000}),
        ("run", {"run-1": 21_500, None: 1_560}),
    ],
)
def test_the_same_calls_added_up_otherwise(
    two_sources: Spent, by: str, sums: dict[str | None, int]
) -> None:
    found = answer(two_sources.home, "budget", "--by", by)
    assert {r["name"]: r["used_tokens"] + r["reserved_tokens"] for r in found["rows"]} == sums
    assert sum(row["calls"] for row in found["rows"]) == 4
    assert found["by"] == by
    assert call(two_sources.home, "budget", "--by", by).exit_code == 0


def test_by_request_the_dearest_come_first_and_the_rest_is_counted(two_sources: Spent) -> None:
    found = answer(two_sources.home, "budget", "--by", "request", "--limit", "2")
    assert [r["used_tokens"] + r["reserved_tokens"] for r in found["rows"]] == [20_500, 2_500]
    assert found["rows"][1]["name"] == "req-1"
    assert found["left_out"] == 1
    told = call(two_sources.home, "budget", "--by", "request", "--limit", "2").stdout
    assert "1 more; --limit shows them." in told


def test_another_day_has_its_own_sums_and_no_caps(two_sources: Spent) -> None:
    found = answer(two_sources.home, "budget", "--day", "2020-01-31")
    assert (found["day"], found["calls"], found["ends_ms"]) == ("2020-01-31", 0, None)
    assert found["tokens"] == {"cap": None, "used": 0, "reserved": 0, "left": None}
    assert answer(two_sources.home, "budget", "--day", two_sources.day)["calls"] == 4


@pytest.mark.parametrize("day", ["yesterday", "2026-13-01", "2026-02-30", "15.11.2026"])
def test_a_day_that_is_none_is_refused(spent: Spent, day: str) -> None:
    code, error = refusal(spent.home, "budget", "--day", day)
    assert (code, error["code"]) == (2, "usage")
    assert "YYYY-MM-DD" in error["message"]
    assert refusal(spent.home, "budget", "--by", "colour")[0] == 2


def test_a_source_s_cap_follows_its_health(two_sources: Spent) -> None:
    now_ms = SystemClock().now_ms()
    pause(two_sources.app.engine, "gazette", "by hand", 1, now_ms=now_ms)
    two_sources.execute("UPDATE source_health SET budget_multiplier = 0.5")
    rows = {row["name"]: row for row in answer(two_sources.home, "budget")["rows"]}
    assert (rows["gazette"]["cap"], rows["gazette"]["left"]) == (25_000, 22_500)
    assert rows["council"]["cap"] == 50_000


def test_a_lost_call_is_charged_in_full_and_told_of(two_sources: Spent) -> None:
    two_sources.execute("UPDATE llm_calls SET expires_ms = 1 WHERE state = 'open'")
    found = answer(two_sources.home, "budget")
    assert (found["open"], found["overdue"], found["lost"]) == (1, 1, 0)
    assert "1 open (1 of dead workers)" in call(two_sources.home, "budget").stdout
    told = call(two_sources.home, "doctor")
    assert told.exit_code == 0
    assert "warn spending" in told.stdout
    assert ledger_of(two_sources.app).sweep() == 1
    found = answer(two_sources.home, "budget")
    assert (found["open"], found["overdue"], found["lost"]) == (0, 0, 1)
    assert found["tokens"]["used"] == 23_060
    assert "ok   spending" in call(two_sources.home, "doctor").stdout


@pytest.mark.parametrize(
    ("change", "meters"),
    [
        ("UPDATE llm_meters SET tokens = tokens + 1 WHERE meter = 'all'", ["all"]),
        ("UPDATE llm_meters SET micros = micros - 5 WHERE meter = 'source:gazette'",
         ["source:gazette"]),
        ("UPDATE llm_meters SET calls = 0", ["all", "source:council", "source:gazette"]),
        ("DELETE FROM llm_meters WHERE meter = 'source:council'", ["source:council"]),
        ("INSERT INTO llm_meters VALUES ('2020-01-31', 'all', 1, 5, 0)", []),
        ("UPDATE llm_calls SET charged_tokens = 7 WHERE source_slug IS NULL", ["all"]),
    ],
)  # fmt: skip
def test_books_that_differ_are_a_fault(two_sources: Spent, change: str, meters: list[str]) -> None:
    with two_sources.app.engine.begin() as connection:
        guards.lift(connection)
    two_sources.execute(change)
    told = call(two_sources.home, "budget", "--json")
    found = json.loads(told.stdout)["disagreements"]
    assert [line.split()[1].rstrip(":") for line in found] == meters
    assert told.exit_code == (5 if meters else 0)
    text = call(two_sources.home, "budget")
    assert text.exit_code == told.exit_code
    assert ("The books differ: " in text.stdout) is bool(meters)
    # The doctor looks at every day.
    for arguments in (("doctor",), ("store", "check")):
        looked = call(two_sources.home, *arguments)
        assert looked.exit_code == 5
        assert "fail spending" in looked.stdout


def test_rests_and_pauses_are_listed_and_cleared(spent: Spent) -> None:
    assert answer(spent.home, "cooldown", "list") == []
    ledger = ledger_of(spent.app)
    for _ in range(3):
        ledger.note_output("gazette", empty=True)
    ledger.note_output("council", empty=True)
    now_ms = SystemClock().now_ms()
    pause(spent.app.engine, "court", "too many errors", 24, now_ms=now_ms)
    found = {rest["source"]: rest for rest in answer(spent.home, "cooldown", "list")}
    assert list(found) == ["court", "gazette", "council"]
    assert (found["gazette"]["rests"], found["gazette"]["why"]) == (True, "empty answers")
    assert found["gazette"]["until_ms"] > now_ms + 3_500_000
    assert found["council"] == {
        "source": "council", "why": "empty answers", "until_ms": None, "rests": False, "empties": 1,
    }  # fmt: skip
    assert found["court"]["why"] == "paused: too many errors"
    assert answer(spent.home, "budget")["cooldowns"] == list(found.values())
    text = call(spent.home, "budget").stdout
    assert "gazette rests until" in text
    assert "council has 1 empty answer in a row" in text
    assert "too many errors" in call(spent.home, "cooldown", "list").stdout
    assert answer(spent.home, "cooldown", "clear", "gazette") == {
        "source": "gazette", "cleared": True, "unpaused": False,
    }  # fmt: skip
    assert "Source 'court' goes on." in call(spent.home, "cooldown", "clear", "court").stdout
    assert not standing_of(spent.app.engine, "court", now_ms).paused
    assert [rest["source"] for rest in answer(spent.home, "cooldown", "list")] == ["council"]


def test_a_source_that_does_not_rest_is_told_so(spent: Spent) -> None:
    for _ in range(3):
        ledger_of(spent.app).note_output("gazette", empty=True)
    told = call(spent.home, "cooldown", "clear", "gazete")
    assert told.exit_code == 0
    assert "'gazete' does not rest. Resting: gazette." in told.stdout
    assert answer(spent.home, "cooldown", "clear", "gazete")["cleared"] is False
    with spent.app.engine.connect() as connection:
        names = connection.execute(sa.text("SELECT source_slug FROM llm_cooldowns")).scalars()
        assert list(names) == ["gazette"]


def test_every_provider_has_a_circuit(spent: Spent) -> None:
    found = answer(spent.home, "circuit", "status")
    assert [(c["provider"], c["state"], c["configured"]) for c in found] == [
        ("gpt", "closed", True), ("local", "closed", True),
    ]  # fmt: skip
    spent.fail(AuthError("The key is refused."))
    spent.fail(ProviderFailed("It broke."), times=5, provider="elsewhere")
    found = {c["provider"]: c for c in answer(spent.home, "circuit", "status")}
    assert found["gpt"]["state"] == "latched"
    assert (found["gpt"]["reason"], found["gpt"]["recovers_ms"]) == ("The key is refused.", None)
    elsewhere = found["elsewhere"]
    assert (elsewhere["state"], elsewhere["configured"]) == ("open", False)
    assert elsewhere["recovers_ms"] == elsewhere["changed_ms"] + 120_000
    text = call(spent.home, "circuit", "status").stdout
    assert "after 'assay circuit close gpt'" in text
    assert "It broke." in text


def test_a_circuit_is_closed_by_hand(spent: Spent) -> None:
    spent.fail(AuthError("The key is refused."))
    told = call(spent.home, "circuit", "close", "gpt")
    assert told.exit_code == 0
    assert told.stdout == "The circuit of 'gpt' is closed; it was latched: The key is refused.\n"
    assert answer(spent.home, "circuit", "close", "gpt") == {
        "provider": "gpt", "closed": False, "was": "closed",
    }  # fmt: skip
    assert "was closed already" in call(spent.home, "circuit", "close", "local").stdout
    permit = spent.call("gazette", 1, 1, provider="gpt", model="large")
    assert permit.ask.provider == "gpt"


def test_a_provider_that_nobody_knows_is_refused(spent: Spent) -> None:
    code, error = refusal(spent.home, "circuit", "close", "gtp")
    assert (code, error["code"]) == (3, "provider_unknown")
    assert error["advice"] == "Did you mean 'gpt'? There are gpt, local."
    assert [c["provider"] for c in answer(spent.home, "circuit", "status")] == ["gpt", "local"]
    (spent.home / "assay.toml").write_text("")
    assert refusal(spent.home, "circuit", "close", "gpt")[1]["advice"] == "None is configured."


@pytest.mark.parametrize(
    "arguments",
    [("budget",), ("circuit", "status"), ("circuit", "close", "gpt"), ("cooldown", "list"),
     ("cooldown", "clear", "gazette")],
)  # fmt: skip
def test_without_a_store_they_say_so(home: Path, arguments: tuple[str, ...]) -> None:
    code, error = refusal(home, *arguments)
    assert (code, error["code"]) == (4, "schema_missing")


def test_the_doctor_tells_of_keys_that_are_missing(spent: Spent) -> None:
    told = call(spent.home, "doctor")
    assert told.exit_code == 0
    assert "warn models: local, gpt; gpt has no key, the environment has no GPT_KEY." in told.stdout
    assert "ok   models: local, gpt" in call(spent.home, "doctor", env={"GPT_KEY": KEY}).stdout


def test_the_doctor_tells_of_keys_that_others_can_read(spent: Spent) -> None:
    file = spent.home / "assay.toml"
    file.write_text(FILE.replace('key_env = "GPT_KEY"', f'key = "{KEY}"'))
    file.chmod(0o644)
    told = call(spent.home, "doctor").stdout
    assert "warn models" in told
    assert "others can read" in told
    file.chmod(0o600)
    assert "ok   models" in call(spent.home, "doctor").stdout


@pytest.mark.parametrize("in_file", [True, False])
def test_a_key_is_never_shown(spent: Spent, in_file: bool) -> None:
    if in_file:
        text = FILE.replace('key_env = "GPT_KEY"', f'key = "{KEY}"')
        (spent.home / "assay.toml").write_text(text)
    env = {"GPT_KEY": KEY}
    for arguments in (("doctor", "--settings"), ("doctor",), ("circuit", "status"), ("budget",)):
        for form in ((), ("--json",)):
            told = call(spent.home, "--log-level", "debug", *arguments, *form, env=env)
            assert told.exit_code == 0
            assert KEY not in told.output
    shown = answer(spent.home, "doctor", "--settings", env=env)
    (providers,) = [row["value"] for row in shown if row["setting"] == "providers"]
    assert set(providers["gpt"]["key"]) == {"*"}
    log = spent.home / "logs" / "assay.jsonl"
    assert KEY not in log.read_text()


REFUSED = (
    f'kei = "{KEY}"', f'api_key = "{KEY}"', f'key_env = "{KEY}"', f'base_url = "{KEY}"',
    f'base_url = "https://x:{KEY}@host/"', f'base_url = "https://host/?key={KEY}"',
    f'key = ["{KEY}"]', f'key = "{KEY}"\nkey_env = "GPT_KEY"', f'lane = "{KEY}"',
    f'key = "{KEY}"\nburst = 0', 'key_env = "ASSAY_KEY"',
)  # fmt: skip


def test_a_refused_setting_does_not_repeat_a_key(spent: Spent) -> None:
    for line in REFUSED:
        text = f'[providers.gpt]\nkind="openai"\nmodel="x"\n{line}\n'
        (spent.home / "assay.toml").write_text(text)
        told = call(spent.home, "--log-level", "debug", "budget")
        assert told.exit_code == 3, line
        assert KEY not in told.output, line
        assert "providers.gpt" in told.stderr, line
        assert KEY not in call(spent.home, "doctor", "--settings").output, line
    log = spent.home / "logs" / "assay.jsonl"
    assert not log.exists() or KEY not in log.read_text()


def test_a_key_in_the_wrong_place_is_not_repeated(spent: Spent) -> None:
    for text in (f'providers = "{KEY}"', f'[providers]\ngpt = "{KEY}"'):
        (spent.home / "assay.toml").write_text(text)
        code, error = refusal(spent.home, "budget")
        assert (code, error["code"]) == (3, "invalid_setting")
        assert KEY not in str(error)


def settings_with(home: Path, text: str, **env: str) -> Any:
    home.mkdir(exist_ok=True)
    (home / "assay.toml").write_text(text)
    return load(home=home, env=env)


def test_the_policy_is_what_the_settings_say(home: Path) -> None:
    assert policy_of(load(home=home, env={})) == Policy()
    settings = settings_with(
        home,
        'daily_tokens = "none"\ndaily_tokens_per_source = 0\nevidence_tokens = 7\n'
        "daily_cost = 0.5\nmax_concurrent_cloud = 1\nmax_concurrent_local = 'none'\n"
        "cloud_gap_s = 0.25\nempty_threshold = 4\nempty_rest_s = 1.5\ncircuit_failures = 6\n"
        "circuit_open_s = 7\ncircuit_successes = 8\nllm_lease_s = 9\n"
        '[prices."m"]\ninput_per_million = 1\noutput_per_million = 2\n',
    )
    assert policy_of(settings) == Policy(
        daily_tokens=None,
        daily_tokens_per_source=0,
        evidence_tokens=7,
        daily_cost_micros=500_000,
        max_concurrent_cloud=1,
        max_concurrent_local=None,
        cloud_gap_ms=250,
        empty_threshold=4,
        empty_rest_ms=1_500,
        circuit_failures=6,
        circuit_open_ms=7_000,
        circuit_successes=8,
        lease_ms=9_000,
        prices={"m": Price(input_per_million=1, output_per_million=2)},
    )


def test_providers_are_made_as_the_settings_say(home: Path) -> None:
    settings = settings_with(
        home,
        '[providers.a]\nkind="ollama"\nmodel="small"\n'
        '[providers.b]\nkind="openai"\nmodel="large"\nkey="k"\nburst="none"\nmax_concurrent=9\n'
        '[providers.c]\nkind="openai"\nmodel="own"\nbase_url="http://127.0.0.1:1/v1"\n'
        'lane="local"\nrequests_per_minute=7\n'
        '[providers.d]\nkind="anthropic"\nmodel="x"\nkey_env="D_KEY"\n'
        '[providers.e]\nkind="gemini"\nmodel="y"\nkey="k"\n'
        '[providers.f]\nkind="ollama_cloud"\nmodel="z"\nkey="k"\n',
        D_KEY="d",
    )
    a, b, c, d, e, f = providers_of(settings)
    assert [p.name for p in (a, b, c, d, e, f)] == list("abcdef")
    assert (a.model, a.lane, a.limits) == ("small", Lane.LOCAL, UNLIMITED)
    assert b.lane is Lane.CLOUD
    of_openai = PROVIDER_LIMITS["openai"]
    assert (b.limits.burst, b.limits.max_concurrent) == (None, 9)
    assert b.limits.requests_per_minute == of_openai.requests_per_minute
    assert b.limits.tokens_per_minute == of_openai.tokens_per_minute
    assert (c.lane, c.limits.requests_per_minute) == (Lane.LOCAL, 7)
    assert c.limits.tokens_per_minute is None
    assert d.limits == PROVIDER_LIMITS["anthropic"]
    assert e.limits == PROVIDER_LIMITS["google"]
    assert f.lane is Lane.CLOUD


def test_a_provider_without_its_key_is_refused_when_it_is_needed(home: Path) -> None:
    text = '[providers.d]\nkind="anthropic"\nmodel="x"\n'
    settings = settings_with(home, text + 'key_env="D_KEY"\n', D_KEY="  ")
    assert missing_keys(settings) == {"d": "the environment has no D_KEY"}
    with pytest.raises(InvalidSetting, match="Provider 'd' has no key"):
        providers_of(settings)
    assert missing_keys(settings_with(home, text)) == {"d": "'anthropic' asks for one"}
    own = '[providers.o]\nkind="openai"\nmodel="x"\nbase_url="http://127.0.0.1:1/v1"\n'
    assert missing_keys(settings_with(home, own)) == {}


async def test_the_plane_and_the_governor_use_the_store_and_the_settings(
    home: Path, make_app: Callable[..., App]
) -> None:
    text = 'daily_tokens = 10\n[providers.local]\nkind = "ollama"\nmodel = "small"\n'
    clock = TurnedClock()
    app = make_app(settings_with(home, text), clock=clock)
    async with plane_of(app) as plane:
        assert [provider.name for provider in plane.providers] == ["local"]
        assert plane.ledger.policy.daily_tokens == 10
        assert plane.engine is app.engine
        governor = governor_of(app)
        (local,) = plane.providers
        assert governor.check("gazette", local, tokens=10).allowed
        assert not governor.check("gazette", local, tokens=11).allowed
        governor.standings.pause("gazette", "by hand", 1)
        paused = governor.check("gazette", local, tokens=10)
        assert paused.recovers_ms == clock.now_ms() + 3_600_000
