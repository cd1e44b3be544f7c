"""Keys of providers: missing ones are told of, and none is ever shown."""

import pytest

from tests.cli.calls import answer, call, refusal
from tests.cli.spending import FILE, KEY, Spent


def test_the_doctor_tells_of_keys_that_are_missing(spent: Spent) -> None:
    told = call(spent.home, "doctor")
    assert told.exit_code == 0
    assert "warn models: local, gpt; gpt has no key, GPT_KEY is not set." in told.stdout
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
