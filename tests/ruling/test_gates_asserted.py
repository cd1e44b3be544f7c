"""What a text denies, supposes, reports, asks or wishes is not a fact, however it is quoted."""

from dataclasses import replace

import pytest

from assay.model.content import ContentClass
from assay.reading.result import Reading
from assay.reading.statements import StatementMode
from assay.ruling.facts.gates import AcceptedFact, RejectedFact, Rejection, check_proposal
from assay.ruling.facts.proposals import ProposedFact
from tests.ruling.test_gates import FINE, PACK

STRICT = replace(PACK, accepted_modes=frozenset())


def check(
    text: str, quote: str, language: str, pack: object = STRICT
) -> AcceptedFact | RejectedFact:
    proposed: ProposedFact = replace(FINE, quote=quote)
    reading = Reading(content_class=ContentClass.HTML, text=text)
    return check_proposal(proposed, reading, pack, language)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "language", "cue"),
    [
        ("Dobit nije iznosila 500 eura.", "hr", "negated: 'nije'"),
        ("Ako se spoje, dobit je 500 eura.", "hr", "conditional: 'Ako'"),
        ("Die Gebühr beträgt nicht 500 Euro.", "de", "negated: 'nicht'"),
        ("Die Firma soll 500 Euro bezahlt haben.", "de", "reported: 'soll'"),
        ("The firm reportedly paid 500 EUR.", "en", "reported: 'reportedly'"),
        ("Did the firm pay 500 EUR?", "en", "asked: '?'"),
        ("The firm wants to pay 500 EUR.", "en", "wished: 'wants'"),
    ],
)
def test_what_is_not_asserted_is_refused_with_its_cue(text: str, language: str, cue: str) -> None:
    refused = check(text, text, language)
    assert isinstance(refused, RejectedFact), refused
    assert (refused.reason, cue in refused.detail) == (Rejection.NOT_ASSERTED, True), refused.detail


def test_a_quote_cannot_leave_out_the_denial() -> None:
    refused = check("The firm did not pay 500 EUR in May.", "pay 500 EUR in May", "en")
    assert isinstance(refused, RejectedFact)
    assert refused.reason is Rejection.NOT_ASSERTED


def test_a_value_that_is_also_asserted_is_a_fact() -> None:
    text = "It did not pay 500 EUR in May. It paid 500 EUR in June."
    assert isinstance(check(text, text, "en"), AcceptedFact)


def test_a_pack_says_what_else_it_accepts() -> None:
    text = "If turnover is higher, the fee is 500 EUR."
    law = replace(PACK, accepted_modes=frozenset({StatementMode.CONDITIONAL}))
    assert isinstance(check(text, text, "en"), RejectedFact)
    assert isinstance(check(text, text, "en", law), AcceptedFact)


def test_a_language_without_cues_is_not_judged() -> None:
    text = "La société ne paie pas 500 EUR."
    assert isinstance(check(text, text, "fr"), AcceptedFact)
