"""The rules of the graph bench, each with its quirks, on sentences of our own."""

from dataclasses import replace
from typing import Any

import pytest
from bench.text2kg_data import Baseline, Dataset, Labels, Part, Sentence, Triple
from bench.text2kg_proof import averages, is_same, proof, sentences
from bench.text2kg_score import (
    Figures,
    Score,
    Strict,
    folded,
    in_words,
    score,
    score_part,
    score_sentence,
)
from bench.text2kg_words import stem, stems, tokens
from hypothesis import given
from hypothesis import strategies as st

LABELS = Labels(("boat", "ship yard"), frozenset({"built by", "launch date", "home port "}))
TEXT = "The Blue Heron was built by Mara Lind in 1911."
BUILT: Triple = ("Blue Heron", "built by", "Mara Lind")
LAUNCHED: Triple = ("Blue Heron", "launch date", "01 January 1911")
SENTENCE = Sentence("one", TEXT, (BUILT, LAUNCHED))


def found(*triples: Triple) -> Figures:
    return score_sentence(SENTENCE, triples, LABELS)


def told(figures: Figures) -> tuple[float, float, float]:
    return figures.precision, figures.recall, figures.f1


def part(*texts: Sentence, selected: tuple[str, ...] = (), name: str = "1_boat") -> Part:
    return Part(name=name, sentences=texts, labels=LABELS, turtle=b"", selected=selected)


def test_white_space_underscores_and_capitals_do_not_count() -> None:
    figures = found(
        ("blue_heron", "built_by", "MARA  LIND"), ("BlueHeron", "launch_date", "01_January_1911")
    )
    assert told(figures) == (1.0, 1.0, 1.0)


def test_quote_marks_and_other_signs_count() -> None:
    assert told(found(('"Blue Heron"', "built_by", "Mara Lind"))) == (0.0, 0.0, 0.0)
    assert folded(BUILT) != folded(("Blue Heron", "built by", "Mara Lind."))


def test_precision_recall_and_f1_are_of_one_sentence() -> None:
    figures = found(("Blue Heron", "built_by", "Mara Lind"), ("Blue Heron", "built_by", "Heron"))
    assert told(figures) == (0.5, 0.5, 0.5)


def test_what_has_a_relation_that_gold_has_not_is_left_out_of_precision() -> None:
    right = ("Blue Heron", "built_by", "Mara Lind")
    figures = found(right, ("Blue Heron", "home_port_", "Heron"))
    assert told(figures) == pytest.approx((1.0, 0.5, 2 / 3))
    assert told(found(right)) == told(figures)


def test_the_strict_count_leaves_nothing_out() -> None:
    right = ("Blue Heron", "built_by", "Mara Lind")
    wrong = ("Blue Heron", "home_port_", "Heron")
    strict = score_part(part(SENTENCE), {"one": (right, wrong, wrong)}).strict
    assert strict == Strict(right=1, found=2, gold=2)
    assert strict.rounded() == {"precision": 0.5, "recall": 0.5, "f1": 0.5}
    assert Strict().rounded() == {"precision": 0.0, "recall": 0.0, "f1": 0.0}


@pytest.mark.parametrize("relation", ["built by", "Built_By", "built__by", " built_by"])
def test_a_relation_in_any_other_writing_is_left_out(relation: str) -> None:
    figures = found(("Blue Heron", relation, "Mara Lind"))
    assert told(figures) == (0.0, 0.0, 0.0)
    assert (figures.conformance, figures.relation_made_up) == (0.0, 1.0)


def test_a_triple_found_twice_counts_once_but_its_faults_count_twice() -> None:
    right, wrong = ("Blue Heron", "built_by", "Mara Lind"), ("Red Gull", "sails", "Oslo")
    figures = found(right, right, wrong, wrong, wrong)
    assert told(figures) == pytest.approx((1.0, 0.5, 2 / 3))
    assert figures.conformance == pytest.approx(2 / 5)
    assert (figures.subject_made_up, figures.object_made_up) == pytest.approx((3 / 5, 3 / 5))


def test_who_finds_nothing_conforms_and_makes_nothing_up() -> None:
    assert found() == Figures(conformance=1.0)


