"""Cutting excerpts out of clones: lines, elements and sections, and what is missing."""

import gzip
import json
import subprocess
from pathlib import Path

import pytest
from bench.law_texts import TextMissing, cut_text, digest_text

CLML = (
    '<Legislation xmlns="http://www.legislation.gov.uk/namespaces/legislation" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Tax Act</dc:title>'
    '<P1group><Title>Rates</Title><P1 id="section-1">20%</P1></P1group>'
    '<P1group><Title>Other</Title><P1 id="section-2">x</P1></P1group></Legislation>'
)
FILES = {
    "act.md": b"# Act\n\n(1) One.\n\n(2) Two.\n",
    "act.xml.gz": gzip.compress(CLML.encode()),
    "act.html": b'<html><body><div id="art_1">One</div><div id="art_2">Two</div></body></html>',
    "act.json": json.dumps(
        {"title": "Act", "provisions": [{"section": "1", "title": "Art. 1", "content": "One."}]}
    ).encode(),
}


@pytest.fixture(scope="module")
def mirrors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mirrors")
    clone = folder / "owner+name"
    clone.mkdir()
    for name, content in FILES.items():
        (clone / name).write_bytes(content)
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "law"]):
        settings = ["-c", "user.name=a", "-c", "user.email=a@b.invalid"]
        subprocess.run(["git", *settings, *command], cwd=clone, check=True)
    return folder


def cut(mirrors: Path, path: str, **more: object) -> str:
    source = {"repository": "owner/name", "commit": "HEAD", "path": path, **more}
    return cut_text(source, mirrors, None)


def test_lines_are_joined_by_an_empty_line(mirrors: Path) -> None:
    assert cut(mirrors, "act.md", lines=[[1, 1], [5, 5]]) == "# Act\n\n(2) Two."


def test_a_section_keeps_its_heading_and_the_title_of_its_act(mirrors: Path) -> None:
    text = cut(mirrors, "act.xml.gz", elements=["section-1"])
    assert "Tax Act" in text
    assert "Rates" in text
    assert "Other" not in text


def test_elements_of_a_page_are_cut_by_their_ids(mirrors: Path) -> None:
    text = cut(mirrors, "act.html", elements=["art_2"])
    assert "Two" in text
    assert "One" not in text
    with pytest.raises(TextMissing, match="no element 'art_3'"):
        cut(mirrors, "act.html", elements=["art_3"])


def test_sections_follow_the_title(mirrors: Path) -> None:
    assert cut(mirrors, "act.json", sections=["1"]) == "Act\n\nArt. 1\n\nOne."


def test_what_is_missing_is_named(mirrors: Path) -> None:
    with pytest.raises(TextMissing, match="nowhere"):
        cut(mirrors, "nowhere.md")
    with pytest.raises(TextMissing, match="no clone of other/name"):
        cut_text({"repository": "other/name", "commit": "", "path": "a"}, mirrors, None)


def test_a_digest_ignores_spacing() -> None:
    assert digest_text("a b\n") == digest_text("ab")
