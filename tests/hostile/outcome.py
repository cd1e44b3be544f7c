"""How a bad document ended, and what it cost: one line of the table."""

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


def line(name: str, ended: Ended, wrong: str | None) -> str:
    """One line of the table: the case, what it cost, how it ended and why."""
    cost = f"{ended.seconds:7.2f} s {ended.megabytes:6} MB" if ended.seconds else " " * 19
    mark = f"   WRONG: {wrong}" if wrong else ""
    return f"{name:40} {cost}  {ended.way:20} {ended.reason[:300]}{mark}\n"
