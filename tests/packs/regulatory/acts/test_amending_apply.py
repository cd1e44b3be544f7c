"""Applying operations: exactly what they say, or a reason why not."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.packs.regulatory.acts.amending import apply_operations, parse_amendments
from assay.packs.regulatory.acts.shapes import (
    Act,
    Operation,
    OperationKind,
    Provision,
    Span,
    Words,
    copy_words,
    join_words,
)

QUOTE = Span("amending", 0, 1)
BASE = "Porez iznosi 25 %. Stopa je 13 % za knjige; stopa je 5 % za kruh."


def provision(path: str, text: str = "", number: str = "") -> Provision:
    return Provision(path, number, opening=copy_words("base", text, 0, len(text)))


def act(*texts: str) -> Act:
    """An article whose paragraphs have the texts."""
    paragraphs = (
        provision(f"art_1__para_{n}", text, f"({n})") for n, text in enumerate(texts, start=1)
    )
    return Act((Provision("art_1", "Članak 1."), *paragraphs))


def operation(kind: OperationKind, target: str = "art_1__para_1", **more: object) -> Operation:
    return Operation(kind=kind, instrument="", target=target, quote=QUOTE, **more)  # type: ignore[arg-type]


def new(text: str) -> Words:
    return copy_words("amending", text, 0, len(text))


def texts(changed: Act) -> dict[str, str]:
    return {each.path: each.opening.text for each in changed.provisions}


def apply_one(base: Act, change: Operation) -> tuple[Act, str]:
    changed, applied, deferred = apply_operations(base, [change])
    assert len(applied) + len(deferred) == 1
    return changed, deferred[0].reason if deferred else ""


def parse(text: str) -> list[Operation]:
    return [e for e in parse_amendments("amending", text, "hr") if isinstance(e, Operation)]


def test_words_point_to_both_texts_after_a_change() -> None:
    change = operation(OperationKind.REPLACE_WORDS, old="25 %", new=new("26 %"))
    changed, reason = apply_one(act(BASE), change)
    words = changed.by_path()["art_1__para_1"].opening
    assert not reason
    assert words.text == BASE.replace("25 %", "26 %")
    assert [each.source for each in words.spans] == ["base", "amending", "base"]
    assert (
        "".join(
            {"base": BASE, "amending": "26 %"}[each.source][each.start : each.end]
            for each in words.spans
        )
        == words.text
    )


@pytest.mark.parametrize(
    ("text", "old", "part_of_reason"),
    [
        (BASE, "30 %", "not in the provision"),
        (BASE, "stopa je", "not in the provision"),
        ("stopa 5 %, stopa 6 %", "stopa", "occur 2 times"),
        ("Iznosi 25 %.", "5 %", "not in the provision"),
        ("Iznosi 0,5 %.", "5 %", "not in the provision"),
        ("Iznosi 5.000 eura.", "5", "not in the provision"),
    ],
)
def test_words_that_do_not_occur_exactly_once_are_left_for_a_person(
    text: str, old: str, part_of_reason: str
) -> None:
    base = act(text)
    old = "stopa je drugo" if old == "stopa je" else old
    changed, reason = apply_one(base, operation(OperationKind.REPLACE_WORDS, old=old, new=new("x")))
    assert part_of_reason in reason
    assert changed == base


def test_typographic_differences_do_not_matter() -> None:
    base = act("Der Begriff „Steuer–Satz“  gilt.")
    change = operation(OperationKind.REPLACE_WORDS, old='"Steuer-Satz" gilt', new=new("X gilt"))
    changed, reason = apply_one(base, change)
    assert not reason
    assert texts(changed)["art_1__para_1"] == "Der Begriff X gilt."


def test_everywhere_changes_all_occurrences_in_the_provision_only() -> None:
    base = act("a b a", "a")
    change = operation(OperationKind.REPLACE_WORDS, old="a", new=new("c"), everywhere=True)
    changed, _ = apply_one(base, change)
    assert texts(changed) == {"art_1": "", "art_1__para_1": "c b c", "art_1__para_2": "a"}


def test_a_sentence_is_found_behind_cited_numbers() -> None:
    base = act("Prema članku 38. Zakona vrijedi stopa. Rok je 30 dana. Rok je 30 dana.")
    change = operation(
        OperationKind.REPLACE_WORDS, "art_1__para_1__sentence_2", old="30", new=new("33")
    )
    changed, reason = apply_one(base, change)
    assert not reason
    assert texts(changed)["art_1__para_1"].endswith("Rok je 33 dana. Rok je 30 dana.")


def test_a_paragraph_is_inserted_before_the_one_that_makes_room() -> None:
    base = act("Prvi.", "Drugi.", "Treći.")
    changed, applied, deferred = apply_operations(
        base,
        parse(
            "Članak 1.\nU članku 1. iza stavka 1. dodaje se stavak 2. koji glasi:\n»(2) Novi.«\n"
            "Dosadašnji stavci 2. i 3. postaju stavci 3. i 4.\n"
        ),
    )
    assert (len(applied), deferred) == (3, [])
    assert [(e.path, e.number, e.opening.text) for e in changed.provisions[1:]] == [
        ("art_1__para_1", "(1)", "Prvi."),
        ("art_1__para_2", "(2)", "Novi."),
        ("art_1__para_3", "(3)", "Drugi."),
        ("art_1__para_4", "(4)", "Treći."),
    ]


def test_renumbering_moves_all_parts() -> None:
    base = Act((*act("Ima:").provisions, provision("art_1__para_1__point_a", "točku", "a)")))
    change = operation(OperationKind.RENUMBER, renumbered="art_1__para_2")
    changed, reason = apply_one(base, change)
    assert not reason
    assert [each.path for each in changed.provisions] == [
        "art_1",
        "art_1__para_2",
        "art_1__para_2__point_a",
    ]


def test_a_number_that_a_deferred_operation_should_give_is_not_reliable() -> None:
    base = act("Prvi.", "Drugi.")
    changed, applied, deferred = apply_operations(
        base,
        [
            operation(OperationKind.RENUMBER, "art_1__para_9", renumbered="art_1__para_2"),
            operation(OperationKind.REPLACE_WORDS, "art_1__para_2", old="Drugi", new=new("x")),
        ],
    )
    assert (applied, changed) == ([], base)
    assert "earlier instruction" in deferred[1].reason


def test_a_citation_may_name_the_kinds_differently() -> None:
    base = Act((Provision("sec_1003.2"), provision("sec_1003.2__para_a__para_1", "x", "(1)")))
    changed, reason = apply_one(base, operation(OperationKind.DELETE, "sec_1003.2__point_a"))
    assert "no provision" in reason
    assert changed == base


def test_an_article_without_paragraphs_is_its_own_first_paragraph() -> None:
    base = Act((provision("art_5", "Rok je 10 dana.", "Članak 5."),))
    change = operation(OperationKind.REPLACE_WORDS, "art_5__para_1", old="10", new=new("12"))
    changed, _ = apply_one(base, change)
    assert texts(changed) == {"art_5": "Rok je 12 dana."}


def test_inserting_keeps_the_order_of_numbers() -> None:
    base = Act(tuple(provision(f"art_{n}", f"tekst {n}") for n in (1, 2, 10)))
    change = operation(OperationKind.INSERT, "art_2a", provisions=(provision("art_2a", "novi"),))
    changed, _ = apply_one(base, change)
    assert [each.path for each in changed.provisions] == ["art_1", "art_2", "art_2a", "art_10"]


WORD = st.text(alphabet="abcdefgh", min_size=2, max_size=6)


@given(
    paragraphs=st.lists(st.lists(WORD, min_size=1, max_size=8), min_size=1, max_size=4),
    data=st.data(),
)
def test_replacing_words_does_what_it_says_and_nothing_else(
    paragraphs: Sequence[Sequence[str]], data: st.DataObject
) -> None:
    base = act(*(" ".join(words) for words in paragraphs))
    place = data.draw(st.integers(1, len(paragraphs)))
    words = list(paragraphs[place - 1])
    old = data.draw(st.sampled_from(words))
    replacement = data.draw(WORD)
    text = (
        f"Članak 1.\nU članku 1. stavku {place}. riječ »{old}« zamjenjuje se riječju "
        f"»{replacement}«.\n"
    )
    changed, applied, deferred = apply_operations(base, parse(text))
    expected = texts(base)
    if words.count(old) == 1:
        expected[f"art_1__para_{place}"] = " ".join(replacement if w == old else w for w in words)
    assert bool(applied) == (words.count(old) == 1) == (not deferred)
    assert texts(changed) == expected


@given(count=st.integers(1, 6), data=st.data())
def test_replacing_a_paragraph_changes_that_paragraph_only(count: int, data: st.DataObject) -> None:
    base = act(*(f"Stavak broj {n}." for n in range(1, count + 1)))
    place = data.draw(st.integers(1, count))
    words = " ".join(data.draw(st.lists(WORD, min_size=1, max_size=5)))
    text = f"Članak 1.\nU članku 1. stavak {place}. mijenja se i glasi:\n»({place}) {words}«\n"
    changed, _, deferred = apply_operations(base, parse(text))
    assert deferred == []
    assert texts(changed) == texts(base) | {f"art_1__para_{place}": words}
    assert join_words(changed.list_within(f"art_1__para_{place}")) == f"({place}) {words}"
