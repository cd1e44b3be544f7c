"""Which work a reference means: accepted, refused, or left to a person."""

from itertools import islice
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.packs.literature.evaluation.matching import (
    LocalSearch,
    build_works,
    load_references,
    match_all,
)
from assay.packs.literature.folding import find_family_name, fold_text
from assay.packs.literature.listed import ListedReference
from assay.packs.literature.matching import (
    MatchVerdict,
    list_candidate_pairs,
    list_match_keys,
    match_records,
    match_work,
)
from assay.packs.literature.resolving import crossref
from assay.packs.literature.resolving.requests import ServiceRequest
from assay.packs.literature.resolving.works import FoundWork
from tests.packs.literature.responses import SAMPLES, load_json, needs_samples

ACCEPT, ASK, REFUSE = MatchVerdict.ACCEPT, MatchVerdict.ASK, MatchVerdict.REFUSE
TITLE = "Sediment transport in braided rivers: a field study of the upper valley"
AUTHORS = ("Ana Kovač", "Ben Okri")


def make_reference(**changed: Any) -> ListedReference:
    return ListedReference(**{"title": TITLE, "authors": AUTHORS, "year": 2019, **changed})


def make_work(**changed: Any) -> FoundWork:
    values: dict[str, Any] = {
        "provider": "test", "ids": ("doi:10.1234/x",), "title": TITLE, "authors": AUTHORS,
        "year": 2019, "venue": "Journal of Rivers", "volume": "12", "pages": "345–367",
    }  # fmt: skip
    return FoundWork(**{**values, **changed})


@pytest.mark.parametrize(
    ("reference", "work"),
    [
        ({}, {}),
        ({"title": "Sediment transport in braided rivers"}, {}),
        ({"title": "SEDIMENT TRANSPORT IN BRAIDED RIVERS - A FIELD STUDY OF THE UPPER VALLEY"}, {}),
        ({"title": "Sediment transport in braided rivers: a field study of the up"}, {}),
        ({"title": r"{S}ediment {\em transport} in braided rivers: a f\i eld study of the upper "
                   r"valley"}, {}),
        ({"authors": ("A. Kovac", "B. Okri")}, {}),
        ({"authors": ("Kovac, A.", "Okri, B.")}, {}),
        ({"authors": (r"Ana Kova{\v c}",)}, {}),
        ({"authors": ("Ана Ковач", "Бен Окри")}, {}),
        ({"year": None}, {}),
        ({"year": 2018}, {"venue": "arXiv", "kind": "preprint", "pages": "", "volume": ""}),
        ({"title": r"Spin waves in $\alpha$-RuCl$_3$ under pressure"},
         {"title": "Spin waves in α-RuCl<sub>3</sub> under pressure"}),
        ({"title": "Über die Größe der Kräfte im losen Boden", "authors": ("J. Müller",)},
         {"title": "Uber die Grosse der Krafte im losen Boden", "authors": ("J. Mueller",)}),
    ],
)  # fmt: skip
def test_spellings_of_the_same_work_are_accepted(
    reference: dict[str, Any], work: dict[str, Any]
) -> None:
    decision = match_work(make_reference(**reference), [make_work(**work)])
    assert (decision.verdict, decision.work is not None) == (ACCEPT, True), decision.reason


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"title": "Erratum: " + TITLE}, "correction"),
        ({"title": "Comment on " + TITLE}, "comment"),
        ({"title": "Retraction: " + TITLE}, "retraction"),
        ({"authors": ("Chen Wei", "Dora Nagy")}, "other authors"),
        ({"title": "Plasma confinement in small tokamaks"}, "titles differ"),
        ({"title": ""}, "titles differ"),
    ],
)
def test_other_works_are_refused(changed: dict[str, Any], reason: str) -> None:
    decision = match_work(make_reference(), [make_work(**changed)])
    assert decision.verdict is REFUSE
    assert decision.work is None
    assert reason in decision.reason


