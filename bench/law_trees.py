"""`python -m bench.law_trees`: are the provisions of an act found, where its markup names them?

The public files (cfpb/regulations-xml, digitalservicebund/ris-norms, legislation/clml-schema, and a
folder of Formex and Akoma Ntoso files of the EU) name every provision in their markup. A simple
walk over their elements gives the true paths and a flat text as it would be printed. Then
`read_act` reads the flat text (by its numbering alone) and the file itself (by its markup).
Documents are divided by a hash of their name; single misses are only shown for those that may be
looked at.
"""

import argparse
import hashlib
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from typing import Final
from xml.etree import ElementTree

from assay.packs.regulatory.acts.trees import read_act
from assay.reading.decoding import decode_bytes
from assay.reading.documents import read_document
from bench.report import Report, print_report

Element = ElementTree.Element
_SPACE: Final = re.compile(r"\s+")


@dataclass(slots=True)
class Printed:
    """An act as it would be printed, and the paths of its provisions."""

    lines: list[str] = field(default_factory=list)
    paths: Counter[str] = field(default_factory=Counter)
    counted: Counter[str] = field(default_factory=Counter)

    def add(self, parent: str, kind: str, value: str) -> str:
        path = f"{parent}__{kind}_{value}" if parent else f"{kind}_{value}"
        self.counted[path] += 1
        if self.counted[path] > 1:
            path = f"{path}_{self.counted[path]}"
        self.paths[path] += 1
        return path


def name_of(element: Element) -> str:
    return element.tag.rpartition("}")[2].lower() if isinstance(element.tag, str) else ""


def text_of(element: Element) -> str:
    return _SPACE.sub(" ", "".join(element.itertext())).strip()


def clean(number: str) -> str:
    return number.strip().strip("().—–§ ").rstrip(".")


def print_regml(root: Element) -> Printed:
    """Sections of a CFR part; the numbers are attributes."""
    printed = Printed()

    def walk(element: Element, parent: str) -> None:
        for child in element:
            if name_of(child) == "paragraph":
                marker = child.get("marker", "")
                has_number = bool(re.fullmatch(r"\(\w+\)", marker))
                path = parent
                if has_number:
                    kind = "point" if "__" in parent else "para"
                    path = printed.add(parent, kind, clean(marker))
                words = [text_of(c) for c in child if name_of(c) in ("title", "content")]
                printed.lines.append(" ".join(filter(None, [marker, *words])))
                walk(child, path)

    for section in root.iter():
        if name_of(section) == "section" and section.get("sectionNum"):
            subject = next((c for c in section if name_of(c) == "subject"), None)
            number = re.match(r"§\s*([\d.]+)", text_of(subject)) if subject is not None else None
            if number and subject is not None:
                path = printed.add("", "sec", number[1].rstrip("."))
                printed.lines.append(text_of(subject))
                walk(section, path)
    return printed


def print_clml(root: Element) -> Printed:
    """Sections and regulations of a British act, as legislation.gov.uk prints them."""
    printed = Printed()
    levels = {f"p{depth}": depth for depth in range(1, 8)}
    quoted = {"blockamendment", "blockextract"}

    def words(element: Element, parent: str) -> None:
        for child in element:
            name = name_of(child)
            if name in levels:
                provision(child, parent)
            elif name in quoted:
                printed.lines.append(f"“{text_of(child)}”")
            elif name in ("text", "appendtext"):
                if pending:
                    printed.lines.append("".join(pending) + " " + text_of(child))
                    pending.clear()
                elif text_of(child):
                    printed.lines.append(text_of(child))
            elif name not in ("pnumber", "title", "footnote", "commentary"):
                words(child, parent)

    pending: list[str] = []

    def provision(element: Element, parent: str) -> None:
        number = next((c for c in element if name_of(c) == "pnumber"), None)
        value = clean(text_of(number)) if number is not None else ""
        path = parent
        if value:
            depth = levels[name_of(element)]
            kind = {1: "sec", 2: "para"}.get(depth, "point")
            if parent:
                kind = "point" if "__" in parent or depth > 2 else "para"
            if depth == 1:
                flush()
            path = printed.add(parent, kind, value)
            pending.append(f"{value}.—" if depth == 1 else f"({value})")
        words(element, path)
        if value and levels[name_of(element)] == 1:
            flush()

    def flush() -> None:
        if pending:
            printed.lines.append("".join(pending))
            pending.clear()

    body = next((e for e in root.iter() if name_of(e) == "body"), None)
    if body is not None:
        groups(body, printed, provision, levels)
    return printed


