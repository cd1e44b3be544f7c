"""Scout's judgement at its boundaries."""

import pytest
from bench.scout_documents import written
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.llm.vocabulary import load_vocabulary
from assay.packs.regulatory.scouting import KINDS
from assay.reading.page_look import look_at_page
from assay.spine.scouting.profile import UNKNOWN_KIND
from tests.gazette.world import World
from tests.spine.judging import Judged, judge, judge_page

FR = (
    "L'impôt sur les bénéfices est payé par le contribuable au taux fixé par le présent article. "
    "La déclaration est déposée avant la fin du mois d'avril pour l'année précédente, et le "
    "montant dû est versé dans les quinze jours. Quiconque ne dépose pas à temps est sanctionné."
)


def passes(found: Judged) -> bool:
    """Whether the router takes it from a source of unknown health."""
    return found.judgement.skip_reason is None and found.judgement.worth_it_score >= 0.4


def filler(length: int) -> str:
    """Words that say nothing and hardly repeat."""
    text = "".join(f"q{n:x} " for n in range(length // 2 + 1))[:length]
    return text[:-1] + "q" * bool(text)


@pytest.mark.parametrize(
    ("length", "skipped"), [(0, True), (99, True), (100, False), (500_000, False), (500_001, True)]
)
def test_the_length_decides_at_100_and_at_500000_characters(length: int, skipped: bool) -> None:
    found = judge(filler(length))
    assert (found.judgement.skip_reason is not None) == skipped
    assert found.measures.content_length == length


def test_the_reason_tells_the_length() -> None:
    assert judge("x" * 99).judgement.skip_reason == "too short: 99 characters, 100 are needed"
    assert str(judge("x" * 500_001).judgement.skip_reason).startswith("too long: 500001 characters")


@pytest.mark.parametrize(("ratio", "skipped"), [(0.6999, False), (0.7, False), (0.7001, True)])
def test_more_than_70_percent_boilerplate_is_skipped(ratio: float, skipped: bool) -> None:
    reason = judge(filler(200), boilerplate_ratio=ratio).judgement.skip_reason
    assert reason == ("70% of it is navigation and footer" if skipped else None)


@pytest.mark.parametrize(("furniture", "skipped"), [(700, False), (701, True)])
def test_the_boilerplate_of_a_real_page_is_counted_in_characters(
    furniture: int, skipped: bool
) -> None:
    # Furniture beside 300 characters of text.
    found = judge_page(f"<nav>{'n' * furniture}</nav><p>{filler(300)}</p>".encode())
    assert (found.judgement.skip_reason is not None) == skipped


@pytest.mark.parametrize(("characters", "skipped"), [(99, True), (100, False)])
def test_the_length_of_a_real_page_counts_visible_characters_only(
    characters: int, skipped: bool
) -> None:
    markup = f"<title>A long title</title><p class='{'c' * 200}'>{'č' * characters}</p>"
    assert (judge_page(markup.encode()).judgement.skip_reason is not None) == skipped


@pytest.mark.parametrize(("bad", "skipped"), [(200, False), (201, True)])
def test_text_is_garbage_under_eight_tenths_printable(bad: int, skipped: bool) -> None:
    reason = judge(filler(1000 - bad) + "\ufffd" * bad).judgement.skip_reason
    assert (reason is not None) == skipped
    assert not skipped or str(reason).startswith("garbage: only 80% of its characters")


def test_what_only_repeats_itself_is_skipped() -> None:
    assert judge("porez na dobit " * 100).judgement.skip_reason == "99% of it is repeated text"


def test_a_language_that_nobody_here_reads_is_skipped_only_when_sure() -> None:
    assert judge(FR).judgement.skip_reason == "language 'fr' is not supported, only de, en, hr"
    assert judge(FR[:110]).judgement.skip_reason is None
    assert (
        judge(f"{FR} " + "The tax shall be paid at the rate set here. " * 12).judgement.skip_reason
        is None
    )


def test_a_scan_without_text_is_unknown_and_not_worthless() -> None:
    found = judge("", needs_ocr=True)
    assert (found.judgement.worth_it_score, found.judgement.doc_type) == (0.5, UNKNOWN_KIND)
    assert found.measures.needs_ocr
    assert found.judgement.skip_reason is None
    assert found.measures.signature is None


def test_a_scan_with_enough_text_is_judged_by_it() -> None:
    found = judge(written()[0].body, title=written()[0].title, needs_ocr=True)
    assert found.measures.needs_ocr
    assert found.judgement.doc_type == "LEGISLATION"


def test_the_score_is_the_sum_of_the_specification() -> None:
    text = written()[1].body
    plain = judge(text, title="Odluka")
    expected = 0.3 + KINDS["REGULATION"].weight + 0.3 * plain.judgement.density
    assert plain.judgement.worth_it_score == pytest.approx(min(1.0, expected), abs=1e-3)
    scored = judge(filler(400), title="Vijesti").judgement.worth_it_score
    assert scored == pytest.approx(0.4)
    structured = judge(filler(400), title="Vijesti", has_structured_data=True)
    assert structured.judgement.worth_it_score == pytest.approx(scored + 0.1)
    around = judge(filler(400), title="Vijesti", boilerplate_ratio=0.5)
    assert around.judgement.worth_it_score == pytest.approx(scored - 0.1)


def test_equal_words_have_equal_signatures_whatever_the_layout() -> None:
    text = written()[0].body
    assert judge(text).measures.signature == judge(text.replace(" ", " \xad")).measures.signature


@pytest.mark.parametrize("language", ["hr", "en", "de"])
def test_the_estimate_of_tokens_is_near_the_count(language: str) -> None:
    world = World(seed=31)
    pages = world.build_pages()
    texts = [
        look_at_page(pages[path].body).text
        for path, document in world.gazette().items()
        if document.language == language
    ]
    texts.append("\n".join(one.body for one in written() if one.language == language))
    for text in texts:
        if len(text) >= 1000:
            counted = len(load_vocabulary().encode_ordinary(text))
            assert judge(text).measures.estimated_tokens == pytest.approx(counted, rel=0.2)


def test_figures_with_units_need_a_model_less_than_prose_does() -> None:
    rules = (
        "Stopa iznosi 25 %. Prijava se podnosi do 20. svibnja. Obveza se plaća u roku od 15 dana. "
    )
    prose = "Zakon se tumači prema svrsi, a sud pritom uzima u obzir sve okolnosti slučaja. "
    assert judge(rules * 2).judgement.determinism_confidence > 0.8
    assert judge(prose * 3).judgement.determinism_confidence == 0.0


def test_the_demo_keeps_what_is_valuable_and_drops_the_rest() -> None:
    world = World(seed=5, documents=80)
    pages = world.build_pages()
    for path, document in world.gazette().items():
        found = judge_page(pages[path].body)
        assert passes(found) == (document.kind not in ("NEWS", "BOILERPLATE")), (path, found)


def test_every_document_by_hand_that_is_worth_reading_passes() -> None:
    lost = [one.title for one in written() if one.worth and not passes(judge_page(one.page()))]
    assert lost == []
    kept = [one.title for one in written() if not one.worth and passes(judge_page(one.page()))]
    assert len(kept) <= 3, kept


@settings(derandomize=True, deadline=None, max_examples=100)
@given(
    st.text(max_size=400),
    st.none() | st.text(max_size=30),
    st.floats(0, 1),
    st.booleans(),
    st.booleans(),
)
def test_any_text_has_a_score_between_0_and_1(
    text: str, title: str | None, ratio: float, structured: bool, scanned: bool
) -> None:
    found = judge(
        text,
        title=title,
        boilerplate_ratio=ratio,
        has_structured_data=structured,
        needs_ocr=scanned,
    )
    assert 0.0 <= found.judgement.worth_it_score <= 1.0
    assert 0.0 <= found.judgement.determinism_confidence <= 1.0
    assert found.judgement.doc_type in {*KINDS, UNKNOWN_KIND}


@pytest.mark.parametrize("piece", ["a", "1.", "§ ", "n% ", "članak 1 ", "\x00", "?", "_", "1,"])
def test_a_long_run_of_anything_costs_no_more_than_its_length(piece: str) -> None:
    assert judge(piece * (400_000 // len(piece))).measures.content_length