def test_a_sentence_that_is_not_answered_counts_as_nothing_in_every_figure() -> None:
    other = replace(SENTENCE, id="two")
    answers = {"one": (("Blue Heron", "built_by", "Mara Lind"),)}
    scored = score_part(part(SENTENCE, other), answers)
    assert scored.all.precision == 0.5
    assert scored.all.conformance == 0.5
    assert scored.all.relation_made_up == 0.0
    assert (scored.sentences, len(scored.by_sentence), scored.triples) == (2, 1, 1)
    assert scored.strict == Strict(right=1, found=1, gold=4)


def test_spaces_of_the_ontologys_labels_become_underscores_even_at_the_end() -> None:
    assert found(("Blue Heron", "home_port_", "Heron")).conformance == 1.0
    assert found(("Blue Heron", "home_port", "Heron")).conformance == 0.0


@pytest.mark.parametrize(
    ("name", "made_up"),
    [
        ("Blue Heron", 0.0),
        ("blue_herons", 0.0),
        ("Heron was", 0.0),
        ("Red Gull", 1.0),
        ("boat", 0.0),
        ("ship yards", 0.0),
        ("", 0.0),
    ],
)
def test_a_name_is_made_up_where_its_stems_stand_in_neither_sentence_nor_concepts(
    name: str, made_up: float
) -> None:
    figures = found((name, "built_by", name))
    assert (figures.subject_made_up, figures.object_made_up) == (made_up, made_up)


@pytest.mark.parametrize(
    ("object_", "made_up"),
    [("01 January 1911", 0.0), ("01 January", 0.0), ("02 January 1911", 1.0), ("1912", 1.0)],
)
def test_new_year_before_a_year_is_not_made_up(object_: str, made_up: float) -> None:
    assert found(("Blue Heron", "launch_date", object_)).object_made_up == made_up


def test_the_first_concept_is_stuck_to_the_last_word_of_the_sentence() -> None:
    open_ended = Sentence("one", "Mara Lind built herons", (BUILT,))
    figures = score_sentence(open_ended, [("herons", "built_by", "heronsboat")], LABELS)
    # `heronsboat` is one word here: its stem keeps the `s` that the stem of `herons` has lost.
    assert (figures.subject_made_up, figures.object_made_up) == (0.0, 0.0)
    assert "heronsboat" in stems("herons" + "boat") and "heronsboat" not in stems("herons boat")


def test_the_verified_sentences_are_averaged_over_all_that_are_listed() -> None:
    one, two = SENTENCE, replace(SENTENCE, id="two")
    answers = {"one": (("Blue Heron", "built_by", "Mara Lind"),), "two": ()}
    scored = score_part(part(one, two, selected=("one", "gone", "two", "")), answers)
    assert scored.selected is not None
    assert scored.selected.precision == pytest.approx(1 / 4)
    assert scored.selected.conformance == pytest.approx(2 / 4)
    assert score_part(part(one, two), answers).selected is None


def test_each_ontology_weighs_the_same_however_many_sentences_it_has() -> None:
    many = part(*(replace(SENTENCE, id=f"s{n}") for n in range(3)), name="1_boat")
    few = part(SENTENCE, name="2_yard")
    answers = {"2_yard": {"one": (("Blue Heron", "built_by", "Mara Lind"),)}}
    scored = score(Dataset("boats", (many, few)), answers)
    assert scored.all.precision == 0.5
    assert (scored.answered, scored.sentences, scored.triples_per_sentence) == (1, 4, 0.25)
    assert scored.strict == Strict(right=1, found=1, gold=8)


_WORDS = st.text("abc _'\"é1", max_size=8)
_RELATIONS = st.sampled_from(sorted(LABELS.relations))
_TRIPLES = st.lists(st.tuples(_WORDS, _RELATIONS, _WORDS), max_size=5)


@given(_TRIPLES)
def test_gold_itself_is_right_and_conforms(gold: list[Triple]) -> None:
    own = [(subject, relation.replace(" ", "_"), object_) for subject, relation, object_ in gold]
    figures = score_sentence(Sentence("one", TEXT, tuple(gold)), own, LABELS)
    assert told(figures) == ((1.0, 1.0, 1.0) if gold else (0.0, 0.0, 0.0))
    assert figures.conformance == 1.0


