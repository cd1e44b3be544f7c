"""Policy, providers, plane and governor are what the settings say."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.app import App
from assay.app.models import (
    build_governor,
    build_policy,
    build_providers,
    find_missing_keys,
    open_control_plane,
)
from assay.clock import TurnedClock
from assay.errors import InvalidSetting
from assay.llm.limits import PROVIDER_LIMITS, UNLIMITED, Policy, Price
from assay.llm.messages import Lane
from assay.settings import load_settings


def settings_with(home: Path, text: str, **env: str) -> Any:
    home.mkdir(exist_ok=True)
    (home / "assay.toml").write_text(text)
    return load_settings(home=home, env=env)


def test_the_policy_is_what_the_settings_say(home: Path) -> None:
    assert build_policy(load_settings(home=home, env={})) == Policy()
    settings = settings_with(
        home,
        'daily_tokens = "none"\ndaily_tokens_per_source = 0\nevidence_tokens = 7\n'
        "daily_cost = 0.5\nmax_concurrent_cloud = 1\nmax_concurrent_local = 'none'\n"
        "cloud_gap_s = 0.25\nempty_threshold = 4\nempty_rest_s = 1.5\ncircuit_failures = 6\n"
        "circuit_open_s = 7\ncircuit_successes = 8\nllm_lease_s = 9\n"
        '[prices."m"]\ninput_per_million = 1\noutput_per_million = 2\n',
    )
    assert build_policy(settings) == Policy(
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
    a, b, c, d, e, f = build_providers(settings)
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
    assert find_missing_keys(settings) == {"d": "D_KEY is not set"}
    with pytest.raises(InvalidSetting, match="Provider 'd' has no key"):
        build_providers(settings)
    assert find_missing_keys(settings_with(home, text)) == {"d": "'anthropic' needs one"}
    own = '[providers.o]\nkind="openai"\nmodel="x"\nbase_url="http://127.0.0.1:1/v1"\n'
    assert find_missing_keys(settings_with(home, own)) == {}


async def test_the_plane_and_the_governor_use_the_store_and_the_settings(
    home: Path, make_app: Callable[..., App]
) -> None:
    text = 'daily_tokens = 10\n[providers.local]\nkind = "ollama"\nmodel = "small"\n'
    clock = TurnedClock()
    app = make_app(settings_with(home, text), clock=clock)
    async with open_control_plane(app) as plane:
        assert [provider.name for provider in plane.providers] == ["local"]
        assert plane.ledger.policy.daily_tokens == 10
        assert plane.engine is app.engine
        governor = build_governor(app)
        (local,) = plane.providers
        assert governor.check("gazette", local, tokens=10).allowed
        assert not governor.check("gazette", local, tokens=11).allowed
        governor.standings.pause("gazette", "by hand", 1)
        paused = governor.check("gazette", local, tokens=10)
        assert paused.recovers_ms == clock.now_ms() + 3_600_000
