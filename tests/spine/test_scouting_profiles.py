"""Profiles: what a pack declares, how it is checked, and how it travels to other processes."""

import pickle
import subprocess
import sys
from typing import Any

import pytest

from assay.errors import InvalidInput
from assay.packs.regulatory.scouting import SCOUTING
from assay.spine.scouting.assessment import NEUTRAL_SCORE, assess_text
from assay.spine.scouting.profile import (
    NEUTRAL,
    UNKNOWN_KIND,
    DocumentKind,
    Scouting,
    compile_profile,
)
from tests.spine.judging import judge

HARBOUR = Scouting(
    languages=frozenset({"en"}),
    vocabulary={"b": "berth* mooring*", "c": "€ eur euro*", "t": "day days"},
    signals={"berths": "b", "prices": "cn|nc", "stays": "nt"},
    density={"berths": 1, "prices": 1, "stays": 0.5},
    kinds={
        "TARIFF": DocumentKind(weight=0.4, names="tariff* fee fees"),
        "NEWS": DocumentKind(weight=-0.2, names="news"),
    },
)
TARIFF = (
    "A berth for a boat of up to eight metres costs 30 euro, and may be used for 14 days. A "
    "mooring at the outer pier costs 12 euro; to stay longer, ask the master of the harbour first."
)
VISIT = (
    "The choir of the village sang on the square before the church, and everybody who had come "
    "stayed until the evening, when the lamps were lit and the children went home with them."
)
FRENCH = (
    "L'impôt sur les bénéfices est payé par le contribuable au taux fixé par le présent article. "
    "La déclaration est déposée avant la fin du mois d'avril pour l'année précédente, et le "
    "montant dû est versé dans les quinze jours. Quiconque ne dépose pas à temps est sanctionné."
)


@pytest.mark.parametrize("text", [TARIFF, VISIT, FRENCH])
def test_without_a_profile_everything_that_can_be_read_is_accepted(text: str) -> None:
    found = judge(text, NEUTRAL, boilerplate_ratio=0.7).judgement
    assert (found.worth_it_score, found.doc_type) == (NEUTRAL_SCORE, UNKNOWN_KIND)
    assert found.skip_reason is None
    assert found.is_wanted


def test_without_a_profile_quality_still_counts() -> None:
    assert str(judge("x" * 99, NEUTRAL).judgement.skip_reason).startswith("too short")
    found = judge("tax on profit " * 100, NEUTRAL).judgement
    assert found.skip_reason == "99% of it is repeated text"
    assert not found.is_wanted


def test_a_profile_judges_by_its_own_words_and_kinds() -> None:
    tariff = judge(TARIFF, HARBOUR, title="Tariffs 2026").judgement
    assert (tariff.doc_type, tariff.density) == ("TARIFF", 0.9615)
    assert tariff.worth_it_score == pytest.approx(0.3 + 0.4 + 0.3 * 0.9615, abs=1e-4)
    visit = judge(VISIT, HARBOUR, title="News of the village").judgement
    assert (visit.doc_type, visit.density, visit.worth_it_score) == ("NEWS", 0.0, 0.1)
    assert not visit.is_wanted
    nameless = judge(VISIT, HARBOUR).judgement
    assert (nameless.doc_type, nameless.worth_it_score) == (UNKNOWN_KIND, 0.3)
    assert judge(FRENCH, HARBOUR).judgement.skip_reason == (
        "language 'fr' is not supported, only en"
    )


def test_a_text_is_measured_once_and_judged_by_every_profile() -> None:
    found = assess_text(TARIFF, {"harbour": HARBOUR, "regulatory": SCOUTING, "any": NEUTRAL})
    assert list(found.judgements) == ["harbour", "regulatory", "any"]
    for pack, profile in (("harbour", HARBOUR), ("regulatory", SCOUTING), ("any", NEUTRAL)):
        alone = judge(TARIFF, profile)
        assert found.judgements[pack] == alone.judgement
        assert found.measures == alone.measures


def test_a_text_is_wanted_if_one_pack_wants_it() -> None:
    visit = assess_text(VISIT, {"harbour": HARBOUR}, title="News")
    assert not visit.is_wanted
    assert assess_text(VISIT, {"harbour": HARBOUR, "any": NEUTRAL}, title="News").is_wanted
    french = assess_text(FRENCH, {"harbour": HARBOUR, "any": NEUTRAL})
    assert french.is_wanted
    assert not french.is_skipped
    assert assess_text(FRENCH, {"harbour": HARBOUR}).is_skipped


@pytest.mark.parametrize(("threshold", "wanted"), [(0.29, True), (0.3, True), (0.31, False)])
def test_a_threshold_of_its_own_decides_whether_the_text_is_kept(
    threshold: float, wanted: bool
) -> None:
    profile = Scouting(signals={"berths": "b"}, vocabulary={"b": "berth"}, threshold=threshold)
    assert judge(VISIT, profile).judgement.is_wanted == wanted
    # What has not been read yet, and what is not looked for, reaches any threshold.
    assert judge("", profile, needs_ocr=True).judgement.worth_it_score >= threshold
    assert judge(VISIT, Scouting(threshold=0.8)).judgement.worth_it_score == 0.8


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"vocabulary": {"n": "berth"}}, "'n' cannot be the letter"),
        ({"vocabulary": {"bb": "berth"}}, "'bb' cannot be the letter"),
        ({"signals": {"berths": "("}}, "signal 'berths' is not a regular expression"),
        ({"density": {"berths": 1}}, "density counts 'berths'"),
        ({"threshold": 1.5}, "threshold between 0 and 1"),
        ({"full_density": 0}, "full_density must be positive"),
    ],
)
def test_a_wrong_profile_is_refused_with_what_is_wrong(fields: Any, said: str) -> None:
    with pytest.raises(InvalidInput, match=said.replace("(", r"\(")):
        Scouting(**fields)


def _choose_nonsense(_clues: object) -> str:
    return "NONSENSE"


def test_a_kind_that_nobody_declared_is_refused() -> None:
    profile = Scouting(kinds={"NEWS": DocumentKind()}, choose_kind=_choose_nonsense)
    with pytest.raises(InvalidInput, match="'NONSENSE'"):
        judge(VISIT, profile)


def test_a_profile_is_one_object_in_each_process() -> None:
    sent = pickle.dumps(SCOUTING)
    first, second = pickle.loads(sent), pickle.loads(pickle.dumps(SCOUTING))
    assert first is second
    assert compile_profile(first) is compile_profile(second)
    assert judge(TARIFF, first) == judge(TARIFF, SCOUTING)
    # Sixteen documents at a time share one copy of it.
    assert len(pickle.dumps([SCOUTING] * 16)) < len(sent) + 200


def test_a_profile_means_the_same_in_another_process() -> None:
    program = (
        "import pickle, sys\n"
        "from assay.spine.scouting.assessment import assess_text\n"
        "text, profile = pickle.load(sys.stdin.buffer)\n"
        "found = assess_text(text, {'pack': profile}).judgements['pack']\n"
        "sys.stdout.buffer.write(pickle.dumps(found))\n"
    )
    sent = pickle.dumps((TARIFF, SCOUTING))
    done = subprocess.run([sys.executable, "-c", program], input=sent, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    assert pickle.loads(done.stdout) == judge(TARIFF).judgement
