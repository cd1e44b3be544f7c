"""How often references with known DOIs are matched to the right work, and refused without it.

Nothing is sent. In place of the service, the works of the data set are searched.
The works come from a file with the same references undistorted, if there is one. Otherwise they are
read from the distorted references, and each is looked up after being distorted once more, so that
work and reference differ as much. Half of the works, by a hash of the DOI, are held out: only
their totals count.
"""

import hashlib
import json
import random
import re
import string
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log
from pathlib import Path
from typing import Any

from assay.packs.literature.comparing import read_first_page
from assay.packs.literature.folding import squeeze_text
from assay.packs.literature.listed import ListedReference
from assay.packs.literature.matching import MatchVerdict, match_work
from assay.packs.literature.resolving.works import FoundWork

ParseReference = Callable[[str], ListedReference]
_GRAM = 5
_FOUND = 5
"""How many candidates the search gives, as many as are asked of a service."""


@dataclass(frozen=True)
class KnownReference:
    """A printed reference whose DOIs are known; none: it has no DOI."""

    text: str
    dois: frozenset[str]

    @property
    def is_held_out(self) -> bool:
        """Whether it belongs to the half that is only counted."""
        key = min(self.dois, default=self.text)
        return hashlib.sha256(key.encode()).digest()[0] % 2 == 1


@dataclass
class MatchTotals:
    """What became of a number of references."""

    references: int = 0
    accepted_right: int = 0
    accepted_wrong: int = 0
    asked_right: int = 0
    """A person is asked about the right work."""
    asked_wrong: int = 0
    refused: int = 0
    reasons: Counter[str] = field(default_factory=Counter)

    def as_dict(self) -> dict[str, Any]:
        accepted = self.accepted_right + self.accepted_wrong
        return {
            "references": self.references,
            "accepted_right": self.accepted_right,
            "accepted_wrong": self.accepted_wrong,
            "asked_right": self.asked_right,
            "asked_wrong": self.asked_wrong,
            "refused": self.refused,
            "precision_of_accepted": round(self.accepted_right / accepted, 4) if accepted else None,
        }


def evaluate_matching(
    folder: Path, parse: ParseReference | None = None, clean: Path | None = None
) -> dict[str, Any]:
    """Totals for all files of reference strings in a folder, by file and half."""
    files = sorted(folder.glob("crossref_refmatch*.json"))
    return {path.name: evaluate_file(path, parse, clean) for path in files}


def evaluate_file(
    path: Path, parse: ParseReference | None = None, clean: Path | None = None
) -> dict[str, Any]:
    """Totals for one file: with the right work among the candidates, and with it withheld.

    `clean` is a file of the same references in APA style without distortions. References that do
    not describe their work completely enough for a service's record are only counted.
    """
    references = load_references(path)
    works = build_works(load_references(clean) if clean else references)
    if not clean:
        references = [KnownReference(distort(each.text), each.dois) for each in references]
    known = {doi for work in works for doi in work.ids}
    usable = [each for each in references if {f"doi:{doi}" for doi in each.dois} & known]
    search = LocalSearch(works)
    result: dict[str, Any] = {
        "works_from": "undistorted references" if clean else "distorted references",
        "references": len(references),
        "left_out": len(references) - len(usable),
    }
    for name, held_out in (("tuning", False), ("held_out", True)):
        chosen = [each for each in usable if each.is_held_out is held_out]
        result[name] = {
            "present": match_all(chosen, search, parse, withhold=False).as_dict(),
            "withheld": match_all(chosen, search, parse, withhold=True).as_dict(),
        }
    return result


def load_references(path: Path) -> list[KnownReference]:
    """Read a file of Crossref's reference-matching evaluation."""
    found = []
    for entry in json.loads(path.read_bytes())["dataset"]:
        text = entry.get("ref_string") or entry.get("unstructured") or ""
        truth = entry.get("target_gt") or entry.get("target_gt_dois") or {}
        given = truth.get("DOI") if isinstance(truth, Mapping) else truth
        dois = [given] if isinstance(given, str) else list(given or ())
        if text:
            found.append(KnownReference(text, frozenset(doi.casefold() for doi in dois)))
    return found


def match_all(
    references: Iterable[KnownReference],
    search: "LocalSearch",
    parse: ParseReference | None,
    *,
    withhold: bool,
) -> MatchTotals:
    """Match references with what the search finds; `withhold` hides the right work from it."""
    totals = MatchTotals()
    for reference in references:
        right = search.list_twins(reference.dois)
        without = right if withhold else frozenset()
        candidates = search.find(reference.text, without)
        listed = parse(reference.text) if parse else ListedReference()
        decision = match_work(listed, candidates, reference.text)
        totals.references += 1
        found = (
            {each.removeprefix("doi:") for each in decision.work.ids} if decision.work else set()
        )
        is_right = bool(found & right)
        if decision.verdict is MatchVerdict.ACCEPT:
            totals.accepted_right += is_right
            totals.accepted_wrong += not is_right
        elif decision.verdict is MatchVerdict.ASK:
            totals.asked_right += is_right
            totals.asked_wrong += not is_right
        else:
            totals.refused += 1
        totals.reasons[f"{decision.verdict}: {decision.reason}"] += 1
    return totals


