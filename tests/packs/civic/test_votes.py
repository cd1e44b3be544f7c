"""Motions and votes in the styles of real minutes, with invented names."""

import pytest

from assay.packs.civic.portals.listed import VoteValue
from assay.packs.civic.texts.votes import MotionRead, find_votes
from tests.packs.civic.growth import grows_linearly
from tests.packs.civic.interrupted_motions import INTERRUPTED
from tests.packs.civic.motions import MOTIONS

_YES, _NO, _ABSTAIN, _ABSENT = VoteValue.YES, VoteValue.NO, VoteValue.ABSTAIN, VoteValue.ABSENT


def _check_places(text: str, motions: list[MotionRead]) -> None:
    for motion in motions:
        assert 0 <= motion.start < motion.end <= len(text)
        for cited in (motion.mover, motion.seconder, motion.motion, motion.result, motion.tally):
            if cited is not None:
                assert text[cited.start : cited.end] == cited.value
                assert motion.start <= cited.start
                assert cited.end <= motion.end
        for vote in motion.votes:
            assert text[vote.start : vote.end] == vote.quote
            assert vote.member in vote.quote


@pytest.mark.parametrize(("text", "mover", "seconder", "words", "passed", "counts"), MOTIONS)
def test_a_motion_is_read(
    text: str,
    mover: str | None,
    seconder: str | None,
    words: str | None,
    passed: bool | None,
    counts: tuple[int, ...],
) -> None:
    motions = find_votes(text)
    _check_places(text, motions)
    if mover is None and not motions:
        return
    assert len(motions) == 1
    motion = motions[0]
    assert (motion.mover.value if motion.mover else None) == mover
    assert (motion.seconder.value if motion.seconder else None) == seconder
    assert (motion.motion.value if motion.motion else None) == words
    assert motion.passed is passed
    assert motion.counts == counts


@pytest.mark.parametrize(("text", "expected"), INTERRUPTED)
def test_each_vote_goes_to_the_motion_that_it_names(
    text: str, expected: list[tuple[str, bool | None, tuple[int, ...], int]]
) -> None:
    motions = find_votes(text)
    _check_places(text, motions)
    assert [
        (each.mover and each.mover.value, each.passed, each.counts, len(each.votes))
        for each in motions
    ] == expected