@pytest.mark.parametrize(
    ("reference", "work", "reason"),
    [
        ({"title": TITLE + ". Part I"}, {"title": TITLE + ". Part II"}, "numbers"),
        ({"title": TITLE + " II"}, {"title": TITLE + " III"}, "numbers"),
        ({"year": 2009}, {}, "years are 10 apart"),
        ({"authors": ()}, {"year": None}, "only the title"),
        ({"title": "Sediment transport in rivers: a laboratory study"}, {"kind": "preprint"},
         "partly"),
    ],
)  # fmt: skip
def test_what_is_doubtful_is_left_to_a_person(
    reference: dict[str, Any], work: dict[str, Any], reason: str
) -> None:
    decision = match_work(make_reference(**reference), [make_work(**work)])
    assert decision.verdict is not ACCEPT
    assert reason in decision.reason or decision.verdict is REFUSE


def test_a_common_title_needs_more_than_itself() -> None:
    reference = make_reference(title="Editorial", authors=(), year=2019, venue="Journal of Rivers")
    work = make_work(title="Editorial", authors=())
    assert match_work(reference, [work]).verdict is ASK
    text = "Editorial. (2019). Journal of Rivers, 12(3), 345–367."
    assert match_work(reference, [work], text).verdict is ACCEPT
    elsewhere = make_work(title="Editorial", authors=(), pages="1–2")
    assert match_work(reference, [elsewhere], text).verdict is REFUSE


def test_an_id_is_proof_unless_everything_else_contradicts_it() -> None:
    reference = make_reference(ids=("doi:10.1234/x",), title="Another spelling of it")
    assert match_work(reference, [make_work()]).verdict is ACCEPT
    other = make_work(title="Plasma confinement in tokamaks", authors=("Chen Wei",))
    assert match_work(reference, [other]).verdict is ASK


def test_two_works_that_fit_equally_well_are_left_to_a_person() -> None:
    one = make_work()
    other = make_work(ids=("doi:10.1234/y",), pages="401–420", venue="River Letters")
    decision = match_work(make_reference(), [other, one])
    assert (decision.verdict, len(decision.others)) == (ASK, 1)
    twin = make_work(provider="other", same_work_ids=("doi:10.1234/x",), ids=("openalex:W1",))
    assert match_work(make_reference(), [one, twin]).verdict is ACCEPT


PRINTED = (
    "Kovac, A., Okri, B. (2O19). Sedim ent transport inbraided rivers: a field stndy of the upper "
    "valley. Journal ofRivers, 12(3), 345–367."
)


def test_a_badly_printed_reference_is_matched_without_a_parser() -> None:
    decision = match_work(ListedReference(), [make_work()], PRINTED)
    assert decision.verdict is ACCEPT, decision.reason
    assert match_work(ListedReference(), [], PRINTED).verdict is REFUSE


@pytest.mark.parametrize(
    "text",
    [
        "Kovač, A., & Okri, B. (2019). Gravel bars. In Sediment transport in braided rivers: a "
        "field study of the upper valley, 3–9.",
        "Kovač, A., & Okri, B. (2019). Erratum to: " + TITLE + ". Journal of Rivers, 12, 999.",
        "Chen, W. (2019). " + TITLE + ". Journal of Hills, 1(1), 1–2.",
    ],
)
def test_a_title_inside_another_reference_is_not_enough(text: str) -> None:
    assert match_work(ListedReference(), [make_work()], text).verdict is REFUSE


def test_a_style_without_titles_is_matched_by_authors_year_volume_and_page() -> None:
    text = "A. Kovač, B. Okri, J. Rivers 12 (2019) 345."
    assert match_work(ListedReference(), [make_work()], text).verdict is ACCEPT
    text = "A. Kovač, B. Okri, J. Rivers 12 (2019) 411."
    assert match_work(ListedReference(), [make_work()], text).verdict is REFUSE


