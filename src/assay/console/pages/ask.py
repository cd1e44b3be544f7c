"""`/ask`: which value applies, asked in a person's own words, with the quotes opened in place."""

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from assay.app import App
from assay.app.asking import ReleaseAnswer, ReleasedRules, ask, check_freshness, parse_day, today
from assay.app.releases import list_releases
from assay.app.reviewing import describe_rule_for_review
from assay.console.access import Reader
from assay.console.layout import OwnApp, cache_of, render_page
from assay.errors import AssayError, InvalidInput, NotFound
from assay.ruling.rules.conditions import parse_situation
from assay.ruling.rules.descriptions import describe_period
from assay.ruling.situations import list_choices

router = APIRouter()
_FIELD = "field."
_MOST_RULES = 5
"""Rules whose quotes are opened for one answer."""
_MOST_MISSES = 12
_MOST_CHOICES = 12


@router.get("/ask")
def show_answer(
    request: Request,
    app: OwnApp,
    _principal: Reader,
    q: str = "",
    as_of: str = "",
    pack: str = "",
    release: str = "",
) -> Response:
    """The form, and the answer if something was asked."""
    given = {
        name.removeprefix(_FIELD): value.strip()
        for name, value in request.query_params.items()
        if name.startswith(_FIELD) and value.strip()
    }
    day = parse_day(as_of) if as_of.strip() else today(app.clock)
    values: dict[str, Any] = {
        "q": q.strip(),
        "as_of": day.isoformat(),
        "pack": pack,
        "release": release,
        "given": given,
        "packs": sorted({each.pack for each in list_releases(app)}),
        "reply": None,
        "problem": None,
        "choices": (),
        "fields": (),
    }
    if q.strip() or release or pack:
        try:
            released = cache_of(request).find_rules(release or None, pack or None)
            values |= _answer(app, released, q.strip(), given, day) if q.strip() else {}
        except (NotFound, InvalidInput) as error:
            values["problem"] = error
            values["choices"] = _suggest(request, q.strip(), release, pack)
    return render_page(request, "ask.html", **values)


def _answer(
    app: App, released: ReleasedRules, words: str, given: Mapping[str, str], day: Any
) -> dict[str, Any]:
    situation = parse_situation([f"{name}={value}" for name, value in given.items()])
    reply = check_freshness(app, ask(released, words, situation, day))
    asked = {*reply.answer.open_fields, *given}
    return {
        "reply": reply.values(),
        "opened": _open_quotes(app, reply),
        "fields": [
            {"name": name, "choices": choices[:_MOST_CHOICES], "value": given.get(name, "")}
            for name, choices in list_choices(
                rule.applies_when for rule in released.rules_of_concept(reply.answer.concept)
            ).items()
            if name in asked
        ],
        "most_misses": _MOST_MISSES,
        "describe_period": describe_period,
    }


def _open_quotes(app: App, reply: ReleaseAnswer) -> dict[str, list[dict[str, Any]]]:
    """The quotes of the answer's rules with the text around them; none where a rule is gone."""
    opened: dict[str, list[dict[str, Any]]] = {}
    rules = [rule for found in reply.answer.found for rule in found.rules]
    for rule in rules[:_MOST_RULES]:
        try:
            opened[rule.rule_id] = describe_rule_for_review(app, rule.rule_id)["quotes"]
        except AssayError:
            opened[rule.rule_id] = []
    return opened


def _suggest(request: Request, words: str, release: str, pack: str) -> list[tuple[str, str]]:
    """Concepts that may be meant, with their labels."""
    try:
        search = cache_of(request).find_rules(release or None, pack or None).search
    except AssayError:
        return []
    names = list(search.select(words)) or search.suggest(words)
    return [(name, next(iter(search.labels.get(name, ())), "")) for name in names[:_MOST_CHOICES]]
