"""Motions in the styles of real minutes, with what must be read from them."""

# text, mover, seconder, words of the motion, passed, counts
MOTIONS = [
    (
        "Motion by Okafor, seconded by Lindqvist, to approve the agenda. Carried 5-0.",
        "Okafor",
        "Lindqvist",
        "to approve the agenda",
        True,
        (5, 0),
    ),
    (
        "Motion by Councilmember Okafor, second by Councilmember Lindqvist to approve the "
        "minutes. Motion carried 4-1.",
        "Okafor",
        "Lindqvist",
        "to approve the minutes",
        True,
        (4, 1),
    ),
    (
        "A motion was made by Councilmember Okafor and seconded by Vice Mayor Lindqvist to table "
        "Item 4.\n\nThe motion failed 2-5.",
        "Okafor",
        "Lindqvist",
        "to table Item 4",
        False,
        (2, 5),
    ),
    (
        "It was MOVED by Reyes, seconded by Odell, to adopt Item A. Unanimously carried by voice "
        "vote.",
        "Reyes",
        "Odell",
        "to adopt Item A",
        True,
        (),
    ),
    (
        "Councilmember Reyes moved and Councilmember Odell seconded to close the hearing at 6:47 "
        "p.m.\nMotion passed unanimously.",
        "Reyes",
        "Odell",
        "to close the hearing at 6:47 p.m",
        True,
        (),
    ),
    (
        "Member Tamm moved to approve the letter, seconded by Member\nVarga. The motion"
        "\ncarried 5-0.",
        "Tamm",
        "Varga",
        "to approve the letter",
        True,
        (5, 0),
    ),
    (
        "MOTION by Commissioner Stahl, seconded by Commissioner Nyberg recommending approval of "
        "the minutes. Vote. 4 Ayes. MOTION carried unanimously.",
        "Stahl",
        "Nyberg",
        "recommending approval of the minutes",
        True,
        (),
    ),
    (
        "Motion by Hale, seconded by Britton to approve the agenda. Motion approved unanimously "
        "(8-0 vote).",
        "Hale",
        "Britton",
        "to approve the agenda",
        True,
        (8, 0),
    ),
    (
        "Trustee Kern made a motion to approve the vouchers as follows; the motion was seconded "
        "by Trustee Brandt and approved unanimously.",
        "Kern",
        "Brandt",
        "to approve the vouchers as follows",
        True,
        (),
    ),
    (
        "Motion to approve the Minutes of the Regular Meeting as submitted."
        "\nMoved by Trustee Pereira Seconded by Trustee Czerny\nVOICE VOTE - Unanimous Approval "
        "(6-0)\nMOTION CARRIED",
        "Pereira",
        "Czerny",
        "to approve the Minutes of the Regular Meeting as submitted",
        True,
        (6, 0),
    ),
    (
        "It was moved by Trustee Zelenko and seconded by Trustee Dillard that the minutes be "
        "approved as submitted. The motion was voted upon by acclamation. Whereupon the "
        "President declared the motion carried.",
        "Zelenko",
        "Dillard",
        "that the minutes be approved as submitted",
        True,
        (),
    ),
    (
        "A motion was offered by Assistant Mayor Blau and seconded by Councilman Sandoval to add "
        "the items. The motion carried (5-0).",
        "Blau",
        "Sandoval",
        "to add the items",
        True,
        (5, 0),
    ),
    (
        "Alderman Hartley moved approval of the petition, finding that it is in the public "
        "interest. The motion to approve carried unanimously, 5-0.",
        "Hartley",
        None,
        "approval of the petition, finding that it is in the public interest",
        True,
        (5, 0),
    ),
    (
        "Alderman Laurent moved to approve withdrawal of the requested relief, which motion "
        "carried 5-0.",
        "Laurent",
        None,
        "to approve withdrawal of the requested relief",
        True,
        (5, 0),
    ),
    (
        "Holmquist moved and Blanken seconded to approve the consent agenda as presented. Roll "
        "Call Vote: Ayes: Unanimous. Nays: None. Motion carried.",
        "Holmquist",
        "Blanken",
        "to approve the consent agenda as presented",
        True,
        (),
    ),
    (
        "M/s Supervisor Connor - Supervisor Arnaud to appoint the Undersheriff. Vote: Motion "
        "carried 4-0",
        None,
        None,
        None,
        True,
        (4, 0),
    ),
    (
        "M/S Connor/Arnaud to appoint the Undersheriff. Motion carried 4-0.",
        "Connor",
        "Arnaud",
        "to appoint the Undersheriff",
        True,
        (4, 0),
    ),
    (
        "On motion of Supervisor Duarte, seconded by Supervisor Pell, and carried by the "
        "following vote:\nAyes: Duarte, Pell, Quist\nNoes: None",
        "Duarte",
        "Pell",
        None,
        True,
        (),
    ),
    (
        "Moved by: Ferrante\nSeconded by: Oyelaran\nVote: 7-0",
        "Ferrante",
        "Oyelaran",
        None,
        True,
        (7, 0),
    ),
    (
        "Moved by: Ferrante\nSeconded by: Oyelaran\nVote: 4-3",
        "Ferrante",
        "Oyelaran",
        None,
        None,
        (4, 3),
    ),
    (
        "RESULT: ADOPTED [UNANIMOUS]\nMOVER: Dana Whitlock, Councilmember"
        "\nSECONDER: Ravi Menon, Vice Mayor\nAYES: Whitlock, Menon, Castellano, Fisk",
        "Dana Whitlock",
        "Ravi Menon",
        None,
        True,
        (),
    ),
    (
        "Moved by Petrov, supported by Danjuma, to receive and file the report. Motion carried.",
        "Petrov",
        "Danjuma",
        "to receive and file the report",
        True,
        (),
    ),
    (
        "A motion was made by Commissioner Gant to recommend approval of the rezone. Motion was "
        "seconded by Commissioner Grafton and passed unanimously.",
        "Gant",
        "Grafton",
        "to recommend approval of the rezone",
        True,
        (),
    ),
    (
        "A motion was made by President Merritt, seconded by President Pro Tem Robles, to"
        "\napprove the Consent Agenda. The motion carried by the following vote:"
        "\nAye: Merritt, Robles, Klein, Keita, and Little\nNay: None",
        "Merritt",
        "Robles",
        "to\napprove the Consent Agenda",
        True,
        (),
    ),
    (
        "A motion was made by Councilor Lennox that this matter be Approved. The motion failed "
        "by the following vote:\nFor: 2 - Lennox, Baca\nAgainst: 3 - Champlin, Pena, and Tellez",
        "Lennox",
        None,
        "that this matter be Approved",
        False,
        (),
    ),
    (
        "MOTION: to Approve the Rates as presented."
        "\nMoved By Trustee Norwood, Seconded by Trustee Jessop"
        "\nYEAS: Trustee Norwood, Trustee Jessop, Trustee Tolan 3\nNAYS: None 0\nMOTION PASSED",
        "Norwood",
        "Jessop",
        "to Approve the Rates as presented",
        True,
        (),
    ),
    (
        "MOTION: Commissioner Van Dorn moved to APPROVE the Plat Amendment for 11 Main. The "
        "motion was seconded by Commissioner Sigurd. The motion passed with the unanimous "
        "consent of the Commission.",
        "Van Dorn",
        "Sigurd",
        "to APPROVE the Plat Amendment for 11 Main",
        True,
        (),
    ),
    (
        "Mr. Whitford moved that the bids be rejected; Ms. Galvan seconded. Motion carried by a "
        "vote of five to two.",
        "Whitford",
        "Galvan",
        "that the bids be rejected",
        True,
        (5, 2),
    ),
    (
        "Councilmember Stroud moved to adopt Resolution No. 24-06. Councilmember Vance seconded "
        "the motion, which carried by a vote of 6-1.",
        "Stroud",
        "Vance",
        "to adopt Resolution No. 24-06",
        True,
        (6, 1),
    ),
    (
        "Motion by Ito, seconded by Bauer, to deny the appeal. Motion failed, 3 ayes, 4 nays.",
        "Ito",
        "Bauer",
        "to deny the appeal",
        False,
        (3, 4),
    ),
    (
        "Motion by Ito to reconsider the vote. Motion failed for lack of a second.",
        "Ito",
        None,
        "to reconsider the vote",
        False,
        (),
    ),
    (
        "A substitute motion was made by Councilmember Orr to postpone this discussion. It died "
        "for a lack of a second.",
        "Orr",
        None,
        "to postpone this discussion",
        False,
        (),
    ),
    (
        "Commissioner Bell moved to continue the item. The motion dies for want of a second.",
        "Bell",
        None,
        "to continue the item",
        False,
        (),
    ),
    (
        "Upon motion by Director Lahti, seconded by Director Moss, the Board approved the "
        "budget. Motion carried 5-0-1.",
        "Lahti",
        "Moss",
        None,
        True,
        (5, 0, 1),
    ),
    (
        "Motion by Ruiz, seconded by Chan, to pay the bills. All voting aye. Motion carried.",
        "Ruiz",
        "Chan",
        "to pay the bills",
        True,
        (),
    ),
    (
        "Motion by Ruiz, seconded by Chan, to pay the bills, all members present voting aye.",
        "Ruiz",
        "Chan",
        "to pay the bills",
        True,
        (),
    ),
    (
        "Moved by O'Brien, seconded by de la Cruz, to adjourn. Carried.",
        "O'Brien",
        "de la Cruz",
        "to adjourn",
        True,
        (),
    ),
    (
        "Councilwoman García-Lopez moved to adopt Ordinance No. 12. Councilman McTavish "
        "seconded. Motion passed 5 to 0.",
        "García-Lopez",
        "McTavish",
        "to adopt Ordinance No. 12",
        True,
        (5, 0),
    ),
    (
        "COUNCILMEMBER HERRON moved to approve Resolution No. 2024-01, seconded by COUNCILMEMBER "
        "VELA.\nThe motion carried, 6-1, by the following roll call vote:\n"
        "AYES: COUNCILMEMBER HERRON, COUNCILMEMBER VELA, COUNCILMEMBER BACH, COUNCILMEMBER PENN, "
        "MAYOR PRO TEM LOWE, MAYOR AMES\nNOES: COUNCILMEMBER PHAM\nABSTAIN: NONE",
        "HERRON",
        "VELA",
        "to approve Resolution No. 2024-01",
        True,
        (6, 1),
    ),
    (
        "Member Kato moved (Member Haig seconded) to approve the minutes. AYES: 3; NOES 0; "
        "ABSENT: 2. Motion carries unanimously.",
        "Kato",
        "Haig",
        "to approve the minutes",
        True,
        (3, 0),
    ),
    (
        "MOTION BY STROM, SECOND BY HALVORSEN TO APPROVE THE AGENDA. VOTE Strom Halvorsen Aye ☒☒ "
        "Nay ☐☐ The motion carried. 1 CONSENT",
        "STROM",
        "HALVORSEN",
        "TO APPROVE THE AGENDA",
        True,
        (),
    ),
    (
        "Alderperson Kress moved to approve the agenda and Alderperson Tell seconded the\n"
        "motion.\nMayor Munk called for a voice vote. All Alderpersons voted aye. Motion carried "
        "7 - 0.",
        "Kress",
        "Tell",
        "to approve the agenda",
        True,
        (7, 0),
    ),
    (
        "This was introduced by Supervisor Theo Wald and seconded by Councilman Finn Drake with "
        "the following vote: Supervisor Theo Wald - aye, Councilman Finn Drake – aye.  Carried 2 "
        "– 0.",
        "Theo Wald",
        "Finn Drake",
        None,
        True,
        (2, 0),
    ),
    (
        "On motion of Councilman Hoyt, seconded by Justice Sutton, it was RESOLVED that the "
        "minutes be approved. Vote of the Town Board: Ayes: Supervisor March, Justice Sutton. "
        "This resolution was declared duly adopted.",
        "Hoyt",
        "Sutton",
        "that the minutes be approved",
        True,
        (),
    ),
    (
        "Commissioner Garrick moved to table the original motion. Upon a vote, the results were "
        "as follows:\nAye: Mathis\nNay: Dorn, Garrick, Pascoe\n"
        "The Chairperson ruled the motion had failed with a three to one vote.",
        "Garrick",
        None,
        "to table the original motion",
        False,
        (3, 1),
    ),
    (
        "Vice-Chairman Keene, seconded by Commissioner Tarn, moved to approve the minutes.\n\n"
        "VOTE:  Aye-3(Welles, Keene, Tarn)\n\n   Nay-0\n\n   Absent-1(Yorke)\n",
        "Keene",
        "Tarn",
        "to approve the minutes",
        True,
        (),
    ),
    (
        "Commissioner Fenn make a motion to approve the minutes. Commissioner Wall seconded the "
        "motion. All voted “aye”. The motion has passed.",
        "Fenn",
        "Wall",
        "to approve the minutes",
        True,
        (),
    ),
    (
        "MOTION WAS MADE by Commissioner O'Brady, for approval of the plan. There was no\n"
        "Second. MOTION FAILED.",
        "O'Brady",
        None,
        "for approval of the plan",
        False,
        (),
    ),
    (
        "Moved: Tran\nSeconded: Bloom\nMotion: to approve the plat.\nVote: 3-2",
        "Tran",
        "Bloom",
        "to approve the plat",
        None,
        (3, 2),
    ),
    (
        "MOVED: Councilmember Tran   SECONDED: Councilmember Bloom\nVOTE: 5-0",
        "Tran",
        "Bloom",
        None,
        True,
        (5, 0),
    ),
    ("Mayor Fox\nMoved: Tran; Seconded: Bloom; Carried.", "Tran", "Bloom", None, True, ()),
    ("Motion: Tran\nSecond: Bloom\nAll in favor. Motion carried.", "Tran", "Bloom", None, True, ()),
    (
        "Tran moved to deny the variance. Bloom seconded. The motion failed on a 2-3 vote.",
        "Tran",
        "Bloom",
        "to deny the variance",
        False,
        (2, 3),
    ),
    (
        "Tran moved to deny the variance, seconded by Bloom. The motion did not pass, 2-3.",
        "Tran",
        "Bloom",
        "to deny the variance",
        False,
        (2, 3),
    ),
    (
        "Motion by Tran, seconded by Bloom to approve. Yes: 6. No: 0.",
        "Tran",
        "Bloom",
        "to approve",
        True,
        (6, 0),
    ),
    (
        "Motion by Tran, seconded by Bloom to approve. Yes: 4. No: 2. Abstain: 1. Motion passed.",
        "Tran",
        "Bloom",
        "to approve",
        True,
        (4, 2, 1),
    ),
    (
        "It was moved by Tran and seconded by Bloom to approve. The motion passed "
        "with 4 yes votes and 1 no vote.",
        "Tran",
        "Bloom",
        "to approve",
        True,
        (4, 1),
    ),
    (
        "Mr. Tran made a motion to approve. Ms. Bloom seconded. So voted 5-0.",
        "Tran",
        "Bloom",
        "to approve",
        True,
        (5, 0),
    ),
    (
        "MOVED BY ST. CLAIR, SECONDED BY O'ROURKE, TO APPROVE THE AGENDA. MOTION CARRIED.",
        "ST. CLAIR",
        "O'ROURKE",
        "TO APPROVE THE AGENDA",
        True,
        (),
    ),
    ("Tran/Bloom moved to approve. Passed 5-0.", "Tran", "Bloom", None, True, (5, 0)),
    ("MOTION (Tran/Bloom) to approve. Passed 5-0.", "Tran", "Bloom", "to approve", True, (5, 0)),
    (
        "Motion to approve by Tran. Second by Bloom. Vote 5/0.",
        "Tran",
        "Bloom",
        "to approve",
        True,
        (5, 0),
    ),
    (
        "The motion, made by Tran and seconded by Bloom, failed by a vote of 2 to 3.",
        "Tran",
        "Bloom",
        None,
        False,
        (2, 3),
    ),
    (
        "Member Tran introduced the following resolution and moved its adoption:\n"
        "RESOLUTION 12\nThe motion for the adoption of the foregoing resolution was "
        "duly seconded by Member Bloom. Whereupon said resolution was declared duly "
        "passed.",
        "Tran",
        "Bloom",
        "its adoption:\nRESOLUTION 12",
        True,
        (),
    ),
    (
        "Moved by Tran, seconded by Bloom, to approve. Motion carried on Ordinance 24-07.",
        "Tran",
        "Bloom",
        "to approve",
        True,
        (),
    ),
    (
        "Moved by Tran, seconded by Bloom, to approve. Approved Resolution 12-3 "
        "unanimously. Motion carried.",
        "Tran",
        "Bloom",
        "to approve",
        True,
        (),
    ),
    (
        "Moved by Tran, seconded by Bloom, to approve. Motion passed (File 8-2).",
        "Tran",
        "Bloom",
        "to approve",
        True,
        (),
    ),
    (
        "Moved by Tran, seconded by Bloom, to approve. Motion passed, adopting Bill No. 24-7.",
        "Tran",
        "Bloom",
        "to approve",
        True,
        (),
    ),
    (
        "Moved by Tran, seconded by Bloom, to approve. Motion passed for case SUP 24-3.",
        "Tran",
        "Bloom",
        "to approve",
        True,
        (),
    ),
    (
        "Moved by Tran, seconded by Bloom, to approve. Motion carried. Ordinance 24-07 was read.",
        "Tran",
        "Bloom",
        "to approve",
        True,
        (),
    ),
    (
        "Moved by Tran, seconded by Bloom, to approve. Motion passed on Ordinance 12-3 by 4-1.",
        "Tran",
        "Bloom",
        "to approve",
        True,
        (4, 1),
    ),
]
