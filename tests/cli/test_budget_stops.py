"""`circuit` and `cooldown`: what is shut or rests, and letting it go on."""

import sqlalchemy as sa

from assay.app.models import open_ledger
from assay.clock import SystemClock
from assay.errors import AuthError, ProviderFailed
from assay.governor.standings import pause_source, read_standing
from tests.cli.calls import answer, call, refusal
from tests.cli.spending import Spent


def test_rests_and_pauses_are_listed_and_cleared(spent: Spent) -> None:
    assert answer(spent.home, "cooldown", "list") == []
    ledger = open_ledger(spent.app)
    for _ in range(3):
        ledger.note_output("gazette", empty=True)
    ledger.note_output("council", empty=True)
    now_ms = SystemClock().now_ms()
    pause_source(spent.app.engine, "court", "too many errors", 24, now_ms=now_ms)
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
    assert "gazette is in cooldown until" in text
    assert "council has 1 empty answer in a row" in text
    assert "too many errors" in call(spent.home, "cooldown", "list").stdout
    assert answer(spent.home, "cooldown", "clear", "gazette") == {
        "source": "gazette", "cleared": True, "unpaused": False,
    }  # fmt: skip
    assert (
        "Source 'court' may use models again."
        in call(spent.home, "cooldown", "clear", "court").stdout
    )
    assert not read_standing(spent.app.engine, "court", now_ms).paused
    assert [rest["source"] for rest in answer(spent.home, "cooldown", "list")] == ["council"]


def test_a_source_that_does_not_rest_is_told_so(spent: Spent) -> None:
    for _ in range(3):
        open_ledger(spent.app).note_output("gazette", empty=True)
    told = call(spent.home, "cooldown", "clear", "gazete")
    assert told.exit_code == 0
    assert "'gazete' is not in cooldown. In cooldown: gazette." in told.stdout
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
    assert "was already closed" in call(spent.home, "circuit", "close", "local").stdout
    permit = spent.call("gazette", 1, 1, provider="gpt", model="large")
    assert permit.ask.provider == "gpt"


def test_a_provider_that_nobody_knows_is_refused(spent: Spent) -> None:
    code, error = refusal(spent.home, "circuit", "close", "gtp")
    assert (code, error["code"]) == (3, "provider_unknown")
    assert error["advice"] == "Did you mean 'gpt'? Known providers: gpt, local."
    assert [c["provider"] for c in answer(spent.home, "circuit", "status")] == ["gpt", "local"]
    (spent.home / "assay.toml").write_text("")
    assert refusal(spent.home, "circuit", "close", "gpt")[1]["advice"] == "None is configured."
