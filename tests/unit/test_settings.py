"""One frozen settings object, from file, environment and command line, in that order."""

import re
from pathlib import Path

import pytest
from pydantic import BaseModel, SecretStr, ValidationError

from assay.app.tools import build_fetch_policy
from assay.errors import InvalidSetting, UnknownSetting
from assay.settings import (
    FILE_NAME,
    FILE_ONLY,
    PriceSettings,
    ProviderSettings,
    QueueSettings,
    Settings,
    load_settings,
)

PROVIDER = '[providers.gpt]\nkind = "openai"\nmodel = "m"\n'


def home_with(folder: Path, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / FILE_NAME).write_text(text, encoding="utf-8")
    return folder


def test_without_file_and_environment_the_defaults_hold(tmp_path: Path) -> None:
    settings = load_settings(home=tmp_path, env={})
    assert settings == Settings(home=tmp_path)
    assert settings.profile == "local"
    assert settings.retry_delays_s == (10.0, 20.0, 40.0)
    assert (settings.candidate_retry_days, settings.candidate_retry_limit) == (14.0, 5)
    assert settings.priority_decay == 20
    assert settings.lease_s >= 60


def test_the_store_lies_in_the_home_unless_a_database_is_named(tmp_path: Path) -> None:
    settings = load_settings(home=tmp_path, env={})
    assert settings.database == f"sqlite:///{tmp_path / 'assay.db'}"
    assert {settings.blobs, settings.runs, settings.log_file.parent} == {
        tmp_path / "blobs",
        tmp_path / "runs",
        tmp_path / "logs",
    }
    named = load_settings(home=tmp_path, env={}, database_url="postgresql://host/name")
    assert named.database == "postgresql://host/name"


def test_the_file_changes_defaults(tmp_path: Path) -> None:
    home = home_with(
        tmp_path,
        'batch_size = 7\nretry_delays_s = [1, 2]\n[queues.scout]\nrate = 0\n[hosts]\n"a" = "http://b"\n',
    )
    settings = load_settings(home=home, env={})
    assert settings.batch_size == 7
    assert settings.retry_delays_s == (1.0, 2.0)
    assert settings.queues == {"scout": QueueSettings(rate=0)}
    assert settings.hosts == {"a": "http://b"}


def test_the_environment_outranks_the_file_and_what_was_given_outranks_both(
    tmp_path: Path,
) -> None:
    home = home_with(tmp_path, "batch_size = 7\nlease_s = 7\ngrace_s = 7\n")
    env = {"ASSAY_BATCH_SIZE": "8", "ASSAY_LEASE_S": "8", "UNRELATED": "x"}
    settings = load_settings(home=home, env=env, batch_size=9)
    assert (settings.batch_size, settings.lease_s, settings.grace_s) == (9, 8.0, 7.0)


def test_an_option_that_was_not_given_changes_nothing(tmp_path: Path) -> None:
    assert load_settings(
        home=tmp_path, env={"ASSAY_PROFILE": "production"}, profile=None
    ).profile == ("production")


def test_the_home_comes_from_the_option_then_the_environment(tmp_path: Path) -> None:
    env = {"ASSAY_HOME": str(home_with(tmp_path / "env", "batch_size = 3"))}
    given = home_with(tmp_path / "given", "batch_size = 4")
    assert load_settings(env=env).home == tmp_path / "env"
    assert load_settings(env=env).batch_size == 3
    assert load_settings(home=given, env=env).home == given
    assert load_settings(home=given, env=env).batch_size == 4
    assert load_settings(env={}).home == Path("assay-data")


def test_the_process_environment_is_read_where_none_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_BATCH_SIZE", "11")
    assert load_settings(home=tmp_path).batch_size == 11
    assert load_settings(home=tmp_path, env={}).batch_size == 500


def test_a_list_in_the_environment_is_parted_by_commas(tmp_path: Path) -> None:
    settings = load_settings(home=tmp_path, env={"ASSAY_RETRY_DELAYS_S": "1,2.5, 4"})
    assert settings.retry_delays_s == (1.0, 2.5, 4.0)


def test_an_unknown_setting_in_the_file_stops_and_suggests(tmp_path: Path) -> None:
    with pytest.raises(UnknownSetting) as caught:
        load_settings(home=home_with(tmp_path, "batch_sise = 7"), env={})
    assert "'batch_sise'" in str(caught.value)
    assert str(tmp_path / FILE_NAME) in str(caught.value)
    assert "Did you mean 'batch_size'?" in str(caught.value)


