"""Motions between whose making and vote something else happens, and motions that are retold."""

# text, and of each motion in it: mover, passed, counts, number of votes
INTERRUPTED: list[tuple[str, list[tuple[str, bool | None, tuple[int, ...], int]]]] = [
    (
        "Tran moved to adopt Resolution 12, seconded by Bloom. The motion to call "
        "the question passed 5-2. On the main motion, the vote was 3-4 and the "
        "motion failed.",
        [("Tran", False, (3, 4), 0)],
    ),
    (
        "Tran moved to adopt Resolution 12, seconded by Bloom. Councilmember Pratt "
        "called the question, which passed 5-2. The motion failed 3-4.",
        [("Tran", False, (3, 4), 0)],
    ),
    (
        "Tran moved to adopt Resolution 12, seconded by Bloom. Mayor Fox called the "
        "question. Motion carried 5-0.",
        [("Tran", True, (5, 0), 0)],
    ),
    (
        "Tran moved to adopt Resolution 12, seconded by Bloom. Pratt moved the "
        "previous question, seconded by Wu. The previous question carried 6-1. The "
        "main motion failed 3-4.",
        [("Tran", False, (3, 4), 0), ("Pratt", True, (6, 1), 0)],
    ),
    (
        "Tran moved to adopt Resolution 12, seconded by Bloom. Pratt moved the "
        "previous question, seconded by Wu. The previous question carried 6-1.",
        [("Tran", None, (), 0), ("Pratt", True, (6, 1), 0)],
    ),
    (
        "Tran moved to adopt Resolution 12, seconded by Bloom. A vote to end debate "
        "passed 4-1. The motion then failed on a 2-3 vote.",
        [("Tran", False, (2, 3), 0)],
    ),
    (
        "Tran moved to adopt Resolution 12, seconded by Bloom. Debate was closed by "
        "a vote of 5-2. No vote was taken.",
        [("Tran", None, (), 0)],
    ),
    (
        "Tran moved to adopt Resolution 12, seconded by Bloom. Motion to call the "
        "question: Ayes: Tran, Bloom, Pratt. Nays: Wu. The item was left there.",
        [("Tran", None, (), 0)],
    ),
    (
        "Tran moved to adopt Resolution 12, seconded by Bloom. Pratt moved to call "
        "the question. Wu seconded. Carried 4-1. The vote on the motion: Ayes: Tran, "
        "Bloom. Nays: Pratt, Wu, Ng. Motion failed.",
        [("Tran", None, (), 0), ("Pratt", True, (4, 1), 0)],
    ),
    (
        "Tran moved to adopt Resolution 12, seconded by Bloom. Pratt moved to table "
        "the item, seconded by Wu. The motion to table failed 2-5. The original "
        "motion carried 5-2.",
        [("Tran", True, (5, 2), 0), ("Pratt", False, (2, 5), 0)],
    ),
    (
        "Tran moved to adopt Resolution 12, seconded by Bloom. A motion to table failed 2-5.",
        [("Tran", None, (), 0)],
    ),
    (
        "Tran moved to table the item; Bloom seconded. The motion to table carried 5-0.",
        [("Tran", True, (5, 0), 0)],
    ),
    (
        "Tran moved to adopt Resolution 12, seconded by Bloom. Pratt moved to amend "
        "by striking section 3, seconded by Wu. The amendment failed 2-5. The main "
        "motion passed 5-2.",
        [("Tran", True, (5, 2), 0), ("Pratt", False, (2, 5), 0)],
    ),
    (
        "Tran moved to adopt Resolution 12, seconded by Bloom. Pratt moved to amend "
        "by striking section 3, seconded by Wu. The amendment carried 4-3. The "
        "motion as amended carried 6-1.",
        [("Tran", True, (6, 1), 0), ("Pratt", True, (4, 3), 0)],
    ),
    (
        "Tran moved to adopt Resolution 12, seconded by Bloom. Pratt moved to amend "
        "by striking section 3, seconded by Wu. The motion as amended carried 6-1.",
        [("Tran", True, (6, 1), 0), ("Pratt", None, (), 0)],
    ),
    (
        "Tran moved to adopt Resolution 12, seconded by Bloom. Pratt offered an "
        "amendment to strike section 3. The amendment passed 4-3.",
        [("Tran", None, (), 0)],
    ),
    (
        "Tran moved to adopt Resolution 12, seconded by Bloom. Pratt moved to amend "
        "by striking section 3, seconded by Wu. Amendment carried.\n\n"
        "Vote on the main motion as amended:\nAYES: Tran, Bloom, Wu\nNOES: Pratt\n"
        "Motion carried.",
        [("Tran", True, (), 4), ("Pratt", True, (), 0)],
    ),
    (
        "Tran moved to adopt Resolution 12, seconded by Bloom. Pratt moved to amend "
        "by striking section 3, seconded by Wu. \n\n"
        "Roll call on the amendment: Tran-no, Bloom-no, Wu-yes, Ng-yes, Pratt-yes. "
        "Amendment carried 3-2.\n\n"
        "Roll call on the motion as amended: Tran-yes, Bloom-yes, Wu-yes, Ng-no. "
        "Motion carried 3-1.",
        [("Tran", True, (3, 1), 4), ("Pratt", True, (3, 2), 5)],
    ),
    (
        "Tran moved to adopt Resolution 12, seconded by Bloom. Pratt moved to amend "
        "by striking section 3, seconded by Wu. The motion to amend failed 1-4. "
        "Pratt then moved to table, seconded by Wu. Motion to table failed 2-3. The "
        "main motion passed 4-1.",
        [("Tran", True, (4, 1), 0), ("Pratt", False, (1, 4), 0), ("Pratt", False, (2, 3), 0)],
    ),
    (
        "Tran moved to adopt Resolution 12, seconded by Bloom. Pratt moved to amend "
        "by striking section 3, seconded by Wu. The amendment passed 3-2. Tran moved "
        "to adopt it as amended, seconded by Wu. Carried 5-0.",
        [("Tran", None, (), 0), ("Pratt", True, (3, 2), 0), ("Tran", True, (5, 0), 0)],
    ),
    (
        "Motion by Tran, seconded by Bloom, to approve the amendment to the lease. "
        "The amendment passed 5-0.",
        [("Tran", True, (5, 0), 0)],
    ),
    (
        "At the previous meeting, a motion by Bloom, seconded by Wu, to deny failed "
        "2-3.\n\n"
        "Motion by Tran, seconded by Wu, to approve. Carried 4-1.",
        [("Tran", True, (4, 1), 0)],
    ),
    (
        "At that time Tran moved to approve, seconded by Wu. Carried 4-1.",
        [("Tran", True, (4, 1), 0)],
    ),
    (
        "At a regular meeting of the Town Board held on February 6, 2024, Tran moved "
        "to approve, seconded by Wu. Carried 4-1.",
        [("Tran", True, (4, 1), 0)],
    ),
    (
        "Tran moved to approve the minutes of the meeting of February 6. Wu seconded. Carried 4-1.",
        [("Tran", True, (4, 1), 0)],
    ),
    (
        "Tran moved to adopt Resolution 12, seconded by Bloom. Wu moved to hear the engineer "
        "first, seconded by Ng. The motion failed 2-3. The original motion passed 3-2.",
        [("Tran", True, (3, 2), 0), ("Wu", False, (2, 3), 0)],
    ),
    (
        "Tran moved to adopt Resolution 12, seconded by Bloom. Wu offered a substitute motion to "
        "deny it, seconded by Ng. The substitute motion failed 2-3. The main motion passed 3-2.",
        [("Tran", True, (3, 2), 0), ("Wu", False, (2, 3), 0)],
    ),
    (
        "Tran moved to adopt Resolution 12, seconded by Bloom. Discussion was closed and the "
        "motion carried 5-0.",
        [("Tran", True, (5, 0), 0)],
    ),
]
