"""An act in a git repository: on an earlier day it says what the commit of that time said."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.app.repositories import add_repository
from assay.packs.regulatory import pack
from assay.settings import Settings
from tests.engine.workers import MakeApp
from tests.packs.regulatory.test_page_versions import (
    answer_on,
    ask_about_versions,
    list_rates,
    page,
)
from tests.repositories import GitRepository, make_repository
from tests.spine.sites import Watch, Workplace, watching

NOTE = "<p>Izmijenjeno 2024. godine.</p>"
"""It was amended, and the page does not say when."""


@pytest.fixture
def watch(make_app: MakeApp, settings: Settings, shared_workplace: Workplace) -> Iterator[Watch]:
    packs: dict[str, Any] = {"regulatory": pack()}
    with watching(make_app, settings, shared_workplace, packs=packs) as made:
        made.app.tools = made.tools
        yield made


@pytest.fixture
def laws(tmp_path: Path) -> GitRepository:
    made = make_repository(tmp_path / "laws")
    made.commit("2023-02-01", {"act.html": page(5)})
    made.commit("2024-02-01", {"README.txt": "Laws as files."})
    made.commit("2024-05-20", {"act.html": page(6, NOTE)})
    return made


def add(watch: Watch, laws: GitRepository, **options: Any) -> None:
    given = {"path": "*.html", **options}
    add_repository(watch.app, str(laws.path), given, pack="regulatory", hierarchy=1)
    watch.drain()
    assert watch.dead() == []


def test_the_commit_tells_from_when_a_version_counts(watch: Watch, laws: GitRepository) -> None:
    add(watch, laws)
    assert list_rates(watch) == {
        ("5", "2023-01-01", None, "2024-05-20"),
        ("6", "2024-05-20", None, None),
    }
    assert answer_on(watch, "2023-06-01", "2024-05-19", "2024-05-20", "2025-01-01") == [
        ("ANSWERED", ["5"]),
        ("ANSWERED", ["5"]),
        ("ANSWERED", ["6"]),
        ("ANSWERED", ["6"]),
    ]
    assert ask_about_versions(watch) == []


def test_in_a_mirror_the_day_is_between_two_commits(watch: Watch, laws: GitRepository) -> None:
    add(watch, laws, mirror=True, path=["*"])
    assert answer_on(watch, "2024-02-01", "2024-02-02", "2024-05-19", "2024-05-20") == [
        ("ANSWERED", ["5"]),
        ("UNCERTAIN", ["5"]),
        ("UNCERTAIN", ["5"]),
        ("ANSWERED", ["6"]),
    ]
