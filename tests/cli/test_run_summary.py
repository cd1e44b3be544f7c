"""What a run says at its end, and what it can be limited to."""

from pathlib import Path
from typing import Any

from assay.app.status import describe_waiting
from assay.cli.rendering import describe_summary
from assay.demo import SiteFault
from assay.llm.scope import Denial
from assay.settings import load_settings
from tests.cli.calls import answer, call, real, refusal
from tests.cli.conftest import Watching

CAP = Denial.GLOBAL_DAILY_CAP_EXCEEDED.value


def _run(watching: Watching, *options: str) -> dict[str, Any]:
    """The last run of a call."""
    ended = real(watching.home, "run", *options, "--json")
    assert ended.code == 0, ended
    done: dict[str, Any] = ended.value["runs"][-1]
    return done


def test_a_summary_is_one_sentence(home: Path) -> None:
    def describe(**caps: Any) -> str:
        settings = load_settings(home=home, env={}, **caps)
        waiting = {
            "code": CAP, "reason": describe_waiting(CAP, settings), "documents": 1,
        }  # fmt: skip
        return describe_summary(
            {
                "new": 12, "changed": 3, "gone": 1, "facts": 40, "rules": 6, "questions": 2,
                "waiting": [waiting],
            }
        )  # fmt: skip

    brought = "12 new, 3 changed, 1 gone; 40 facts, 6 rules, 2 questions; 1 waiting: "
    assert describe(daily_tokens=5, daily_cost=None) == f"{brought}daily token cap reached."
    assert describe(daily_tokens="none", daily_cost=2.0) == f"{brought}daily cost cap reached."
    assert describe(daily_tokens=5, daily_cost=2.0) == f"{brought}daily token or cost cap reached."


def test_a_run_says_what_it_brought_and_can_be_limited(watching: Watching) -> None:
    home = watching.home
    first = _run(watching)
    documents = answer(home, "documents", "list")
    assert first["summary"]["new"] == len(documents) > 1
    assert {name: first["summary"][name] for name in ("changed", "gone")} == {
        "changed": 0, "gone": 0,
    }  # fmt: skip
    assert answer(home, "runs", "show", first["run_id"])["summary"] == first["summary"]

    # One document: it is fetched again, and nothing else is looked at.
    page = next(d for d in documents if d["url"].endswith(watching.page))
    watching.server.faults[watching.page] = SiteFault(status=410)
    ended = real(home, "run", "--document", page["doc_id"][:12])
    assert ended.code == 0, ended
    assert "\n0 new, 0 changed, 1 gone; 0 facts, 0 rules, 0 questions" in ended.out
    newest = answer(home, "runs", "list")[0]["run_id"]
    shown = answer(home, "runs", "show", newest)
    assert {stage: sum(states.values()) for stage, states in shown["jobs"].items()} == {"fetch": 1}
    assert shown["params"] == {"documents": [page["doc_id"][:12]]}
    assert "1 gone" in call(home, "runs", "show", newest).stdout

    # Those that changed lately: all of them, or none.
    watching.server.faults.clear()
    assert _run(watching, "--since", "1h")["jobs"] == {"fetch": {"done": len(documents)}}
    assert _run(watching, "--since", "1h", "--source", "gazette")["jobs"]["fetch"]["done"] > 1
    assert _run(watching, "--since", "2999-01-01")["jobs"] == {}
    assert _run(watching, "--source", "gazette")["jobs"]["sentinel"] == {"done": 1}

    code, error = refusal(home, "run", "--document", "url:nowhere")
    assert (code, error["code"]) == (3, "not_found")
    code, error = refusal(home, "run", "--since", "soon")
    assert (code, error["code"]) == (3, "invalid_input")