def test_an_unknown_setting_in_the_environment_stops_and_suggests(tmp_path: Path) -> None:
    with pytest.raises(UnknownSetting) as caught:
        load_settings(home=tmp_path, env={"ASSAY_DATABASE_URI": "x"})
    assert "ASSAY_DATABASE_URI" in str(caught.value)
    assert "Did you mean 'ASSAY_DATABASE_URL'?" in str(caught.value)


def test_what_is_like_no_setting_gets_no_suggestion(tmp_path: Path) -> None:
    with pytest.raises(UnknownSetting) as caught:
        load_settings(home=tmp_path, env={"ASSAY_ZZZZZZ": "x"})
    assert "Did you mean" not in str(caught.value)
    assert "assay doctor --settings" in str(caught.value)


@pytest.mark.parametrize("name", FILE_ONLY)
def test_tables_cannot_be_set_in_the_environment(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidSetting, match="cannot be set by an environment variable"):
        load_settings(home=tmp_path, env={f"ASSAY_{name.upper()}": "x"})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("batch_size", "many"),
        ("batch_size", "0"),
        ("batch_size", "2001"),
        ("lease_s", "0"),
        ("profile", "staging"),
        ("log_level", "loud"),
        ("candidate_retry_limit", "0"),
        ("daily_tokens", "-1"),
        ("daily_tokens", "unlimited"),
        ("daily_cost", "nan"),
        ("daily_cost", "inf"),
        ("daily_cost", "-0.5"),
        ("max_concurrent_cloud", "0"),
        ("cloud_gap_s", "inf"),
        ("cloud_gap_s", "nan"),
        ("empty_threshold", "0"),
        ("llm_lease_s", "0"),
        ("lease_s", "inf"),
    ],
)
def test_a_bad_value_is_named_with_its_setting(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(InvalidSetting) as caught:
        load_settings(home=tmp_path, env={f"ASSAY_{name.upper()}": value})
    assert str(caught.value).startswith(f"Setting '{name}' cannot be {value!r}: ")
    assert "Fix it" in str(caught.value)


def test_a_bad_value_deep_in_the_file_is_named_with_its_path(tmp_path: Path) -> None:
    with pytest.raises(InvalidSetting, match=r"Setting 'queues\.scout\.rate' cannot be -1"):
        load_settings(home=home_with(tmp_path, "[queues.scout]\nrate = -1"), env={})


@pytest.mark.parametrize(
    ("text", "name", "hint"),
    [
        ("[queues.scout]\nspeed = 1", "queues.scout.speed", "Known settings: rate, "),
        ("[queues.scout]\nrat = 1", "queues.scout.rat", "Did you mean 'rate'?"),
        (f"{PROVIDER}tokens_per_min = 1", "providers.gpt.tokens_per_min",
         "Did you mean 'tokens_per_minute'?"),
        (f"{PROVIDER}kee = 1", "providers.gpt.kee", "Did you mean 'key'?"),
        ("[prices.m]\ninput_per_milion = 1", "prices.m.input_per_milion",
         "Did you mean 'input_per_million'?"),
    ],
)  # fmt: skip
def test_what_a_table_does_not_have_stops_and_suggests(
    tmp_path: Path, text: str, name: str, hint: str
) -> None:
    with pytest.raises(UnknownSetting) as caught:
        load_settings(home=home_with(tmp_path, text), env={})
    assert f"'{name}'" in str(caught.value)
    assert hint in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[providers.gpt]\nmodel = "m"', "'providers.gpt.kind' is missing"),
        ('[providers.gpt]\nkind = "openai"', "'providers.gpt.model' is missing"),
        ('[providers.gpt]\nkind = "opnai"\nmodel = "m"', "'ollama', 'ollama_cloud', 'openai'"),
        (f"{PROVIDER}burst = 0", "greater than or equal to 1"),
        (f"{PROVIDER}key = ''", "'providers.gpt.key' is invalid"),
        (f"{PROVIDER}key = 'a'\nkey_env = 'B'", "it has both key and key_env"),
        (f"{PROVIDER}key_env = 'ASSAY_KEY'", "begin with ASSAY_ are reserved for settings"),
        (f"{PROVIDER}key_env = 'a key'", "'providers.gpt.key_env'"),
        (f"{PROVIDER}base_url = 'host:1'", "begin with http:// or https://"),
        (f"{PROVIDER}base_url = 'https://a:b@host'", "only an address"),
        (f"{PROVIDER}base_url = 'https://host/?key=a'", "only an address"),
        (f"{PROVIDER}lane = 'batch'", "'providers.gpt.lane'"),
        ("[prices.m]\ninput_per_million = 1", "'prices.m.output_per_million' is missing"),
        ("[prices.m]\ninput_per_million = -1\noutput_per_million = 1", "cannot be -1"),
        ("providers = 3", "'providers' is invalid"),
    ],
)
def test_a_provider_or_a_price_that_cannot_be(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InvalidSetting) as caught:
        load_settings(home=home_with(tmp_path, text), env={})
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("127.0.0.1:8080", "it must begin with http:// or https://; write http://127.0.0.1:8080."),
        ("localhost:8080", "it must begin with http:// or https://; write http://localhost:8080."),
        ("ftp://files.example", "it must begin with http:// or https://."),
        ("http://", "it does not name a host and a valid port."),
        ("http://a.example:99999", "Port out of range 0-65535."),
        ("", "it must begin with http:// or https://."),
    ],
)
def test_a_host_is_reached_at_a_web_address(tmp_path: Path, address: str, why: str) -> None:
    home = home_with(tmp_path, f'[hosts]\n"towns.example" = "{address}"\n')
    with pytest.raises(InvalidSetting) as caught:
        load_settings(home=home, env={})
    assert caught.value.what == f"Setting 'hosts.towns.example' cannot be '{address}': {why}"