@needs_samples
def test_wrong_hits_of_a_search_are_refused_whatever_their_score() -> None:
    asked = {
        "WRONG_attention": ("Attention is All you Need", ("Ashish Vaswani", "Noam Shazeer"), 2017),
        "WRONG_paperqa": ("PaperQA: Retrieval-Augmented Generative Agent", ("Jakub Lála",), 2023),
        "WRONG_nonsense": ("My favourite recipes of the year", (), None),
    }
    request = ServiceRequest(service="crossref", url="", key="")
    for name, (title, authors, year) in asked.items():
        answer = load_json(f"crossref_title_search_{name}.json")
        works = crossref.parse_crossref_response(answer.status, answer.body, request).works
        reference = ListedReference(title=title, authors=authors, year=year)
        assert match_work(reference, works).verdict is REFUSE, name
    answer = load_json("crossref_title_search_truncated_OK.json")
    works = crossref.parse_crossref_response(answer.status, answer.body, request).works
    cut = ListedReference(title=works[0].title[:45], authors=works[0].authors[:2])
    assert match_work(cut, works).verdict is ACCEPT


@needs_samples
def test_references_with_known_dois_are_matched_and_refused() -> None:
    path = SAMPLES / "crossref_refmatch_apa_noise.json"
    references = [each for each in load_references(path) if not each.is_held_out][:400]
    search = LocalSearch(build_works(references))
    known = [each for each in references if search.find(each.text)][:80]
    present = match_all(known, search, None, withhold=False)
    assert present.accepted_right >= 64
    assert present.accepted_wrong <= 2
    assert match_all(known, search, None, withhold=True).accepted_wrong <= 5


def test_records_of_one_work_share_a_key_and_others_do_not() -> None:
    one = make_reference()
    for changed in (
        {"title": "Sediment transport in braided rivers"},
        {"title": "Sediment-transport in braided rivers: a field study"},
        {"title": "X. Y.: " + TITLE},
        {"authors": (), "year": None},
    ):
        assert set(list_match_keys(one)) & set(list_match_keys(make_reference(**changed)))
    other = make_reference(title="Plasma confinement in small tokamaks")
    assert not set(list_match_keys(one)) & set(list_match_keys(other))
    assert list_match_keys(make_reference(title="")) == ()


@pytest.mark.parametrize("title", ["Editorial", TITLE])
def test_thousands_of_equal_titles_do_not_make_millions_of_pairs(title: str) -> None:
    records = [
        make_reference(title=title, authors=(f"A. Name{n:05}",), year=2000) for n in range(2000)
    ]
    pairs = sum(1 for _ in islice(list_candidate_pairs(records), 1_000_000))
    assert pairs < 2000 * 40


def test_a_duplicate_is_among_the_pairs_once() -> None:
    records = [make_reference(), make_reference(title="Plasma in tokamaks"), make_reference()]
    assert list(list_candidate_pairs(records)) == [(0, 2)]


@settings(max_examples=40)
@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=80))
def test_any_text_gives_a_decision_and_both_orders_give_the_same(
    title: str, author: str, text: str
) -> None:
    odd = make_work(title=title, authors=(author,))
    assert match_work(ListedReference(title=title), [odd], text).score <= 1.0
    one, other = match_records(odd, make_work()), match_records(make_work(), odd)
    assert (one.verdict, one.score) == (other.verdict, other.score)


def test_a_huge_title_is_compared_in_part() -> None:
    huge = make_reference(title="word " * 200_000)
    assert match_work(huge, [make_work()], "word " * 200_000).verdict is REFUSE
    assert all(len(key) < 700 for key in list_match_keys(huge))


def test_text_is_folded_and_family_names_are_found() -> None:
    assert (
        fold_text(r"G\"odel {\&} Erd\H{o}s: $\beta$-<i>decay</i>") == "godel and erdos beta decay"
    )
    assert fold_text("Ковалёв") == "kovalev"
    names = {"Ana Kovač": "kovac", "Kovač, Ana": "kovac", "van der Berg, J.": "berg",
             "Vaswani A": "vaswani", "John Smith Jr.": "smith", "": ""}  # fmt: skip
    assert {name: find_family_name(name) for name in names} == names
