"""References found in lists against counts by hand, plain searches and labelled data.

Three kinds of truth: `lists.yml`, written by reading the lists; a plain search for ids, which
knows nothing of entries; and the databases behind two lists, read field by field.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import yaml

from assay.packs.literature.ids import fold_title
from assay.packs.literature.listed import ListedReference, ListKind
from assay.packs.literature.lists import ParsedList, decode_list, detect_kind, parse_list
from assay.packs.literature.references import parse_reference_text
from assay.sdk.sources import parse_xml

_PLAIN_ARXIV = re.compile(
    r"arxiv\.org/+(?:(?:abs|pdf|html)/+)?(\d{4}\.\d{4,5})(?!\d)", re.IGNORECASE
)
_PLAIN_DOI = re.compile(r"doi\.org/(10\.\d{4,9}/[^\s)\]}>\"',;|]+)", re.IGNORECASE)
_PLAIN_YEAR = re.compile(r"(?<!\d)(?:1[5-9]\d\d|20\d\d)(?!\d)")
_REFERENCE_FIELDS: Final = ("title", "authors", "year", "venue", "ids")


@dataclass(frozen=True)
class _ListRead:
    """A list with its references: it is read once, though compared in several ways."""

    kind: ListKind
    parsed: ParsedList
    text: str


def _read_list(path: Path) -> _ListRead | None:
    data = path.read_bytes()
    kind = detect_kind(path.name, "", data)
    return None if kind is None else _ListRead(kind, parse_list(data, kind), decode_list(data))


def evaluate_lists(folder: Path) -> dict[str, Any]:
    """What is found in the lists of a folder of samples, and how much of it is right."""
    truths = _read_truths()
    names = [name for name in (*truths, *_LABELLED) if (folder / name).is_file()]
    read = {name: found for name in names if (found := _read_list(folder / name)) is not None}
    figures: dict[str, Any] = {name: _measure(found) for name, found in read.items()}
    for name, found in read.items():
        if name in truths:
            figures[name] |= _compare_with_reading(found, truths[name])
        else:
            records = _LABELLED[name](folder / name)
            figures[name] |= _compare_with_records(found, records)
            readme = read.get(name.replace("_db.json", "_README.md"))
            if readme is not None and readme is not found:
                figures[name] |= _compare_with_readme(readme, records)
    strings = folder / "anystyle_core.xml"
    if strings.is_file():
        figures[strings.name] = {
            "developed on": evaluate_strings(strings, is_held_out=False),
            "held out": evaluate_strings(strings, is_held_out=True),
        }
    return figures


def measure_file(path: Path) -> dict[str, Any]:
    """Totals of one list of any kind, and its ids against a plain search for addresses."""
    found = _read_list(path)
    return {"kind": None} if found is None else _measure(found)


def _measure(found: _ListRead) -> dict[str, Any]:
    parsed, text = found.parsed, found.text
    plain = {f"arxiv:{each}" for each in _PLAIN_ARXIV.findall(text) if _is_possible(each)}
    plain |= {
        f"doi:{each.rstrip('.').lower()}"
        for each in _PLAIN_DOI.findall(text)
        if "48550" not in each
    }
    ids = {name for each in parsed.references for name in each.ids}
    # Of the ids read from the list, those that a plain search of the entry's own place shows.
    placed = sum(_is_at_place(name, each, text) for each in parsed.references for name in each.ids)
    named = sum(len(each.ids) for each in parsed.references)
    return {
        "kind": str(found.kind),
        "references": len(parsed.references),
        "with title": sum(bool(each.title) for each in parsed.references),
        "with authors": sum(bool(each.authors) for each in parsed.references),
        "with year": sum(each.year is not None for each in parsed.references),
        "ids": len(ids),
        "ids by plain search": len(plain),
        "recall of ids": _ratio(len(ids & plain), len(plain)),
        "precision of ids": _ratio(placed, named),
        "notes": len(parsed.notes),
    }


def _is_possible(number: str) -> bool:
    """Whether a number can be an id: its month exists, and it has the digits of its time."""
    month = int(number[2:4])
    return 1 <= month <= 12 and (len(number) == 10) == (number[:4] >= "1501")


def _is_at_place(name: str, reference: ListedReference, text: str) -> bool:
    scheme, _, value = name.partition(":")
    place = re.sub(r"[\\{}\s]|%2[fF]", "", text[reference.start : reference.end]).lower()
    if scheme == "isbn":
        digits = re.sub(r"\D", "", place)
        return value in digits or value[3:12] in digits
    if scheme == "doi" and value.startswith(("10.1038/", "10.18653/v1/", "10.5281/zenodo.")):
        return re.split(r"/v1/|/|zenodo\.", value)[-1] in place
    return value.replace("/", "").lower() in place.replace("/", "")


def _ratio(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _read_truths() -> Mapping[str, Any]:
    written = files("assay.packs.literature.evaluation").joinpath("lists.yml")
    truths: Mapping[str, Any] = yaml.safe_load(written.read_text("utf-8"))
    return truths


def _compare_with_reading(read: _ListRead, truth: Mapping[str, Any]) -> dict[str, Any]:
    """The references of a list against the lines that a reader judged."""
    if "total" in truth:
        return {"references by hand": truth["total"]}
    by_line = _index_by_line(read.parsed, read.text)
    works: Mapping[int, str] = truth["works"]
    found = [line for line in works if by_line.get(line)]
    with_id = [line for line, name in works.items() if name]
    right = [
        line for line in with_id if any(works[line] in each.ids for each in by_line.get(line, []))
    ]
    wrong = [line for line in truth.get("others", []) if by_line.get(line)]
    wrong_ids = [
        line for line in found
        if any(set(each.ids) - {works[line]} for each in by_line[line])
    ]  # fmt: skip
    return {
        "lines read by hand": len(works) + len(truth.get("others", [])),
        "recall of references": _ratio(len(found), len(works)),
        "precision of references": _ratio(len(found), len(found) + len(wrong)),
        "recall of ids by hand": _ratio(len(right), len(with_id)),
        "precision of ids by hand": _ratio(len(right), len(right) + len(wrong_ids)),
        "unclear lines read as references": sum(
            bool(by_line.get(n)) for n in truth.get("unclear", [])
        ),
    }


def _index_by_line(parsed: ParsedList, text: str) -> dict[int, list[ListedReference]]:
    lines: dict[int, list[ListedReference]] = {}
    place = number = 0
    for each in sorted(parsed.references, key=lambda reference: reference.start):
        number += text.count("\n", place, each.start)
        place = each.start
        lines.setdefault(number + 1, []).append(each)
    return lines


def _compare_with_records(read: _ListRead, records: list[tuple[str, str]]) -> dict[str, Any]:
    """The references of a database against its records: title, and the paper's address."""
    wanted = Counter((fold_title(title), address) for title, address in records)
    mine = Counter(
        (fold_title(each.title), next((i for i in each.ids if i.startswith("arxiv:")), ""))
        for each in read.parsed.references
    )
    both = sum((wanted & mine).values())
    return {
        "records": sum(wanted.values()),
        "recall of records": _ratio(both, sum(wanted.values())),
        "precision of records": _ratio(both, sum(mine.values())),
    }


