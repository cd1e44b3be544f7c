"""On what a rule rests: on documents that say so to this day."""

import pytest

from assay.model.facts import FactEnd
from assay.ruling.rules.rule_support import (
    RuleSupport,
    list_quote_keys,
    make_quote_key,
    select_current_pointers,
    select_strongest,
)
from tests.ruling.rule_makers import a_pointer

OWN = a_pointer("r", "d1")
LENT = a_pointer("r", "d2", borrowed=True)


@pytest.mark.parametrize(
    ("newest", "extracted", "kept"),
    [
        ({}, (), True),
        ({"d1": None}, (), True),
        ({"d1": "ev-d1"}, ("ev-d1",), True),
        ({"d1": "ev-new"}, (), True),
        ({"d1": "ev-new"}, ("ev-d1",), True),
        ({"d1": "ev-new"}, ("ev-new",), False),
    ],
    ids=["unknown", "gone", "newest", "not read yet", "only the old one read", "says otherwise"],
)
def test_only_a_newer_version_that_was_read_takes_a_pointer_away(
    newest: dict[str, str | None], extracted: tuple[str, ...], kept: bool
) -> None:
    support = RuleSupport(newest, {("", key) for key in extracted})
    assert select_current_pointers([OWN], support) == ([OWN] if kept else [])


def test_words_borrowed_from_another_rule_support_nothing() -> None:
    newest = {"d1": "ev-new", "d2": "ev-d2"}
    assert select_current_pointers([OWN, LENT], RuleSupport(newest, ())) == [OWN]


def test_white_space_makes_no_other_words() -> None:
    assert make_quote_key("The rate\n is  25 %.") == make_quote_key("The rate is 25 %.")
    assert make_quote_key("The rate is 25 %.") != make_quote_key("The rate is 26 %.")
    assert len(list_quote_keys([OWN, LENT])) == 1


def test_what_another_pack_took_from_a_document_takes_no_pointer_away() -> None:
    own = {OWN.rule_id: "mine"}
    by_another = RuleSupport({"d1": "ev-new"}, {("other", "ev-new")}, pack_of=own)
    by_its_own = RuleSupport({"d1": "ev-new"}, {("mine", "ev-new")}, pack_of=own)
    assert select_current_pointers([OWN], by_another) == [OWN]
    assert select_current_pointers([OWN], by_its_own) == []


def an_end(fact_id: str, day: str, doubt: str = "") -> FactEnd:
    return FactEnd(
        fact_id=fact_id, by_evidence_id=f"by-{day}", pack="p", day=day, doubt=doubt,
        quote="is repealed", start=0, end=11,
    )  # fmt: skip


def test_a_rule_ends_when_all_its_words_have_ended() -> None:
    other = a_pointer("r", "d2")
    one = {OWN.fact_id: [an_end(OWN.fact_id, "2026-07-01")]}
    both = {**one, other.fact_id: [an_end(other.fact_id, "2027-01-01")]}
    assert RuleSupport({}, (), ends=one).find_last_day([OWN, other]) is None
    assert RuleSupport({}, (), ends=both).find_last_day([OWN, other]) == "2027-01-01"
    assert RuleSupport({}, (), ends=one).find_last_day([]) is None


def test_a_page_that_repeats_ended_law_does_not_keep_it_alive() -> None:
    page = a_pointer("r", "d2")
    ranks = {OWN.source_slug: 1, page.source_slug: 6}
    assert select_strongest([OWN, page], ranks) == [OWN]
    assert select_strongest([OWN, page], {**ranks, page.source_slug: 2}) == [OWN, page]
    assert select_strongest([page], {}) == [page]
    assert select_strongest([], {}) == []


def test_a_doubt_ends_nothing_but_is_reported() -> None:
    doubt = an_end(OWN.fact_id, "2026-07-01", "its words were not found")
    support = RuleSupport({}, (), ends={OWN.fact_id: [doubt]})
    assert support.find_last_day([OWN]) is None
    assert support.list_doubts([OWN]) == [doubt]


def test_words_that_ended_on_a_day_stay_although_a_newer_version_leaves_them_out() -> None:
    newer = {"d1": "ev-new"}
    ends = {OWN.fact_id: [an_end(OWN.fact_id, "2026-07-01")]}
    support = RuleSupport(newer, {("", "ev-new")}, ends=ends)
    assert select_current_pointers([OWN], support) == [OWN]


def test_words_that_name_their_last_day_stay_although_a_newer_version_leaves_them_out() -> None:
    newer, extracted = {"d1": "ev-new"}, {("", "ev-new")}
    support = RuleSupport(newer, extracted, bounded={OWN.rule_id})
    assert select_current_pointers([OWN], support) == [OWN]
    understood_otherwise = RuleSupport(
        newer, extracted, bounded={OWN.rule_id}, outdated={OWN.fact_id}
    )
    assert select_current_pointers([OWN], understood_otherwise) == []


def test_words_that_ended_on_an_unknown_day_are_in_doubt_until_the_day_they_surely_ended() -> None:
    end = an_end(OWN.fact_id, "2026-07-01", "it changed between two retrievals")
    end = end.model_copy(update={"since": "2026-05-02"})
    support = RuleSupport({}, (), ends={OWN.fact_id: [end]})
    assert support.find_last_day([OWN]) == "2026-07-01"
    assert support.list_doubts([OWN]) == [end]


@pytest.mark.parametrize(
    ("first", "ended", "held"),
    [
        ("2026-07-01", "2026-07-01", False),
        ("2025-01-01", "2026-07-01", True),
        (None, "0001-01-01", False),
        (None, "2026-07-01", True),
    ],
)
def test_words_that_ended_before_they_began_never_held(
    first: str | None, ended: str, held: bool
) -> None:
    ends = {OWN.fact_id: [an_end(OWN.fact_id, ended)]}
    support = RuleSupport({}, (), ends=ends, first_day_of={OWN.rule_id: first})
    assert select_current_pointers([OWN], support) == ([OWN] if held else [])