def test_the_caps_are_those_of_the_specification(tmp_path: Path) -> None:
    settings = load_settings(home=tmp_path, env={})
    assert (settings.daily_tokens, settings.daily_tokens_per_source) == (500_000, 50_000)
    assert settings.evidence_tokens == 8_000
    assert (settings.max_concurrent_cloud, settings.max_concurrent_local) == (3, 5)
    assert settings.cloud_gap_s == 2.0
    assert (settings.empty_threshold, settings.empty_rest_s) == (3, 3600.0)
    assert settings.daily_cost is None
    assert (settings.circuit_failures, settings.circuit_open_s) == (5, 120.0)
    assert settings.circuit_successes == 2


def test_a_cap_is_lifted_by_a_word_and_nothing_else(tmp_path: Path) -> None:
    home = home_with(tmp_path, 'daily_tokens = "none"\nevidence_tokens = 0\ndaily_cost = 0\n')
    settings = load_settings(home=home, env={"ASSAY_DAILY_TOKENS_PER_SOURCE": "None"})
    assert settings.daily_tokens is None
    assert settings.daily_tokens_per_source is None
    # Nothing may be spent: a 0 that somebody meant so must not open the budget_view.
    assert (settings.evidence_tokens, settings.daily_cost) == (0, 0.0)


def test_providers_and_prices_come_from_the_file(tmp_path: Path) -> None:
    text = (
        f"{PROVIDER}burst = 'none'\n[providers.\"own model\"]\nkind = 'ollama'\nmodel = 'x:1'\n"
        '[prices."gpt-4.1"]\ninput_per_million = 2\noutput_per_million = 8.5\n'
    )
    settings = load_settings(home=home_with(tmp_path, text), env={})
    assert list(settings.providers) == ["gpt", "own model"]
    gpt = settings.providers["gpt"]
    assert (gpt.kind, gpt.model, gpt.burst) == ("openai", "m", None)
    # Lifted on purpose, and not told: two things.
    assert "burst" in gpt.model_fields_set
    assert "max_concurrent" not in gpt.model_fields_set
    assert settings.prices == {
        "gpt-4.1": PriceSettings(input_per_million=2, output_per_million=8.5)
    }


def test_a_key_comes_from_the_variable_that_is_named(tmp_path: Path) -> None:
    home = home_with(tmp_path, f"{PROVIDER}key_env = 'GPT_KEY'")
    known = load_settings(home=home, env={"GPT_KEY": "sk-1"}).providers["gpt"]
    assert known.key == SecretStr("sk-1")
    # A command that calls nobody works without it.
    for env in ({}, {"GPT_KEY": ""}, {"GPT_KEY": " "}):
        assert load_settings(home=home, env=env).providers["gpt"].key is None


def test_the_process_environment_holds_keys_where_none_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GPT_KEY", "sk-2")
    found = load_settings(home=home_with(tmp_path, f"{PROVIDER}key_env = 'GPT_KEY'"))
    assert found.providers["gpt"].key == SecretStr("sk-2")


def test_settings_never_say_a_key(tmp_path: Path) -> None:
    for text, env in (
        (f"{PROVIDER}key = 'sk-secret'", {}),
        (f"{PROVIDER}key_env = 'GPT_KEY'", {"GPT_KEY": "sk-secret"}),
    ):
        settings = load_settings(home=home_with(tmp_path, text), env=env)
        assert settings.providers["gpt"].key == SecretStr("sk-secret")
        assert "sk-secret" not in f"{settings!r} {settings} {settings.model_dump(mode='json')}"


