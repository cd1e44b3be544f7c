"""`GET /api/ask`: which value applies to a situation on a date."""

from typing import Annotated, Any

from fastapi import Query, Request
from pydantic import BaseModel

from assay.app.asking import ask, check_freshness, parse_day, today
from assay.console.access import Reader
from assay.console.api.routing import build_router, refuse_repeated, refuse_zeros
from assay.console.layout import OwnApp
from assay.console.release_cache import ReleaseCache
from assay.errors import InvalidInput
from assay.ruling.rules.conditions import parse_situation

_PARAMETERS = ("concept", "as_of", "release", "pack")
# Any other parameter is a field of the situation.
router = build_router("rules", checked=False)


class NamedRelease(BaseModel):
    """The release that an answer comes from."""

    pack: str
    version: str
    state: str
    manifest_hash: str


class ApplicableAnswer(BaseModel):
    """A value, and the rules that say so."""

    value: str
    value_type: str
    unit: str
    display: str
    """The value in words."""
    assumed: list[Any]
    doubt: dict[str, Any] | None
    rules: list[dict[str, Any]]
    """Each with its quotes, as it was released; `stale` is what has happened to it since."""


class OtherRule(BaseModel):
    """A rule about the same thing that does not apply, and why."""

    why: str
    reason: str
    fields: list[Any]
    display: str
    rule: dict[str, Any]


class Answer(BaseModel):
    """The answer to a question about the rules."""

    concept: str
    label: str
    as_of: str
    situation: dict[str, str]
    state: str
    """ANSWERED, SEVERAL, UNCERTAIN or NONE."""
    freshness: str
    """CURRENT, STALE or UNKNOWN."""
    answers: list[ApplicableAnswer]
    others: list[OtherRule]
    open_fields: list[str]
    """What else the answer depends on."""
    release: NamedRelease


@router.get("/api/ask")
def ask_release(
    request: Request,
    app: OwnApp,
    _principal: Reader,
    concept: Annotated[str, Query(description="Any name of the concept.")] = "",
    as_of: Annotated[str | None, Query(description="A date, YYYY-MM-DD; today by default.")] = None,
    release: Annotated[
        str | None, Query(description="A version; the current one if left out.")
    ] = None,
    pack: str | None = None,
) -> Answer:
    """Which value applies to a situation on a date.

    Every other parameter is a field of the situation: `activity=books`.
    """
    for name in _PARAMETERS:
        refuse_repeated(request, name)
    given = request.query_params.multi_items()
    refuse_zeros(*(part for pair in given for part in pair))
    if not concept:
        raise InvalidInput(
            "The parameter 'concept' is missing.",
            advice="Use /api/ask?concept=fee.amount; /api/concepts lists the concepts.",
        )
    fields = [_format_field(name, value) for name, value in given if name not in _PARAMETERS]
    situation = parse_situation(fields)
    day = today(app.clock) if as_of is None else parse_day(as_of)
    releases: ReleaseCache = request.app.state.releases
    reply = ask(releases.find_rules(release, pack), concept, situation, day)
    return Answer.model_validate(check_freshness(app, reply).values())


def _format_field(name: str, value: str) -> str:
    if "=" in name:
        raise InvalidInput(f"'{name[:80]}' is not a field name.")
    return f"{name}={value}"