class LocalSearch:
    """Plays a service: finds the works that share the most rare letter sequences with a text."""

    def __init__(self, works: Sequence[FoundWork]) -> None:
        self._works = works
        self._places: dict[str, list[int]] = defaultdict(list)
        self._marks = {_doi_of(work): _mark(work) for work in works}
        self._twins: dict[Any, set[str]] = defaultdict(set)
        for doi, mark in self._marks.items():
            self._twins[mark].add(doi)
        for place, work in enumerate(works):
            for gram in _list_grams(" ".join((*work.authors, work.title, work.venue))):
                self._places[gram].append(place)

    def list_twins(self, dois: frozenset[str]) -> frozenset[str]:
        """The DOIs, and those of works that the same reference describes: some are registered
        twice."""
        return frozenset().union(dois, *(self._twins.get(self._marks.get(d), ()) for d in dois))

    def find(self, text: str, without: frozenset[str] = frozenset()) -> list[FoundWork]:
        """The best few works, without those that have one of the DOIs."""
        scores: Counter[int] = Counter()
        for gram in _list_grams(text):
            places = self._places.get(gram, ())
            for place in places:
                scores[place] += round(1000 * log(1 + len(self._works) / len(places)))
        hidden = {f"doi:{doi}" for doi in without}
        best = (self._works[place] for place, _ in scores.most_common(_FOUND + 3 * len(without)))
        return [work for work in best if not hidden & set(work.ids)][:_FOUND]


def build_works(references: Sequence[KnownReference]) -> list[FoundWork]:
    """The works that the references describe; without those whose year or title is illegible."""
    found = {doi: parse_apa(each.text, doi) for each in references for doi in sorted(each.dois)}
    return [work for _, work in sorted(found.items()) if work is not None]


def distort(text: str) -> str:
    """The text with a few letters replaced and spaces added or lost, always the same ones."""
    dice = random.Random(text)
    signs = []
    for sign in text:
        chance = dice.random()
        if sign == " " and chance < 0.08:
            continue
        if sign.isalnum() and chance < 0.012:
            sign = dice.choice(string.ascii_letters)
        signs.append(f" {sign}" if dice.random() < 0.012 else sign)
    return "".join(signs)


_DATE = re.compile(r"\((\d{4}|n\.\s?d\.)[a-z]?[^()]{0,30}\)\s?\.?\s*")
_AUTHOR = re.compile(r"\s*([^,&…]+?(?:,\s?(?:[^\W\d_]\.[-\s]?)+)?)\s*(?:,|&|…|$)")
_PLACE = re.compile(
    r"(?P<venue>.*?)(?:,\s?(?P<volume>[A-Za-z]{0,4}\d[\w-]*)\s?(?:\([^)]*\))?)?"
    r"(?:,\s?(?P<pages>[A-Za-z]{0,4}\d+(?:\s?[–-]\s?\w+)?|[ivxlc]+[–-][ivxlc]+))?\s?\.?"
)


def parse_apa(text: str, doi: str) -> FoundWork | None:
    """A work from a reference in APA style; None if its year or title is not found."""
    match = _DATE.search(text)
    if match is None:
        return None
    before, after = text[: match.start()].strip(), text[match.end() :].strip()
    names = tuple(name.strip() for name in _AUTHOR.findall(before) if len(name.strip()) > 1)
    if before.endswith(".") and not re.search(r",\s?[^\W\d_]\.", before):
        # Without authors, the title stands before the year.
        title, rest, names = before.rstrip("."), after, ()
    else:
        parts = re.match(r"(.+?[.?!])\s+(?!(?:Part )?[IVX]+[.:\s])(.*)$", after)
        title, rest = (parts[1].rstrip("."), parts[2]) if parts else (after.rstrip("."), "")
    if not rest and re.search(r"\d, \S+$", title):
        return None
    place = _PLACE.fullmatch(rest)
    found = place.groupdict("") if place else {"venue": rest}
    if not title.strip():
        return None
    return FoundWork(
        provider="local",
        ids=(f"doi:{doi}",),
        title=title,
        authors=names,
        year=int(match[1]) if match[1].isdecimal() else None,
        venue=found["venue"],
        volume=found.get("volume", ""),
        pages=found.get("pages", ""),
    )


def _list_grams(text: str) -> set[str]:
    squeezed = squeeze_text(text)
    return {squeezed[at : at + _GRAM] for at in range(max(1, len(squeezed) - _GRAM + 1))}


def _doi_of(work: FoundWork) -> str:
    return work.ids[0].removeprefix("doi:")


def _mark(work: FoundWork) -> tuple[str, ...]:
    """What a reference says of a work: two with the same mark cannot be told apart by it."""
    place = read_first_page(work.pages) or read_first_page(work.volume) or squeeze_text(work.venue)
    return (squeeze_text(work.title)[:60], str(work.year), place)
