"""How much of a hundred independent texts the deterministic readers get right."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml

from assay.packs.civic.texts.participation import find_participation
from assay.packs.civic.texts.votes import MotionRead, find_votes

_TEXTS = yaml.safe_load(Path(__file__).with_name("own_texts.yml").read_text(encoding="utf-8"))
_TITLES = re.compile(
    r"\b(mayor|pro tem|vice|council ?(member|man|woman|or)s?|alder(man|person)|commissioner"
    r"|trustee|supervisor|director|member|selectman|chair|mr|mrs|ms)\b\.?",
    re.IGNORECASE,
)
_VOTES = {"aye": "yes", "nay": "no"}
_FIELDS = {
    "address": "physical_address",
    "url": "virtual_url",
    "meeting_id": "meeting_id",
    "passcode": "passcode",
    "email": "email",
    "deadline": "public_comment_deadline",
}
_LISTS = {"phones": "phones", "streaming": "streaming_urls"}
_FLAGS = {"hybrid": "is_hybrid", "virtual_only": "is_virtual_only"}
_LONGER = {"address": 100, "deadline": 30}
"""How many characters a value may have beyond the words it must contain."""

Value = tuple[str, ...]


def _strip_titles(written: str) -> str:
    return " ".join(_TITLES.sub(" ", written.partition(",")[0]).casefold().split())


def _list_expected(motion: dict[str, Any]) -> set[Value]:
    values: set[Value] = {
        (role, _strip_titles(motion[role])) for role in ("mover", "seconder") if role in motion
    }
    if "passed" in motion:
        values.add(("passed", str(motion["passed"])))
    if "tally" in motion:
        values.add(("tally", *[*motion["tally"].split("-"), "0"][:3]))
    votes = motion.get("votes", {}).items()
    return values | {
        ("vote", _strip_titles(n), _VOTES.get(vote, vote)) for vote, names in votes for n in names
    }


def _list_found(read: MotionRead) -> set[Value]:
    cited = {"mover": read.mover, "seconder": read.seconder}
    values: set[Value] = {(role, _strip_titles(text.value)) for role, text in cited.items() if text}
    if read.passed is not None:
        values.add(("passed", str(read.passed)))
    if read.counts:
        values.add(("tally", *(str(count) for count in (*read.counts, 0)[:3])))
    return values | {("vote", _strip_titles(vote.member), vote.vote.value) for vote in read.votes}


def _pair_motions(
    expected: list[set[Value]], found: list[set[Value]]
) -> Iterator[tuple[set[Value], set[Value]]]:
    """Each expected motion with the found one most like it; either is empty if there is none."""
    while pairs := [pair for pair in product(expected, found) if pair[0] & pair[1]]:
        want, got = max(pairs, key=lambda pair: len(pair[0] & pair[1]))
        expected.remove(want)
        found.remove(got)
        yield want, got
    yield from ((want, set()) for want in expected)
    yield from ((set(), got) for got in found)


def _compare_motions(entry: dict[str, Any]) -> Iterator[tuple[str, Value]]:
    expected = [_list_expected(motion) for motion in entry["motions"]]
    for want, got in _pair_motions(
        expected, [_list_found(read) for read in find_votes(entry["text"])]
    ):
        yield from (("right", value) for value in want & got)
        yield from (("missed", value) for value in want - got)
        yield from (("wrong", value) for value in got - want)


def _normalize(field: str, value: str) -> str:
    if field == "phones":
        return re.sub(r"\D", "", value).removeprefix("1")
    if field in ("meeting_id", "passcode"):
        return re.sub(r"[\s#-]", "", value)
    value = " ".join(value.casefold().split())
    return (
        re.sub(r"^https?://(www\.)?|[/.,)]+$", "", value)
        if field in ("url", "streaming")
        else value
    )


def _agree(field: str, want: Any, got: str) -> bool:
    if isinstance(want, list):
        return any(_agree(field, one, got) for one in want)
    plain, seen = _normalize(field, str(want)), _normalize(field, got)
    if field in _LONGER:
        return plain in seen and len(seen) <= len(plain) + _LONGER[field]
    return plain == seen


def _compare_participation(entry: dict[str, Any]) -> Iterator[tuple[str, Value]]:
    read, expected = find_participation(entry["text"]), entry["found"]
    for field, attribute in (_FIELDS | _LISTS | _FLAGS).items():
        value = getattr(read, attribute) if read else None
        texts = value if field in _LISTS else (value,)
        got = ["True" if value is True else text.value for text in texts or () if text]
        want = (
            []
            if field not in expected
            else expected[field]
            if field in _LISTS
            else [expected[field]]
        )
        for one in want:
            hit = next((text for text in got if _agree(field, one, text)), None)
            if hit is not None:
                got.remove(hit)
            yield ("missed" if hit is None else "right", (field, str(one)))
        yield from (("wrong", (field, text)) for text in got)


_COMPARE = {"minutes": _compare_motions, "agendas": _compare_participation}


def _measure(kind: str) -> Counter[str]:
    entries = [entry for part in _TEXTS[kind].values() for entry in part]
    return Counter(outcome for entry in entries for outcome, _ in _COMPARE[kind](entry))


@pytest.mark.parametrize(
    ("kind", "precision", "recall"), [("minutes", 99, 89), ("agendas", 96, 81)]
)
def test_the_readers_get_most_values_of_independent_texts_right(
    kind: str, precision: int, recall: int
) -> None:
    outcomes = _measure(kind)
    right = outcomes["right"]
    assert 100 * right >= precision * (right + outcomes["wrong"]), outcomes
    assert 100 * right >= recall * (right + outcomes["missed"]), outcomes


def test_half_of_the_independent_texts_are_hard() -> None:
    assert {len(part) for kind in _TEXTS.values() for part in kind.values()} == {25}