_MOVED = "Motion by Okafor, seconded by Lindqvist, to adopt Ordinance 7.\n"
VOTES = [
    (
        "AYES: Okafor, Lindqvist, Abel. NOES: Dorsey. ABSENT: Ekberg",
        {"Okafor": _YES, "Lindqvist": _YES, "Abel": _YES, "Dorsey": _NO, "Ekberg": _ABSENT},
    ),
    (
        "AYES: Okafor, Lindqvist, Abel\nNOES: None\n\nABSTAIN: Dorsey",
        {"Okafor": _YES, "Lindqvist": _YES, "Abel": _YES, "Dorsey": _ABSTAIN},
    ),
    (
        "Roll call vote: Okafor - yes; Lindqvist - no; Abel - yes. Motion carried.",
        {"Okafor": _YES, "Lindqvist": _NO, "Abel": _YES},
    ),
    (
        "Roll Call Vote:\nOkafor: Aye\nLindqvist: Nay\nA. Abel: Aye\n",
        {"Okafor": _YES, "Lindqvist": _NO, "A. Abel": _YES},
    ),
    (
        "Council Member Okafor  Yes\nCouncil Member Lindqvist  No\nMayor Abel  Yes"
        "\nThe motion passed.",
        {"Okafor": _YES, "Lindqvist": _NO, "Abel": _YES},
    ),
    (
        "Commissioner Okafor – AYE, Commissioner Lindqvist – NAY, Chair Abel – AYE",
        {"Okafor": _YES, "Lindqvist": _NO, "Abel": _YES},
    ),
    (
        "Okafor aye, Lindqvist aye, Abel nay. Motion carried 2-1.",
        {"Okafor": _YES, "Lindqvist": _YES, "Abel": _NO},
    ),
    (
        "Yea: 5 - Colon Hayes, Condon, Crowe, Lineman,\nMcDonald\nNay: 1 - O'Malley",
        {
            "Colon Hayes": _YES,
            "Condon": _YES,
            "Crowe": _YES,
            "Lineman": _YES,
            "McDonald": _YES,
            "O'Malley": _NO,
        },
    ),
    (
        "Aye: 3 - Councilmember Okafor\nCouncilmember Lindqvist\nCouncilmember Abel\nNay: 0"
        "\nExcused: 1 - Councilmember Dorsey",
        {"Okafor": _YES, "Lindqvist": _YES, "Abel": _YES, "Dorsey": _ABSENT},
    ),
    (
        "The motion carried by the following vote:"
        "\nAyes: Councilmembers Okafor, Knox Wright, Abel and Mayor Dorsey – 4. Noes: "
        "Councilmember Ekberg – 1.",
        {"Okafor": _YES, "Knox Wright": _YES, "Abel": _YES, "Dorsey": _YES, "Ekberg": _NO},
    ),
    (
        "AYES: COUNCILMEMBERS: Okafor, Hill & Mayor Abel\nNOES: COUNCILMEMBERS: None"
        "\nABSENT: COUNCILMEMBERS: Lorenz Gupta",
        {"Okafor": _YES, "Hill": _YES, "Abel": _YES, "Lorenz Gupta": _ABSENT},
    ),
    (
        "AYES: 5 - Okafor, Lindqvist, Abel, Dorsey, President Ekberg\nNAYS: 0 - None"
        "\nABSENT: 2 - Fox, Gale\nMotion declared carried.",
        {
            "Okafor": _YES,
            "Lindqvist": _YES,
            "Abel": _YES,
            "Dorsey": _YES,
            "Ekberg": _YES,
            "Fox": _ABSENT,
            "Gale": _ABSENT,
        },
    ),
    (
        "Ayes: 3 (Okafor, Lindqvist, Abel). Noes: 0 (None). Absent: Dorsey,"
        "\nEkberg. The item was approved.",
        {"Okafor": _YES, "Lindqvist": _YES, "Abel": _YES, "Dorsey": _ABSENT, "Ekberg": _ABSENT},
    ),
    (
        "The following voted in favor thereof: Okafor, Abel; and the following voted against the "
        "same: Dorsey. Whereupon said resolution was declared duly passed.",
        {"Okafor": _YES, "Abel": _YES, "Dorsey": _NO},
    ),
    (
        "Those voting yes: Okafor, Abel. Those voting no: Dorsey. Motion carried.",
        {"Okafor": _YES, "Abel": _YES, "Dorsey": _NO},
    ),
    (
        "Roll call: Okafor-yes, Knox-Abel-yes, Dorsey-no. Motion carried 2-1.",
        {"Okafor": _YES, "Knox-Abel": _YES, "Dorsey": _NO},
    ),
    (
        "AYES: ST. CLAIR, O'ROURKE, MCDANIEL\nNAYS: NONE",
        {"ST. CLAIR": _YES, "O'ROURKE": _YES, "MCDANIEL": _YES},
    ),
    ("Motion passed 4-0 (Frost absent).", {"Frost": _ABSENT}),
    ("Motion passed 5-1 with Commissioner Frost voting nay.", {"Frost": _NO}),
    ("Motion carried 3-2, Frost and Gale dissenting.", {"Frost": _NO, "Gale": _NO}),
    ("Motion carried 4-0. Councilmember Frost abstained.", {"Frost": _ABSTAIN}),
    (
        "The motion passed unanimously, with Commissioners Blair, Boyd, and Southey voting aye.",
        {"Blair": _YES, "Boyd": _YES, "Southey": _YES},
    ),
    ("Motion carried 5-0.", {}),
    ("Motion carried 5-0, with Councilmember Frost voting no on Item 2.1.", {}),
    ("Motion carried 5-0.\nROLL CALL: Okafor - present; Lindqvist - present; Abel - absent", {}),
    ("All voting aye. Motion carried.", {}),
    ("AYES: 5\nNOES: 0\nMotion carried.", {}),
    ("AYES: All\nNOES: None\nMotion carried.", {}),
    (
        "AYES: Okafor, Lindqvist, van Osten, St. John Jr.\nNOES: None",
        {"Okafor": _YES, "Lindqvist": _YES, "van Osten": _YES, "St. John Jr": _YES},
    ),
    (
        "AYES: Okafor, Lindqvist, Abel\nNOES: Dorsey\nDISQ: Ekberg",
        {"Okafor": _YES, "Lindqvist": _YES, "Abel": _YES, "Dorsey": _NO},
    ),
    (
        "AYES: Okafor, Lindqvist, Abel\nNOES: Dorsey\nRECUSED: Ekberg",
        {"Okafor": _YES, "Lindqvist": _YES, "Abel": _YES, "Dorsey": _NO},
    ),
    # The same member on both sides has no vote.
    ("AYES: Okafor, Lindqvist, Abel\nNOES: Abel", {"Okafor": _YES, "Lindqvist": _YES}),
    # A count that is not the number of names: the list cannot be trusted.
    ("AYES: 5 - Okafor, Lindqvist\nNOES: 1 - Abel", {"Abel": _NO}),
    (
        "IN FAVOR: Okafor, Lindqvist\nOPPOSED: Abel\nMotion carried.",
        {"Okafor": _YES, "Lindqvist": _YES, "Abel": _NO},
    ),
]