def groups(
    element: Element,
    printed: Printed,
    provision: Callable[[Element, str], None],
    levels: dict[str, int],
) -> None:
    """The parts, chapters and titles around the sections of a British act."""
    for child in element:
        name = name_of(child)
        if name in levels:
            provision(child, "")
        elif name in ("title", "number") and text_of(child):
            printed.lines.append(text_of(child))
        elif name not in ("text",):
            groups(child, printed, provision, levels)


def print_hierarchy(
    root: Element, names: dict[str, str], numbers: set[str], skip: set[str]
) -> Printed:
    """An act whose elements contain a number and each other (Akoma Ntoso, Formex)."""
    printed = Printed()

    def walk(element: Element, parent: str, lead: str) -> str:
        """Print what an element contains; gives back a number that is still to be printed."""
        for child in element:
            name = name_of(child)
            if name in numbers and parent:
                continue
            if name in skip:
                printed.lines.append(f"{lead}“{text_of(child)}”")
                lead = ""
            elif name in names and (number := find_number(child)):
                if lead:
                    printed.lines.append(lead)
                path = place(child, name, number, parent)
                lead = walk(child, path, number + " ") if path else ""
            elif any(name_of(one) in names or name_of(one) in skip for one in child.iter()):
                lead = walk(child, implicit(child, name, parent), lead)
            elif text_of(child):
                printed.lines.append(lead + text_of(child))
                if name in names and parent and "__" not in parent:
                    implicit(child, name, parent)
                lead = ""
        return lead

    def find_number(element: Element) -> str:
        for one in element:
            if name_of(one) in numbers:
                return text_of(one)
            if name_of(one) == "np":
                return find_number(one)
        return ""

    def implicit(element: Element, name: str, parent: str) -> str:
        counted = parent.startswith(("sec_", "art_")) and counts[parent.split("__")[0]]
        if name in names and names[name] == "para" and counted and "__" not in parent:
            return printed.add(parent, "para", "1")
        return parent

    counts: dict[str, bool] = {}

    def place(element: Element, name: str, number: str, parent: str) -> str:
        kind = names[name]
        if kind == "art":
            if parent:
                return parent
            found = re.search(r"\d+\s?[a-z]*", number)
            if not found:
                return ""
            is_section = "§" in number
            path = printed.add(
                "", "sec" if is_section else "art", found[0].replace(" ", "").lower()
            )
            counts[path] = number.startswith(("§", "Artikel"))
            return path
        if not parent:
            return ""
        value = clean(number)
        if not re.fullmatch(r"\w+", value):
            count = printed.counted[f"{parent}__dash"] = printed.counted[f"{parent}__dash"] + 1
            value = str(count)
        deep = "__" in parent
        return printed.add(parent, "point" if deep or kind == "point" else "para", value)

    def top(element: Element) -> None:
        for child in element:
            if name_of(child) in names and names[name_of(child)] == "art" and find_number(child):
                lead = walk_article(child)
                if lead:
                    printed.lines.append(lead)
            elif name_of(child) not in skip:
                top(child)

    def walk_article(element: Element) -> str:
        number = find_number(element)
        path = place(element, name_of(element), number, "")
        printed.lines.append(number)
        return walk(element, path, "") if path else ""

    top(root)
    return printed


_AKN_NAMES: Final = {
    "article": "art",
    "paragraph": "para",
    "subparagraph": "sub",
    "point": "point",
    "item": "point",
    "indent": "point",
}


def print_akn(root: Element) -> Printed:
    skip = {"quotedstructure", "quotedtext", "authorialnote", "preamble", "preface", "meta"}
    return print_hierarchy(root, _AKN_NAMES, {"num"}, skip | {"conclusions", "attachments"})


def print_formex(root: Element) -> Printed:
    names = {"article": "art", "parag": "para", "item": "point"}
    numbers = {"ti.art", "no.parag", "no.p"}
    return print_hierarchy(root, names, numbers, {"quot.s", "note", "preamble", "final", "title"})


