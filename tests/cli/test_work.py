"""Working for real: runs, workers, dead letters, signals."""

import os
import pty
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.app import App
from assay.app.runs import count_run_jobs, start_run
from assay.demo import SiteFault
from tests.cli.calls import PART, Called, answer, call, real, refusal
from tests.cli.conftest import Watching
from tests.waiting import AGES_S, until


def test_a_run_on_a_home_without_sources_ends_at_once(home: Path) -> None:
    call(home, "init")
    ended = real(home, "run", "--run-id", "first")
    assert (ended.code, ended.err) == (0, "")
    assert "Run first started with 0 jobs." in ended.out
    assert answer(home, "runs", "show", "first")["state"] == "sealed"


def test_run_dead_letters_and_their_second_chance(watching: Watching) -> None:
    home = watching.home
    watching.server.faults[watching.page] = SiteFault(status=403)
    ended = real(home, "run")
    assert ended.code == 5, ended
    assert "1 dead letter; 'assay dead list' shows why." in ended.out
    assert "sentinel" in ended.out
    letter = answer(home, "dead", "list")[0]
    assert (letter["stage"], letter["error_code"]) == ("fetch", "content_unsupported")
    assert letter["job_id"] in call(home, "dead", "list", "--stage", "fetch").stdout
    assert answer(home, "dead", "show", letter["job_id"])["payload"]
    assert "403" in call(home, "dead", "show", letter["job_id"]).stdout
    assert answer(home, "dead", "list", "--stage", "scout") == []

    watching.server.faults.clear()
    assert answer(home, "dead", "retry", "--all", "--stage", "fetch") == {"retried": 1}
    ended = real(home, "run", "--json")
    assert ended.code == 0, ended
    old, new = ended.value["runs"]
    assert (old["resumed"], old["run_id"]) == (True, letter["run_id"])
    assert (new["resumed"], new["state"], new["dead"]) == (False, "sealed", 0)
    assert ended.value["jobs_left"] == 0
    assert answer(home, "dead", "list") == []
    assert answer(home, "status")["candidates"].get("blocked", 0) == 0
    assert answer(home, "runs", "verify")


def test_dead_letters_can_be_discarded(watching: Watching) -> None:
    home = watching.home
    watching.server.faults[watching.page] = SiteFault(status=403)
    assert real(home, "run", "--json").code == 5
    name = answer(home, "dead", "list")[0]["job_id"]
    assert answer(home, "dead", "discard", name) == {"discarded": [name]}
    assert answer(home, "jobs", "show", name)["state"] == "discarded"
    assert call(home, "dead", "discard", "--all").stdout == "0 dead letters discarded.\n"
    done = answer(home, "jobs", "list", "--state", "done", "--limit", "1")[0]["job_id"]
    assert call(home, "dead", "retry", done).exit_code == 3


def _until_in_hand(watching: Watching) -> None:
    """Until only the batch with the slow page is left, and a worker has it."""

    def is_in_hand() -> bool:
        queue = answer(watching.home, "status")["queues"]["fetch"]
        return bool(queue["running"] and not queue["waiting"])

    # Once the server has met the request, nothing but that page's answer can end the batch.
    until(lambda: watching.page not in watching.server.faults)
    until(is_in_hand)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stopped_run_says_what_is_left_and_goes_on_later(
    watching: Watching, number: signal.Signals
) -> None:
    home = watching.home
    # The work in hand cannot end in time.
    watching.server.faults[watching.page] = SiteFault(delay_s=AGES_S, times=1)
    called = Called(home, "run", ASSAY_GRACE_S="0.3")
    _until_in_hand(watching)
    called.process.send_signal(number)
    ended = called.end()
    assert ended.code == 128 + number
    assert ended.err == ""
    assert f"{number.name}: finishing current work" in ended.out
    assert "did not finish within 0.3 s" in ended.out
    assert f"Stopped by {number.name}: " in ended.out
    left = answer(home, "status")["open_runs"]
    assert len(left) == 1

    watching.server.faults.clear()
    again = real(home, "run")
    assert again.code == 0, again
    assert f"Resuming run {left[0]} (" in again.out
    assert answer(home, "status")["open_runs"] == []
    assert all(verdict["sound"] for verdict in answer(home, "runs", "verify"))
    assert call(home, "store", "check").exit_code == 0


