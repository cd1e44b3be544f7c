"""Publishing on a real store: what a release is made of, and that equal inputs give equal bytes."""

import asyncio
import json
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any, cast

import pytest

from assay.app import App
from assay.engine.reader import Reader
from assay.model.facts import CoverageReport
from assay.model.hashes import content_hash
from assay.model.records import IngestCandidate
from assay.ruling.payloads import ReleaseJob
from assay.ruling.release.release import RELEASE, release
from assay.store import audit, truth
from assay.store import tables as t
from assay.store.changes import change_row
from assay.store.upserts import upsert_records
from tests.conftest import quick_settings
from tests.ruling.publishing import Press, opened
from tests.ruling.release_builders import (
    ALL,
    BOOKS,
    FORUM,
    KEEPING,
    OFFICE,
    RATE,
    THRESHOLD,
    Stated,
    superseding,
)

MakeApp = Callable[..., App]


def test_a_release_publishes_what_is_approved_with_all_that_it_rests_on(press: Press) -> None:
    pending = THRESHOLD.but(value="39816.84", status="PENDING_REVIEW", approved_by=None)
    press.store(*ALL, pending)
    press.publish()
    (made,) = press.releases()
    assert (made.version, made.number, made.state, made.rule_count) == ("1.0.0", 1, "PUBLISHED", 4)
    assert made.released_by == "iva"
    assert {entry: press.status(entry) for entry in (*ALL, pending)} == {
        **dict.fromkeys(ALL, "PUBLISHED"), pending: "PENDING_REVIEW",
    }  # fmt: skip
    stored = press.app.blobs.get(made.manifest_hash)
    header, *lines = [json.loads(line) for line in stored.splitlines()]
    assert header == {
        "format": "assay-release/1", "pack": "regulatory", "version": "1.0.0", "previous": None,
        "content_hash": made.content_hash, "rules": 4, "tiers": {"T0": 2, "T1": 1, "T2": 1},
    }  # fmt: skip
    by_concept = {line["concept"]: line for line in lines}
    assert list(by_concept) == sorted(by_concept)
    books = by_concept["pdv.reduced_rate"]
    assert [source["source_slug"] for source in books["sources"]] == ["gazette", "tax-office"]
    assert books["applies_when"] == {"op": "eq", "field": "activity", "value": "books"}
    assert (books["authority"], books["approved_by"]) == ("LAW", "ana")
    cited = books["sources"][0]
    text = press.app.blobs.get(cited["artifact_hash"]).decode()
    assert text[cited["start"] : cited["end"]] == cited["quote"] == BOOKS.quote
    members = {row["rule_id"] for row in press.rows(truth.released_rule)}
    assert members == {entry.rule_id for entry in ALL}


def test_it_is_told_to_whoever_keeps_a_copy_and_kept_in_the_log(press: Press) -> None:
    press.store(*ALL)
    press.publish()
    (made,) = press.releases()
    tags = [row["tag"] for row in press.rows(t.event)]
    assert tags.count("release.published") == 1
    assert tags.count("rule.published") == 4
    assert press.actions().count("rule_published") == 4
    (note,) = [r for r in press.rows(truth.audit_log) if r["action"] == "release_published"]
    assert note["subject"] == made.release_id
    assert note["body"]["manifest_hash"] == made.manifest_hash
    with press.app.engine.connect() as connection:
        assert audit.verify_chain(connection).ok
        assert audit.has_entry(connection, made.audit_hash)
    assert press.notes("embed") == ["done"] * 4


def test_the_manifest_has_no_clock_no_run_and_no_path(press: Press) -> None:
    press.store(*ALL)
    press.publish()
    text = press.app.blobs.get(press.releases()[0].manifest_hash).decode()
    run_ids = [row["run_id"] for row in press.rows(t.run)]
    assert run_ids and not any(run_id in text for run_id in run_ids)
    assert str(press.app.settings.home) not in text
    assert "_ms" not in text


def test_nothing_new_is_no_release(press: Press) -> None:
    press.store(*ALL)
    press.publish()
    before, actions = press.dump(), press.actions()
    press.publish()
    assert press.notes("release") == ["done", "unchanged"]
    assert (press.dump(), press.actions()) == (before, actions)


def test_what_is_approved_again_as_it_stands_is_published_without_a_release(press: Press) -> None:
    press.store(RATE)
    press.publish()
    press.change(RATE, status="APPROVED")
    press.publish()
    assert len(press.releases()) == 1
    assert press.status(RATE) == "PUBLISHED"