def test_a_refused_key_is_not_in_the_chain_of_errors(tmp_path: Path) -> None:
    with pytest.raises(InvalidSetting) as caught:
        load_settings(home=home_with(tmp_path, f"{PROVIDER}key = ['sk-secret']"), env={})
    assert "sk-secret" not in f"{caught.value} {caught.value.__cause__}"


def test_a_site_key_comes_from_the_environment_and_is_never_shown(tmp_path: Path) -> None:
    home = home_with(tmp_path, "[site_keys]\n'https://api.example/v1/nyc/' = 'token=NYC_KEY'")
    settings = load_settings(home=home, env={"NYC_KEY": "sk/sesame\n"})
    assert settings.site_keys == {"https://api.example/v1/nyc/": SecretStr("token=sk%2Fsesame")}
    policy = build_fetch_policy(settings)
    assert policy.site_keys == settings.site_keys
    assert "sesame" not in f"{settings!r} {settings.model_dump(mode='json')} {policy!r}"
    assert load_settings(home=home, env={}).site_keys == {}


@pytest.mark.parametrize(
    "entry",
    [
        "'http://api.example/v1/' = 'token=KEY'",
        "'https://api.example/v1' = 'token=KEY'",
        "'https://api.example' = 'token=KEY'",
        "'https://api.example/v1/' = 'sk-secret'",
        "'https://api.example/v1/' = ['token=sk-secret']",
    ],
)
def test_an_unsafe_site_key_is_refused(tmp_path: Path, entry: str) -> None:
    with pytest.raises(InvalidSetting, match="'site_keys' has an entry") as caught:
        load_settings(home=home_with(tmp_path, f"[site_keys]\n{entry}"), env={})
    assert "sk-secret" not in f"{caught.value} {caught.value.__cause__}"


def test_a_file_that_is_no_toml_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidSetting, match="is not valid TOML"):
        load_settings(home=home_with(tmp_path, "batch_size = "), env={})
    (tmp_path / FILE_NAME).write_bytes(b'contact = "\xe8"')
    with pytest.raises(InvalidSetting, match="is not valid TOML"):
        load_settings(home=tmp_path, env={})


def test_the_file_cannot_move_the_home_in_which_it_lies(tmp_path: Path) -> None:
    with pytest.raises(InvalidSetting, match="sets 'home'"):
        load_settings(home=home_with(tmp_path, 'home = "/elsewhere"'), env={})


def test_settings_are_frozen(tmp_path: Path) -> None:
    settings = load_settings(home=tmp_path, env={})
    with pytest.raises(ValidationError):
        settings.batch_size = 1
    assert settings.batch_size == 500


@pytest.mark.parametrize("model", [Settings, QueueSettings, ProviderSettings, PriceSettings])
def test_every_field_says_what_it_is_for(model: type[BaseModel]) -> None:
    for name, field in model.model_fields.items():
        assert field.description, name
        assert field.description.endswith((".", ").")), name


@pytest.mark.parametrize("model", [Settings, QueueSettings])
def test_nothing_must_be_set(model: type[BaseModel]) -> None:
    assert [name for name, field in model.model_fields.items() if field.is_required()] == []


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ('kind = "email"', "a channel of kind 'email' needs to"),
        ('kind = "email"\nto = ["Anna <a@example.org>"]', "each must be a plain address"),
        ('kind = "webhook"\nurl = "file:///etc/passwd"', "it must begin with http:// or https://"),
        ('kind = "webhook"\nurl_env = "ASSAY_HOOK"', "are reserved for settings"),
        ('kind = "feed"\nto = ["a@example.org"]', "a channel of kind 'feed' has no to"),
        ('kind = "command"\ncommand = "rm -rf /"', "Input should be a valid tuple"),
    ],
)
def test_a_channel_has_what_its_kind_needs(tmp_path: Path, table: str, why: str) -> None:
    home = home_with(tmp_path, f"[channels.team]\n{table}\n")
    with pytest.raises(InvalidSetting, match=re.escape(why)):
        load_settings(home=home, env={})


def test_the_address_of_a_webhook_comes_from_the_environment(tmp_path: Path) -> None:
    home = home_with(tmp_path, '[channels.team]\nkind = "webhook"\nurl_env = "HOOK"\n')
    url = load_settings(home=home, env={"HOOK": "https://h.test/key"}).channels["team"].url
    assert url is not None and url.get_secret_value() == "https://h.test/key"
    assert "key" not in str(url)
    assert load_settings(home=home, env={}).channels["team"].url is None


def test_the_name_of_a_channel_is_plain(tmp_path: Path) -> None:
    home = home_with(tmp_path, '[channels."../x"]\nkind = "feed"\n')
    with pytest.raises(InvalidSetting, match="names of channels are lower-case letters"):
        load_settings(home=home, env={})
