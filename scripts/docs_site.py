"""What MkDocs needs to know about docs/: the navigation, and the files that pages link to.

The pages are written to be read in the repository. So the navigation is taken from docs/index.md,
and what they link to outside docs/ becomes part of the site: the README, the guide for developers
and the changelog as pages, other files as they are.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from posixpath import normpath, relpath
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PROJECT = {
    "README.md": "project/about.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md",
}
"""Pages outside docs/, and their places in the site."""
_FILES = "files"
_LINK = re.compile(r"(?<!!)\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]+)\)")
_ENTRY = re.compile(r"^- \[(?P<title>[^\]]+)\]\((?P<page>[^)#]+\.md)\)(?P<rest>.*)$")
_FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
_NUMBER = re.compile(r"\d{4}")


def build_nav() -> list[Any]:
    """The navigation: the pages named at the top of docs/index.md, then its sections."""
    head, *sections = re.split(r"(?m)^(?=## )", (DOCS / "index.md").read_text(encoding="utf-8"))
    nav: list[Any] = [{"Home": ["index.md", *_list_first_pages(head)]}]
    for section in sections:
        title, _, body = section.removeprefix("## ").partition("\n")
        nav.append({title: list(_list_entries(body))})
    return nav


def _list_first_pages(head: str) -> Iterator[dict[str, str]]:
    for link in _LINK.finditer(head):
        page = _place_in_site("docs", link["target"])
        if page is not None and page.endswith(".md"):
            yield {_capitalize(link["text"].removeprefix("the ")): page}
    yield {"Changelog": PROJECT["CHANGELOG.md"]}


def _list_entries(body: str) -> Iterator[dict[str, str]]:
    for line in body.splitlines():
        if entry := _ENTRY.match(line):
            title = entry["title"]
            if _NUMBER.fullmatch(title):
                page = DOCS / entry["page"]
                title = page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
            yield {title: entry["page"]}


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]


def _place_in_site(folder: str, target: str) -> str | None:
    """Where the site has what a page in a folder of the repository links to; None: nowhere."""
    path = normpath(f"{folder}/{target}")
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if path in PROJECT:
        return PROJECT[path]
    return f"{_FILES}/{path}" if (ROOT / path).is_file() else None


def _find_folder(page: str) -> str:
    """The folder in the repository of a page of the site."""
    original = next((path for path, place in PROJECT.items() if place == page), f"docs/{page}")
    return str(Path(original).parent)


def rewrite_links(text: str, page: str) -> str:
    """The text of a page with links that work in the site; those to folders become plain text."""
    folder = _find_folder(page)

    def rewrite(link: re.Match[str]) -> str:
        target, sign, anchor = link["target"].partition("#")
        if not target or "://" in target or target.startswith("mailto:"):
            return link.group()
        place = _place_in_site(folder, target)
        if place is None:
            return link["text"]
        return f"[{link['text']}]({relpath(place, str(Path(page).parent))}{sign}{anchor})"

    parts = _FENCE.split(text)
    return "".join(
        part if number % 2 else _LINK.sub(rewrite, part) for number, part in enumerate(parts)
    )


def list_linked_files() -> dict[str, Path]:
    """The files outside docs/ that pages link to, by their places in the site."""
    pages = {path.relative_to(DOCS).as_posix(): path for path in DOCS.rglob("*.md")}
    pages |= {place: ROOT / path for path, place in PROJECT.items()}
    found = {}
    for page, path in pages.items():
        for link in _LINK.finditer(_FENCE.sub("", path.read_text(encoding="utf-8"))):
            target = link["target"].partition("#")[0]
            if not target or "://" in target:
                continue
            place = _place_in_site(_find_folder(page), target)
            if place is not None and place.startswith(f"{_FILES}/"):
                found[place] = ROOT / place.removeprefix(f"{_FILES}/")
    return found


def on_config(config: Any) -> Any:
    """MkDocs calls this first."""
    config.nav = build_nav()
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the pages and files outside docs/."""
    from mkdocs.structure.files import File

    generate: Callable[..., Any] = File.generated
    for path, place in PROJECT.items():
        files.append(generate(config, place, content=(ROOT / path).read_text(encoding="utf-8")))
    for place, file in list_linked_files().items():
        files.append(generate(config, place, abs_src_path=str(file)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Let links lead to where the site has their targets."""
    return rewrite_links(markdown, page.file.src_uri)
