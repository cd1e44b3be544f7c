"""English cues."""

import re

from assay.reading.statements.cue_lists import CueList, compile_phrases

_PAST = r"""
was were had did became began bought brought built came chose died drew fell fought found founded
gave got grew held kept knew laid led left lost made met moved named paid put ran rose sat saw sent
set sold sought stood studied took taught told went won wrote said cost won earned
"""
_PRESENT = """
is are has have does do am be been being will would shall should can could may might must cannot
lies sits plays runs stands comes goes owns employs includes contains has becomes remains makes
takes gives holds serves works lives leads begins ends says see sees know knows wins opens closes
passes moves belongs produces covers shows publishes wants hopes plans decided arrive
"""
_NOUNS_BEGIN = r"(?:the|an?|it|he|she|they|we|its|his|her|their|this|these|all|both|no)\b"
_DECISIONS = (
    "approval|consent|ratification|clearance|completion|confirmation|decision|review|outcome|result"
)
_NOT_PAST = r"(?!need\b|indeed\b|speed\b|feed\b|seed\b|hundred\b|united\b|sacred\b|limited\b)"

ENGLISH = CueList(
    harmless=re.compile(
        compile_phrases(
            """
        not_only not_just not_merely not_simply not_least not_to_mention not_counting not_including
        not_surprisingly no_later_than no_earlier_than no_less_than no_more_than no_fewer_than
        not_later_than not_earlier_than not_less_than not_more_than not_fewer_than not_exceeding
        not_exceed not_until no_doubt no_question
        no_wonder no_matter none_other_than nothing_but no_sooner not_unlike not_far_from
        not_without
        whether_or_not if_not if_only if_any if_necessary even_if as_if what_if
        can_not_but cannot_but not_infrequently not_uncommon* not_unusual* little_doubt
        n't_deny not_deny not_denied not_dispute* not_disputed never_denied not_doubt* undeniabl*
        without_doubt without_question not_surprising no_secret not_impossible not_untrue
        would_later would_go_on would_eventually would_soon would_become would_remain would_be_known
        said_to_be_the claimed_the claimed_a claimed_his claimed_her claimed_its claimed_victory
        in_no_time no-one_but no_one_but could_not_but not_all or_not
        """
        ).pattern
        # `Regulation No 1308/2013`.
        + r"|(?<![\w-])nos?\b\.?\s*(?=\d)",
        re.IGNORECASE,
    ),
    asides=re.compile(r"[,(–—]\s*as\s+(?:[\w'’-]+\s+){0,5}[\w'’-]+\s*[,)–—]", re.IGNORECASE),
    negations=re.compile(
        compile_phrases(
            """
            not never neither nor no nobody nothing none nowhere cannot no_longer
            no_one far_from hardly scarcely barely unable_to unlikely untrue false_that is_false
            is_a_~myth is_a_~lie is_a_~hoax yet_to_be has_yet_to have_yet_to had_yet_to is_yet_to
            fell_through falls_through called_off
            """
        ).pattern
        + r"|n['’]t(?!\w)"
        # `almost 300` and `almost doubled` say how much.
        + rf"|(?<![\w-])(?:almost|nearly)\s+(?!\w*(?:doubled|tripled|trebled|halved)\b)"
        rf"(?:born|{'|'.join(_PAST.split())}|{_NOT_PAST}\w{{3,}}ed)(?![\w-])",
        re.IGNORECASE,
    ),
    narrow_negations=compile_phrases(
        "without instead_of rather_than other_than except except_for apart_from as_opposed_to"
    ),
    denials=compile_phrases(
        """
        deny denies denied denying refute* dispute* disputed refuse_to refuses_to refused_to
        fail_to fails_to failed_to failing_to declined_to declines_to rejected reject rejects
        ruled_out rules_out contrary_to contradict* debunked disproved
        cease_to ceases_to ceased_to ceasing_to withdrew_~bid withdrew_~offer
        withdraws_~bid withdraws_~offer abandoned_~bid abandoned_~plan* dropped_~bid dropped_~plan*
        """
    ),
    falsehoods=compile_phrases(
        "false untrue myth a_lie the_lie hoax misconception fallacy falsehood fabrication nonsense"
    ),
    verdicts=re.compile(
        r"\W*(?:(?:this|that|it|which|the\s+claim|the\s+story)\s+(?:is|was)\s+)?(?:simply\s+)?"
        r"(?:false|untrue|not\s+true|wrong|incorrect|(?:a\s+)?(?:lie|myth|hoax|fake))\W*",
        re.IGNORECASE,
    ),
    labels=re.compile(
        r"\W*(?:fact[\s-]?check|verdict|rating|claim)(?:\s+\w+){0,2}\s*[:(–—-]\W*"
        r"(?:\w+\s+){0,2}?(?:false|untrue|not\s+true|wrong|incorrect|fake)\b\W*"
        r"|\W*(?:false|myth|hoax|fake|untrue|not\s+true)\s*:\W*",
        re.IGNORECASE,
    ),
    suppositions=compile_phrases(
        """
        would could might may perhaps maybe possibly presumably probably likely potentially
        supposedly assuming suppose supposing appear* seem* suggest* hypothesi* possible possibility
        putative speculat* potential unclear unknown uncertain should_~have
        under_the_~proposal* under_a_~proposal* under_the_proposed under_the_draft
        """
    ),
    inversions=re.compile(r"\W*(?:should|had|were)\s+\w+", re.IGNORECASE),
    hearsay=compile_phrases(
        """
        reportedly allegedly purportedly ostensibly apparently alleged so-called rumoured rumored
        is_said_to are_said_to was_said_to were_said_to is_believed_to are_believed_to
        was_believed_to is_thought_to are_thought_to was_thought_to is_reported_to are_reported_to
        is_claimed_to is_alleged_to are_alleged_to is_rumoured_to is_rumored_to
        was_reported_to were_reported_to is_supposed_to according_to_unconfirmed according_to_media
        according_to_press according_to_reports according_to_~rumour* according_to_~rumor*
        according_to_~gossip according_to_~hearsay according_to_a_report according_to_one_report
        rumour_has_it rumor_has_it
        according_to_some according_to_critics according_to_sources according_to_a_source
        according_to_legend according_to_tradition
        """
    ),
    speech=compile_phrases(
        """
        said say says saying told tells claim claims claimed claiming_that allege alleges
        alleged_that
        argue argues argued assert asserts asserted insist insists insisted maintains_that
        maintained_that stated_that states_that announced_that announces_that reported_that
        reports_that report_that report declared_that believe believes believed think thinks thought
        suspect suspects suspected accuse accuses accused accusing rumour rumours rumor rumors
        allegation allegations claim_that warned warns predicted predicts suggested_that
        suggests_that suggesting_that according_to_him according_to_her wrote_that estimates_that
        legend_has
        """
    ),
    wishes=compile_phrases(
        """
        hope hopes hoped hoping wish wishes wished want wants wanted wanting intend intends intended
        intending plan_to plans_to planned_to planning_to plans_for aim_to aims_to aimed_to
        aiming_to
        seek_to seeks_to sought_to demand demands demanded demanding urge urges urged propose
        proposes
        proposed_that proposed_to would_like expect_to expects_to expected_to try_to tries_to
        tried_to attempt_to attempts_to attempted_to want_to willing_to ready_to let_us
        call_on calls_on called_on calls_for called_for in_order_to need_to needs_to ought_to
        threatened_to offered_to
        """
    ),
    doubts=compile_phrases(
        """
        ask asks asked asking wonder wonders wondered wondering unclear unknown uncertain decide
        determine doubt doubts see_if know_if question questions questioned investigate
        """
    ),
    questions=re.compile(
        r"\W*(?:who|whom|whose|what|when|where|why|how|which|is|are|was|were|do|does|did|has|have"
        r"|had|can|could|will|would|should|may|might)\b",
        re.IGNORECASE,
    ),
    if_words=re.compile(
        compile_phrases(
            "if unless provided_that providing_that in_case on_condition_that so_long_as as_long_as"
            " in_the_event contingent_on contingent_upon conditional_on conditional_upon"
            " on_condition_of"
        ).pattern
        # Only where a clause begins: `provided the tools`, `income subject to tax`.
        + rf"|(?<!\w\s)(?<![\w-])(?:subject\s+to|provid(?:ed|ing)\s+(?={_NOUNS_BEGIN})"
        rf"|pending\s+(?={_NOUNS_BEGIN}|(?:\w+\s+){{0,2}}(?:{_DECISIONS})))\b",
        re.IGNORECASE,
    ),
    whether_words=compile_phrases("whether"),
    relatives=compile_phrases("who which whose whom in_which of_which"),
    complements=compile_phrases("that"),
    subordinates=compile_phrases(
        """
        because although though while whereas since when where after before until as so_that
        notwithstanding despite unlike whatever however what how why once
        """
    ),
    coordinators=re.compile(
        compile_phrases("and but so").pattern + r"|(?<![\w-])yet(?!\s+to\b)(?![\w-])", re.IGNORECASE
    ),
    contrasts=compile_phrases("but but_rather"),
    verbs=re.compile(
        rf"(?<![\w-])(?:{'|'.join((_PAST + _PRESENT).split())}|{_NOT_PAST}\w{{2,}}ed|\w+n['’]t"
        r"|\w{3,}ing)(?![\w-])",
        re.IGNORECASE,
    ),
    past=re.compile(
        rf"(?<![\w-])(?:{'|'.join(_PAST.split())}|{_NOT_PAST}\w{{3,}}ed)(?![\w-])", re.IGNORECASE
    ),
    until=compile_phrases("until till before"),
    infinitives=re.compile(r"(?!)"),
)
