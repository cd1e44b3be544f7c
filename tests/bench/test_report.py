"""The report of a bench: who is ahead, and how it is printed."""

import dataclasses
import json
from typing import Any

import pytest
from bench.report import Report, print_report, table


def report(**changes: Any) -> Report:
    given: dict[str, Any] = {
        "name": "documents through four stages",
        "unit": "documents/s",
        "better": "higher",
        "ours": 600.0,
        "peers": {"slow": 50.0, "quick": 400.0},
    }
    return Report(**{**given, **changes})


def test_ratio_is_ours_over_the_best_peer_when_higher_is_better() -> None:
    assert report().best_peer == "quick"
    assert report().ratio == pytest.approx(1.5)
    assert report(ours=200.0).ratio == pytest.approx(0.5)


def test_ratio_is_the_best_peer_over_ours_when_lower_is_better() -> None:
    seconds = {"better": "lower", "unit": "s", "peers": {"slow": 9.0, "quick": 3.0}}
    assert report(**seconds, ours=2.0).best_peer == "quick"
    assert report(**seconds, ours=2.0).ratio == pytest.approx(1.5)
    assert report(**seconds, ours=6.0).ratio == pytest.approx(0.5)


def test_no_peers_gives_no_ratio() -> None:
    alone = report(peers={})
    assert alone.best_peer is None
    assert alone.ratio is None
    assert alone.as_dict()["ratio"] is None


@pytest.mark.parametrize(
    ("better", "ours", "theirs", "ratio"),
    [
        ("higher", 5.0, 0.0, None),
        ("higher", 0.0, 5.0, 0.0),
        ("lower", 0.0, 5.0, None),
        ("lower", 5.0, 0.0, 0.0),
        ("higher", 0.0, 0.0, 1.0),
        ("lower", 0.0, 0.0, 1.0),
    ],
)
def test_a_figure_of_zero_never_gives_an_endless_ratio(
    better: str, ours: float, theirs: float, ratio: float | None
) -> None:
    assert report(better=better, ours=ours, peers={"peer": theirs}).ratio == ratio


@pytest.mark.parametrize(
    "changes",
    [
        {"better": "more"},
        {"ours": -1.0},
        {"ours": float("nan")},
        {"peers": {"peer": float("inf")}},
    ],
)
def test_what_cannot_be_compared_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"better is|must be zero or more"):
        report(**changes)


def test_a_report_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        report().ours = 1.0  # type: ignore[misc]


def test_json_is_exactly_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    print_report(report(detail={"documents": 500}), as_json=True)
    printed = capsys.readouterr()
    assert json.loads(printed.out) == {
        "name": "documents through four stages",
        "unit": "documents/s",
        "better": "higher",
        "ours": 600.0,
        "peers": {"slow": 50.0, "quick": 400.0},
        "ratio": 1.5,
        "detail": {"documents": 500},
    }
    assert printed.out.count("\n") == 1
    assert printed.err == ""


def test_the_table_is_aligned_and_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    print_report(
        report(ours=1234.5, detail={"documents": 500, "cpu": {"ours": 1.5, "quick": 2}}),
        as_json=False,
    )
    assert capsys.readouterr().out.splitlines() == [
        "documents through four stages (higher is better)",
        "",
        "  contender  documents/s  ours is",
        "* Assay            1,234",
        "  quick              400   3.09 ×",
        "  slow                50  24.69 ×",
        "",
        "3.09 × the best peer, quick",
        "",
        "documents  500",
        "cpu",
        "  ours   1.5",
        "  quick  2",
    ]


def test_the_table_puts_the_lowest_first_when_lower_is_better() -> None:
    lines = table(report(better="lower", ours=60.0)).splitlines()
    assert [line[2:7].strip() for line in lines[3:6]] == ["slow", "Assay", "quick"]


def test_the_table_stands_without_peers() -> None:
    assert table(report(peers={})).splitlines()[-1].split() == ["*", "Assay", "600"]