def _find_plain_id(address: str) -> str:
    found = _PLAIN_ARXIV.search(address or "")
    return f"arxiv:{found[1]}" if found else ""


def _list_yaml_records(path: Path) -> list[tuple[str, str]]:
    records = yaml.load(path.read_text("utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return [(str(each["title"]), _find_plain_id(each.get("paper") or "")) for each in records]


def _list_json_records(path: Path) -> list[tuple[str, str]]:
    papers = json.loads(path.read_text("utf-8"))["papers"]
    return [(each["title"], _find_plain_id(each["links"].get("Paper", ""))) for each in papers]


def _compare_with_readme(read: _ListRead, records: list[tuple[str, str]]) -> dict[str, Any]:
    """The references of a README against the records of the database behind it."""
    titles: dict[str, set[str]] = {}
    for each in read.parsed.references:
        for name in each.ids:
            titles.setdefault(name, set()).add(fold_title(each.title))
    shared = [(title, name) for title, name in records if name and name[6:] in read.text]
    found = [(title, name) for title, name in shared if name in titles]
    same = sum(fold_title(title) in titles[name] for title, name in found)
    return {
        "ids in both database and README": len(shared),
        "recall of those ids in the README": _ratio(len(found), len(shared)),
        "titles that agree": _ratio(same, len(found)),
    }


_LABELLED: Final[Mapping[str, Callable[[Path], list[tuple[str, str]]]]] = {
    "awesome_3dgs_papers.yaml": _list_yaml_records,
    "awesome_diffusion_models_db.json": _list_json_records,
}


def evaluate_strings(path: Path, *, is_held_out: bool) -> dict[str, Any]:
    """Precision and recall for each field of labelled reference strings, on one half of them.

    A hash of the string decides the half. A field is right if its letters and digits are those of
    the label; a year is right if it is the first one labelled.
    """
    right: Counter[str] = Counter()
    read: Counter[str] = Counter()
    labelled: Counter[str] = Counter()
    strings = 0
    root = parse_xml(path.read_bytes(), path.name, "labelled references")
    for sequence in root.find_children("sequence"):
        parts = [(part.name, part.read_text() or "") for part in sequence.find_children()]
        text = " ".join(words for _, words in parts)
        if (hashlib.sha256(text.encode()).digest()[-1] % 2 == 1) != is_held_out:
            continue
        strings += 1
        reference = parse_reference_text(text)
        for field, (mine, theirs) in _pair_fields(reference, parts).items():
            labelled[field] += bool(theirs)
            read[field] += bool(mine)
            right[field] += bool(mine) and mine == theirs
    figures = {
        field: {
            "precision": _ratio(right[field], read[field]),
            "recall": _ratio(right[field], labelled[field]),
            "labelled": labelled[field],
        }
        for field in _REFERENCE_FIELDS
    }
    return {"strings": strings} | figures


def _pair_fields(
    reference: ListedReference, parts: list[tuple[str, str]]
) -> dict[str, tuple[str, str]]:
    """What was read and what is labelled, in a form that can be compared."""

    def first(*names: str) -> str:
        return next((words for name, words in parts if name in names), "")

    years = _PLAIN_YEAR.findall(" ".join(words for name, words in parts if name == "date"))
    ids = " ".join(words for name, words in parts if name in ("doi", "url", "note", "isbn"))
    dois = re.findall(r"10\.\d{4,9}/[^\s,;]+[^\s,;.)]", ids.lower())
    return {
        "title": (fold_title(reference.title), fold_title(first("title"))),
        "authors": (_fold_names(" ".join(reference.authors)), _fold_names(first("author"))),
        "year": (str(reference.year or ""), years[0] if years else ""),
        "venue": (
            _fold_venue(reference.venue),
            _fold_venue(first("journal", "container-title")),
        ),
        "ids": (
            " ".join(sorted(i[4:] for i in reference.ids if i.startswith("doi:"))),
            " ".join(sorted(set(dois))),
        ),
    }


def _fold_names(text: str) -> str:
    joining = {"and", "et", "al", "in", "eds", "ed", "y", "und", "e"}
    return " ".join(word for word in fold_title(text).split() if word not in joining)


def _fold_venue(text: str) -> str:
    return re.sub(r"^in ", "", fold_title(text))


__all__ = ["evaluate_lists", "evaluate_strings", "measure_file"]
