"""How a bad document ended, and what it cost: one line of the table."""

from collections.abc import Iterable
from dataclasses import dataclass

from tests.hostile.case import READ, Case


@dataclass(frozen=True, slots=True)
class Ended:
    """How one case ended."""

    way: str
    """`read`, `skipped`, or the code of an error."""
    reason: str
    """What a user is told; of a document that is read, its warnings."""
    text: str = ""
    seconds: float = 0.0
    megabytes: int = 0

    def wrong(self, case: Case) -> str | None:
        """What is not as it should be, in one line; nothing, if all is."""
        if self.way not in case.ends:
            return f"ended as {self.way}, not {' or '.join(sorted(case.ends))}: {self.reason}"
        if self.way != READ and not self.reason:
            return "gives no reason"
        if case.told and case.told not in self.reason:
            return f"does not say {case.told!r}: {self.reason}"
        if self.way == READ and case.holds not in self.text:
            return f"the text has no {case.holds!r}"
        return None


def table(rows: Iterable[tuple[str, Ended, str | None]]) -> str:
    """The cases one by one, each with what is wrong with it."""
    lines = [f"{'case':40} {'seconds':>8} {'peak MB':>8}  {'ends as':20} reason"]
    for name, ended, wrong in rows:
        mark = f"   WRONG: {wrong}" if wrong else ""
        lines.append(
            f"{name:40} {ended.seconds:8.2f} {ended.megabytes:8}  {ended.way:20} "
            f"{ended.reason[:300]}{mark}"
        )
    return "\n".join(lines)
