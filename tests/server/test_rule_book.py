"""The same looks into the rule book, and the same answers, on both databases."""

from datetime import date

from assay.app import App
from assay.app.asking import ask
from assay.app.rule_queries import (
    describe_rule,
    list_concepts,
    list_facts,
    list_rejected,
    list_rules,
    summarize_coverage,
)
from assay.model.facts import CoverageReport
from assay.store.upserts import upsert_records
from tests.server.stored import LINES, publish


def test_what_is_there_is_found_on_either_database(app: App) -> None:
    publish(app, *LINES)
    rules, left_out = list_rules(app, limit=2)
    assert ([rule["rule_id"] for rule in rules], left_out) == (["rl_old", "rl_books"], 1)
    assert [r["rule_id"] for r in list_rules(app, status="PUBLISHED", pack="regulatory")[0]] == [
        "rl_old", "rl_books", "rl_general",
    ]  # fmt: skip
    shown = describe_rule(app, "rl_books")
    assert (shown["condition"], shown["releases"]) == ("activity is “books”", ["1.0.0"])
    assert [source["url"] for source in shown["sources"]] == ["https://gazette.example/acts/1"]
    ((concept,), more) = list_concepts(app, "stopa")
    assert (concept["concept"], concept["rules"], more) == ("pdv.rate", 3, 0)


def test_an_empty_book_is_no_error(app: App) -> None:
    assert list_rules(app) == list_facts(app) == list_rejected(app) == list_concepts(app) == ([], 0)
    whole, reports, left_out = summarize_coverage(app)
    assert (whole["documents"], whole["share"], reports, left_out) == (0, None, [], 0)


def test_the_least_covered_come_first_and_those_with_nothing_to_cover_last(app: App) -> None:
    shares = {"ev_none": (0, 0, None), "ev_full": (2, 2, 1.0), "ev_half": (2, 1, 0.5)}
    reports = [
        CoverageReport(
            evidence_id=key, pack="regulatory", artifact_id="ar", sentences=3, relevant=relevant,
            covered=covered, values_total=relevant, values_found=covered, facts=covered, rejected=0,
            share=share, extractor="deterministic@1",
        )
        for key, (relevant, covered, share) in shares.items()
    ]  # fmt: skip
    with app.engine.begin() as connection:
        upsert_records(connection, reports)
    whole, found, _ = summarize_coverage(app)
    assert [row["evidence_id"] for row in found] == ["ev_half", "ev_full", "ev_none"]
    assert (whole["share"], whole["values_total"], whole["values_found"]) == (0.75, 4, 3)


def test_a_question_is_answered_on_either_database(app: App) -> None:
    publish(app, *LINES)
    reply = ask(app, "PDV: stopa", {"activity": "books"}, date(2026, 1, 1))
    assert [found.value for found in reply.answer.found] == ["5"]
    assert reply.release.version == "1.0.0"
