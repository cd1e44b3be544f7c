"""What a model is asked about an item, and what of its answer is kept."""

import json

import pytest

from assay.packs.civic.summaries import SummaryTask, build_extractive, build_from_answer
from assay.packs.civic.texts.analysis import (
    AnalysisSentence,
    ItemAnalysis,
    Question,
    build_request,
    fits_item,
    is_borne_out,
    make_code,
    read_analysis,
)
from assay.packs.civic.texts.summary import SourceText
from assay.sdk.errors import AnswerInvalid

REPORT = (
    "Staff recommends a contract of $1,250,000 with Ridge Builders for the Main Street bridge.\n"
    "The bridge was built in 1931.  Work begins on May 3, 2027 and takes eight months.\n"
    "The road stays open to buses."
)
SHARED = "The capital plan was adopted by the council in March. It lists forty bridges."
ITEM = "springfieldOR_1_4"
QUESTION = Question(
    ITEM,
    "Bridge repair",
    (SourceText("own", REPORT, 100),),
    (SourceText("shared", SHARED),),
)


def answer(*sentences: tuple[str, list[int]], item: str = ITEM) -> ItemAnalysis:
    said = [AnalysisSentence(text=text, cites=cites) for text, cites in sentences]
    return ItemAnalysis(item=make_code(item), sentences=said, topics=["Traffic", "contracts"])


def test_a_request_numbers_the_sentences_and_keeps_shared_documents_apart() -> None:
    request = build_request(QUESTION)
    own, shared = request.user.split("Documents that it shares")
    assert "[1] Staff recommends a contract of $1,250,000" in own
    assert "[4] The road stays open to buses." in own and "[5]" not in own
    assert "[5] The capital plan was adopted" in shared
    assert make_code(ITEM) in own and "public_safety" in own
    assert request.schema is not None and request.prompt_version == "civic-item@1"


def test_a_long_document_leaves_room_for_the_others() -> None:
    long = SourceText("long", "The council owns a house on the hill. " * 2000)
    short = SourceText("short", "The second report says that the house is for sale.")
    user = build_request(Question(ITEM, "House", (long, short))).user
    assert "The second report says that the house is for sale." in user
    assert len(user) < 25_000


def test_sentences_are_kept_with_the_places_that_say_them() -> None:
    said = answer(
        ("The Main Street bridge gets a contract of $1,250,000 with Ridge Builders.", [1]),
        ("Work on the bridge begins on May 3, 2027.", [3, 99]),
    )
    kept = read_analysis(QUESTION, said)
    assert kept.topics == ["transportation", "contracts"] and kept.dropped == 0
    (_, first), (_, second) = kept.sentences
    for place in (*first, *second):
        assert place.artifact_id == "own"
        assert REPORT[place.start - 100 : place.end - 100].split() == place.text.split()


@pytest.mark.parametrize(
    ("text", "cites"),
    [
        ("The contract with Ridge Builders is $1,350,000 for the bridge.", [1]),
        ("Staff recommends a contract of $1,250,000 with Valley Builders.", [1]),
        ("Staff does not recommend a contract of $1,250,000 with Ridge Builders.", [1]),
        ("Work begins on May 3, 2027.", [2]),
        ("The bridge was built in 1931.", []),
        ("Taxpayers should worry about reckless spending.", [1]),
    ],
)  # fmt: skip
def test_a_sentence_that_says_more_than_its_places_is_left_out(text: str, cites: list[int]) -> None:
    fine = ("The bridge was built in 1931.", [2])
    kept = read_analysis(QUESTION, answer((text, cites), fine))
    assert [said for said, _ in kept.sentences] == [fine[0]]
    assert kept.dropped == 1


def test_an_answer_about_something_else_is_refused() -> None:
    fine = ("The bridge was built in 1931.", [2])
    with pytest.raises(AnswerInvalid, match="not about this one"):
        read_analysis(QUESTION, answer(fine, item="springfieldOR_1_5"))
    with pytest.raises(AnswerInvalid, match="do not support"):
        read_analysis(QUESTION, answer(("Taxes rise by 9 percent.", [1])))
    with pytest.raises(AnswerInvalid, match="do not support"):
        # Context alone says nothing about the item.
        read_analysis(QUESTION, answer(("The plan was adopted by the council in March.", [5])))


def test_an_answer_of_a_batch_must_fit_its_item() -> None:
    request = build_request(QUESTION)
    right = answer(("The bridge was built in 1931.", [2])).model_dump_json()
    assert fits_item(ITEM, request, right)
    assert not fits_item("springfieldOR_1_5", request, right)
    assert not fits_item(ITEM, request, "no JSON")
    other = build_request(Question(ITEM, "Pool", (SourceText("x", "The pool opens in June."),)))
    assert not fits_item(ITEM, other, right)


def test_negation_on_both_sides_is_borne_out() -> None:
    assert is_borne_out("The board denied the permit.", ["The board denied the permit 5-0."])
    assert not is_borne_out("The board granted the permit.", ["The board denied the permit."])


def test_summaries_carry_the_amounts_and_dates_of_their_places() -> None:
    task = SummaryTask("item", "m", "springfieldOR", QUESTION)
    said = answer(("The bridge contract is $1,250,000.", [1]), ("Work begins May 3, 2027.", [3]))
    made = build_from_answer(task, said, "gpt/large")
    assert [(f["kind"], f["value"]) for f in made.figures] == [
        ("amount", "1250000 USD"),
        ("date", "2027-05-03"),
    ]
    for figure in made.figures:
        assert REPORT[figure["start"] - 100 : figure["end"] - 100] == figure["text"]
    assert made.method == "gpt/large" and not made.wants_model
    plain = build_extractive(task, wants_model=True, reason="why")
    assert plain is not None and (plain.method, plain.reason) == ("extractive", "why")
    assert plain.input_hash == made.input_hash
    assert json.loads(made.model_dump_json())["kind"] == "item"
