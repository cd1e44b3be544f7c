"""Every wording of every provision of an act, and the days on which it applies.

It follows from the stored texts, so it is worked out when asked for and not stored.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby

from assay.packs.regulatory.acts.amending import apply_operations
from assay.packs.regulatory.acts.amendment_steps import AmendmentStep, list_steps
from assay.packs.regulatory.acts.comparing import ChangeKind, list_periods
from assay.packs.regulatory.acts.law_changes import LawText, LawVersion
from assay.packs.regulatory.acts.shapes import Act, Operation, Provision
from assay.packs.regulatory.acts.version_days import DatedVersion, date_versions, read_version
from assay.packs.regulatory.acts.versions import select_steps


@dataclass(frozen=True, slots=True)
class ProvisionVersion:
    """One wording of a provision, without its parts, and the days on which it applies."""

    provision: Provision
    start: str
    """The first day on which it surely applies; empty: since before the first known version."""
    start_since: str
    """If that day is not known exactly: the first one on which it may already have applied."""
    until: str
    """The first day on which it surely no longer applies; empty if it still does."""
    until_since: str
    """If that day is not known exactly: the first one on which it may already have ended."""
    came_about: ChangeKind
    moved_from: str = ""

    @property
    def text(self) -> str:
        """Its heading and its own words."""
        one = self.provision
        parts = (one.number, one.heading.text, one.opening.text, one.closing.text)
        return "\n".join(" ".join(part.split()) for part in parts if part.strip())

    @property
    def sources(self) -> tuple[str, ...]:
        """The evidence that its words come from."""
        one = self.provision
        spans = (*one.heading.spans, *one.opening.spans, *one.closing.spans)
        return tuple(dict.fromkeys(span.source for span in spans if span.source))

    def may_apply_on(self, day: str) -> bool:
        """Whether it applies on a day, surely or perhaps."""
        return (self.start_since or self.start) <= day and (not self.until or day < self.until)

    def is_certain_on(self, day: str) -> bool:
        """Whether it surely applies on a day."""
        ends = self.until_since or self.until
        return self.start <= day and (not ends or day < ends)


def list_provision_versions(
    versions: Sequence[DatedVersion], steps: Sequence[AmendmentStep] = ()
) -> tuple[ProvisionVersion, ...]:
    """The wordings of every provision, by path and then by day."""
    states: list[tuple[date, Act]] = []
    since: dict[date, str] = {}
    for at, version in enumerate(versions):
        following = versions[at + 1] if at + 1 < len(versions) else None
        day = date.fromisoformat(version.day.day) if version.day.day else date.min
        states.append((day, version.act))
        since[day] = version.day.since
        for amended, act in _amend(version.act, select_steps(steps, version, following)):
            states.append((amended, act))
            since[amended] = ""
    return tuple(
        ProvisionVersion(
            period.provision,
            _format_day(period.start),
            since[period.start],
            "" if period.end is None else _format_day(period.end),
            "" if period.end is None else since[period.end],
            period.came_about,
            period.moved_from,
        )
        for period in list_periods(states)
    )


def select_provision(
    versions: Iterable[ProvisionVersion], path: str = "", day: str = ""
) -> list[ProvisionVersion]:
    """The wordings of a provision and its parts, or of all; on a day, or ever."""
    return [
        one
        for one in versions
        if not path or one.provision.path == path or one.provision.path.startswith(path + "__")
        if not day or one.may_apply_on(day)
    ]


def _amend(act: Act, steps: Iterable[AmendmentStep]) -> Iterator[tuple[date, Act]]:
    """The act after each day on which instructions count; the others are left out."""
    dated = sorted((s for s in steps if s.day is not None), key=lambda s: (s.day, s.order))
    for day, group in groupby(dated, key=lambda step: step.day):
        operations = [step.parsed for step in group if isinstance(step.parsed, Operation)]
        act, applied, _ = apply_operations(act, operations)
        if applied and day is not None:
            yield date.fromisoformat(day), act


def _format_day(day: date) -> str:
    return "" if day == date.min else day.isoformat()


def list_stored_provisions(
    versions: Sequence[LawVersion],
    amending: Sequence[LawText],
    act_key: str,
    answers: Mapping[str, str],
) -> list[ProvisionVersion]:
    """The wordings of an act, in a process of the pool."""
    dated = date_versions([read_version(version) for version in versions])
    return list(list_provision_versions(dated, list_steps(amending, act_key, answers)))
