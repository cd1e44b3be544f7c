"""Whether verdicts end up on the relations that they are about."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.packs.graph.asking import (
    AskedVerdict,
    apply_verdicts,
    batch_relations,
    build_grounding_request,
    read_relation,
)
from assay.packs.graph.model import Relation, RelationVerdict, TextSpan
from tests.packs.graph.asking_space import DOCUMENT, SPACE, TEXT, chunk_of, make_claim, make_crew

CREW = make_crew()
ENTITIES = {entity.id: entity for entity in CREW}


def make_relations(*claims: tuple[str, str, str]) -> list[Relation]:
    made = []
    for claim in claims:
        found = read_relation(make_claim(*claim), chunk_of(), CREW, SPACE, DOCUMENT, "m")
        assert isinstance(found, Relation), found
        made.append(found)
    return made


BATCH = make_relations(
    ("E1", "birthPlace", "E2"),
    ("E1", "birthDate", "March 15, 1932"),
    ("E1", "flewOn", "E3"),
    ("E3", "operator", "E4"),
)
WORDS = ("born in Wheeler", "on March 15, 1932", "flew on Apollo 12", "which NASA operated")


def make_verdict(n: int, words: str, supported: bool = True, **more: Any) -> AskedVerdict:
    more.setdefault("confidence", 0.9)
    return AskedVerdict.model_validate({"n": n, "words": words, "supported": supported, **more})


def apply_to_batch(
    verdicts: Sequence[AskedVerdict], batch: Sequence[Relation] = BATCH, threshold: float = 0.8
) -> list[RelationVerdict]:
    found = apply_verdicts(batch, verdicts, TEXT, ENTITIES, threshold)
    assert [one.id for one in found] == [one.id for one in batch]
    return [one.verdict for one in found]


def judge_first(words: str, batch: Sequence[Relation] = BATCH[:1], **more: Any) -> RelationVerdict:
    return apply_to_batch([make_verdict(1, words, **more)], batch)[0]


YES, NO = RelationVerdict.GROUNDED, RelationVerdict.UNGROUNDED


def test_right_answers_ground_their_relations() -> None:
    assert apply_to_batch([make_verdict(n, words) for n, words in enumerate(WORDS, 1)]) == [YES] * 4


def test_the_order_of_the_answers_makes_no_difference() -> None:
    said_ = [make_verdict(n, words, n != 2) for n, words in enumerate(WORDS, 1)]
    for order in permutations(said_):
        assert apply_to_batch(order) == [YES, NO, YES, YES]


@pytest.mark.parametrize("turn", [1, 2, 3])
@pytest.mark.parametrize("wrong", [0, 1, 2, 3])
def test_answers_under_rotated_numbers_ground_nothing_that_is_not_so(turn: int, wrong: int) -> None:
    """Whoever the rotation hits, the relation that was found wanting is never grounded."""
    rotated = [
        make_verdict((at + turn) % 4 + 1, words if at != wrong else "", at != wrong)
        for at, words in enumerate(WORDS)
    ]
    assert apply_to_batch(rotated) == [NO] * 4


SENTENCES = tuple(relation.quotes[-1].words for relation in BATCH)
OBJECTS = ("Wheeler", "March 15, 1932", "Apollo 12", "NASA")


@pytest.mark.parametrize("words", [WORDS, SENTENCES, OBJECTS], ids=["few", "sentences", "objects"])
@pytest.mark.parametrize("repeats", [False, True])
def test_no_mix_up_of_numbers_grounds_what_was_denied(
    words: tuple[str, ...], repeats: bool
) -> None:
    """Whatever is true, and under whatever numbers the right answers arrive."""
    for order in permutations(range(4)):
        for truth in product((True, False), repeat=4):
            answers = [
                make_verdict(
                    order[at] + 1,
                    words[at] if truth[at] else "",
                    truth[at],
                    object=OBJECTS[at] if repeats else "",
                )
                for at in range(4)
            ]
            grounded = [found is YES for found in apply_to_batch(answers)]
            assert not any(g and not t for g, t in zip(grounded, truth, strict=True))
            if order == (0, 1, 2, 3) and (repeats or words is not SENTENCES):
                assert grounded == list(truth)


WHOLE = "Alan Bean was born in Wheeler on March 15, 1932."


def test_a_whole_sentence_grounds_all_that_it_may_be_about_or_nothing() -> None:
    both = [make_verdict(1, WHOLE), make_verdict(2, WHOLE)]
    assert apply_to_batch(both, BATCH[:2]) == [YES, YES]
    assert apply_to_batch([make_verdict(1, WHOLE), make_verdict(2, "", False)], BATCH[:2]) == [
        NO,
        NO,
    ]
    assert apply_to_batch([make_verdict(2, WHOLE), make_verdict(1, "", False)], BATCH[:2]) == [
        NO,
        NO,
    ]


def test_the_repeated_object_tells_whom_a_whole_sentence_is_about() -> None:
    one = make_verdict(1, WHOLE, object="Wheeler")
    assert apply_to_batch([one, make_verdict(2, "", False)], BATCH[:2]) == [YES, NO]
    rotated = make_verdict(2, WHOLE, object="Wheeler")
    assert apply_to_batch([rotated, make_verdict(1, "", False)], BATCH[:2]) == [NO, NO]


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("Wheeler", YES),
        ("wheeler.", YES),
        ("Wheeler, Texas", YES),
        ("the Wheeler", YES),
        ("", YES),
        ("Alan Bean", NO),
        ("birth place", NO),
        ("Whee", NO),
        ("x" * 100_000, NO),
    ],
)
def test_an_answer_that_repeats_another_object_is_about_something_else(
    told: str, expected: RelationVerdict
) -> None:
    assert judge_first(WORDS[0], object=told) is expected


def test_a_value_is_repeated_in_the_words_of_the_text_or_in_its_own_form() -> None:
    for told in ("1932-03-15", "March 15, 1932"):
        answers = [make_verdict(1, "", False), make_verdict(2, WHOLE, object=told)]
        assert apply_to_batch(answers, BATCH[:2]) == [NO, YES]


def test_two_relations_with_one_pair_of_ends_stand_or_fall_together() -> None:
    both = make_relations(("E1", "birthPlace", "E2"), ("E1", "related", "E2"))
    assert apply_to_batch([make_verdict(1, WORDS[0]), make_verdict(2, WORDS[0])], both) == [
        YES,
        YES,
    ]
    assert apply_to_batch([make_verdict(1, WORDS[0]), make_verdict(2, "", False)], both) == [NO, NO]
    parted = batch_relations(both)
    assert [len(batch) for batch in parted] == [1, 1]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("born in Wheeler", YES),
        ("Alan Bean was born", YES),
        ("was born in", YES),
        ("Wheeler", YES),
        ("“born in Wheeler”", YES),
        ("born  in\nWheeler.", YES),
        ("1932", NO),
        ("on March 15", YES),
        ("March 15", NO),
        ("flew on Apollo 12", NO),
        ("Bean and Pete Conrad", NO),
        ("born in Houston", NO),
        ("Alan Bean was born in Wheeler, Texas", NO),
        ("heeler", NO),
        ("", NO),
        ("  ", NO),
    ],
)
def test_the_words_stand_in_the_relation_s_sentence_and_touch_its_ends(
    words: str, expected: RelationVerdict
) -> None:
    assert judge_first(words) is expected


def test_words_may_go_across_two_sentences_of_a_relation() -> None:
    assert judge_first("1932. He flew on Apollo 12", BATCH[2:3]) is YES


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"confidence": 0.8}, YES),
        ({"confidence": 0.79}, NO),
        ({"confidence": "0.9"}, YES),
        ({"confidence": "95%"}, YES),
        ({"confidence": 95}, YES),
        ({"confidence": 0}, NO),
        ({"supported": False}, NO),
        ({"supported": "no"}, NO),
        ({"supported": "yes"}, YES),
    ],
)
def test_a_verdict_counts_with_enough_confidence(
    more: dict[str, Any], expected: RelationVerdict
) -> None:
    told = {"n": "1", "words": WORDS[0], "supported": True, "confidence": 0.9} | more
    assert apply_to_batch([AskedVerdict.model_validate(told)], BATCH[:1]) == [expected]


def test_without_a_confidence_nothing_is_grounded() -> None:
    bare = AskedVerdict.model_validate({"n": 1, "words": WORDS[0], "supported": True})
    assert apply_to_batch([bare], BATCH[:1]) == [NO]


def test_what_is_missing_or_out_of_range_is_ungrounded() -> None:
    assert apply_to_batch([]) == [NO] * 4
    strange = [make_verdict(n, WORDS[0]) for n in (0, -1, 5, 10**6)]
    assert apply_to_batch(strange) == [NO] * 4


def test_two_answers_for_one_number_count_where_they_agree() -> None:
    twice = [make_verdict(1, WORDS[0]), make_verdict(1, "Wheeler", confidence=0.85)]
    found = apply_verdicts(BATCH[:1], twice, TEXT, ENTITIES, 0.8)
    assert (found[0].verdict, found[0].confidence) == (YES, 0.85)
    assert apply_to_batch([make_verdict(1, WORDS[0]), make_verdict(1, "", False)], BATCH[:1]) == [
        NO
    ]
    assert apply_to_batch([make_verdict(1, WORDS[0]), make_verdict(1, WORDS[3])], BATCH[:1]) == [NO]


def test_the_lower_confidence_counts() -> None:
    own = replace(BATCH[0], confidence=0.5)
    for relation, least in ((own, 0.5), (BATCH[0], 0.9)):
        found = apply_verdicts([relation], [make_verdict(1, WORDS[0])], TEXT, ENTITIES, 0.8)
        assert found[0].confidence == least


def test_a_quote_that_is_not_in_the_text_grounds_nothing() -> None:
    foreign = replace(BATCH[0], quotes=(TextSpan(0, 15, "born in Wheeler", DOCUMENT),))
    found = apply_verdicts([foreign], [make_verdict(1, WORDS[0])], "Another text.", ENTITIES, 0.8)
    assert found[0].verdict is NO


def test_unknown_entities_and_no_quotes_are_ungrounded() -> None:
    assert apply_verdicts(BATCH[:1], [make_verdict(1, WORDS[0])], TEXT, {}, 0.8)[0].verdict is NO
    bare = replace(BATCH[0], quotes=())
    assert apply_verdicts([bare], [make_verdict(1, WORDS[0])], TEXT, ENTITIES, 0.8)[0].verdict is NO


def test_batches_keep_every_relation_once_and_are_small() -> None:
    many = make_relations(
        *(
            (f"E{one}", "related", f"E{two}")
            for one in range(1, 6)
            for two in range(1, 6)
            if one != two
        )
    )
    parted = batch_relations(many)
    assert sorted(one.id for batch in parted for one in batch) == sorted(one.id for one in many)
    assert max(map(len, parted)) <= 5
    for batch in parted:
        ends = [frozenset((one.subject, str(one.object))) for one in batch]
        assert len(set(ends)) == len(ends)


def test_the_question_has_each_sentence_once_and_numbers_the_statements() -> None:
    asked = build_grounding_request(BATCH, ENTITIES, SPACE, 200)
    assert asked.user.count("Alan Bean was born in Wheeler on March 15, 1932.") == 1
    assert "1. Alan Bean — birth place → Wheeler\n" in asked.user
    assert "2. Alan Bean — birth date → March 15, 1932\n" in asked.user
    assert asked.max_tokens == 200
    assert asked.prompt_version.startswith("grounding@")


@given(
    st.lists(
        st.builds(
            make_verdict,
            st.integers(-2, 6),
            st.one_of(st.sampled_from([*WORDS, WHOLE, TEXT, "Alan Bean"]), st.text()),
            st.booleans(),
            object=st.one_of(st.sampled_from(["Wheeler", "NASA", ""]), st.text()),
            confidence=st.floats(0, 1),
        ),
        max_size=8,
    )
)
def test_no_answers_raise_and_none_ground_what_they_deny(verdicts: list[AskedVerdict]) -> None:
    found = apply_verdicts(BATCH, verdicts, TEXT, ENTITIES, 0.8)
    assert [one.id for one in found] == [one.id for one in BATCH]
    for number, one in enumerate(found, start=1):
        own = [said_ for said_ in verdicts if said_.n == number]
        if one.verdict is YES:
            assert own
            assert all(told.supported and told.confidence >= 0.8 for told in own)
        else:
            assert one.verdict is NO
