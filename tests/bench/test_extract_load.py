"""The load bench: its texts, the model that reads them, and what it reports."""

import json

import pytest
from bench.extract_load import BARE, Load, in_lanes, is_warm_up, report
from bench.extract_texts import answer, claims_in, claims_of, text


def test_no_two_texts_speak_of_the_same() -> None:
    subjects = [name for n in range(400) for name, what, _ in claims_of(text(n)) if "year" in what]
    assert len(subjects) == len(set(subjects)) == 800


def test_the_model_reads_each_text_and_bears_out_what_it_says() -> None:
    own = text(7)
    told = json.loads(answer(['{"relations": …}', own]))["relations"]
    assert {(each["subject"], each["property"], each["object"]) for each in told} == claims_of(own)
    kinds = {each["type"] for each in json.loads(answer(['{"entities": …}', own]))["entities"]}
    assert kinds == {"Person", "City", "Country"}
    name, _, city = min(claims_of(own))
    statements = f"1. {name} — birth place → {city}\n2. {name} — birth place → Atlantis\n"
    prompt = f"Sentences:\n{own}\nStatements:\n{statements}"
    said = json.loads(answer(['{"verdicts": …}', prompt]))["verdicts"]
    assert [each["supported"] for each in said] == [True, False]
    assert said[0]["words"] in own


def test_the_claims_of_a_graph_are_told_in_words() -> None:
    base = "http://example.org/people#"
    graph = {
        "entities": [{"id": "en_1", "name": "Ana"}, {"id": "en_2", "name": "Split"}],
        "relations": [
            {"subject": "en_1", "predicate": f"{base}birthPlace", "object": "en_2"},
            {"subject": "en_1", "predicate": f"{base}birthYear", "object": {"value": "1815"}},
        ],
    }
    assert claims_in({"graph": graph}) == {
        ("Ana", "birth place", "Split"),
        ("Ana", "birth year", "1815"),
    }


async def test_all_are_done_once() -> None:
    done: list[int] = []
    await in_lanes(range(23), lambda number: _noted(done, number))
    assert sorted(done) == list(range(23))


async def _noted(done: list[int], number: int) -> None:
    done.append(number)


@pytest.mark.parametrize(("number", "is_one"), [(9_999, True), (0, False), (599, False)])
def test_what_warmed_the_server_up_is_not_asked_again(number: int, is_one: bool) -> None:
    assert is_warm_up(text(number)) is is_one


def test_the_ratio_is_ours_to_the_bare_calls() -> None:
    found = Load(seconds=20.0, took_s=[0.1 * n for n in range(1, 101)], calls=400, cpu_s=5.0)
    told = report(found, 10.0, 200.0)
    assert (told.ours, dict(told.peers), told.ratio) == (5.0, {BARE: 10.0}, 0.5)
    assert told.detail["p50_s"] == 5.1
    assert told.detail["p95_s"] == 9.6
    assert told.detail["server_cpu_ms_per_text"] == 50.0