def test_nothing_approved_is_no_release(desk: Press) -> None:
    desk.store(RATE.but(status="DRAFT", approved_by=None))
    desk.publish()
    assert desk.releases() == []
    assert desk.notes("release") == ["unchanged"]


@pytest.mark.parametrize(
    ("added", "version"), [(BOOKS, "2.0.0"), (THRESHOLD, "1.1.0"), (KEEPING, "1.0.1")]
)
def test_the_tier_of_what_changes_decides_the_version(
    desk: Press, added: Stated, version: str
) -> None:
    desk.store(RATE)
    desk.publish()
    desk.store(added)
    desk.publish()
    assert [made.version for made in desk.releases()] == ["1.0.0", version]
    assert desk.releases()[1].previous == desk.releases()[0].release_id
    assert desk.manifest().header["previous"] == "1.0.0"


def test_a_withdrawn_rule_leaves_and_counts_by_its_tier(desk: Press) -> None:
    desk.store(RATE, THRESHOLD)
    desk.publish()
    desk.change(THRESHOLD, status="DEPRECATED")
    desk.publish()
    assert [made.version for made in desk.releases()] == ["1.0.0", "1.1.0"]
    (gone,) = desk.releases()[1].changes["removed"]
    assert (gone["concept"], gone["value"]) == ("pdv.threshold", "60000")
    assert "rule.removed" in [row["tag"] for row in desk.rows(t.event)]
    assert [line["concept"] for line in desk.manifest().rules] == ["pdv.rate"]


def test_another_source_for_the_same_rule_is_a_small_change(desk: Press) -> None:
    desk.store(RATE)
    desk.publish()
    desk.store(RATE.but(sources=(OFFICE,)))
    desk.publish()
    assert [made.version for made in desk.releases()] == ["1.0.0", "1.0.1"]
    (changed,) = desk.releases()[1].changes["changed"]
    assert changed["fields"] == {"sources": ["1 cited", "2 cited"]}
    assert desk.notes("embed") == ["done", "unchanged"]


def test_a_rule_ends_where_the_one_begins_that_supersedes_it(desk: Press) -> None:
    new, edge = superseding(RATE, "24", "2027-01-01")
    desk.store(RATE)
    desk.publish()
    desk.store(new.but(status="PENDING_REVIEW", approved_by=None), more=[edge])
    desk.publish()
    assert [line["effective_until"] for line in desk.manifest().rules] == [None]
    desk.change(new, status="APPROVED", approved_by="ana")
    desk.publish()
    ends = {line["value"]: line["effective_until"] for line in desk.manifest().rules}
    assert ends == {"25": "2027-01-01", "24": None}
    (changed,) = desk.releases()[-1].changes["changed"]
    assert changed["fields"] == {"effective_until": [None, "2027-01-01"]}


def test_a_rule_ends_though_the_next_one_still_waits(desk: Press) -> None:
    soon, first = superseding(RATE, "24", "2027-01-01")
    later, second = superseding(soon, "23", "2028-01-01")
    desk.store(RATE, soon.but(status="PENDING_REVIEW", approved_by=None), later)
    desk.store(more=[first, second])
    desk.publish()
    ends = {line["value"]: line["effective_until"] for line in desk.manifest().rules}
    assert ends == {"25": "2028-01-01", "23": None}


def test_the_persons_version_is_published_and_the_machines_is_kept(desk: Press) -> None:
    edited = RATE.but(
        words="The rate is {value} {unit}, formerly 22 %.",
        person_version={"value": "22", "effective_from": "2012-03-01"},
    )
    desk.store(edited)
    desk.publish()
    (line,) = desk.manifest().rules
    assert (line["value"], line["effective_from"]) == ("22", "2012-03-01")
    (row,) = desk.rows(truth.rule)
    assert (row["value"], row["effective_from"]) == ("25", "2013-01-01")


def test_of_an_edited_rule_the_words_are_cited_that_have_the_value(desk: Press) -> None:
    office = RATE.but(sources=(OFFICE,), words="The rate is {value} {unit}, from July on 24 %.")
    desk.store(RATE, office)
    desk.change(RATE, person_version={"value": "24", "label": "VAT"})
    desk.publish()
    assert desk.releases() == [], "one office is not enough, and the gazette says otherwise"
    desk.store(RATE.but(sources=(("decree", 2),), words="{value} {unit} becomes 24 %."))
    desk.publish()
    (line,) = desk.manifest().rules
    assert (line["value"], line["label"], line["authority"]) == ("24", "VAT", "LAW")
    assert [source["source_slug"] for source in line["sources"]] == ["decree", "tax-office"]


