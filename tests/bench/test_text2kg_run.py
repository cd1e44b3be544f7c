"""The graph bench on a made-up data folder in the benchmark's layout, and its ways of writing."""

import json
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest
from bench.text2kg import NOT_HERE, UNLIKE, main, measured, sampled
from bench.text2kg_assay import Statement, triples, words_of
from bench.text2kg_data import DataMissing, Dataset, Labels, Part, Sentence, Taught, read_dataset
from bench.text2kg_writing import Way, Writing, in_words, way_of

from assay.packs.graph.model import Literal, TextSpan
from assay.packs.graph.ontology.model import XSD
from tests.providers.behaviour import Behaviour
from tests.providers.dialects import Asked
from tests.providers.server import ProviderServer

TURTLE = """
@prefix : <https://example.org/boats#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Boat a owl:Class ; rdfs:label "boat" .
:Person a owl:Class ; rdfs:label "human" .
:builder a owl:ObjectProperty ; rdfs:label "built by" ; rdfs:domain :Boat ; rdfs:range :Person .
:launch a owl:ObjectProperty ; rdfs:label "launch date" ; rdfs:domain :Boat .
"""
ONTOLOGY = {
    "concepts": [{"qid": "Boat", "label": "boat"}, {"qid": "Person", "label": "human"}],
    "relations": [{"pid": "b", "label": "built by"}, {"pid": "l", "label": "launch date"}],
}
TRAIN = {
    "Grey Gull is a boat built by Ivo Brandt.": ("Grey Gull", "built by", "Ivo Brandt"),
    "Grey Gull is a boat of 1902.": ("Grey Gull", "launch date", "01 January 1902"),
}
TEST = {
    "ont_1_boat_test_1": ("Blue Heron is a boat built by Mara Lind.", "built by", "Mara Lind"),
    "ont_1_boat_test_2": ("Blue Heron is a boat of 1911.", "launch date", "01 January 1911"),
}
GLOBAL = {
    "type": "global",
    "onto_list": [{"id": "1_boat"}],
    "avg_precision": "0.50",
    "avg_recall": "0.50",
    "avg_f1": "0.50",
    "avg_onto_conf": "0.50",
    "avg_rel_halluc": "0.00",
    "avg_sub_halluc": "0.00",
    "avg_obj_halluc": "0.00",
}


