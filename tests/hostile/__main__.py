"""`make hostile`: the whole corpus, first read document by document, then through the spine."""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from assay.settings import Settings, load_settings
from tests.hostile.case import Case
from tests.hostile.corpus import chosen, written
from tests.hostile.outcome import Ended, line
from tests.hostile.reading import read_alone
from tests.hostile.site import served, traps
from tests.hostile.spine import Watched, watch

GOOD_PAGES = 30
_PATIENCE_S = 3600.0
_SLACK_S = 20.0
_SLACK_MB = 100
say = sys.stdout.write


def read_all(cases: Sequence[Case], folder: Path, settings: Settings) -> int:
    """Read each in a process of its own; gives how many did not end as they should."""
    within = f"{settings.read_timeout_s:g} s and {settings.read_memory_mb} MB"
    say(f"\nRead one by one, within {within}\n")
    failed = 0
    for case in cases:
        file = folder / case.file_name
        ended = asyncio.run(read_alone(case, file, settings))
        wrong = ended.wrong(case) or _unbounded(ended, settings)
        failed += wrong is not None
        say(line(case.name, ended, wrong))
        sys.stdout.flush()
    return failed


def _unbounded(ended: Ended, settings: Settings) -> str | None:
    if ended.seconds > settings.read_timeout_s + _SLACK_S:
        return f"took {ended.seconds:.0f} s"
    if ended.megabytes > settings.read_memory_mb + _SLACK_MB:
        return f"took {ended.megabytes} MB"
    return None


def watch_all(cases: Sequence[Case], folder: Path, home: Path, settings: Settings) -> int:
    """Let a worker watch a site of them all; gives how many did not end as they should."""
    most = settings.fetch_max_bytes
    set_up = [served(case, folder / case.file_name, most) for case in cases if case.served]
    set_up += traps()
    watched = watch(home, set_up, GOOD_PAGES, {}, _PATIENCE_S)
    say(f"\nThrough the spine: {len(set_up)} bad addresses among {GOOD_PAGES} good pages\n")
    for trap in set_up:
        for ended in watched.ended[trap.path]:
            say(line(trap.path, ended, None))
    wrong = watched.wrong(set_up)
    say("".join(f"WRONG: {one}\n" for one in wrong))
    say(_summary(watched))
    return len(wrong)


def _summary(watched: Watched) -> str:
    lived = "lived" if watched.same_worker else "died"
    return (
        f"The worker {lived}; the run is {watched.run_state} after {watched.seconds:.0f} s with "
        f"{watched.jobs_left} jobs left. The worker took {watched.worker_mb} MB at most, a reading "
        f"process {watched.reader_mb} MB.\n"
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.hostile")
    parser.add_argument("words", nargs="*", help="only cases with such a word in their names")
    parser.add_argument("--folder", type=Path, help="where the corpus is written, and kept")
    parser.add_argument("--only", choices=("reading", "spine"), help="one half of it")
    given = parser.parse_args()
    cases = chosen(given.words)
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary) / "corpus"
        folder.mkdir(parents=True, exist_ok=True)
        say(f"Writing {len(cases)} documents into {folder}\n")
        for case in cases:
            if not (folder / case.file_name).exists():
                written(case, folder)
        home = Path(temporary) / "home"
        settings = load_settings(home=home, env={})
        failed = read_all(cases, folder, settings) if given.only != "spine" else 0
        if given.only != "reading":
            failed += watch_all(cases, folder, home, settings)
    say(f"{failed} wrong\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
