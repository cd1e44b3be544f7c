"""Questions to a release that the release stage itself made."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from assay.app import App
from assay.app.asking import ask
from assay.app.release_files import ExportFormat, export_release
from assay.ruling.answers import AnswerState
from assay.ruling.staleness import Freshness
from tests.conftest import quick_settings
from tests.ruling.publishing import Press, opened
from tests.ruling.release_builders import ALL, RATE, superseding


@pytest.fixture
def press(make_app: Callable[..., App], home: Path) -> Press:
    return opened(make_app, quick_settings(home))


def test_each_day_has_the_rule_that_was_in_force_on_it(press: Press) -> None:
    new, edge = superseding(RATE, "27", "2026-01-01")
    press.store(*ALL, new, more=[edge])
    press.publish()
    told = {
        day: ask(press.app, "pdv.rate", as_of=day).answer.found[0].value
        for day in (date(2013, 1, 1), date(2025, 12, 31), date(2026, 1, 1))
    }
    assert list(told.values()) == ["25", "25", "27"]
    assert ask(press.app, "pdv.rate", as_of=date(2012, 12, 31)).answer.state is AnswerState.NONE


def test_an_answer_quotes_the_very_words_of_the_stored_document(press: Press) -> None:
    press.store(*ALL)
    press.publish()
    reply = ask(press.app, "value added tax: reduced rate", {"activity": "books"})
    (rule,) = reply.answer.found[0].rules
    assert len(rule.sources) == 2
    for source in rule.sources:
        assert source.quote == "The rate of value added tax is 5 %."
        assert source.quote.encode() in press.app.blobs.get(source.evidence_hash)
    assert reply.release.manifest_hash == press.releases()[0].manifest_hash


def test_the_exported_bundle_gives_the_same_answer(press: Press, tmp_path: Path) -> None:
    press.store(*ALL)
    press.publish()
    folder = tmp_path / "bundle"
    export_release(press.app, press.releases()[0], ExportFormat.BUNDLE, folder)
    day = date(2026, 1, 1)
    for concept in ("pdv.rate", "pdv.threshold", "pdv.retention_period"):
        bundled, stored = ask(folder, concept, as_of=day), ask(press.app, concept, as_of=day)
        assert (bundled.freshness, stored.freshness) == (Freshness.UNKNOWN, Freshness.CURRENT)
        assert replace(bundled, stale={}).values() == stored.values()
