"""The documentation site has every page, and links that work in it; it is not built here."""

import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from tests.docs.test_docs import DOCS, ROOT

SITE = runpy.run_path(str(ROOT / "scripts" / "docs_site.py"))


def list_pages(nav: Any) -> Iterator[str]:
    """The pages of a navigation, in order."""
    if isinstance(nav, str):
        yield nav
    for entry in nav.values() if isinstance(nav, dict) else nav if isinstance(nav, list) else ():
        yield from list_pages(entry)


def test_the_navigation_lists_every_page_once() -> None:
    listed = list(list_pages(SITE["build_nav"]()))
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    assert sorted(listed) == sorted(pages | set(SITE["PROJECT"].values()))


def test_the_navigation_follows_the_sections_of_the_map() -> None:
    nav = SITE["build_nav"]()
    assert [title for section in nav for title in section] == [
        "Home", "How-to", "Concepts", "Reference", "Decisions", "Words",
    ]  # fmt: skip
    assert nav[0]["Home"][:2] == ["index.md", {"README": "project/about.md"}]
    (first, *_) = nav[4]["Decisions"]
    assert next(iter(first)).startswith("0001 ")


def test_the_site_uses_that_navigation_and_loads_nothing_from_elsewhere() -> None:
    config = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    assert config["hooks"] == ["scripts/docs_site.py"] and "nav" not in config
    assert config["strict"] is True
    assert config["theme"]["font"] is False
    fences = [each for each in config["markdown_extensions"] if isinstance(each, dict)]
    assert not any("pymdownx.superfences" in each for each in fences)
    assert "site/" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()


def test_links_lead_to_their_places_in_the_site() -> None:
    rewrite = SITE["rewrite_links"]
    page = "how-to/upgrade.md"
    for link, place in (
        ("[a](../concepts/runs.md#seal)", "[a](../concepts/runs.md#seal)"),
        ("[a](../../CHANGELOG.md)", "[a](../project/changelog.md)"),
        ("[a](../../README.md#try-it)", "[a](../project/about.md#try-it)"),
        ("[a](../../deploy/docker/Dockerfile)", "[a](../files/deploy/docker/Dockerfile)"),
        ("[a](../../deploy/docker)", "a"),
        ("[a](https://example.org/b.md)", "[a](https://example.org/b.md)"),
        ("[a](#here)", "[a](#here)"),
        ("```text\n[a](../../README.md)\n```", "```text\n[a](../../README.md)\n```"),
    ):
        assert rewrite(link, page) == place
    assert rewrite("[a](docs/index.md)", "project/about.md") == "[a](../index.md)"


def test_files_that_pages_link_to_are_part_of_the_site() -> None:
    files = SITE["list_linked_files"]()
    assert files["files/deploy/docker/Dockerfile"] == ROOT / "deploy" / "docker" / "Dockerfile"
    assert all(isinstance(path, Path) and path.is_file() for path in files.values())
