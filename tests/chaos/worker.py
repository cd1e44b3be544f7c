"""A worker process of the toy pipeline, to be killed: `python -m tests.chaos.worker …`."""

import argparse
import sys
import threading
from pathlib import Path

from assay import logs
from assay.app import App
from assay.app.runs import wait_for_runs
from tests.conftest import quick_settings
from tests.engine.toy import RUN, toy_pipeline
from tests.waiting import PATIENCE_S


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("home", type=Path)
    parser.add_argument("--database-url")
    parser.add_argument("--name")
    parser.add_argument("--fault", default="")
    parser.add_argument("--lease", type=float, default=PATIENCE_S)
    given = parser.parse_args()
    settings = quick_settings(
        given.home,
        database_url=given.database_url,
        worker_name=given.name,
        fault=given.fault,
        lease_s=given.lease,
    )
    logs.configure("info", settings.log_file, console_level="critical")
    with App(settings, pipeline=toy_pipeline()) as app:
        worker = app.make_worker()
        worker.start()
        done = wait_for_runs(app, worker, [RUN], stop=threading.Event())
        ended = worker.stop()
    return 0 if ended and done else 1


if __name__ == "__main__":
    sys.exit(main())