def write(path: Path, *lines: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """One ontology, two sentences, and one model that answered the first of them rightly."""
    folder = tmp_path / "data" / "wikidata_tekgen"
    gold = [
        {"id": id_, "sent": text, "triples": [{"sub": "Blue Heron", "rel": rel, "obj": obj}]}
        for id_, (text, rel, obj) in TEST.items()
    ]
    for place in ("ground_truth/ont_1_boat_", "unseen_sentences/ground_truth/ont_1_boat_unseen_"):
        write(folder / f"{place}ground_truth.jsonl", *gold)
    taught = [
        {"sent": text, "sub_label": sub, "rel_label": rel, "obj_label": obj}
        for text, (sub, rel, obj) in TRAIN.items()
    ]
    tested = {**taught[0], "sent": TEST["ont_1_boat_test_1"][0]}
    write(folder / "train" / "ont_1_boat_train.jsonl", *taught, taught[0], tested)
    write(folder / "ontologies" / "1_boat_ontology.json", ONTOLOGY)
    owl = folder / "ontologies" / "owl" / "ont_1_boat.ttl"
    owl.parent.mkdir()
    owl.write_text(TURTLE)
    verified = folder / "manually_verified_sentences" / "selected_ont_1_boat.txt"
    verified.parent.mkdir()
    verified.write_text("ont_1_boat_test_1\n")
    answer = {"id": "ont_1_boat_test_1", "triples": [["Blue Heron", "built_by", "Mara Lind"]]}
    wrong = {"id": "ont_1_boat_test_1", "triples": [["Nobody", "built_by", "Nobody"]]}
    for place in ("Model-1B", "Model-1B/unseen"):
        model = folder / "baselines" / place
        write(model / "llm_responses" / "ont_1_boat_answers.jsonl", wrong, answer)
        write(model / "eval_metrics" / "avg_eval_results.jsonl", GLOBAL)
    return tmp_path


def run(monkeypatch: pytest.MonkeyPatch, checkout: Path, *more: str) -> int:
    command = ["text2kg", "--data", str(checkout), "--dataset", "wikidata_tekgen", "--json", *more]
    monkeypatch.setattr(sys, "argv", command)
    return main()


def test_a_checkout_is_read(checkout: Path) -> None:
    dataset = read_dataset(checkout, "wikidata_tekgen")
    (part,), (model,) = dataset.parts, dataset.baselines
    assert (part.name, len(part.sentences)) == ("1_boat", 2)
    assert part.labels == Labels(("boat", "human"), frozenset({"built by", "launch date"}))
    assert [one.triples for one in part.train] == [(triple,) for triple in TRAIN.values()]
    assert part.withheld == 1
    assert part.selected == ("ont_1_boat_test_1",)
    # Of two answers to one sentence the later counts.
    assert model.answers["1_boat"] == {
        "ont_1_boat_test_1": (("Blue Heron", "built_by", "Mara Lind"),)
    }
    unseen = read_dataset(checkout, "wikidata_tekgen", unseen=True)
    assert (unseen.name, unseen.parts[0].selected) == ("wikidata_tekgen unseen", ())


def test_a_folder_without_the_data_is_said_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(DataMissing):
        read_dataset(tmp_path, "dbpedia_webnlg")
    assert run(monkeypatch, tmp_path) == NOT_HERE
    assert "--data" in capsys.readouterr().err


def test_a_whole_run(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, checkout) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["unit"], report["better"]) == ("F1", "higher")
    assert report["peers"] == {"Model-1B": 0.5}
    assert 0.0 <= report["ours"] <= 1.0
    assert report["detail"]["strict F1"]["Model-1B"] == 0.6667
    detail = report["detail"]
    assert (
        set(detail["F1"]) == set(detail["wikidata_tekgen"]) == set(detail["wikidata_tekgen unseen"])
    )
    model = detail["wikidata_tekgen"]["Model-1B"]
    assert model["sentences answered"] == "1 of 2"
    assert model["verified by a person"]["f1"] == 1.0
    assert detail["proof of the scorer"]["wikidata_tekgen Model-1B"]["same"] == "7 of 7"
    for name, figures in detail["wikidata_tekgen"].items():
        if name.startswith("Assay"):
            assert (figures["conformance"], figures["relation_made_up"]) == (1.0, 0.0)
            assert figures["sentences answered"] == "2 of 2"


def well(asked: Asked) -> Behaviour:
    """A model that finds who built the boat, and confirms whatever it is asked."""
    read = "\n".join(asked.texts)
    verdict = {"n": 1, "object": "Mara Lind", "supported": True, "confidence": 0.9}
    told = {
        "entities": [
            {"mention": "Blue Heron", "type": "boat"},
            {"mention": "Mara Lind", "type": "human"},
        ],
        "relations": [{"subject": "Blue Heron", "property": "built by", "object": "Mara Lind"}],
        "verdicts": [{**verdict, "words": TEST["ont_1_boat_test_1"][0]}],
    }
    field = next(name for name in told if f'{{"{name}":' in read)
    return Behaviour(text=json.dumps({field: told[field]}))


async def test_a_model_of_a_home_reads_a_sample(checkout: Path) -> None:
    home = checkout / "home"
    home.mkdir()
    async with ProviderServer(well) as server:
        (home / "assay.toml").write_text(
            '[providers.double]\nkind = "openai"\nmodel = "m"\nkey = "k"\n'
            f'base_url = "{server.url}/v1"\n'
        )
        given = Namespace(
            data=checkout,
            dataset="wikidata_tekgen",
            limit=1,
            examples=False,
            provider="double",
            home=home,
        )
        report, same = await measured(given)
        assert len(server.books.calls) >= 2
    assert (report.ours, same) == (1.0, True)
    asked = report.detail["wikidata_tekgen"]["Assay with a model"]
    assert (asked["strict"]["f1"], asked["subject_made_up"]) == (1.0, 0.0)
    told = report.detail["the model"]["wikidata_tekgen"]
    assert (told["sentences"], told["requests with a failed stage"]) == (1, 0)
    assert told["tokens"] > 0


