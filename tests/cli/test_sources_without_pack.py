"""A source that no pack reads is reported everywhere; a removed one is left alone."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from assay.app import App
from assay.app.composition import init_home
from assay.settings import load_settings
from assay.store import tables as t
from tests.bad_site import BadSite, serve_in_thread
from tests.bad_site.behaviours import serve_page
from tests.cli.calls import QUICK, answer, call, refusal
from tests.engine.hand import all_rows
from tests.sources.folders import SITEMAP, write_folder
from tests.spine.sites import act

HOST = "gazette.example.org"
WARNING = (
    "it has no pack, so its documents are stored but not read. "
    "Name a pack with 'assay sources add --pack'."
)


@dataclass
class Gazette:
    """A home, a gazette's site, and the folder that describes it."""

    home: Path
    site: BadSite
    folder: Path

    def add(self, *words: str) -> Any:
        return answer(self.home, "sources", "add", str(self.folder), *words)

    def run(self) -> Any:
        self.site.seen.clear()
        return answer(self.home, "run", env=QUICK)

    def asked(self) -> list[str]:
        return sorted(s.path for s in self.site.seen if s.path != "/robots.txt")

    def rows(self, table: Any) -> list[dict[str, Any]]:
        with App(load_settings(home=self.home, env={})) as app:
            return all_rows(app, table)


@pytest.fixture
def gazette(home: Path, tmp_path: Path) -> Iterator[Gazette]:
    with serve_in_thread({}) as site:
        site.paths["/sitemap.xml"] = serve_page(SITEMAP.encode())
        site.paths["/acts/1"] = serve_page(act(1))
        settings = load_settings(home=home, env={})
        init_home(settings)
        (home / "assay.toml").write_text(f'[hosts]\n"{HOST}" = "{site.url}"\n', encoding="utf-8")
        with App(settings) as app:
            app.migrate()
        yield Gazette(home, site, write_folder(tmp_path / "own"))


def test_a_source_without_a_pack_is_reported(gazette: Gazette) -> None:
    checked = call(gazette.home, "sources", "check", str(gazette.folder))
    assert (checked.exit_code, WARNING in checked.stdout) == (0, True)
    (checked_json,) = answer(gazette.home, "sources", "check", str(gazette.folder))
    assert (checked_json["ok"], checked_json["missing_pack"]) == (True, "it has no pack")
    told = call(gazette.home, "sources", "add", str(gazette.folder)).stdout
    assert f"Source 'town-gazette': {WARNING}" in told
    found = {each["name"]: each for each in answer(gazette.home, "doctor")}
    assert found["sources"]["level"] == "warn"
    assert found["sources"]["what"].startswith("town-gazette: it has no pack.")


def test_a_source_whose_pack_is_not_installed_is_reported(gazette: Gazette) -> None:
    source = gazette.folder / "source.yml"
    source.write_text(f"pack: nosuch\n{source.read_text('utf-8')}", encoding="utf-8")
    assert gazette.add()["missing_pack"] == "its pack 'nosuch' is not installed"
    found = {each["name"]: each for each in answer(gazette.home, "doctor")}
    assert "its pack 'nosuch' is not installed" in found["sources"]["what"]


def test_a_source_with_a_pack_is_not_reported(gazette: Gazette) -> None:
    assert gazette.add("--pack", "regulatory")["missing_pack"] is None
    assert gazette.add()["missing_pack"] is None, "the folder names no pack, so it stays"
    found = {each["name"]: each for each in answer(gazette.home, "doctor")}
    assert found["sources"]["level"] == "ok"


def test_a_pack_given_later_reads_what_is_stored(gazette: Gazette) -> None:
    gazette.add()
    done = gazette.run()
    assert done["missing_packs"] == {"town-gazette": "it has no pack"}
    assert gazette.asked() == ["/acts/1", "/sitemap.xml"]
    assert [row["decision"] for row in gazette.rows(t.routing_decision)] == ["NO_PACK"]
    gazette.add("--pack", "regulatory")
    done = gazette.run()
    assert done["missing_packs"] == {}
    assert gazette.asked() == []
    decisions = {row["pack"]: row["decision"] for row in gazette.rows(t.routing_decision)}
    assert decisions["regulatory"] == "EXTRACT_LOCAL"
    assert [row["state"] for row in gazette.rows(t.candidate)] == ["ingested"]


def test_a_removed_source_keeps_what_it_gave_and_is_watched_again_once_added(
    gazette: Gazette,
) -> None:
    gazette.add("--pack", "regulatory")
    gazette.run()
    kept = {table: gazette.rows(table) for table in (t.evidence, t.truth.candidate_fact, t.item)}
    assert all(kept.values())
    told = call(gazette.home, "sources", "remove", "town-gazette").stdout
    assert "is no longer watched. Its evidence, facts and rules stay." in told
    again = answer(gazette.home, "sources", "remove", "town-gazette")
    assert again == {"source": "town-gazette", "removed": False}
    with App(load_settings(home=gazette.home, env={})) as app, app.engine.begin() as connection:
        connection.execute(t.endpoint.update().values(last_scraped_ms=1))
    gazette.run()
    assert gazette.asked() == []
    assert {table: gazette.rows(table) for table in kept} == kept
    code, error = refusal(gazette.home, "run", "--source", "town-gazette", env=QUICK)
    assert (code, "no source 'town-gazette' that is watched" in error["message"]) == (3, True)
    assert gazette.add()["changes"] == ["source town-gazette is watched again"]
    gazette.run()
    assert "/sitemap.xml" in gazette.asked()
    assert gazette.rows(t.source)[0]["packs"] == ["regulatory"]


def test_an_unknown_source_is_not_removed(gazette: Gazette) -> None:
    code, error = refusal(gazette.home, "sources", "remove", "town")
    assert (code, error["code"]) == (3, "not_found")


def test_changed_options_are_used_by_the_next_run(gazette: Gazette) -> None:
    gazette.add("--pack", "regulatory")
    gazette.run()
    gazette.run()
    assert gazette.asked() == []
    source = gazette.folder / "source.yml"
    source.write_text(source.read_text("utf-8").replace("/acts/*", "/*"), encoding="utf-8")
    expected = gazette.folder / "expected.yml"
    expected.write_text(expected.read_text("utf-8").partition("  items:")[0] + "  items: 2\n")
    gazette.add()
    gazette.run()
    assert gazette.asked() == ["/", "/sitemap.xml"]
