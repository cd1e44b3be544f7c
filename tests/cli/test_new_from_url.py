"""`new source URL` and `sources try`: a site that nobody has described yet."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from assay.cli.main import program
from tests.bad_site import BadSite, serve_in_thread
from tests.bad_site.behaviours import serve_page
from tests.cli.calls import QUICK, answer, call, refusal
from tests.sources import listing_pages as pages

ALLOWED = {**QUICK, "ASSAY_FETCH_ALLOW_PRIVATE": "127.0.0.1", "ASSAY_FETCH_GAP_S": "0"}


@dataclass
class Town:
    """A town's site, a home that may ask it, and a place for folders."""

    site: BadSite
    home: Path
    folder: Path

    @property
    def acts(self) -> str:
        return f"{self.site.url}/acts/"

    def create(self, *words: str) -> Any:
        given = ("--pack", "regulatory", "--folder", str(self.folder), *words)
        return answer(self.home, "new", "source", self.acts, *given, env=ALLOWED)

    def check(self, folder: str) -> None:
        (checked,) = answer(self.home, "sources", "check", folder, env=ALLOWED)
        assert (checked["ok"], checked["failures"]) == (True, [])


@pytest.fixture
def town(home: Path, tmp_path: Path) -> Iterator[Town]:
    with serve_in_thread({}) as site:
        site.paths["/acts/"] = serve_page(pages.LIST)
        site.paths["/feed.xml"] = serve_page(pages.FEED)
        site.paths["/sitemap.xml"] = serve_page(pages.SITEMAP)
        yield Town(site, home, tmp_path)


@pytest.mark.parametrize(
    ("body", "strategy", "count"),
    [
        (pages.LIST, "HTML_LIST", 3),
        (pages.ARTICLES, "HTML_LIST", 2),
        (pages.TABLE, "HTML_LIST", 3),
        (pages.YEARS, "HTML_LIST", 4),
        (pages.FEED, "RSS_FEED", 1),
        (pages.SITEMAP, "SITEMAP_XML", 2),
    ],
)
def test_a_source_made_from_a_url_passes_its_check(
    town: Town, body: bytes, strategy: str, count: int
) -> None:
    town.site.paths["/acts/"] = serve_page(body)
    made = town.create()
    assert (made["strategy"], len(made["entries"])) == (strategy, count)
    assert made["folder"] == str(town.folder / "127-0-0-1")
    town.check(made["folder"])
    assert town.site.seen[0].path == "/robots.txt"


def test_a_json_answer_becomes_a_source(town: Town) -> None:
    body = pages.ANSWER.replace(b"https://www.gazette.example", town.site.url.encode())
    town.site.paths["/acts/"] = serve_page(body, headers={"Content-Type": "application/json"})
    made = town.create("--name", "town-orders")
    assert made["strategy"] == "JSON_API"
    assert [entry["title"] for entry in made["entries"]] == ["Order on dogs", "Order on cats"]
    town.check(str(town.folder / "town-orders"))


def test_the_page_is_the_example_and_what_it_gives_is_written_down(town: Town) -> None:
    given = ("--pack", "regulatory", "--folder", str(town.folder), "--name", "town")
    told = call(town.home, "new", "source", town.acts, *given, env=ALLOWED).stdout
    assert "read as HTML_LIST: 3 entries." in told
    assert "item: li.act  (3 matches)" in told
    assert "2026-01-31  Order on chimney sweeping" in told
    assert f"continues on 1 further page, the first at {town.acts}?page=1." in told
    folder = town.folder / "town"
    assert (folder / "examples" / "listing.html").read_bytes() == pages.LIST
    described = (folder / "source.yml").read_text("utf-8")
    assert "pack: regulatory\n" in described
    assert "item: li.act\n" in described
    expected = (folder / "expected.yml").read_text("utf-8")
    assert "published: '2026-01-31'" in expected
    assert (folder / "test_town.py").is_file()


def test_a_feed_about_the_same_documents_is_preferred(town: Town) -> None:
    body = pages.LIST.replace(b"</head>", pages.FEED_LINK.encode() + b"</head>")
    town.site.paths["/acts/"] = serve_page(body)
    made = town.create("--name", "by-feed")
    assert (made["strategy"], made["url"]) == ("RSS_FEED", f"{town.site.url}/feed.xml")
    assert made["doubts"][0].startswith("The page links to this feed; --kind listing")
    page = town.create("--name", "by-page", "--kind", "listing")
    assert (page["strategy"], page["url"]) == ("HTML_LIST", town.acts)
    other = pages.FEED.replace(b"/acts/12.html", b"/news/1")
    town.site.paths["/feed.xml"] = serve_page(other)
    page = town.create("--name", "own-page")
    assert page["strategy"] == "HTML_LIST"
    assert page["doubts"] == [
        f"The page also links to a feed, {town.site.url}/feed.xml, with other entries."
    ]


def test_a_page_without_a_list_leads_to_its_sitemap(town: Town) -> None:
    body = pages.page('<main><p>Welcome.</p></main><a href="/sitemap.xml">Site map</a>')
    town.site.paths["/acts/"] = serve_page(body)
    made = town.create()
    assert (made["strategy"], len(made["entries"])) == ("SITEMAP_XML", 2)
    town.check(made["folder"])


