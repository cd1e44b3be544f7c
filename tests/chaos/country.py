"""The demo on a part of the country and its council: `python -m tests.chaos.country HOME`."""

import sys
from pathlib import Path

from assay import logs
from assay.packs.civic.demo import build_council_demo
from tests.demo.part import played, settings_of


def main() -> int:
    # An agenda that outruns its meeting must find it at the second or third attempt.
    settings = settings_of(Path(sys.argv[1]), retry_delays_s=(0.5, 20.0))
    settings.home.mkdir(parents=True, exist_ok=True)
    logs.configure("info", settings.log_file, console_level="critical")
    _, ending = played(settings, civic=build_council_demo())
    return 0 if ending.proof.ok else 1


if __name__ == "__main__":
    sys.exit(main())