@given(_TRIPLES, _TRIPLES, st.randoms())
def test_order_does_not_count_and_all_figures_are_shares(
    gold: list[Triple], system: list[Triple], random: Any
) -> None:
    sentence = Sentence("one", TEXT, tuple(gold))
    own = [(subject, relation.replace(" ", "_"), object_) for subject, relation, object_ in system]
    before = score_sentence(sentence, own, LABELS)
    random.shuffle(own)
    assert score_sentence(sentence, own, LABELS) == before
    assert all(0.0 <= share <= 1.0 for share in before.rounded(9).values())


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ('He said "no" (twice).', ["He", "said", "``", "no", "''", "(", "twice", ")", "."]),
        ("It's 3,500 m, isn't it?", ["It", "'s", "3,500", "m", ",", "is", "n't", "it", "?"]),
        ("Ann cannot. Bo can.", ["Ann", "can", "not", ".", "Bo", "can", "."]),
        ("Dr. A. Lind of Oslo.", ["Dr.", "A.", "Lind", "of", "Oslo", "."]),
        ("'Twas the dogs' day...", ["'T", "was", "the", "dogs", "'", "day", "..."]),
        ("", []),
    ],
)
def test_words_are_cut_as_the_treebank_cuts(text: str, cut: list[str]) -> None:
    assert tokens(text) == cut


@pytest.mark.parametrize(
    ("word", "root"),
    [
        ("Boats", "boat"),
        ("ties", "tie"),
        ("died", "die"),
        ("sky", "sky"),
        ("Sky", "ski"),
        ("hopping", "hop"),
        ("falling", "fall"),
        ("filing", "file"),
        ("agreed", "agre"),
        ("happy", "happi"),
        ("say", "say"),
        ("relational", "relat"),
        ("rationally", "ration"),
        ("theology", "theolog"),
        ("adjustment", "adjust"),
        ("adoption", "adopt"),
        ("controlling", "control"),
        ("1911", "1911"),
        ("is", "is"),
    ],
)
def test_stems_are_porters(word: str, root: str) -> None:
    assert stem(word) == root


def test_a_published_figure_is_met_to_the_digits_that_it_has() -> None:
    assert is_same(2 / 3, "0.67") and not is_same(2 / 3, "0.66")
    assert is_same(2 / 3, 0.6666666666666666) and not is_same(2 / 3, 0.667)


def line(**more: Any) -> dict[str, Any]:
    names = "precision recall f1 onto_conf rel_halluc sub_halluc obj_halluc"
    return {**{f"avg_{name}": "0.00" for name in names.split()}, **more}


def published(*lines: dict[str, Any], **figures: dict[str, Any]) -> tuple[Baseline, Score]:
    good, bad = part(SENTENCE, name="1_boat"), part(replace(SENTENCE, id="two"), name="2_yard")
    answers = {"1_boat": {"one": (("Blue Heron", "built_by", "Mara Lind"),)}}
    scored = score(Dataset("boats", (good, bad)), answers)
    return Baseline("Model", answers, lines, figures), scored


def test_an_ontology_that_the_publishers_list_twice_weighs_twice_in_their_average() -> None:
    right = line(
        type="global",
        avg_precision="0.67",
        avg_recall="0.33",
        avg_f1="0.44",
        avg_onto_conf="0.67",
        onto_list=[{"id": "1_boat"}, {"id": "1_boat"}, {"id": "2_yard"}],
    )
    baseline, scored = published(right)
    assert averages(baseline, scored).unlike == []
    assert scored.all.precision == 0.5


def test_a_figure_that_is_not_the_published_one_is_named() -> None:
    baseline, scored = published(
        line(onto="1_boat", type="all_test_cases", avg_precision="1.00", avg_recall="0.50"),
        one={name.removeprefix("avg_"): "1.00" for name in line()},
    )
    assert averages(baseline, scored).told()["f1"] == "0 of 1"
    assert sentences(baseline, scored).told()["precision"] == "1 of 1"
    found = proof(baseline, scored)
    assert found["same"] == "7 of 14"
    assert found["scored on one side only"] == 0
    assert any(unlike.startswith("1_boat all_test_cases f1: 0.6667") for unlike in found["unlike"])


def test_the_share_of_gold_that_whoever_only_quotes_can_find() -> None:
    assert in_words(Dataset("boats", (part(SENTENCE),))) == 0.5
    assert in_words(Dataset("boats", ())) == 0.0
