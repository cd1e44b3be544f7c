"""Conflicts as the console shows them: side by side, however many sides there are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from assay.app.composition import App
from assay.app.quoted_passages import describe_passages
from assay.app.review_questions import describe_case
from assay.app.reviewing import OPEN
from assay.model.records import ReviewRequest
from assay.model.rules import (
    Conflict,
    ConflictResolution,
    ConflictState,
    Resolution,
    Rule,
)
from assay.ruling.arbiter.arbitration import PERSON, build_side, find_turn_obstacle
from assay.ruling.review.conflicts import make_conflict_version
from assay.ruling.review.judgement import UNDECIDED, RuleCase
from assay.ruling.review.lookup import read_conflict, read_rows, read_rule_rows
from assay.ruling.review.rule_cases import build_case
from assay.ruling.rules.descriptions import describe_value
from assay.store import truth
from assay.store.database import explain_errors

MOST_SIDES: Final = 12
"""How many sides a page shows."""
_MOST_QUOTES = 2
_MOST_COMPARED = 50
"""With more sides than that, whether they can hold in turn is only known when it is tried."""
STATES: Final = tuple(state.value for state in ConflictState)


class _Side(NamedTuple):
    """A side of a conflict, with what its rule says."""

    side_id: str
    rule_id: str
    until: str | None
    contested: bool
    gave_way_to: str | None
    holds: bool
    value: str
    value_type: str
    unit: str


@dataclass(frozen=True, kw_only=True)
class ConflictPage:
    """A conflict with some of its sides."""

    conflict: Mapping[str, Any]
    label: str
    version: str
    """What is seen here; a decision about anything else is refused."""
    request: Mapping[str, Any] | None
    advice: str
    """What the arbiter recommends and why, or why it leaves the decision to a person."""
    groups: Sequence[Mapping[str, Any]]
    """Each value, with the number of sides that say so; the most frequent first."""
    sides: Sequence[Mapping[str, Any]]
    total: int
    """How many sides there are of the value that is shown, or altogether."""
    next_offset: int | None
    resolutions: Sequence[Mapping[str, Any]]
    undoable: Sequence[str]
    """The resolutions that may be undone."""
    turn_obstacle: str

    @property
    def is_undecided(self) -> bool:
        return self.conflict["state"] in UNDECIDED


def list_conflict_page(
    app: App, *, state: str | None, after: tuple[str, str] | None = None, limit: int
) -> list[dict[str, Any]]:
    """Conflicts by concept, with their number of sides; those that wait, or those of a state."""
    table, side, concept = truth.conflict, truth.conflict_side, truth.concept
    sides = (
        sa.select(sa.func.count())
        .where(side.c.conflict_id == table.c.conflict_id, side.c.holds)
        .scalar_subquery()
    )
    query = sa.select(table, sides.label("sides"), concept.c.label).outerjoin(
        concept, concept.c.concept == table.c.concept
    )
    states = UNDECIDED if state is None else (state,)
    query = query.where(table.c.state.in_(states))
    if after is not None:
        place = sa.tuple_(table.c.concept, table.c.conflict_id)
        query = query.where(place > sa.tuple_(*map(sa.literal, after)))
    return app.fetch_rows(query.order_by(table.c.concept, table.c.conflict_id).limit(limit))


def count_conflicts(app: App) -> dict[str, int]:
    """State → how many conflicts."""
    table = truth.conflict.c
    query = sa.select(table.state, sa.func.count().label("count")).group_by(table.state)
    return {row["state"]: row["count"] for row in app.fetch_rows(query)}


def describe_conflict_page(
    app: App, conflict_id: str, *, value: str | None = None, offset: int = 0
) -> ConflictPage:
    """A conflict with the sides of one value, or of all."""
    with explain_errors(), app.engine.connect() as connection:
        conflict = read_conflict(connection, conflict_id)
        present = _read_sides(connection, conflict_id)
        resolutions = read_rows(connection, ConflictResolution, "conflict_id", [conflict_id])
        requests = read_rows(
            connection, ReviewRequest, "subject", [conflict_id], subject_kind="conflict"
        )
        chosen = [
            side
            for side in sorted(present, key=lambda side: _rank_side(conflict, side))
            if value is None or side.value == value
        ]
        shown = chosen[offset : offset + MOST_SIDES]
        cases = _read_cases(connection, shown)
        label = sa.select(truth.concept.c.label).where(truth.concept.c.concept == conflict.concept)
        following = offset + MOST_SIDES
        return ConflictPage(
            conflict=conflict.row(),
            label=str(connection.execute(label).scalar() or conflict.concept),
            version=make_conflict_version(conflict, present, resolutions),
            request=next((r.row() for r in requests if r.state == OPEN), None),
            advice=_find_advice(conflict, requests),
            groups=_group_by_value(present),
            sides=_describe_sides(app, connection, shown, cases),
            total=len(chosen),
            next_offset=following if following < len(chosen) else None,
            resolutions=[
                row.row() for row in sorted(resolutions, key=lambda r: (r.at_ms, r.resolution_id))
            ],
            undoable=_list_undoable(conflict, resolutions),
            turn_obstacle=_find_turn_obstacle(connection, present),
        )


def _rank_side(conflict: Conflict, side: _Side) -> tuple[bool, bool, str]:
    """The recommended or prevailing one first, then those that are contested."""
    is_first = side.rule_id in (conflict.recommendation, conflict.winner)
    return not is_first, not side.contested, side.rule_id


def _read_sides(connection: sa.Connection, conflict_id: str) -> list[_Side]:
    """The present sides with what their rules say; there may be a thousand."""
    side, rule = truth.conflict_side.c, truth.rule.c
    columns = (side.side_id, side.rule_id, side.until, side.contested, side.gave_way_to)
    query = (
        sa.select(*columns, side.holds, rule.value, rule.value_type, rule.unit)
        .join(truth.rule, rule.rule_id == side.rule_id)
        .where(side.conflict_id == conflict_id, side.holds)
    )
    return [_Side(*row) for row in connection.execute(query)]


def _read_cases(connection: sa.Connection, sides: Sequence[_Side]) -> dict[str, RuleCase]:
    rules = read_rows(connection, Rule, "rule_id", [side.rule_id for side in sides])
    rows = read_rule_rows(connection, rules)
    return {rule.rule_id: build_case(rule.rule_id, rows) for rule in rules}


def _describe_sides(
    app: App,
    connection: sa.Connection,
    sides: Sequence[_Side],
    cases: Mapping[str, RuleCase],
) -> list[dict[str, Any]]:
    known = [cases[side.rule_id] for side in sides]
    pointers = [pointer for case in known for pointer in case.pointers[:_MOST_QUOTES]]
    sources = dict(known[0].sources) if known else {}
    passages = iter(describe_passages(app, connection, pointers, sources))
    return [
        {
            **describe_case(app, case),
            "contested": side.contested,
            "gave_way_to": side.gave_way_to,
            "until": side.until,
            "passages": list(islice(passages, min(_MOST_QUOTES, len(case.pointers)))),
            "more_passages": max(0, len(case.pointers) - _MOST_QUOTES),
        }
        for side, case in zip(sides, known, strict=True)
    ]


def _group_by_value(sides: Sequence[_Side]) -> list[dict[str, Any]]:
    groups: dict[str, dict[str, Any]] = {}
    for side in sides:
        group = groups.setdefault(
            side.value,
            {
                "value": side.value,
                "says": describe_value(side.value, side.value_type, side.unit),
                "count": 0,
                "contested": 0,
            },
        )
        group["count"] += 1
        group["contested"] += side.contested
    return sorted(groups.values(), key=lambda group: (-group["count"], group["value"]))


def _find_advice(conflict: Conflict, requests: Sequence[ReviewRequest]) -> str:
    """The last sentences of the question: the recommendation, its reason, and why a person decides.

    Quotes come before them, and a document may say anything.
    """
    for request in requests:
        if request.state == OPEN:
            for opening in ("Recommended: ", "A person decides because "):
                place = request.question.rfind(opening)
                if place >= 0:
                    return request.question[place:]
    return "" if conflict.ground is None else f"Decided by {conflict.ground}."


def _list_undoable(conflict: Conflict, resolutions: Sequence[ConflictResolution]) -> list[str]:
    undone = {resolution.undoes for resolution in resolutions}
    standing = sorted(
        (
            r
            for r in resolutions
            if r.resolution != Resolution.ESCALATE_TO_HUMAN and r.resolution_id not in undone
        ),
        key=lambda r: (r.at_ms, r.resolution_id),
    )
    if conflict.state != ConflictState.RESOLVED:
        return [r.resolution_id for r in standing if r.ground == PERSON]
    return [r.resolution_id for r in standing if r.ground == PERSON or r is standing[-1]]


def _find_turn_obstacle(connection: sa.Connection, sides: Sequence[_Side]) -> str:
    contested = [side for side in sides if side.contested]
    if not contested or len(contested) > _MOST_COMPARED:
        return ""
    cases = _read_cases(connection, contested)
    ranked = [build_side(cases[side.rule_id], side.until) for side in contested]
    return find_turn_obstacle(ranked) or ""