@pytest.mark.parametrize(("text", "expected"), VOTES)
def test_each_named_member_has_a_vote(text: str, expected: dict[str, VoteValue]) -> None:
    text = _MOVED + text
    motions = find_votes(text)
    _check_places(text, motions)
    assert len(motions) == 1
    assert {vote.member: vote.vote for vote in motions[0].votes} == expected


CONFLICTS = [
    "Motion by Ito, seconded by Bauer, to approve. Motion carried 2-3.",
    "Motion by Ito, seconded by Bauer, to approve. Motion carried 5-0.\nAYES: Ito, Bauer, Chan"
    "\nNOES: Diaz",
    "Motion by Ito, seconded by Bauer, to approve. Motion carried.\nAYES: 4 - Ito, Bauer"
    "\nNOES: 1 - Diaz",
    "Motion by Ito, seconded by Bauer, to approve. Motion carried. Motion failed.",
    "Motion by Ito, seconded by Bauer, to approve. Motion carried 5-0, with Diaz voting no.",
    "Motion by Ito, seconded by Bauer, to approve. Motion carried by the following vote:"
    "\nAYES: Ito\nNOES: Bauer, Chan",
]


@pytest.mark.parametrize("text", CONFLICTS)
def test_a_contradicted_result_is_not_a_result(text: str) -> None:
    motions = find_votes(text)
    _check_places(text, motions)
    assert [motion.passed for motion in motions] == [None]


