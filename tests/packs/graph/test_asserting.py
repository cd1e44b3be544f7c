"""Relations that a text does not assert are refused, with the words that show it."""

import pytest

from assay.packs.graph.asserting import split_asserted
from assay.packs.graph.model import Entity, Refusal, Relation, TextSpan

ENTITY_TYPE = "http://example.org/Thing"


def relate(text: str) -> tuple[tuple[Relation, ...], list[tuple[Refusal, str]]]:
    """What becomes of `Ana, birth place, Zagreb`, quoted as `text`."""

    def make(name: str) -> Entity:
        start = text.index(name)
        span = TextSpan(start, start + len(name), name, "d")
        return Entity(id=name, name=name, types=(ENTITY_TYPE,), mentions=(span,))

    relation = Relation(
        id="r",
        subject="Ana",
        predicate="http://example.org/birthPlace",
        object="Zagreb",
        quotes=(TextSpan(0, len(text), text, "d"),),
    )
    kept, refused = split_asserted([relation], [make("Ana"), make("Zagreb")], text, "d")
    return kept, [(one.reason, one.detail) for one in refused]


def test_a_denied_relation_is_refused_with_its_cue() -> None:
    kept, refused = relate("Ana was not born in Zagreb.")
    assert kept == ()
    assert refused == [(Refusal.NOT_ASSERTED, "The text does not assert it (negated: 'not').")]


def test_an_asserted_relation_is_kept() -> None:
    kept, refused = relate("Ana was born in Zagreb and never returned to it.")
    assert ([one.id for one in kept], refused) == (["r"], [])


@pytest.mark.parametrize(
    ("text", "cue"),
    [
        ("Ana was NOT born in Zagreb.", "negated: 'not'"),
        ("Ana was _not_ born in Zagreb.", "negated: 'not'"),
        ("Ana was n\u200bot born in Zagreb.", "negated: 'not'"),
        ("Should the story be true, Ana was born in Zagreb.", "conditional: 'Should the'"),
        ("According to a rumour, Ana was born in Zagreb.", "reported: 'According to a rumour'"),
        ("Fact check: false. Ana was born in Zagreb.", "negated: 'Fact check: false.'"),
    ],
)
def test_no_spelling_and_no_verdict_beside_it_makes_a_relation(text: str, cue: str) -> None:
    kept, refused = relate(text)
    assert kept == ()
    assert refused == [(Refusal.NOT_ASSERTED, f"The text does not assert it ({cue}).")]
