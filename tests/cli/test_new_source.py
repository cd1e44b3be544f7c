"""`new source` and `sources available`, `check`, `add`: folders of sources on the command line."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from assay.app import App
from assay.app.composition import init_home
from assay.app.known_sources import find_adapter_folder
from assay.app.source_folders import add_source
from assay.errors import InvalidInput
from assay.model.records import Endpoint, EndpointPart, Source
from assay.settings import Settings, load_settings
from assay.store import tables as t
from assay.store.upserts import upsert_records
from tests.cli.calls import answer, call, refusal
from tests.engine.hand import all_rows
from tests.sources.folders import ADAPTER, EXPECTED, SITEMAP, SOURCE, write_folder
from tests.waiting import PATIENCE_S

KINDS = ("sitemap", "feed", "listing", "json")


@dataclass
class Begun:
    """A home with nothing in it, and a folder that is right."""

    home: Path
    folder: Path

    def add(self, folder: Path | None = None) -> Any:
        return answer(self.home, "sources", "add", str(folder or self.folder))

    def rows(self) -> dict[str, list[dict[str, Any]]]:
        with App(load_settings(home=self.home, env={})) as app:
            return {table.name: all_rows(app, table) for table in (t.source, t.endpoint)}

    def keep(self, *records: Any) -> None:
        with App(load_settings(home=self.home, env={})) as app, app.engine.begin() as connection:
            upsert_records(connection, records)


@pytest.fixture
def begun(home: Path, tmp_path: Path) -> Iterator[Begun]:
    settings = load_settings(home=home, env={})
    init_home(settings)
    with App(settings) as app:
        app.migrate()
    yield Begun(home, write_folder(tmp_path / "own"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_source_has_a_test_that_fails_until_it_is_filled_in(
    home: Path, tmp_path: Path, kind: str
) -> None:
    made = answer(home, "new", "source", "my-gazette", "--folder", str(tmp_path), "--kind", kind)
    folder = tmp_path / "my-gazette"
    assert made["folder"] == str(folder)
    assert "test_my_gazette.py" in made["files"]
    told = call(home, "sources", "check", str(folder))
    assert told.exit_code == 5
    assert "nothing is expected of it yet. It gives 1 item (https://www.example.org/acts/1)" \
        in told.stdout  # fmt: skip
    assert "write it under 'items' in expected.yml" in told.stdout
    expected = folder / "expected.yml"
    filled = expected.read_text("utf-8").partition("  items:")[0] + "  items: 1\n"
    expected.write_text(filled, encoding="utf-8")
    (checked,) = answer(home, "sources", "check", str(folder))
    assert (checked["ok"], checked["examples"], checked["failures"]) == (True, 1, [])


def test_the_written_test_runs_by_itself(home: Path, tmp_path: Path) -> None:
    call(home, "new", "source", "my-gazette", "--folder", str(tmp_path), "--kind", "feed")
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "my-gazette"]
    failed = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_S)
    assert failed.returncode == 1
    assert "nothing is expected of it yet" in failed.stdout


def test_a_new_source_touches_nothing_that_is_there(home: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "note.txt").write_text("mine", encoding="utf-8")
    code, error = refusal(home, "new", "source", "taken", "--folder", str(tmp_path))
    assert (code, error["code"]) == (3, "invalid_input")
    assert "already exists" in error["message"]
    assert [path.name for path in (tmp_path / "taken").iterdir()] == ["note.txt"]
    code, error = refusal(home, "new", "source", "Bad Name", "--folder", str(tmp_path))
    assert "is not a valid source name" in error["message"]
    code, error = refusal(home, "new", "source", "a/b", "--folder", str(tmp_path))
    assert "is a path, not a name" in error["message"]
    assert call(home, "new", "source", "x", "--kind", "ftp").exit_code == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["taken"]


def test_what_comes_with_assay_is_listed(home: Path) -> None:
    found = {entry["source"]: entry for entry in answer(home, "sources", "available")}
    assert {"narodne-novine", "eur-lex", "federal-register", "ecfr", "legislation-gov-uk",
            "generic"} <= set(found)  # fmt: skip
    assert found["narodne-novine"]["endpoints"] == ["sitemap"]
    assert found["generic"]["template"]
    assert answer(home, "sources", "available", "--pack", "another") == []
    assert "template to copy" in call(home, "sources", "available").stdout


def test_sources_that_come_with_assay_are_checked_by_name(home: Path) -> None:
    checked = answer(home, "sources", "check", "ecfr", "narodne_novine")
    assert [entry["ok"] for entry in checked] == [True, True]
    code, error = refusal(home, "sources", "check", "narodne-nowine")
    assert (code, error["code"]) == (3, "not_found")
    assert "Did you mean 'narodne-novine'?" in error["advice"]


def test_a_source_is_added_once(begun: Begun) -> None:
    first = begun.add()
    assert (first["source"], first["new"]) == ("town-gazette", True)
    assert first["endpoints"] == ["town-gazette/sitemap"]
    before = begun.rows()
    assert before["sources"][0]["name"] == "The town's gazette"
    assert before["endpoints"][0]["options"] == {"include": ["/acts/*"]}
    again = begun.add()
    assert (again["new"], again["changes"], again["left"]) == (False, [], [])
    assert begun.rows() == before
    told = call(begun.home, "sources", "add", str(begun.folder)).stdout
    assert told.startswith("Source 'town-gazette' is already watched; nothing has changed.\n")


def test_a_source_that_comes_with_assay_is_added_by_name(begun: Begun) -> None:
    told = call(begun.home, "sources", "add", "narodne-novine", "--pack", "regulatory").stdout
    assert told == "Source 'narodne-novine' is now watched at 1 endpoint.\n"
    (source,) = begun.rows()["sources"]
    assert (source["packs"], source["hierarchy"]) == (["regulatory"], 1)
    settings = load_settings(home=begun.home, env={})
    folder = find_adapter_folder(settings, "narodne-novine")
    assert folder is not None
    assert folder.name == "narodne_novine"
    assert not (begun.home / "sources").exists()
    code, error = refusal(begun.home, "sources", "add", "generic")
    assert (code, "is a template" in error["message"]) == (3, True)
    code, error = refusal(begun.home, "sources", "add", "ecfr", "--pack", "another")
    assert error["code"] == "not_found"


LOOKED = {
    "etag": '"7"', "last_modified": "Mon", "last_content_hash": "h", "item_count": 4,
    "last_scraped_ms": 5, "velocity": 0.9, "next_due_ms": 99, "consecutive_errors": 2,
    "last_error": "no", "yield_state": {"counts": [4]},
}  # fmt: skip


def looked_at(begun: Begun) -> Endpoint:
    """The endpoint after some looks at it."""
    begun.add()
    endpoint = Endpoint.from_row(begun.rows()["endpoints"][0]).model_copy(update=LOOKED)
    begun.keep(
        endpoint,
        EndpointPart(endpoint_id=endpoint.endpoint_id, url="https://gazette.example.org/s2.xml",
                     etag='"8"', last_content_hash="h", item_count=2),
    )  # fmt: skip
    return endpoint


def rewrite(begun: Begun, old: str, new: str) -> None:
    assert old in SOURCE
    (begun.folder / "source.yml").write_text(SOURCE.replace(old, new), encoding="utf-8")


def test_adding_again_keeps_what_an_endpoint_remembers(begun: Begun) -> None:
    endpoint = looked_at(begun)
    rewrite(begun, "The town's gazette", "The gazette of the town")
    changed = begun.add()
    assert changed["changes"] == [
        "source town-gazette: name is now 'The gazette of the town' (was 'The town's gazette')"
        .replace("'The town's gazette'", '"The town\'s gazette"')
    ]  # fmt: skip
    assert begun.rows()["endpoints"] == [endpoint.row()]
    rewrite(begun, "    expected_yield", "    frequency: WEEKLY\n    expected_yield")
    assert len(begun.add()["changes"]) == 2
    row = begun.rows()["endpoints"][0]
    assert row["frequency"] == "WEEKLY"
    assert {name: row[name] for name in LOOKED} == LOOKED


def test_an_endpoint_that_is_read_otherwise_is_read_anew(begun: Begun) -> None:
    looked_at(begun)
    rewrite(begun, "[/acts/*]", '["/acts/*", "/orders/*"]')
    changed = begun.add()
    assert changed["changes"] == [
        "endpoint town-gazette/sitemap: options is now {'include': ['/acts/*', '/orders/*']}"
        " (was {'include': ['/acts/*']})"
    ]
    row = begun.rows()["endpoints"][0]
    forgotten = ("etag", "last_modified", "last_content_hash", "next_due_ms", "last_error")
    assert [row[name] for name in forgotten] == [None] * 5
    assert row["consecutive_errors"] == 0
    kept = ("item_count", "last_scraped_ms", "velocity", "yield_state")
    assert {name: row[name] for name in kept} == {name: LOOKED[name] for name in kept}
    with App(load_settings(home=begun.home, env={})) as app:
        (part,) = all_rows(app, t.endpoint_part)
    assert (part["etag"], part["last_content_hash"], part["item_count"]) == (None, None, 2)


def test_an_endpoint_that_left_the_folder_is_told_of(begun: Begun) -> None:
    begun.add()
    rewrite(begun, "  sitemap:\n    url: https://gazette.example.org/sitemap.xml",
            "  new-map:\n    url: https://gazette.example.org/new.xml")  # fmt: skip
    expected = EXPECTED.replace("endpoint: sitemap", "endpoint: new-map")
    (begun.folder / "expected.yml").write_text(expected, encoding="utf-8")
    changed = begun.add()
    assert changed["changes"] == ["endpoint town-gazette/new-map is new"]
    assert changed["left"] == ["town-gazette/sitemap"]
    rewrite(begun, "  sitemap:", "  again:")
    (begun.folder / "expected.yml").write_text(
        EXPECTED.replace("endpoint: sitemap", "endpoint: again"), encoding="utf-8"
    )
    _, error = refusal(begun.home, "sources", "add", str(begun.folder))
    assert "is already watched as town-gazette/sitemap" in error["message"]


def test_a_source_of_ones_own_is_read_by_the_copy_that_was_checked(begun: Begun) -> None:
    settings = load_settings(home=begun.home, env={})
    begun.add()
    assert find_adapter_folder(settings, "town-gazette") is None
    (begun.folder / "adapter.py").write_text(ADAPTER, encoding="utf-8")
    assert begun.add()["changes"] == ["source town-gazette: its adapter has changed"]
    copy = find_adapter_folder(settings, "town-gazette")
    assert copy == begun.home / "sources" / "town-gazette"
    assert (copy / "adapter.py").read_text("utf-8") == ADAPTER
    assert sorted(path.name for path in copy.parent.iterdir()) == ["town-gazette"]
    assert begun.add()["changes"] == []


BROKEN: dict[str, tuple[dict[str, str | None], str]] = {
    "missing-file": ({"source": None}, "source.yml is missing"),
    "bad-yaml": ({"source": "name: [a\n"}, "is not YAML"),
    "unknown-strategy": ({"source": SOURCE.replace("SITEMAP_XML", "GOPHER")}, "'GOPHER' is not"),
    "unknown-key": ({"source": SOURCE.replace("hierarchy", "rank")}, "no field 'rank'"),
    "hierarchy-9": ({"source": SOURCE.replace("hierarchy: 3", "hierarchy: 9")}, "'hierarchy'"),
    "bad-url": ({"source": SOURCE.replace("https://gazette.example.org/s", "gazette/s")},
                "is not an http address"),
    "adapter-raises": (
        {"adapter": "def describe_document(data, url):\n    raise ValueError('no')\n",
         "act__txt": "x",
         "expected": "- file: act.txt\n  url: https://gazette.example.org/a\n"
                     "  described: {title: x}\n"},
        "The adapter of town-gazette (describe_document) fails at https://gazette.example.org/a: "
        "ValueError: no"),
    "example-differs": ({"expected": EXPECTED.replace("acts/1", "acts/2")}, "item 1 has the url"),
    "no-example": ({"expected": None}, "has no example"),
    "a-wall": ({"sitemap__xml": "<html><head><title>Just a moment...</title></head></html>"},
               "'Just a moment...' came instead of a sitemap"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_folder_is_refused_and_changes_nothing(
    begun: Begun, tmp_path: Path, name: str
) -> None:
    begun.add()
    before = begun.rows()
    files, told = BROKEN[name]
    broken = write_folder(tmp_path / "broken", "town-gazette", **files)
    code, error = refusal(begun.home, "sources", "add", str(broken))
    assert (code, error["code"]) == (3, "invalid_input")
    assert told in error["message"]
    checked = call(begun.home, "sources", "check", str(broken))
    assert checked.exit_code == 5
    assert told in checked.stdout
    assert begun.rows() == before
    kept = begun.home / "sources" / "town-gazette" / "source.yml"
    assert kept.read_text("utf-8") == SOURCE


def test_a_folder_of_a_pack_that_it_does_not_name(begun: Begun, tmp_path: Path) -> None:
    call(begun.home, "sources", "add", str(begun.folder), "--pack", "regulatory")
    assert begun.rows()["sources"][0]["packs"] == ["regulatory"]
    other = write_folder(tmp_path, source=f"pack: civic\n{SOURCE}", sitemap__xml=SITEMAP)
    code, error = refusal(begun.home, "sources", "add", str(other), "--pack", "regulatory")
    assert (code, "'pack' is civic, not regulatory" in error["message"]) == (3, True)


def test_a_pack_that_is_not_installed_is_refused(begun: Begun) -> None:
    before = begun.rows()
    code, error = refusal(begun.home, "sources", "add", str(begun.folder), "--pack", "nosuch")
    assert (code, error["code"]) == (3, "not_found")
    assert "There is no pack 'nosuch'" in error["message"]
    assert begun.rows() == before


def test_a_source_that_was_only_met_is_watched_once_it_is_added(
    settings: Settings, make_app: Any, tmp_path: Path
) -> None:
    app = make_app(settings)
    met = Source(source_slug="town-gazette", name="x", base_url="https://gazette.example.org",
                 active=False, found_at="a/b", created_ms=7)  # fmt: skip
    with app.engine.begin() as connection:
        upsert_records(connection, [met])
    added = add_source(app, write_folder(tmp_path))
    assert not added.is_new
    (row,) = all_rows(app, t.source)
    assert (row["active"], row["found_at"], row["created_ms"]) == (True, "a/b", 7)
    assert add_source(app, tmp_path / "town-gazette").changes == ()
    with pytest.raises(InvalidInput, match="blocked host"):
        blocked = settings.model_copy(update={"blocked_hosts": ("gazette.example.org",)})
        add_source(make_app(blocked), tmp_path / "town-gazette")


def test_available_sources_show_licence_options_and_caveats(home: Path) -> None:
    call(home, "init")
    shown = call(home, "sources", "available")
    text = " ".join(shown.output.split())
    assert "licence: Crown copyright; Open Government Licence v3.0." in text
    assert "option title: The number of a title of the Code, from 1 to 50. Default: 26." in text
    assert "caveats: Not tried live." in text
    found = {source["source"]: source for source in answer(home, "sources", "available")}
    assert found["ecfr"]["options"]["title"]["default"] == ["26"]
    assert all(source["licence"] for source in found.values() if not source["template"])


def test_a_title_of_the_code_is_chosen_when_it_is_added(home: Path) -> None:
    call(home, "init")
    first = answer(home, "sources", "add", "ecfr", "--option", "title=12", "--option", "title=15")
    assert first["endpoints"] == ["ecfr/title-12", "ecfr/title-15", "ecfr/search"]
    more = answer(home, "sources", "add", "ecfr", "--option", "title=7")
    assert (more["changes"], more["left"]) == (["endpoint ecfr/title-7 is new"], [])
    shown = answer(home, "sources", "show", "ecfr")
    assert len(shown["endpoints"]) == 4
    _, error = refusal(home, "sources", "add", "ecfr", "--option", "title=99")
    assert "'99' is not a valid value of 'title'" in error["message"]
    _, error = refusal(home, "sources", "add", "ecfr", "--option", "title")
    assert "is not name=value" in error["message"]
