"""The text format that Prometheus reads, version 0.0.4."""

from collections.abc import Iterator, Sequence
from math import inf

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
"""What a page in this format is sent as."""

Labels = Sequence[tuple[str, str]]


def heading(name: str, kind: str, told: str) -> Iterator[str]:
    """The two lines before a metric's samples."""
    yield f"# HELP {name} {_one_line(told)}"
    yield f"# TYPE {name} {kind}"


def sample(name: str, labels: Labels, number: float) -> str:
    """One number."""
    inside = ",".join(f'{label}="{_quoted(value)}"' for label, value in labels)
    return f"{name}{{{inside}}} {_number(number)}" if inside else f"{name} {_number(number)}"


def histogram(
    name: str, labels: Labels, bounds: Sequence[float], counts: Sequence[int], total: float
) -> Iterator[str]:
    """A spread of values: `counts` has one entry for each bound and one for all above."""
    below = 0
    for bound, count in zip((*bounds, inf), counts, strict=True):
        below += count
        yield sample(f"{name}_bucket", [*labels, ("le", _number(bound))], below)
    yield sample(f"{name}_sum", labels, total)
    yield sample(f"{name}_count", labels, below)


def _one_line(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _quoted(value: str) -> str:
    return _one_line(value).replace('"', '\\"')


def _number(value: float) -> str:
    if value == inf:
        return "+Inf"
    return str(int(value)) if value == int(value) else repr(float(value))
