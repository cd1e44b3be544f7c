"""What it costs to ask for the law of a day: many acts, each with many versions.

Every version of an act changes one rate, so a release has one rule for each version. Questions ask
for a random act on a random day, as `assay ask` does with a release that was read before. Beside it
stand a table of periods in SQLite with an index, which knows neither conditions nor doubts and
explains nothing, and applying the amendments to the act again for every question.
"""

import random
import sqlite3
import time
from collections.abc import Callable, Sequence
from datetime import date, timedelta

from assay.app.asking import ReleasedRules, ask
from assay.packs.regulatory.acts.amending import apply_operations
from assay.packs.regulatory.acts.shapes import (
    Act,
    Operation,
    OperationKind,
    Provision,
    Span,
    copy_words,
)
from assay.ruling.concept_search import ConceptSearch
from assay.ruling.release.published_rules import PublishedRule
from assay.ruling.rules.conditions import parse_condition

_FIRST = date(1975, 1, 1)
_DAYS_EACH = 365
_ARTICLES = 30
Question = tuple[int, date]


def measure_as_of(acts: int, versions: int, questions: int = 2000) -> dict[str, float]:
    """Microseconds of CPU for each question, ours and the others'."""
    chance = random.Random(16)
    span = versions * _DAYS_EACH
    asked = [
        (chance.randrange(acts), _FIRST + timedelta(days=chance.randrange(span)))
        for _ in range(questions)
    ]
    released = make_release(acts, versions)
    table = make_table(acts, versions)
    expected = [_find_version(day) for _, day in asked]
    return {
        "Assay": _measure(lambda one: _ask(released, one), asked, expected),
        "SQLite, table of periods": _measure(lambda one: _select(table, one), asked, expected),
        "amendments applied again": _measure(
            lambda one: _apply(versions, one), asked[: questions // 100], expected
        ),
    }


def make_release(acts: int, versions: int) -> ReleasedRules:
    """One rule for each version of each act."""
    always = parse_condition({"op": "true"})
    rules = tuple(
        PublishedRule(
            rule_id=f"rl_{act}_{version}",
            concept=f"act_{act}.rate",
            label=f"Act {act}: rate",
            domain="tax",
            tier="T0",
            value=str(version),
            value_type="percentage",
            unit="%",
            effective_from=_begin(version),
            effective_until=_begin(version + 1) if version + 1 < versions else None,
            applies_when=always,
            authority="LAW",
        )
        for act in range(acts)
        for version in range(versions)
    )
    search = ConceptSearch({f"act_{act}.rate": (f"Act {act}: rate",) for act in range(acts)})
    return ReleasedRules(
        pack="regulatory", version="1.0.0", manifest_hash="", rules=rules, search=search
    )


def make_table(acts: int, versions: int) -> sqlite3.Connection:
    """The same periods as rows."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE law (concept TEXT, first TEXT, until TEXT, value TEXT)")
    connection.executemany(
        "INSERT INTO law VALUES (?, ?, ?, ?)",
        (
            (f"act_{act}.rate", str(_begin(version)), str(_begin(version + 1)), str(version))
            for act in range(acts)
            for version in range(versions)
        ),
    )
    connection.execute("CREATE INDEX by_concept ON law (concept, first, until)")
    return connection


def _begin(version: int) -> date:
    return _FIRST + timedelta(days=version * _DAYS_EACH)


def _find_version(day: date) -> str:
    return str((day - _FIRST).days // _DAYS_EACH)


def _ask(released: ReleasedRules, question: Question) -> str:
    act, day = question
    return ask(released, f"act_{act}.rate", {}, day).answer.found[0].value


def _select(table: sqlite3.Connection, question: Question) -> str:
    act, day = question
    query = "SELECT value FROM law WHERE concept = ? AND first <= ? AND until > ?"
    return str(table.execute(query, (f"act_{act}.rate", str(day), str(day))).fetchone()[0])


def _apply(versions: int, question: Question) -> str:
    """Apply the amendments up to a day to an act, as if nothing were stored."""
    _, day = question
    operations = [
        Operation(
            kind=OperationKind.REPLACE_WORDS,
            instrument="act",
            target="art_1__para_1",
            old=f"stopa {version - 1} %",
            new=copy_words("change", f"stopa {version} %", 0, len(f"stopa {version} %")),
            quote=Span("change", 0, 1),
        )
        for version in range(1, versions)
        if _begin(version) <= day
    ]
    act, applied, _ = apply_operations(_make_act(), operations)
    assert len(applied) == len(operations)
    return act.by_path()["art_1__para_1"].opening.text.split("stopa ")[1].split(" %")[0]


def _make_act() -> Act:
    text = "Porez se plaća po stopi: stopa 0 % od osnovice."
    words = copy_words("act", text, 0, len(text))
    return Act(
        tuple(
            provision
            for number in range(1, _ARTICLES + 1)
            for provision in (
                Provision(f"art_{number}", f"Članak {number}."),
                Provision(f"art_{number}__para_1", "(1)", opening=words),
            )
        )
    )


def _measure(
    answer: Callable[[Question], str], asked: Sequence[Question], expected: Sequence[str]
) -> float:
    answer(asked[0])
    started = time.process_time()
    found = [answer(one) for one in asked]
    seconds = time.process_time() - started
    if any(one != other for one, other in zip(found, expected, strict=False)):
        raise RuntimeError("an answer is wrong")
    return round(1e6 * seconds / len(asked), 1)