NEGATIVES = [
    "Present: Okafor, Lindqvist, Abel\nAbsent: Dorsey",
    "ROLL CALL: Okafor - present; Lindqvist - present; Abel - absent",
    "Council voted in May to adopt a resolution calling an election. All items may be approved "
    "by one motion.",
    "PASSED AND ADOPTED this ___ day of ______, 2024 by the following vote:\nAYES:\nNOES:\nABSENT:"
    "\nABSTAIN:",
    "John Smith moved to Springfield in 1990 and opened a store.",
    "The Council moved into closed session at 6:00 p.m.",
    "Councilmember Orr asked the Council to retract the motion passed on April 7.",
    "If the motion fails, the applicant may appeal within ten days.",
    "A motion by Smith would be needed to reopen the hearing.",
    "Consent items will be enacted by one motion. No Cause Evictions: moratorium extended.",
    "A Moratorium on No-Cause Evictions and Evictions Due to Nonpayment of Rent",
    "Recommendation: Motion to adopt Resolution 24-06.",
    "The score was 5-0 and the team passed to the next round.",
    "Q: Will there be parking? No - Parking is not included. Yes - Transit is.",
    "Voting Yes: means that you support the measure. No: means that you do not.",
    "The ordinance passed its first reading on May 2, 2023.",
    "Staff moved the podium to the left of the dais.",
    "At the meeting of February 6 the council moved to continue. Councilmember Tran moved at that "
    "meeting to deny; seconded by Bloom; the motion failed 2-3.",
    "Mr. Tran recalled that at the February 6 meeting Mr. Bloom moved to deny the permit, "
    "seconded by Wu, and the motion failed 2-3.",
    "At the February 6 meeting Bloom moved to deny. Wu seconded. The motion failed 2-3.",
    "Staff reminded the board that on March 3 Bloom moved to approve and the motion carried 5-0.",
    "The minutes of the last meeting state that a motion was made by Bloom, seconded by Wu, to "
    "approve the plan, and that the motion carried 5-0.",
    "Last year Bloom moved to approve the plan, seconded by Wu, and it carried 5-0.",
    "Written comments in favor: 12. Written comments opposed: 7.",
]


@pytest.mark.parametrize("text", NEGATIVES)
def test_what_is_no_vote_gives_nothing(text: str) -> None:
    assert find_votes(text) == []


def test_a_substitute_motion_does_not_take_the_vote_on_the_original() -> None:
    text = (
        "A motion was made by Councilmember Orr and seconded by Councilmember Moran to retract "
        "the rule.\n\n"
        "A substitute motion was made by Councilmember Hubbard to table this discussion.\n\n"
        "The motion died for a lack of a second.\n\n"
        "The original motion to retract the rule was acted upon, and carried by the following"
        "\nvote:\n\n"
        "AYES: Moran, Orr, Stein\nNOES: Hubbard\n"
    )
    first, second, third = find_votes(text)
    _check_places(text, [first, second, third])
    assert (first.mover and first.mover.value, first.passed, first.votes) == ("Orr", None, ())
    assert (second.mover and second.mover.value, second.passed, second.votes) == (
        "Hubbard",
        False,
        (),
    )
    assert (third.mover, third.passed, len(third.votes)) == (None, True, 4)


def test_motions_in_a_row_keep_their_own_votes() -> None:
    text = (
        "Motion by Ito, seconded by Bauer, to approve the minutes. Carried 3-0.\n\n"
        "Motion by Chan, seconded by Ito, to pay the bills. Ayes: Chan, Ito. Nays: Bauer. Motion "
        "carried.\n\n"
        "Motion by Bauer to adjourn. Motion failed for lack of a second.\n"
    )
    motions = find_votes(text)
    _check_places(text, motions)
    assert [motion.passed for motion in motions] == [True, True, False]
    assert [len(motion.votes) for motion in motions] == [0, 3, 0]


def test_a_resolution_without_a_mover_keeps_its_roll_call() -> None:
    text = (
        "PASSED AND ADOPTED this 5th day of May, 2024, by the following vote:\n"
        "AYES: Okafor, Lindqvist\nNOES: None\nABSENT: Abel\n"
    )
    (motion,) = find_votes(text)
    _check_places(text, [motion])
    assert (motion.mover, motion.passed, len(motion.votes)) == (None, True, 3)


@pytest.mark.parametrize(
    "piece",
    [
        "Motion by ",
        "AYES: ",
        "A, ",
        "Smith - yes; ",
        "motion to ",
        "\n",
        "Mayor ",
        "seconded by Jones ",
        "Councilmember A. B. ",
        "the motion ",
        "5-0 ",
        "motion was ",
        "Aye: 9 - Al\n",
        "Smith moved to ",
        "van ",
        "Motion carried. ",
        "Smith moved to amend. ",
        "the main motion carried 5-0. ",
        "at the meeting of ",
        "  Second: A",
    ],
)
def test_hostile_texts_take_linear_time(piece: str) -> None:
    assert grows_linearly(find_votes, piece)
