"""Ids can be abbreviated, as in git: any beginning that only one id has stands for it."""

from enum import Enum

import sqlalchemy as sa

from assay.app.composition import App
from assay.errors import AmbiguousId
from assay.store import tables as t
from assay.store import truth
from assay.store.database import collate_bytewise

LEAST = 4
"""Fewer characters are never taken for an abbreviation."""
_MOST_NAMED = 10
_AFTER_ALL = "\U0010ffff"


class IdKind(Enum):
    """What an id may be of, and the column with all such ids."""

    CONFLICT = truth.conflict.c.conflict_id
    DEAD_LETTER = t.dead_letter.c.job_id
    DOCUMENT = t.document.c.doc_id
    EVIDENCE = t.evidence.c.evidence_id
    FACT = truth.candidate_fact.c.fact_id
    JOB = t.job.c.job_id
    QUESTION = t.review_request.c.request_id
    RELEASE = truth.release.c.release_id
    RESOLUTION = truth.conflict_resolution.c.resolution_id
    RULE = truth.rule.c.rule_id
    RUN = t.run.c.run_id


def expand_id(app: App, given: str, *kinds: IdKind) -> str:
    """The id of these kinds that is `given`, or the only one that begins with it.

    If there is none, `given` itself: the command that looks for it says that it does not exist.
    """
    columns: list[sa.Column[str]] = [kind.value for kind in kinds]

    def find(connection: sa.Connection) -> set[str]:
        whole = {id_ for c in columns for id_ in _find(connection, c, c == given)}
        if whole or len(given) < LEAST:
            return whole
        return {
            id_
            for column in columns
            for id_ in _find(connection, column, *_begins_with(connection, column, given))
        }

    found = sorted(app.read(find))
    if len(found) > 1:
        named = ", ".join(found[:_MOST_NAMED]) + (", …" if len(found) > _MOST_NAMED else "")
        raise AmbiguousId(f"Several ids begin with '{given}': {named}.")
    return found[0] if found else given


def _begins_with(
    connection: sa.Connection, column: sa.Column[str], given: str
) -> tuple[sa.ColumnElement[bool], sa.ColumnElement[bool]]:
    """As a range, which an index finds; LIKE would ignore case in SQLite."""
    bytewise = collate_bytewise(connection.dialect.name, column)
    return bytewise >= given, bytewise < given + _AFTER_ALL


def _find(
    connection: sa.Connection, column: sa.Column[str], *where: sa.ColumnElement[bool]
) -> list[str]:
    query = sa.select(column).where(*where).order_by(column).limit(_MOST_NAMED + 1)
    return list(connection.execute(query).scalars())
