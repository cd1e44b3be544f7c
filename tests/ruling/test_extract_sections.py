"""Long documents: the free extractor reads all of them, and a model what is left, in sections."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from assay.app import App
from assay.llm.doubles.scripted import Say
from assay.llm.limits import Policy
from assay.llm.messages import ModelRequest
from assay.llm.plane import ControlPlane
from assay.store import tables as t
from assay.store import truth
from tests.conftest import quick_settings
from tests.ruling.test_extract import act, facts, published
from tests.ruling.test_extract_model import PROSE, QUOTE, asking, claim, said
from tests.spine.sites import Watch, Workplace

Asking = Callable[..., Any]
CAP = Policy().evidence_tokens or 0
STORY = "<p>This Act lays down the rates, the fees and the time limits for paying the tax.</p>"
DUTY = "<p>Each owner in street {n} must keep the old wall of the house clean in any season.</p>"
FAR = STORY * 16
"""So much text between two sentences that they do not fit into one window."""
OTHER = "<p>Article 9. Each carriage in the new harbour must show EUR 19 on its door.</p>"
OTHER_QUOTE = "Each carriage in the new harbour must show EUR 19 on its door."


@pytest.fixture
def with_model(make_app: Callable[..., App], home: Path, shared_workplace: Workplace) -> Asking:
    def made(*answers: Say) -> Any:
        return asking(make_app, quick_settings(home), shared_workplace, answers)

    return made


def spent(watch: Watch) -> int:
    return sum(row["charged_tokens"] for row in watch.rows(t.spending.call))


def test_a_figure_at_the_end_of_400_kb_is_seen_by_the_model(with_model: Asking) -> None:
    words = iter(map("".join, product("bdfglmnprstvz", "aeiou", "klmnrst", "aeiou", "nrs")))
    lines = (f"The law on {a} and {b} names {c}, {d} and {e} of {f} besides rates and fees."
             for a, b, c, d, e, f in zip(*[words] * 6, strict=False))  # fmt: skip
    text = "".join(f"<p>{line}</p>" for line in lines)
    body = act(extra=text * (400_000 // len(text) + 1) + PROSE)
    assert len(body) > 400_000
    with with_model(said(claim())) as (watch, asked, _):
        published(watch, a=body)
        watch.run()
        (request,) = asked.requests
        assert QUOTE in request
        assert {("harbour_levy.fee", "17"), ("pdv.rate", "25")} <= set(facts(watch))
        assert 0 < spent(watch) <= CAP
        (candidate,) = watch.rows(t.candidate)
        assert candidate["state"] == "ingested"


def test_what_the_cap_of_the_day_leaves_out_follows_the_next_day(with_model: Asking) -> None:
    duties = "".join(DUTY.format(n=n) for n in range(250))
    with with_model(said(claim()), *[said()] * 40) as (watch, asked, provider):
        published(watch, a=act(extra=duties + FAR + PROSE))
        watch.run()
        assert QUOTE in asked.requests[0], "values go before duties"
        first = provider.opens
        assert first > 1 and spent(watch) <= CAP
        assert {("harbour_levy.fee", "17"), ("pdv.rate", "25")} <= set(facts(watch))
        (candidate,) = watch.rows(t.candidate)
        midnight = (watch.clock.now_ms() // 86_400_000 + 1) * 86_400
        assert (candidate["state"], candidate["next_retry_unix"]) == ("blocked", midnight)
        assert watch.rows(t.review_request, reason="EVIDENCE_TOO_LARGE") == []
        for _ in range(4):
            watch.clock.turn(days=1)
            watch.run()
        (candidate,) = watch.rows(t.candidate)
        assert candidate["state"] == "ingested"
        sent = [request.user for request in provider.requests]
        assert len(sent) == len(set(sent)) > first, "nothing is paid for twice"
        assert all(f"street {n} must" in "".join(sent) for n in range(250))
        by_day: dict[str, int] = {}
        for row in watch.rows(t.spending.call):
            by_day[row["day"]] = by_day.get(row["day"], 0) + row["charged_tokens"]
        assert len(by_day) > 1 and max(by_day.values()) <= CAP


class Killed(BaseException):
    """The end of a process, which no handler of errors catches."""


@dataclass
class Dying:
    """A control plane that answers once; before the second call, its process ends."""

    plane: Any
    answered: int = 0

    async def ask(self, request: ModelRequest, **more: Any) -> Any:
        if self.answered:
            raise Killed
        self.answered += 1
        return await self.plane.ask(request, **more)


def test_a_kill_between_two_sections_pays_for_nothing_twice(with_model: Asking) -> None:
    answers = said(claim()), said(claim(value="19", quote=OTHER_QUOTE))
    with with_model(*answers) as (watch, asked, provider):
        plane = asked.plane
        asked.plane = Dying(plane)
        published(watch, a=act(extra=PROSE + FAR + OTHER))
        with pytest.raises(Killed):
            watch.run()
        assert facts(watch) == [] and provider.opens == 1
        asked.plane = plane
        watch.drain()
        assert {("harbour_levy.fee", "17"), ("harbour_levy.fee", "19")} <= set(facts(watch))
        assert provider.opens == len(watch.rows(t.spending.call)) == 2


def test_a_document_of_which_no_section_fits_is_read_without_a_model(with_model: Asking) -> None:
    with with_model() as (watch, asked, provider):
        plane = asked.plane
        asked.plane = ControlPlane(
            watch.app.engine, [provider], clock=watch.clock, policy=Policy(evidence_tokens=50)
        )
        published(watch, a=act(extra=PROSE))
        watch.run()
        assert ("pdv.rate", "25") in facts(watch) and watch.dead() == []
        (candidate,) = watch.rows(t.candidate)
        assert candidate["state"] == "blocked" and provider.opens == 0
        asked.plane = plane


def test_a_cross_reference_alone_leaves_its_sentence_to_the_model(with_model: Asking) -> None:
    duty = "<p>Article 6. Each owner must show the mark under Article 5 of the Ports Act.</p>"
    quote = "Each owner must show the mark under Article 5 of the Ports Act."
    told = claim(
        subject="port_mark", predicate="duty", value="must show the mark", value_type="text",
        unit="", quote=quote,
    )  # fmt: skip
    with with_model(said(told)) as (watch, asked, _):
        published(watch, a=act(extra=duty))
        watch.run()
        (request,) = asked.requests
        assert quote in request
        assert [concept for concept, _ in facts(watch) if concept.endswith("refers_to")]
        assert ("port_mark.duty", "must show the mark") in facts(watch)
        (report,) = watch.rows(truth.coverage_report)
        assert report["covered"] == report["relevant"] == 4 and report["share"] == 1.0


def test_a_model_sees_heading_and_lead_in_inside_the_fence(with_model: Asking) -> None:
    listed = """<h2>Marks of vessels -------- obey</h2><p>The following is shown on a mast:</p>
    <ul><li>EUR 17 in gold by each vessel of the old harbour.</li></ul>"""
    with with_model(said()) as (watch, asked, _):
        published(watch, a=act(extra=listed))
        watch.run()
        (request,) = asked.requests
        _, text, after = request.split("------")
        assert after.strip() == ""
        context, _, words = text.strip().partition("\n\n")
        assert context.startswith("[") and context.endswith("]")
        assert "Marks of vessels --- obey" in context
        assert "The following is shown on a mast:" in context
        assert words.strip() == "EUR 17 in gold by each vessel of the old harbour."


def test_a_sentence_with_a_missed_value_is_sent_and_its_known_value_is_not_renamed(
    with_model: Asking,
) -> None:
    both = "<p>Article 6. The rate of value added tax for ships is 9 %, and 40 hours are long.</p>"
    quote = "The rate of value added tax for ships is 9 %, and 40 hours are long."
    again = claim(value="9", value_type="percentage", unit="%", predicate="penalty", quote=quote)
    other = claim(value="40", value_type="count", unit="hours", predicate="period", quote=quote)
    with with_model(said(again, other)) as (watch, asked, _):
        published(watch, a=act(extra=both))
        watch.run()
        (request,) = asked.requests
        assert quote in request
        assert ("harbour_levy.period", "40") in facts(watch)
        assert ("harbour_levy.penalty", "9") not in facts(watch)
        (report,) = watch.rows(truth.coverage_report)
        assert report["values_found"] == report["values_total"] == 5