@dataclass(slots=True)
class Tally:
    documents: int = 0
    true: int = 0
    found: dict[str, int] = field(default_factory=lambda: {"text": 0, "markup": 0})
    right: dict[str, int] = field(default_factory=lambda: {"text": 0, "markup": 0})
    seconds: float = 0.0

    def describe(self) -> dict[str, object]:
        result: dict[str, object] = {"documents": self.documents, "provisions": self.true}
        for way in ("text", "markup"):
            if self.found[way]:
                result[f"{way}_precision"] = round(self.right[way] / self.found[way], 4)
                result[f"{way}_recall"] = round(self.right[way] / max(1, self.true), 4)
        return result


def measure(name: str, data: bytes, tradition: str, tally: Tally, show: bool) -> None:
    """Read one document in both ways."""
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError:
        return
    printed = PRINTERS[tradition](root)
    if len(printed.paths) < 5:
        return
    tally.documents += 1
    true = set(printed.paths)
    tally.true += len(true)
    reading = read_document(data)
    document = decode_bytes(data).text
    ways = {
        "text": ("\n".join(printed.lines), "", ()),
        "markup": (reading.text, document, reading.segments),
    }
    for way, (text, markup, segments) in ways.items():
        begun = process_time()
        act = read_act(name, text, markup, segments)
        tally.seconds += process_time() - begun
        found = {one.path for one in act.provisions if one.path.startswith(("sec", "art"))}
        tally.found[way] += len(found)
        tally.right[way] += len(found & true)
        if show:
            print(name, way, len(true), "wrong", sorted(found - true)[:6],
                  "missed", sorted(true - found)[:6], file=sys.stderr)  # fmt: skip


PRINTERS: Final = {
    "us": print_regml, "uk": print_clml, "de": print_akn, "eu_akn": print_akn, "eu": print_formex
}  # fmt: skip


def list_documents(given: argparse.Namespace) -> Iterator[tuple[str, str, bytes]]:
    """Tradition, name and content of every file."""
    corpora = (
        ("us", given.regulations, r"regulation/.*"),
        ("uk", given.clml, r".*/sampleXML/(?:uk|asp|ssi|wsi|nisr).*\.xml"),
        ("de", given.norms, r"LegalDocML.de/1.8.2/samples/.*regelungstext.*\.xml"),
        ("eu", given.eu, r".*sources/eu/eurlex/formex/.*\.xml"),
        ("eu_akn", given.eu, r".*sources/eu/eurlex/akn/.*\.(?:xml|akn)"),
    )
    for tradition, folder, pattern in corpora:
        if folder is None:
            continue
        listed = _run_git(folder, "ls-tree", "-r", "--name-only", "HEAD").decode().split("\n")
        for name in listed:
            # The largest files of a mirror may be absent.
            if re.fullmatch(pattern, name) and (data := _run_git(folder, "show", f"HEAD:{name}")):
                yield tradition, name, data


def is_held_out(name: str, tradition: str) -> bool:
    """Whether a document is only looked at in totals; versions of one act stay together."""
    key = name.split("/")[1] if tradition == "us" else name
    return hashlib.sha256(key.encode()).digest()[0] % 2 == 0


def _run_git(folder: Path, *arguments: str) -> bytes:
    ran = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, check=False)
    return ran.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("regulations", "clml", "norms", "eu"):
        parser.add_argument(f"--{name}", type=Path, help="a clone")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--show", action="store_true", help="show misses of documents for tuning")
    given = parser.parse_args()
    tallies: dict[tuple[str, bool], Tally] = {}
    for tradition, name, data in list_documents(given):
        held = is_held_out(name, tradition)
        if given.show and held:
            continue
        tally = tallies.setdefault((tradition, held), Tally())
        measure(name, data, tradition, tally, given.show)
    held_out = [tally for (_, held), tally in tallies.items() if held]
    found = sum(tally.right["text"] for tally in held_out)
    true = sum(tally.true for tally in held_out)
    print_report(
        Report(
            name="law_trees",
            unit="share of provisions found in flat text, held-out documents",
            better="higher",
            ours=round(found / max(1, true), 4),
            detail={
                f"{tradition}_{'held_out' if held else 'tuning'}": tally.describe()
                for (tradition, held), tally in sorted(tallies.items())
            },
        ),
        as_json=given.json,
    )


if __name__ == "__main__":
    main()
