"""One frozen settings object, from file, environment and command line, in that order."""

from pathlib import Path

import pytest
from pydantic import BaseModel, ValidationError

from assay.errors import InvalidSetting, UnknownSetting
from assay.settings import FILE_NAME, QueueSettings, Settings, load


def home_with(folder: Path, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / FILE_NAME).write_text(text, encoding="utf-8")
    return folder


def test_without_file_and_environment_the_defaults_hold(tmp_path: Path) -> None:
    settings = load(home=tmp_path, env={})
    assert settings == Settings(home=tmp_path)
    assert settings.profile == "local"
    assert settings.retry_delays_s == (10.0, 20.0, 40.0)
    assert (settings.candidate_retry_days, settings.candidate_retry_limit) == (14.0, 5)
    assert settings.priority_decay == 20
    assert settings.lease_s >= 60


def test_the_store_lies_in_the_home_unless_a_database_is_named(tmp_path: Path) -> None:
    settings = load(home=tmp_path, env={})
    assert settings.database == f"sqlite:///{tmp_path / 'assay.db'}"
    assert {settings.blobs, settings.runs, settings.log_file.parent} == {
        tmp_path / "blobs",
        tmp_path / "runs",
        tmp_path / "logs",
    }
    named = load(home=tmp_path, env={}, database_url="postgresql://host/name")
    assert named.database == "postgresql://host/name"


def test_the_file_changes_defaults(tmp_path: Path) -> None:
    home = home_with(
        tmp_path,
        'batch_size = 7\nretry_delays_s = [1, 2]\n[queues.scout]\nrate = 0\n[hosts]\n"a" = "b"\n',
    )
    settings = load(home=home, env={})
    assert settings.batch_size == 7
    assert settings.retry_delays_s == (1.0, 2.0)
    assert settings.queues == {"scout": QueueSettings(rate=0)}
    assert settings.hosts == {"a": "b"}


def test_the_environment_outranks_the_file_and_what_was_given_outranks_both(
    tmp_path: Path,
) -> None:
    home = home_with(tmp_path, "batch_size = 7\nlease_s = 7\ngrace_s = 7\n")
    env = {"ASSAY_BATCH_SIZE": "8", "ASSAY_LEASE_S": "8", "UNRELATED": "x"}
    settings = load(home=home, env=env, batch_size=9)
    assert (settings.batch_size, settings.lease_s, settings.grace_s) == (9, 8.0, 7.0)


def test_an_option_that_was_not_given_changes_nothing(tmp_path: Path) -> None:
    assert load(home=tmp_path, env={"ASSAY_PROFILE": "production"}, profile=None).profile == (
        "production"
    )


def test_the_home_comes_from_the_option_then_the_environment(tmp_path: Path) -> None:
    env = {"ASSAY_HOME": str(home_with(tmp_path / "env", "batch_size = 3"))}
    given = home_with(tmp_path / "given", "batch_size = 4")
    assert load(env=env).home == tmp_path / "env"
    assert load(env=env).batch_size == 3
    assert load(home=given, env=env).home == given
    assert load(home=given, env=env).batch_size == 4
    assert load(env={}).home == Path("assay-data")


def test_the_process_environment_is_read_where_none_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_BATCH_SIZE", "11")
    assert load(home=tmp_path).batch_size == 11
    assert load(home=tmp_path, env={}).batch_size == 500


def test_a_list_in_the_environment_is_parted_by_commas(tmp_path: Path) -> None:
    settings = load(home=tmp_path, env={"ASSAY_RETRY_DELAYS_S": "1,2.5, 4"})
    assert settings.retry_delays_s == (1.0, 2.5, 4.0)


def test_an_unknown_setting_in_the_file_stops_and_suggests(tmp_path: Path) -> None:
    with pytest.raises(UnknownSetting) as caught:
        load(home=home_with(tmp_path, "batch_sise = 7"), env={})
    assert "'batch_sise'" in str(caught.value)
    assert str(tmp_path / FILE_NAME) in str(caught.value)
    assert "Did you mean 'batch_size'?" in str(caught.value)


def test_an_unknown_setting_in_the_environment_stops_and_suggests(tmp_path: Path) -> None:
    with pytest.raises(UnknownSetting) as caught:
        load(home=tmp_path, env={"ASSAY_DATABASE_URI": "x"})
    assert "ASSAY_DATABASE_URI" in str(caught.value)
    assert "Did you mean 'ASSAY_DATABASE_URL'?" in str(caught.value)


def test_what_is_like_no_setting_gets_no_suggestion(tmp_path: Path) -> None:
    with pytest.raises(UnknownSetting) as caught:
        load(home=tmp_path, env={"ASSAY_ZZZZZZ": "x"})
    assert "Did you mean" not in str(caught.value)
    assert "assay doctor --settings" in str(caught.value)


@pytest.mark.parametrize("name", ["QUEUES", "HOSTS"])
def test_tables_cannot_be_set_in_the_environment(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidSetting, match="cannot stand in the environment"):
        load(home=tmp_path, env={f"ASSAY_{name}": "x"})


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
    ],
)
def test_a_bad_value_is_named_with_its_setting(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(InvalidSetting) as caught:
        load(home=tmp_path, env={f"ASSAY_{name.upper()}": value})
    assert str(caught.value).startswith(f"Setting '{name}' cannot be {value!r}: ")
    assert "Correct it" in str(caught.value)


def test_a_bad_value_deep_in_the_file_is_named_with_its_path(tmp_path: Path) -> None:
    with pytest.raises(InvalidSetting, match=r"Setting 'queues\.scout\.rate' cannot be -1"):
        load(home=home_with(tmp_path, "[queues.scout]\nrate = -1"), env={})
    with pytest.raises(InvalidSetting, match=r"Setting 'queues\.scout\.speed'"):
        load(home=home_with(tmp_path, "[queues.scout]\nspeed = 1"), env={})


def test_a_file_that_is_no_toml_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidSetting, match="is not valid TOML"):
        load(home=home_with(tmp_path, "batch_size = "), env={})
    (tmp_path / FILE_NAME).write_bytes(b'contact = "\xe8"')
    with pytest.raises(InvalidSetting, match="is not valid TOML"):
        load(home=tmp_path, env={})


def test_the_file_cannot_move_the_home_in_which_it_lies(tmp_path: Path) -> None:
    with pytest.raises(InvalidSetting, match="sets 'home'"):
        load(home=home_with(tmp_path, 'home = "/elsewhere"'), env={})


def test_settings_are_frozen(tmp_path: Path) -> None:
    settings = load(home=tmp_path, env={})
    with pytest.raises(ValidationError):
        settings.batch_size = 1
    assert settings.batch_size == 500


@pytest.mark.parametrize("model", [Settings, QueueSettings])
def test_every_field_says_what_it_is_for(model: type[BaseModel]) -> None:
    for name, field in model.model_fields.items():
        assert field.description, name
        assert field.description.endswith((".", ").")), name
        assert not field.is_required(), name
