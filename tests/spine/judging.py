"""A text as scout judges it for one pack."""

from typing import Any, NamedTuple

from assay.packs.regulatory.scouting import SCOUTING
from assay.reading.page_look import look_at_page
from assay.spine.scouting.assessment import DocumentMeasures, PackJudgement, assess_text
from assay.spine.scouting.profile import Scouting


class Judged(NamedTuple):
    measures: DocumentMeasures
    judgement: PackJudgement


def judge(text: str, scouting: Scouting = SCOUTING, **more: Any) -> Judged:
    """The measures of a text, and what it is worth to a pack with that profile."""
    found = assess_text(text, {"pack": scouting}, **more)
    return Judged(found.measures, found.judgements["pack"])


def judge_page(data: bytes, scouting: Scouting = SCOUTING) -> Judged:
    seen = look_at_page(data)
    return judge(
        seen.text,
        scouting,
        title=seen.title,
        boilerplate_ratio=seen.boilerplate_ratio,
        has_structured_data=seen.has_structured_data,
    )
