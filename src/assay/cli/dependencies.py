"""The distributions that Assay needs, with their licences: data, so that a new one is noticed.

`python -m assay.cli.dependencies requirements` rewrites the list from the pinned requirements and
from what the installed distributions say of themselves.
"""

import csv
import io
import re
import sys
from dataclasses import astuple, dataclass, fields
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Literal

LIST = Path(__file__).with_name("dependencies.csv")
_PIN = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;\\]+)", re.MULTILINE)
_COPYLEFT = re.compile(r"GPL|MPL|Mozilla|EPL|CDDL|EUPL")
_LONGEST = 60

Use = Literal["users", "extras", "tests"]
"""Who needs it: every user, those who install an extra, or only the tests."""


@dataclass(frozen=True, order=True)
class Dependency:
    """One distribution, as it is pinned."""

    name: str
    versions: str
    """More than one where it depends on the version of Python."""
    use: Use
    licence: str
    """What it says of itself; empty if it was not installed where the list was made."""
    released: str = ""
    """The newest date in the pinned release's archive; empty where its builder sets a fixed one."""

    @property
    def is_copyleft(self) -> bool:
        return _COPYLEFT.search(self.licence) is not None


def list_dependencies() -> list[Dependency]:
    """The recorded list."""
    rows = csv.DictReader(io.StringIO(LIST.read_text(encoding="utf-8")))
    return [Dependency(**row) for row in rows]  # type: ignore[arg-type]


def read_pins(requirements: Path) -> dict[str, tuple[str, Use]]:
    """Name → pinned versions and use, from the resolved requirements."""
    found: dict[str, tuple[str, Use]] = {}
    files: tuple[tuple[str, Use], ...] = (
        ("base", "users"), ("all", "extras"), ("dev", "tests"),
    )  # fmt: skip
    for file, use in files:
        versions: dict[str, set[str]] = {}
        for name, version in _PIN.findall((requirements / f"{file}.txt").read_text("utf-8")):
            versions.setdefault(name.lower(), set()).add(version)
        for name, pinned in versions.items():
            found.setdefault(name, (" or ".join(sorted(pinned)), use))
    return found


def find_licence(name: str) -> str:
    """What an installed distribution says its licence is; empty if it is not installed."""
    try:
        own = metadata(name)
    except PackageNotFoundError:
        return ""
    classified = [
        entry.rpartition(" :: ")[2]
        for entry in own.get_all("Classifier") or []
        if entry.startswith("License :: ")
    ]
    stated = (own.get_all("License-Expression") or own.get_all("License") or [""])[0]
    # Some put the whole text there; its first line is its name.
    stated = stated.strip().partition("\n")[0].strip()
    if len(stated) > _LONGEST:
        stated = ""
    return stated or ", ".join(classified)


def write_list(requirements: Path) -> None:
    """Bring the list up to date; what cannot be found out here is kept."""
    before = {each.name: each for each in list_dependencies()} if LIST.exists() else {}
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(each.name for each in fields(Dependency))
    for name, (versions, use) in sorted(read_pins(requirements).items()):
        known = before.get(name)
        licence = find_licence(name) or (known.licence if known else "")
        released = known.released if known and known.versions == versions else ""
        writer.writerow(astuple(Dependency(name, versions, use, licence, released)))
    LIST.write_text(out.getvalue(), encoding="utf-8")


if __name__ == "__main__":
    write_list(Path(sys.argv[1]))