def test_a_published_rule_that_was_edited_stays_whoever_else_is_named(desk: Press) -> None:
    desk.store(RATE, THRESHOLD)
    desk.publish()
    desk.change(RATE, status="APPROVED", person_version={"effective_from": "2014-01-01"})
    desk.store(KEEPING)
    desk.publish(KEEPING.rule_id)
    assert [line["concept"] for line in desk.manifest().rules] == [
        "pdv.rate", "pdv.retention_period", "pdv.threshold",
    ]  # fmt: skip
    assert (desk.releases()[-1].version, desk.status(RATE)) == ("2.0.0", "PUBLISHED")


def test_only_pointers_that_hold_today_are_cited(desk: Press) -> None:
    desk.store(BOOKS)
    (_, office) = BOOKS.grounds()
    newer = "ev_newer"
    more = [
        IngestCandidate(doc_id=office.pointer.doc_id, state="ready", evidence_id=newer),
        CoverageReport(evidence_id=newer, pack="regulatory", artifact_id="ar", sentences=1,
                       relevant=0, covered=0, facts=0, rejected=0, share=1.0, extractor="x@1"),
    ]  # fmt: skip
    desk.store(more=more)
    desk.publish()
    (line,) = desk.manifest().rules
    assert [source["source_slug"] for source in line["sources"]] == ["gazette"]


def test_named_rules_are_released_beside_what_is_published(desk: Press) -> None:
    desk.store(*ALL)
    desk.publish(RATE.rule_id)
    assert [line["concept"] for line in desk.manifest().rules] == ["pdv.rate"]
    desk.publish(KEEPING.rule_id)
    assert [line["concept"] for line in desk.manifest().rules] == [
        "pdv.rate", "pdv.retention_period",
    ]  # fmt: skip
    assert desk.status(BOOKS) == "APPROVED"


def test_weak_rules_that_nobody_named_wait(desk: Press) -> None:
    weak = KEEPING.but(value="7", sources=(FORUM,))
    desk.store(RATE, weak)
    desk.publish()
    assert [line["value"] for line in desk.manifest().rules] == ["25"]
    assert desk.status(weak) == "APPROVED"


def test_the_same_rules_in_any_order_give_the_same_bytes(make_app: MakeApp, home: Path) -> None:
    new, edge = superseding(RATE, "24", "2027-01-01")
    rules = (RATE, new, BOOKS, KEEPING)
    found = set()
    for number, order in enumerate(list(permutations(rules))[::5]):
        press = opened(make_app, quick_settings(home / str(number)))
        if number % 2:
            press.store(more=[edge])
        for entry in order:
            # The sources of a rule may come one by one as well.
            for source in entry.sources[:: -1 if number % 2 else 1]:
                press.store(entry.but(sources=(source,)))
        press.store(more=[edge])
        press.publish()
        made = press.releases()[0]
        found.add((made.manifest_hash, made.content_hash, content_hash(press.dump())))
    assert len(found) == 1


def test_an_approval_that_was_given_anew_meanwhile_is_not_passed_over(desk: Press) -> None:
    """A person edits the rule between the look and the commit: what he wrote comes next time."""
    desk.store(RATE, THRESHOLD)
    reader = Reader(RELEASE, desk.app.engine, desk.app.blobs, 0)
    job = ReleaseJob(pack="regulatory")
    (outcome,) = asyncio.run(cast(Any, release())([job], reader))
    desk.change(RATE, approved_ms=5, person_version={"effective_from": "2014-01-01"})
    with desk.app.engine.begin() as connection:
        upsert_records(connection, outcome.records)
        changed = {
            change.key: change_row(connection, change.record, change.key, change.when, change.to)
            for change in outcome.changes
        }
    desk.app.blobs.put_all(outcome.blobs)
    assert changed == {RATE.rule_id: False, THRESHOLD.rule_id: True}
    desk.publish()
    assert [made.version for made in desk.releases()] == ["1.0.0", "2.0.0"]
    assert [line["effective_from"] for line in desk.manifest().rules] == [
        "2014-01-01",
        "2025-01-01",
    ]
    assert desk.status(RATE) == "PUBLISHED"
