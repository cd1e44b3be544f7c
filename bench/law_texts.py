"""`python -m bench.law_texts --mirrors DIR [--samples DIR]`: cuts out the texts of annotated law.

The annotations in the regulatory pack's `corpus/law` name where each excerpt comes from:
repository, commit, path, and lines, elements or sections. The texts themselves are not part of this
repository; they are read from clones under DIR, `DIR/owner+name` each, and written next to the
annotations, where `assay eval regulatory` finds them. Every text is checked against the digest that
was taken when it was annotated. Ends with 3 if a repository or file is missing.
"""

import argparse
import gzip
import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from lxml import etree, html  # type: ignore[import-untyped]

from assay.packs.regulatory import LAW
from assay.ruling.evaluation.excerpts import TEXTS

NOT_HERE: Final = 3
SAMPLES: Final = "samples"
"""The repository of an excerpt that is a whole file of the folder given with --samples."""


class TextMissing(Exception):
    """A repository, commit or file that an excerpt comes from is not here."""


def read_documents() -> Iterator[Mapping[str, Any]]:
    """All annotated documents, of both halves."""
    for path in sorted(LAW.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


def cut_text(source: Mapping[str, Any], mirrors: Path, samples: Path | None) -> str:
    """The excerpt that a source describes."""
    raw = _read_source(source, mirrors, samples)
    if "elements" in source:
        return _cut_elements(raw, source["elements"])
    text = raw.decode("utf-8")
    if "lines" in source:
        lines = text.split("\n")
        return "\n\n".join(
            "\n".join(lines[first - 1 : last]).strip("\n") for first, last in source["lines"]
        )
    if "sections" in source:
        return _join_sections(json.loads(text), source["sections"])
    return text


def digest_text(text: str) -> str:
    """A digest that does not depend on spaces and line breaks."""
    return hashlib.sha256("".join(text.split()).encode()).hexdigest()


def _read_source(source: Mapping[str, Any], mirrors: Path, samples: Path | None) -> bytes:
    if source["repository"] == SAMPLES:
        path: Path | None = None if samples is None else samples / source["path"]
        if path is None or not path.is_file():
            raise TextMissing(f"{source['path']}: give its folder with --samples")
        return path.read_bytes()
    folder = mirrors / source["repository"].replace("/", "+")
    places = (folder / "repo", folder / ".git", folder)
    found = next((place for place in places if (place / "HEAD").is_file()), None)
    if found is None:
        raise TextMissing(f"no clone of {source['repository']} in {folder}")
    shown = subprocess.run(
        ["git", "--git-dir", str(found), "show", f"{source['commit']}:{source['path']}"],
        capture_output=True,
        check=False,
    )
    if shown.returncode:
        raise TextMissing(f"{source['repository']}: {shown.stderr.decode().strip()}")
    raw: bytes = shown.stdout
    return gzip.decompress(raw) if source["path"].endswith(".gz") else raw


def _cut_elements(raw: bytes, ids: Sequence[str]) -> str:
    """The elements with the ids; of an act in CLML, with their heading and the act's title."""
    if b"namespaces/legislation" not in raw[:2000]:
        page = html.fromstring(raw)
        parts = [html.tostring(_find_element(page, one), encoding="unicode") for one in ids]
        return f"<html><body>{''.join(parts)}</body></html>"
    act = etree.fromstring(raw)
    title = act.findtext(".//{http://purl.org/dc/elements/1.1/}title") or ""
    root = etree.Element(act.tag, nsmap={None: etree.QName(act).namespace})
    etree.SubElement(root, etree.QName(etree.QName(act).namespace, "Title")).text = title
    for one in ids:
        found = _find_element(act, one)
        parent = found.getparent()
        root.append(found if parent is None or len(parent) > 2 else parent)
    return str(etree.tostring(root, encoding="unicode"))


def _find_element(root: Any, wanted: str) -> Any:
    found = root.xpath("//*[@id=$wanted]", wanted=wanted)
    if not found:
        raise TextMissing(f"there is no element '{wanted}'")
    return found[0]


def _join_sections(act: Mapping[str, Any], wanted: Sequence[str]) -> str:
    parts = [one for one in act["provisions"] if one["section"] in wanted]
    return "\n\n".join([act["title"], *(f"{one['title']}\n\n{one['content']}" for one in parts)])


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mirrors", type=Path, required=True, help="folder with the clones")
    parser.add_argument("--samples", type=Path, help="folder with single files")
    parser.add_argument("--out", type=Path, default=LAW / TEXTS, help="where to write the texts")
    given = parser.parse_args(arguments)
    given.out.mkdir(parents=True, exist_ok=True)
    missing = 0
    for document in read_documents():
        name, source = document["document"], document["source"]
        try:
            text = cut_text(source, given.mirrors, given.samples)
        except TextMissing as error:
            print(f"{name}: {error}", file=sys.stderr)
            missing += 1
            continue
        if source.get("digest") not in (None, digest_text(text)):
            print(f"{name}: the text is not the one that was annotated", file=sys.stderr)
            missing += 1
            continue
        (given.out / name).write_text(text, encoding="utf-8")
    return NOT_HERE if missing else 0


if __name__ == "__main__":
    sys.exit(main())