def test_a_published_figure_that_does_not_come_out_again_fails_the_run(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    published = checkout / "data/wikidata_tekgen/baselines/Model-1B/eval_metrics"
    write(published / "avg_eval_results.jsonl", {**GLOBAL, "avg_f1": "0.51"})
    assert run(monkeypatch, checkout, "--no-examples") == UNLIKE
    detail = json.loads(capsys.readouterr().out)["detail"]
    assert (
        "published 0.51" in detail["proof of the scorer"]["wikidata_tekgen Model-1B"]["unlike"][0]
    )
    assert [name for name in detail["F1"] if name.startswith("Assay")] == ["Assay without examples"]


def test_a_sample_is_spread_over_ontologies_and_within_each() -> None:
    def part(name: str, count: int) -> Part:
        texts = tuple(Sentence(f"{name}{n}", "", ()) for n in range(count))
        return Part(
            name=name,
            sentences=texts,
            labels=Labels((), frozenset()),
            turtle=b"",
            selected=(f"{name}0", f"{name}1"),
        )

    one, two = Dataset("one", (part("a", 9), part("b", 1))), Dataset("two", (part("c", 4),))
    first, second = sampled([one, two], 7)
    assert [s.id for s in first.parts[0].sentences] == ["a0", "a3", "a6"]
    assert [s.id for s in first.parts[1].sentences] == ["b0"]
    assert [s.id for s in second.parts[0].sentences] == ["c0", "c2"]
    assert first.parts[0].selected == ("a0",)
    assert [dataset.name for dataset in sampled([one, two], 1)] == ["one"]


@pytest.mark.parametrize(
    ("words", "way"),
    [
        ('"Heron"', Way.QUOTED),
        ('"', Way.AS_IT_IS),
        ("01 January 1911", Way.LONG_DATE),
        ("1911-05-03", Way.ISO_DATE),
        ("12.5", Way.DECIMAL),
        ("1911", Way.AS_IT_IS),
        ("Heron 1", Way.AS_IT_IS),
    ],
)
def test_ways_of_writing(words: str, way: Way) -> None:
    assert way_of(words) is way


def taught(relation: str, *objects: str) -> list[Taught]:
    return [Taught(f"About {words}.", (("Heron", relation, words),)) for words in objects]


@pytest.mark.parametrize(
    ("objects", "words", "written"),
    [
        (("01 January 1902", "03 May 1904"), "1911", "01 January 1911"),
        (("01 January 1902", "03 May 1904"), "3 May 1911", "03 May 1911"),
        (("01 January 1902", "03 May 1904"), "May 3, 1911", "03 May 1911"),
        (("01 January 1902", "03 May 1904"), "soon", "soon"),
        (("1902-01-01",), "3 May 1911", "1911-05-03"),
        (("30.0", "12.5", "11"), "25", "25.0"),
        (("30.0",), "25.5", "25.5"),
        (('"Gull"',), "Heron", '"Heron"'),
        (('"Gull"', "Gull"), "Heron", "Heron"),
        ((), "1911", "1911"),
    ],
)
def test_values_are_written_as_most_of_the_train_split_are(
    objects: tuple[str, ...], words: str, written: str
) -> None:
    assert Writing(taught("launch date", *objects)).written("launch date", words) == written


def test_examples_are_put_in_the_words_of_their_text() -> None:
    train = [
        Taught(
            "Heron was launched on May 3, 1911.", (("Heron_(boat)", "launch date", "03 May 1911"),)
        ),
        Taught("Gull followed in 1912.", (("Gull", "launch date", "01 January 1912"),)),
    ]
    writing = Writing(train)
    assert [writing.example(one).triples[0] for one in train] == [
        ("Heron", "launch date", "May 3, 1911"),
        ("Gull", "launch date", "1912"),
    ]
    assert in_words('"Blue_Heron"', "") == "Blue Heron"
    assert in_words("Heron_(boat)", "The Heron (boat) sank.") == "Heron (boat)"
    assert in_words("Heron_(boat)", "It sank.") == "Heron (boat)"


def test_a_value_keeps_the_words_that_it_has_in_the_text() -> None:
    quote = TextSpan(0, 34, "Heron was launched on 3 May 1911.")
    assert words_of(Literal("1911-05-03", f"{XSD}date"), (quote,)) == "3 May 1911"
    assert words_of(Literal("1912-05-03", f"{XSD}date"), (quote,)) == "1912-05-03"


def test_statements_become_triples_each_once() -> None:
    said = [Statement("Heron", "home port", "Oslo"), Statement("Heron", "built by", "Mara Lind")]
    labels = Labels((), frozenset({"home port ", "built by"}))
    assert triples([*said, said[0]], labels, None) == (
        ("Heron", "home_port_", "Oslo"),
        ("Heron", "built_by", "Mara Lind"),
    )