def test_nothing_is_written_if_nothing_can_be_read(town: Town) -> None:
    given = ("--pack", "regulatory", "--folder", str(town.folder / "new"))
    refused: dict[str, str] = {}
    town.site.paths["/plain"] = serve_page(pages.PLAIN)
    town.site.paths["/robots.txt"] = serve_page(
        b"User-agent: *\nDisallow: /secret\n", headers={"Content-Type": "text/plain"}
    )
    for path in ("/missing", "/plain", "/secret"):
        url = town.site.url + path
        _, error = refusal(town.home, "new", "source", url, *given, env=ALLOWED)
        refused[path] = error["message"]
    assert "answered 404" in refused["/missing"]
    assert "Nothing on the page" in refused["/plain"]
    assert "robots.txt" in refused["/secret"]
    _, error = refusal(town.home, "new", "source", town.acts, *given, env=QUICK)
    assert error["code"] == "address_refused"
    assert not (town.folder / "new").exists() or not list((town.folder / "new").iterdir())


def test_a_pack_is_asked_for_before_anything_is_fetched(town: Town) -> None:
    given = ("new", "source", town.acts, "--folder", str(town.folder))
    code, error = refusal(town.home, *given, env=ALLOWED)
    assert (code, error["code"]) == (3, "invalid_input")
    assert "needs a pack" in error["message"]
    assert "regulatory" in error["advice"]
    _, error = refusal(town.home, *given, "--pack", "regulatry", env=ALLOWED)
    assert error["code"] == "not_found"
    assert town.site.seen == []


def test_on_a_terminal_the_pack_is_asked_for(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.cli.new._is_person_there", lambda: True)
    given = ["--home", str(town.home), "new", "source", town.acts, "--folder", str(town.folder)]
    told = CliRunner().invoke(program, given, env=ALLOWED, input="regulatory\n")
    assert told.exit_code == 0
    assert "Which pack reads the documents of this source?" in told.stdout
    (described,) = town.folder.glob("*/source.yml")
    assert "pack: regulatory\n" in described.read_text("utf-8")


def test_a_folder_that_exists_is_not_touched(town: Town) -> None:
    (town.folder / "town").mkdir()
    given = ("--pack", "regulatory", "--folder", str(town.folder), "--name", "town")
    _, error = refusal(town.home, "new", "source", town.acts, *given, env=ALLOWED)
    assert "already exists" in error["message"]
    assert list((town.folder / "town").iterdir()) == []


def test_selectors_are_tried_on_an_address(town: Town) -> None:
    select = ("--strategy", "HTML_LIST", "--select", "item=li.act", "--select", "date=span.when")
    formats = ("--select", "date_formats=%d.%m.%Y", "--select", "exclude=/tags/*")
    found = answer(town.home, "sources", "try", town.acts, *select, *formats, env=ALLOWED)
    assert [entry["published"] for entry in found["entries"]] == [
        "2026-01-31", "2026-02-05", "2026-02-06"
    ]  # fmt: skip
    assert found["options"] == {
        "item": "li.act", "date": "span.when", "date_formats": ["%d.%m.%Y"], "exclude": ["/tags/*"]
    }  # fmt: skip
    assert not list(town.folder.glob("*/source.yml"))


def test_a_selector_that_matches_nothing_is_named(town: Town) -> None:
    file = town.folder / "saved.html"
    file.write_bytes(pages.LIST)
    select = ("--strategy", "HTML_LIST", "--select", "item=li.ac", "--url", town.acts)
    told = call(town.home, "sources", "try", str(file), *select)
    assert told.exit_code == 5
    assert "read as HTML_LIST: nothing." in told.stdout
    assert "item=li.ac matches nothing." in told.stdout
    wrong = ("--strategy", "HTML_LIST", "--select", "link=a.no", "--select", "item=li.act")
    told = call(town.home, "sources", "try", str(file), *wrong, "--url", town.acts)
    assert "link=a.no matches nothing in any of 3 places." in told.stdout
    assert town.site.seen == []


def test_a_saved_file_is_read_by_a_proposal_without_a_strategy(town: Town) -> None:
    file = town.folder / "saved.html"
    file.write_bytes(pages.LIST)
    found = answer(town.home, "sources", "try", str(file))
    assert (found["strategy"], len(found["entries"])) == ("HTML_LIST", 3)
    assert found["doubts"][0].startswith("The file does not say where it is from")
    changed = answer(town.home, "sources", "try", str(file), "--select", "link=a.tag")
    assert [entry["title"] for entry in changed["entries"]] == ["Fire", "Trade"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--select", "item"), "is not an option with its value"),
        (("--select", "itm=li"), "there is no field 'itm'"),
        (("--select", "item=li["), "is not a valid CSS selector"),
        (("--strategy", "HTML"), "is not a strategy"),
        (("--select", "max_pages=many"), "'max_pages' cannot be read"),
    ],
)
def test_a_wrong_option_is_refused(town: Town, words: tuple[str, ...], message: str) -> None:
    file = town.folder / "saved.html"
    file.write_bytes(pages.LIST)
    code, error = refusal(town.home, "sources", "try", str(file), *words)
    assert code == 3
    assert message in error["message"]


def test_a_file_that_is_not_there_is_reported_plainly(town: Town) -> None:
    code, error = refusal(town.home, "sources", "try", str(town.folder / "none.html"))
    assert (code, error["code"]) == (3, "invalid_input")
    assert "No such file" in error["message"]


def test_what_comes_next_names_the_home(town: Town) -> None:
    given = ("--pack", "regulatory", "--folder", str(town.folder))
    home = ("--home", str(town.home))
    told = call(town.home, *home, "new", "source", town.acts, *given, env=ALLOWED).stdout
    for command in ("sources try", "sources add"):
        assert f"'assay --home {town.home} {command} {town.folder}" in told
