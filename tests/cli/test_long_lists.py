"""Lists with more entries than are printed for a person: a program gets all of them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
import typer
from typer.core import TyperGroup
from typer.main import get_command

from assay.app import App
from assay.app.composition import init_home
from assay.cli.commands import list_commands
from assay.cli.main import program
from assay.settings import load_settings
from assay.store import tables as t
from assay.store import truth
from tests.cli.calls import answer, call
from tests.cli.spending import Spent
from tests.ready import ReadyStores
from tests.ruling.rule_makers import ALWAYS
from tests.store.rows import any_row

COUNT = 60
"""More than the 50 that a person gets without asking for more."""
ROWS: dict[sa.Table, dict[str, Any]] = {
    t.document: {},
    t.job: {"stage": "fetch", "state": "done"},
    t.dead_letter: {"stage": "fetch"},
    t.run: {"state": "sealed"},
    t.review_request: {"state": "OPEN"},
    truth.rule: {"applies_when": ALWAYS},
    truth.candidate_fact: {"applies_when": ALWAYS, "value_type": "text"},
    truth.extraction_rejected: {},
    truth.coverage_report: {},
    truth.conflict: {"state": "OPEN"},
    truth.audit_log: {},
}
LISTS = {
    "audit list", "conflicts list", "coverage", "dead list", "documents list", "facts list",
    "facts rejected", "jobs list", "review list", "rules list", "runs list",
}  # fmt: skip
OTHERS = {
    "budget",  # below, with calls in the ledger
    # Of packs, which test their own.
    "civic meetings", "civic preview-queue", "civic search",
    "literature search", "literature related",  # the best of a ranking
    "civic feed",  # writes a file
}  # fmt: skip
VALUES_IN = {"coverage": "reports"}


@pytest.fixture
def long(home: Path, ready_stores: ReadyStores) -> Path:
    """A home with many rows in each table that is listed."""
    settings = load_settings(home=home, env={})
    init_home(settings)
    ready_stores.place(settings)
    with App(settings) as app, app.engine.begin() as connection:
        for table, given in ROWS.items():
            for number in range(COUNT):
                row = {**any_row(table, f"{number:04}"), **given}
                if table is truth.audit_log:
                    row["seq"] = number + 1
                connection.execute(sa.insert(table).values(row))
    return home


@pytest.mark.parametrize("name", sorted(LISTS))
def test_a_program_gets_every_entry_and_a_person_hears_of_the_rest(long: Path, name: str) -> None:
    words = name.split()

    def ask(*options: str) -> list[Any]:
        found = answer(long, *words, *options)
        values: list[Any] = found[VALUES_IN[name]] if name in VALUES_IN else found
        return values

    assert len(ask()) == COUNT
    assert len(ask("--limit", "7")) == 7
    assert len(ask("--limit", "1000")) == COUNT
    cut = call(long, *words, "--limit", "7", "--json")
    assert cut.stderr == "53 more; without --limit, --json prints all.\n"
    assert "10 more; --limit shows them." in call(long, *words).stdout
    assert " more; " not in call(long, *words, "--limit", "60").stdout


def test_a_long_list_says_what_is_in_it(long: Path) -> None:
    assert call(long, "dead", "list").stdout.startswith("60 dead letters: error_code0000 1, ")
    assert call(long, "review", "list").stdout.startswith("60 open questions: reason0000 1, ")
    assert " dead letters: " not in call(long, "dead", "list", "--limit", "60").stdout


def test_documents_are_counted_by_their_most_frequent_reasons(long: Path) -> None:
    with App(load_settings(home=long, env={})) as app, app.engine.begin() as connection:
        for number in range(COUNT):
            for table, more in (
                (t.candidate, {"state": "skipped", "event_count": 1}),
                (
                    t.candidate_event,
                    {"seq": 1, "reason": f"reason {'abcdefghijklmno'[number % 15]}"},
                ),
            ):
                row = {**any_row(table, f"{number:04}"), **more}
                connection.execute(sa.insert(table).values(row))
    lines = call(long, "documents", "list").stdout.splitlines()
    assert lines[:2] == ["4 skipped: reason a", "4 skipped: reason b"]
    assert lines[12] == "12 for 3 other reasons; --reason selects one."


def test_accounts_are_complete_as_well(spent: Spent) -> None:
    for number in range(COUNT):
        spent.end(spent.call(f"source-{number}", 10, 10), 10, 10)
    found = answer(spent.home, "budget")
    assert (len(found["rows"]), found["left_out"]) == (COUNT, 0)
    assert answer(spent.home, "budget", "--limit", "7")["left_out"] == COUNT - 7
    assert "10 more; --limit shows them." in call(spent.home, "budget").stdout


def test_every_list_with_a_limit_is_tested_here() -> None:
    root = get_command(program)
    found = set(_find_limited(root, typer.Context(root, info_name="assay")))
    assert {name.removeprefix("assay ") for name in found} == LISTS | OTHERS


def _find_limited(command: Any, context: Any) -> Iterator[str]:
    if any(parameter.name == "limit" for parameter in command.params):
        yield context.command_path
    if isinstance(command, TyperGroup):
        for name, below in list_commands(command, context):
            yield from _find_limited(below, typer.Context(below, info_name=name, parent=context))


def test_rules_that_resemble_another_are_all_named(long: Path) -> None:
    """Only the first few are printed for a person, who is told of the others."""
    with App(load_settings(home=long, env={})) as app, app.engine.begin() as connection:
        for number in range(9):
            concept = "fee.amount" if number == 0 else f"fee.amount.kind_{number}"
            named = {"concept": concept, "subject": "fee", "predicate": "amount", "pack": "p"}
            row = any_row(truth.concept, f"x{number}") | named
            connection.execute(sa.insert(truth.concept).values(row))
            connection.execute(
                sa.insert(truth.rule).values(
                    {
                        **any_row(truth.rule, f"x{number}"),
                        "concept": concept,
                        "pack": "p",
                        "unit": "EUR",
                        "value_type": "currency",
                        "value": str(number),
                        "applies_when": ALWAYS,
                    }
                )
            )
    assert len(answer(long, "rules", "show", "rule_idx0")["similar"]) == 8
    assert "and 3 more; --json lists all" in call(long, "rules", "show", "rule_idx0").stdout


def test_a_program_gets_every_fault(long: Path) -> None:
    """The rows above were not written by Assay, and there is more than one fault for each."""
    asked = call(long, "audit", "verify", "--json")
    assert asked.exit_code == 5
    assert len(json.loads(asked.stdout)["faults"]) > 3 * COUNT
    told = call(long, "audit", "verify").stdout
    assert "There may be more; --json lists all of them." in told
    assert len(told.splitlines()) < COUNT