def test_a_second_signal_does_not_wait(watching: Watching) -> None:
    watching.server.faults[watching.page] = SiteFault(delay_s=AGES_S, times=1)
    called = Called(watching.home, "run", ASSAY_GRACE_S=f"{AGES_S}")
    _until_in_hand(watching)
    called.process.send_signal(signal.SIGINT)
    called.wait_for("SIGINT: finishing current work")
    assert called.process.poll() is None
    called.process.send_signal(signal.SIGINT)
    assert called.end().code == 130


def test_a_new_run_need_not_wait_for_an_old_one(
    watching: Watching, opened: Callable[[Path], App]
) -> None:
    start_run(opened(watching.home), run_id="old")
    ended = real(watching.home, "run", "--no-resume", "--run-id", "new", "--json")
    assert ended.code == 0
    assert [run["run_id"] for run in ended.value["runs"]] == ["new"]


def test_an_unfinished_demo_is_left_to_the_demo(
    played: Path, opened: Callable[[Path], App]
) -> None:
    start_run(opened(played), label="demo", params={"day": 3})
    code, error = refusal(played, "run")
    assert (code, error["code"]) == (3, "invalid_input")
    assert "Finish it with 'assay demo'" in error["advice"]


def test_a_worker_does_what_the_queues_hold_and_seals(
    watching: Watching, opened: Callable[[Path], App]
) -> None:
    called = Called(watching.home, "worker", "--name", "busy")
    called.wait_for("Worker busy ")
    run_id = start_run(opened(watching.home))
    until(lambda: answer(watching.home, "runs", "show", run_id)["state"] == "sealed")
    assert answer(watching.home, "status")["workers"][0]["state"] == "alive"
    called.process.terminate()
    ended = called.end()
    assert ended.code == 143
    assert "Worker busy stopped; 0 jobs left for the next run." in ended.out
    assert answer(watching.home, "status")["workers"][0]["state"] == "stopped"


def test_a_fetcher_leaves_what_it_fetched_to_a_processor(
    watching: Watching, opened: Callable[[Path], App]
) -> None:
    run_id = start_run(opened(watching.home))

    def count(state: str) -> dict[str, int]:
        jobs = count_run_jobs(opened(watching.home), run_id)
        return {stage: states[state] for stage, states in jobs.items() if state in states}

    fetcher = Called(watching.home, "daemon", "--fetcher")
    until(lambda: count("queued").keys() == {"scout"})
    fetcher.process.terminate()
    assert " jobs left for the next run." in fetcher.end().out
    assert count("queued")["scout"] > 0 and "scout" not in count("done")
    processor = Called(watching.home, "daemon", "--processor")
    until(lambda: answer(watching.home, "runs", "show", run_id)["state"] == "sealed")
    assert count("queued") == {} and count("done")["scout"] > 0
    processor.process.terminate()
    assert processor.end().code == 143


def test_a_daemon_cannot_be_both_halves(home: Path) -> None:
    call(home, "init")
    code, error = refusal(home, "daemon", "--fetcher", "--processor")
    assert (code, error["code"]) == (3, "invalid_input")


def test_a_run_can_be_limited_to_sources(watching: Watching) -> None:
    code, error = refusal(watching.home, "run", "--source", "nobody")
    assert (code, error["code"]) == (3, "not_found")
    (done,) = answer(watching.home, "run", "--source", "gazette")["runs"]
    assert done["jobs"]["sentinel"] == {"done": 1}


def test_a_worker_speaks_json_at_its_end(home: Path) -> None:
    call(home, "init")
    called = Called(home, "worker", "--json")
    until(lambda: bool(answer(home, "status")["workers"]))
    called.process.send_signal(signal.SIGINT)
    ended = called.end()
    assert ended.code == 130
    assert ended.value == {"worker_id": "local", "jobs_left": 0, "stopped": "SIGINT"}


def test_bars_are_shown_on_a_terminal(home: Path) -> None:
    """Through a real terminal, as a person would see it."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm", COLUMNS="100", LINES="30")
        os.execv(*_demo(home))
    seen = b""
    while True:
        try:
            chunk = os.read(terminal, 65_536)
        except OSError:
            break
        if not chunk:
            break
        seen += chunk
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    text = seen.decode()
    assert "━" in text
    assert "10/10" in text
    assert "10 new" in text


def _demo(home: Path) -> tuple[str, list[str]]:
    return sys.executable, [
        sys.executable, "-m", PART, "--home", str(home), "demo", "--days", "1",
    ]  # fmt: skip
