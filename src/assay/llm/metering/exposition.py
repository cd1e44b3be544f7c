"""The text format that Prometheus reads, version 0.0.4."""

from collections.abc import Iterator, Sequence
from math import inf

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
"""The content type of a page in this format."""

Labels = Sequence[tuple[str, str]]


def format_heading(name: str, kind: str, help_text: str) -> Iterator[str]:
    """The two lines before a metric's samples."""
    yield f"# HELP {name} {_escape_line(help_text)}"
    yield f"# TYPE {name} {kind}"


def format_sample(name: str, labels: Labels, number: float) -> str:
    """One line with a number."""
    inside = ",".join(f'{label}="{_escape_value(value)}"' for label, value in labels)
    return (
        f"{name}{{{inside}}} {_format_number(number)}"
        if inside
        else f"{name} {_format_number(number)}"
    )


def format_histogram(
    name: str, labels: Labels, bounds: Sequence[float], counts: Sequence[int], total: float
) -> Iterator[str]:
    """A distribution of values: `counts` has one entry per bound and one for all above."""
    below = 0
    for bound, count in zip((*bounds, inf), counts, strict=True):
        below += count
        yield format_sample(f"{name}_bucket", [*labels, ("le", _format_number(bound))], below)
    yield format_sample(f"{name}_sum", labels, total)
    yield format_sample(f"{name}_count", labels, below)


def _escape_line(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _escape_value(value: str) -> str:
    return _escape_line(value).replace('"', '\\"')


def _format_number(value: float) -> str:
    if value == inf:
        return "+Inf"
    return str(int(value)) if value == int(value) else repr(float(value))
