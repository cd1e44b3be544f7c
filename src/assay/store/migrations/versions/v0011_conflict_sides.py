"""A conflict has any number of sides: one conflict for each case replaces those between two rules.

What a person decided about two rules is kept where it still says which rule prevails. Every other
conflict is open again. The conflicts between two rules stay in a table of their own, because
decisions and resolutions name them. A look at each concerned concept is queued, which also
withdraws the edges that only followed from a later day.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

from assay.model.ids import derive_id
from assay.store import guards
from assay.store.upgrade_jobs import UpgradeJob, queue_upgrade_jobs

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_READ = ("conflicts", "rules", "rule_edges", "conflict_resolutions", "review_decisions")
_CASE = ("pack", "concept", "value_type", "unit", "applies_when")
_DECISION = ("resolution", "winner", "ground", "confidence", "recommendation")
Row = Mapping[str, Any]


def upgrade() -> None:
    connection = op.get_bind()
    before = sa.MetaData()
    before.reflect(connection, only=_READ)
    old = _read_pairs(connection, before.tables)
    concepts = _find_concepts(connection, before.tables)
    _keep_pairs(connection)
    _create_tables()
    after = sa.MetaData()
    after.reflect(connection, only=(*_READ, "conflict_sides", "review_requests"))
    store = _Store(connection, after.tables)
    for case, pairs in sorted(old.items()):
        store.join(case, pairs)
    store.close_questions()
    queue_upgrade_jobs(connection, [_build_look(*concept) for concept in concepts])


def _keep_pairs(connection: sa.Connection) -> None:
    """Move the old table to another name; copying it also frees the names of its indexes."""
    op.create_table(
        "conflict_pairs",
        *(
            sa.Column(name, sa.Text(), nullable=False)
            for name in (
                "conflict_id", "pack", "concept", "kind", "sign", "rule_a", "rule_b", "state",
            )
        ),
        *(sa.Column(name, sa.Text(), nullable=True) for name in ("resolution", "winner", "ground")),
        sa.Column("confidence", sa.Float(), nullable=True),
        sa.Column("recommendation", sa.Text(), nullable=True),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("conflict_id", name=op.f("pk_conflict_pairs")),
    )  # fmt: skip
    found = sa.MetaData()
    found.reflect(connection, only=("conflicts", "conflict_pairs"))
    pairs, old = found.tables["conflict_pairs"], found.tables["conflicts"]
    names = pairs.columns.keys()
    copied = sa.select(*(old.c[name] for name in names))
    connection.execute(sa.insert(pairs).from_select(names, copied))
    guards.forbid_delete(connection, ("conflict_pairs",))
    guards.forbid_update(connection, "conflict_pairs")
    op.drop_table("conflicts")


def _create_tables() -> None:
    op.create_table(
        "conflicts",
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("conflict_id", *_CASE)),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("sign", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("resolution", sa.Text(), nullable=True),
        sa.Column("winner", sa.Text(), nullable=True),
        sa.Column("ground", sa.Text(), nullable=True),
        sa.Column("confidence", sa.Float(), nullable=True),
        sa.Column("recommendation", sa.Text(), nullable=True),
        sa.Column("words_key", sa.Text(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("conflict_id", name=op.f("pk_conflicts")),
    )
    op.create_index("ix_conflicts_concept", "conflicts", ["concept"])
    op.create_index("ix_conflicts_state", "conflicts", ["state"])
    op.create_table(
        "conflict_sides",
        sa.Column("side_id", sa.Text(), nullable=False),
        sa.Column("conflict_id", sa.Text(), nullable=False),
        sa.Column("rule_id", sa.Text(), nullable=False),
        sa.Column("until", sa.Text(), nullable=True),
        sa.Column("contested", sa.Boolean(), nullable=False),
        sa.Column("gave_way_to", sa.Text(), nullable=True),
        sa.Column("holds", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("side_id", name=op.f("pk_conflict_sides")),
    )
    op.create_index("ix_conflict_sides_conflict_id", "conflict_sides", ["conflict_id"])
    op.create_index("ix_conflict_sides_rule_id", "conflict_sides", ["rule_id"])
    guards.forbid_delete(op.get_bind(), ("conflicts", "conflict_sides"))


def _read_pairs(
    connection: sa.Connection, tables: Mapping[str, sa.Table]
) -> dict[tuple[str, ...], list[Row]]:
    """case → the conflicts between two of its rules that are not moot."""
    conflicts, rules = tables["conflicts"], tables["rules"]
    query = (
        sa.select(conflicts, *(rules.c[name] for name in _CASE[2:]))
        .join(rules, rules.c.rule_id == conflicts.c.rule_a)
        .where(conflicts.c.state != "MOOT")
        .order_by(conflicts.c.conflict_id)
    )
    found: dict[tuple[str, ...], list[Row]] = {}
    for row in connection.execute(query).mappings():
        found.setdefault(tuple(row[name] for name in _CASE), []).append(dict(row))
    return found


def _find_concepts(
    connection: sa.Connection, tables: Mapping[str, sa.Table]
) -> list[tuple[str, str]]:
    """The concepts that earlier versions settled otherwise."""
    conflicts, rules, edges = tables["conflicts"], tables["rules"], tables["rule_edges"]
    ending = edges.c.holds & edges.c.reason.like("holds from%")
    queries = (
        sa.select(conflicts.c.pack, conflicts.c.concept).where(conflicts.c.state != "MOOT"),
        sa.select(rules.c.pack, rules.c.concept).join(
            edges, (edges.c.to_rule == rules.c.rule_id) & ending
        ),
        sa.select(rules.c.pack, rules.c.concept).where(
            rules.c.status_reason.like("says without a date%")
        ),
    )
    return sorted({(row[0], row[1]) for query in queries for row in connection.execute(query)})


def _build_look(pack: str, concept: str) -> UpgradeJob:
    look = {"pack": pack, "concept": concept, "document": "", "source": None, "look": 0}
    return UpgradeJob("apply", 2, f"{pack}/{concept}", look, waits_once=True)


class _Store:
    """The tables of this version, whatever later versions make of them."""

    def __init__(self, connection: sa.Connection, tables: Mapping[str, sa.Table]) -> None:
        self._connection = connection
        self._tables = tables
        self._decisions = self._read_decisions()

    def _read_decisions(self) -> dict[str, list[Row]]:
        """conflict → what people decided about it; all at once, as a case may have more conflicts
        than a query may have parameters."""
        decisions = self._tables["review_decisions"]
        query = sa.select(decisions).where(decisions.c.subject_kind == "conflict")
        found: dict[str, list[Row]] = {}
        for row in self._connection.execute(query).mappings():
            found.setdefault(row["subject"], []).append(dict(row))
        return found

    def join(self, case: tuple[str, ...], pairs: Sequence[Row]) -> None:
        """Write the conflict about a case, with the rules of all pairs as its sides."""
        conflict_id = derive_id("cf", *case)
        rules = sorted({rule for pair in pairs for rule in (pair["rule_a"], pair["rule_b"])})
        winner = _find_winner(pairs, rules)
        decided = dict.fromkeys(_DECISION)
        if winner is not None:
            decided |= {"resolution": "RULE_PREVAILS", "winner": winner, "ground": "person"}
            decided["confidence"] = 1.0
        self._insert(
            "conflicts",
            {
                **dict(zip(_CASE, case, strict=True)),
                **decided,
                "conflict_id": conflict_id,
                "kind": pairs[0]["kind"],
                "sign": pairs[0]["sign"],
                "state": "OPEN" if winner is None else "RESOLVED",
                "words_key": "",
                "created_ms": min(pair["created_ms"] for pair in pairs),
            },
        )
        for rule in rules:
            self._insert(
                "conflict_sides",
                {
                    "side_id": derive_id("cs", conflict_id, rule),
                    "conflict_id": conflict_id,
                    "rule_id": rule,
                    "until": None,
                    "contested": winner is None,
                    "gave_way_to": winner if rule != winner else None,
                    "holds": True,
                },
            )
        self._copy_decision(conflict_id, pairs, winner)

    def _copy_decision(self, conflict_id: str, pairs: Sequence[Row], winner: str | None) -> None:
        """Copy what people decided last. Without a winner it only says that no machine decides."""
        made = [row for pair in pairs for row in self._decisions.get(pair["conflict_id"], ())]
        made.sort(key=lambda row: (row["at_ms"], row["decision_id"]))
        if not made:
            return
        machine: dict[str, Any] = {"sources": {}, "quotes": {}}
        for row in made:
            for name, known in machine.items():
                known |= row["machine"].get(name, {})
        last = dict(made[-1])
        decision_id = derive_id("rd", "0011", conflict_id)
        self._insert(
            "review_decisions",
            {
                **last,
                "decision_id": decision_id,
                "subject": conflict_id,
                "decision": "UNDO" if winner is None else "RESOLVE",
                "version": {} if winner is None else {"winner": winner},
                "machine": {**last["machine"], **machine},
            },
        )
        if winner is None:
            return
        self._insert(
            "conflict_resolutions",
            {
                "resolution_id": derive_id("cr", conflict_id, decision_id),
                "conflict_id": conflict_id,
                "resolution": "RULE_PREVAILS",
                "winner": winner,
                "ground": "person",
                "confidence": 1.0,
                "decided_by": last["person"],
                "note": last["note"],
                "undoes": None,
                "at_ms": last["at_ms"],
            },
        )

    def close_questions(self) -> None:
        """The arbiter asks again, once for each conflict."""
        asked = self._tables["review_requests"]
        is_open = asked.c.state == "OPEN", asked.c.subject_kind == "conflict"
        self._connection.execute(sa.update(asked).where(*is_open).values(state="MOOT"))

    def _insert(self, table: str, row: Row) -> None:
        self._connection.execute(sa.insert(self._tables[table]).values(dict(row)))


def _find_winner(pairs: Sequence[Row], rules: Sequence[str]) -> str | None:
    """The rule to which every other one gave way, if people decided all of it."""
    if any((pair["state"], pair["ground"]) != ("RESOLVED", "person") for pair in pairs):
        return None
    lost = {
        rule
        for pair in pairs
        for rule in (pair["rule_a"], pair["rule_b"])
        if rule != pair["winner"]
    }
    left = [rule for rule in rules if rule not in lost]
    return left[0] if len(left) == 1 else None
