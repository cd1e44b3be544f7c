"""Which ids are one work depends on what was said, and never on the order in which it was said."""

import random

from hypothesis import given
from hypothesis import strategies as st

from assay.packs.literature.identity import (
    IdNetwork,
    SameWork,
    group_ids,
    list_links,
    make_link,
    make_link_id,
)
from assay.packs.literature.records import IdentityDecision

PAPERS = [f"arxiv:2401.0000{number}" for number in range(4)]
DOIS = [f"doi:10.1/{letter}" for letter in "abcd"]
OTHERS = ["pmid:1", "openalex:W1", "title:0", "url:0"]
IDS = [*PAPERS, *DOIS, *OTHERS]
pairs = st.tuples(st.sampled_from(IDS), st.sampled_from(IDS)).filter(
    lambda pair: pair[0] != pair[1] and not all(each.startswith("arxiv:") for each in pair)
)


def build_network(links: list[tuple[str, str]], decided: dict[tuple[str, str], bool]) -> IdNetwork:
    made = [make_link(first, second, "list") for first, second in links]
    decisions = {}
    for (first, second), is_same in decided.items():
        key = make_link_id(first, second)
        decisions[key] = IdentityDecision(
            link_id=key, first=min(first, second), second=max(first, second), is_same=is_same
        )
    return IdNetwork({link.link_id: link for link in made}, decisions)


@given(
    st.lists(pairs, max_size=12), st.dictionaries(pairs, st.booleans(), max_size=3), st.randoms()
)
def test_the_order_of_statements_does_not_matter(
    links: list[tuple[str, str]], decided: dict[tuple[str, str], bool], chance: random.Random
) -> None:
    first = group_ids(IDS, build_network(links, decided))
    shuffled = links[:]
    chance.shuffle(shuffled)
    mixed = [pair if chance.random() < 0.5 else pair[::-1] for pair in shuffled]
    asked = IDS[:]
    chance.shuffle(asked)
    assert group_ids(asked, build_network(mixed, decided)) == first
    # Every id belongs to exactly one work, whichever id was asked about.
    assert sorted(each for work in first for each in work.ids) == sorted(IDS)
    for work in first:
        assert work in group_ids([work.ids[-1]], build_network(links, decided))


@given(st.lists(pairs, max_size=15))
def test_two_papers_of_arxiv_are_never_one_work_by_themselves(links: list[tuple[str, str]]) -> None:
    for work in group_ids(IDS, build_network(links, {})):
        assert sum(each.startswith("arxiv:") for each in work.ids) <= 1
        assert work.doc_id == work.ids[0]


def test_a_doi_and_a_preprint_that_are_linked_are_one_work_named_by_the_preprint() -> None:
    network = build_network([(DOIS[0], PAPERS[0]), (DOIS[0], "pmid:1")], {})
    assert group_ids(["pmid:1"], network) == [SameWork(PAPERS[0], (PAPERS[0], DOIS[0], "pmid:1"))]


def test_a_doi_that_two_preprints_claim_is_disputed_until_a_person_decides() -> None:
    links = [(DOIS[0], PAPERS[0]), (DOIS[0], PAPERS[1])]
    first, second = group_ids([DOIS[0]], build_network(links, {}))
    assert first.disputed == (DOIS[0],) and DOIS[0] in first.ids
    assert second == SameWork(PAPERS[1], (PAPERS[1],))
    decided = {(DOIS[0], PAPERS[0]): False}
    works = group_ids([DOIS[0], PAPERS[0]], build_network(links, decided))
    assert works == [
        SameWork(PAPERS[0], (PAPERS[0],)),
        SameWork(PAPERS[1], (PAPERS[1], DOIS[0])),
    ]


def test_a_person_can_say_that_two_preprints_are_one_work() -> None:
    links = [(DOIS[0], PAPERS[0]), (DOIS[0], PAPERS[1])]
    works = group_ids([DOIS[0]], build_network(links, {(PAPERS[0], PAPERS[1]): True}))
    assert works == [SameWork(PAPERS[0], (PAPERS[0], PAPERS[1], DOIS[0]))]


def test_an_entry_with_two_ids_of_a_kind_links_nothing() -> None:
    assert list_links([PAPERS[0], PAPERS[1], DOIS[0]], stated_by="list") == []
    assert list_links([DOIS[0], DOIS[1], PAPERS[0]], stated_by="list") == []
    assert [link.first for link in list_links([DOIS[0], PAPERS[0]], stated_by="list")] == [
        PAPERS[0]
    ]
