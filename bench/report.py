"""What a bench found: one figure of ours, the peers' beside it, and who is ahead."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Better: TypeAlias = Literal["higher", "lower"]


@dataclass(frozen=True, kw_only=True)
class Report:
    """One measured figure beside the same figure of every peer."""

    name: str
    """What was measured."""
    unit: str
    """The unit of every figure, such as `documents/s`."""
    better: Better
    """Whether a higher or a lower figure is the better one."""
    ours: float
    """Assay's figure."""
    peers: Mapping[str, float] = field(default_factory=dict)
    """The peers' figures, by name."""
    detail: Mapping[str, Any] = field(default_factory=dict)
    """Whatever else a reader needs to judge the figures, fit for JSON."""

    def __post_init__(self) -> None:
        if self.better not in ("higher", "lower"):
            raise ValueError(f"better is 'higher' or 'lower', not {self.better!r}")
        for name, figure in {"ours": self.ours, **self.peers}.items():
            if not math.isfinite(figure) or figure < 0:
                raise ValueError(f"the figure of {name} must be zero or more, not {figure}")

    @property
    def best_peer(self) -> str | None:
        """The name of the peer to beat; `None` without peers."""
        if not self.peers:
            return None
        best = max if self.better == "higher" else min
        return best(self.peers, key=lambda name: self.peers[name])

    @property
    def ratio(self) -> float | None:
        """How far we are ahead of the best peer: above 1 is ahead, whichever way is better.

        `None` when there is no peer, or when the figure to divide by is zero.
        """
        if self.best_peer is None:
            return None
        return _ratio(self.ours, self.peers[self.best_peer], self.better)

    def as_dict(self) -> dict[str, Any]:
        """The report as it is written to JSON."""
        return {
            "name": self.name,
            "unit": self.unit,
            "better": self.better,
            "ours": self.ours,
            "peers": dict(self.peers),
            "ratio": self.ratio,
            "detail": dict(self.detail),
        }


def print_report(report: Report, as_json: bool) -> None:
    """Print the report: exactly one JSON object, or an aligned table to read."""
    if as_json:
        print(json.dumps(report.as_dict(), allow_nan=False))
    else:
        print(table(report))


def table(report: Report) -> str:
    """The report as plain text: contenders in order, ours marked, then the detail."""
    in_order = sorted(
        [("Assay", report.ours, True), *((*peer, False) for peer in report.peers.items())],
        key=lambda row: row[1],
        reverse=report.better == "higher",
    )
    rows = [("", "contender", report.unit, "ours is")]
    for name, figure, is_ours in in_order:
        ahead = None if is_ours else _ratio(report.ours, figure, report.better)
        rows.append(("*" if is_ours else "", name, _figure(figure), _times(ahead)))
    lines = [f"{report.name} ({report.better} is better)", "", *_aligned(rows)]
    if report.best_peer is not None and report.ratio is not None:
        lines += ["", f"{_times(report.ratio)} the best peer, {report.best_peer}"]
    if report.detail:
        lines += ["", *_detail_lines(report.detail, depth=0)]
    return "\n".join(lines)


def _ratio(ours: float, theirs: float, better: Better) -> float | None:
    above, below = (ours, theirs) if better == "higher" else (theirs, ours)
    if above == below:
        return 1.0
    return above / below if below else None


def _aligned(rows: list[tuple[str, str, str, str]]) -> list[str]:
    mark, name, figure, times = (max(map(len, column)) for column in zip(*rows, strict=True))
    return [
        f"{row[0]:<{mark}} {row[1]:<{name}}  {row[2]:>{figure}}  {row[3]:>{times}}".rstrip()
        for row in rows
    ]


def _figure(value: float) -> str:
    # Four digits tell contenders apart; more would claim a precision no run has.
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def _times(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.2f} ×"


def _detail_lines(detail: Mapping[str, Any], depth: int) -> list[str]:
    width = max(map(len, detail))
    lines: list[str] = []
    for name, value in detail.items():
        indent = "  " * depth
        if isinstance(value, Mapping) and value:
            lines += [f"{indent}{name}", *_detail_lines(value, depth + 1)]
        else:
            lines.append(f"{indent}{name:<{width}}  {value}")
    return lines
