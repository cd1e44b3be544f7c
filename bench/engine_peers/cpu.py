"""CPU time of this process and its children, and of a database server beside it."""

import os
import resource
from pathlib import Path


def own_cpu_seconds() -> float:
    """User and system time of this process and of the children it has waited for."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def server_cpu_seconds(pid: int) -> float | None:
    """User and system time of a server and all its children, dead or alive.

    `None` where the system has no /proc to read it from.
    """
    table = Path("/proc")
    if not (table / str(pid) / "stat").exists():
        return None
    ticks = sum(_ticks(_fields(table / str(pid)), (11, 12, 13, 14)))
    for entry in table.iterdir():
        if entry.name.isdigit():
            fields = _fields(entry)
            if fields and int(fields[1]) == pid:
                ticks += sum(_ticks(fields, (11, 12)))
    return ticks / os.sysconf("SC_CLK_TCK")


def _fields(process: Path) -> list[str]:
    # The command name may hold spaces and brackets, so the fields are counted from behind it.
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _ticks(fields: list[str], places: tuple[int, ...]) -> list[int]:
    return [int(fields[place]) for place in places] if fields else [0]
