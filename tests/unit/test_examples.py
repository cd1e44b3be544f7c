"""Property-based tests try the same examples in every run, however busy the machine is."""

import pytest
from hypothesis import HealthCheck, given, is_hypothesis_test, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture.providers import HypothesisProvider

from tests.examples import FIXED


def test_every_property_has_fixed_examples(request: pytest.FixtureRequest) -> None:
    functions = [item.function for item in request.session.items if hasattr(item, "function")]
    properties = [function for function in functions if is_hypothesis_test(function)]
    assert settings.get_current_profile_name() == FIXED
    for function in [*properties, draw]:
        chosen = function._hypothesis_internal_use_settings
        assert chosen.derandomize, function
        assert chosen.database is None, function
        assert chosen.deadline is None, function
    for function in properties:
        chosen = function._hypothesis_internal_use_settings
        assert HealthCheck.too_slow in chosen.suppress_health_check, function


drawn: list[tuple[str, int, bytes]] = []


@given(st.text(), st.integers(), st.binary())
def draw(text: str, number: int, data: bytes) -> None:
    drawn.append((text, number, data))


def test_a_property_draws_the_same_examples_every_time() -> None:
    draw()
    first = drawn.copy()
    drawn.clear()
    draw()
    assert len(first) == 100
    assert drawn == first


def test_examples_do_not_depend_on_the_modules_that_are_imported() -> None:
    assert not len(HypothesisProvider(None)._local_constants)
