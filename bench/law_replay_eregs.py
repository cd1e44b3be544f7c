"""The eRegs parser on the same instructions: which provisions does it name?"""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from bench.law_replay_us import Step

_SCRIPT = Path(__file__).parent / "law_peers" / "eregs.py"


def list_named(steps: Sequence[Step], checkout: Path, libraries: Path) -> list[set[str]]:
    """The provisions that eRegs' instructions name, for each notice."""
    notices = [
        {
            "part": step.part,
            "instructions": [
                line.removeprefix("■").strip()
                for line in step.text.splitlines()
                if line.startswith("■")
            ],
        }
        for step in steps
    ]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, (libraries, checkout))),
        "DJANGO_SETTINGS_MODULE": "regparser.web.settings.base",
    }
    done = subprocess.run(
        [sys.executable, str(_SCRIPT)],
        input=json.dumps(notices),
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    results = json.loads(done.stdout)["results"]
    return [
        {
            path
            for each in found
            if "label" in each
            for label in (each["label"], each["destination"])
            if label and (path := _as_path(label))
        }
        for found in results
    ]


def _as_path(label: Sequence[str]) -> str:
    """An eRegs label such as 1005-31-b-1 as a path."""
    part, *rest = [each for each in label if each]
    if not rest:
        return ""
    if "Interp" in rest:
        at = rest.index("Interp")
        place, comment = rest[:at], rest[at + 1 :]
        if not place:
            return "annex_I"
        first = place[0]
        section = f"sec_{part}.{first}" if first[0].isdigit() else f"annex_{first}"
        parts = ["annex_I", section]
        if len(place) > 1:
            parts.append("para_" + ".".join(place))
        return "__".join([*parts, *(f"point_{each}" for each in comment)])
    if not rest[0][0].isdigit():
        return f"annex_{rest[0]}"
    parts = [f"sec_{part}.{rest[0]}"]
    for depth, number in enumerate(rest[1:]):
        parts.append(f"{'point' if depth else 'para'}_{number}")
    return "__".join(parts)


def is_named(path: str, named: Iterable[str]) -> bool:
    """Whether a provision or one that it is in is named."""
    lead = path
    known = named if isinstance(named, set) else set(named)
    while lead:
        if lead in known:
            return True
        lead = lead.rpartition("__")[0]
    return False
