"""Which examples property-based tests try: the same ones in `make test`, new ones in `make search`.

A test run gives the same verdict every time, so its examples depend on nothing but the test. A
search draws many more at random; what it finds becomes a written case (`@example` or a test).
"""

import os
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings
from hypothesis.internal.conjecture.providers import HypothesisProvider
from hypothesis.internal.constants_ast import Constants

FIXED = "fixed"
SEARCH = "search"
_TIMES_VARIABLE = "SEARCH_TIMES"
_TIMES = 20


def load_fixed_profile() -> None:
    """Make the fixed examples the default; `--hypothesis-profile search` chooses the others."""
    # How long an example takes says more about the machine than about the code.
    settings.register_profile(
        FIXED, deadline=None, derandomize=True, database=None, print_blob=True
    )
    settings.register_profile(SEARCH, settings.get_profile(FIXED), derandomize=False)
    settings.load_profile(FIXED)


def prepare_properties(items: Iterable[pytest.Item]) -> None:
    """Give every property the settings of the profile, even those that its own ones override."""
    is_search = settings.get_current_profile_name() == SEARCH
    if not is_search:
        _ignore_imported_modules()
    times = int(os.environ.get(_TIMES_VARIABLE) or _TIMES) if is_search else 1
    functions = {
        item.function
        for item in items
        if isinstance(item, pytest.Function) and is_hypothesis_test(item.function)
    }
    for function in functions:
        # Settings in a decorator win over a profile, and there is no public way to change them.
        own: settings = function._hypothesis_internal_use_settings
        function._hypothesis_internal_use_settings = settings(
            own,
            deadline=None,
            derandomize=not is_search,
            database=None,
            max_examples=own.max_examples * times,
            # A busy machine draws examples slowly; that must not fail a test.
            suppress_health_check=[*own.suppress_health_check, HealthCheck.too_slow],
        )


def _ignore_imported_modules() -> None:
    """Do not draw the constants of modules that happen to be imported.

    Otherwise the examples of a test depend on which tests ran before it in the same process, which
    pytest-xdist decides anew in every run.
    """

    def no_constants(_provider: Any) -> Constants:
        return Constants()

    HypothesisProvider._local_constants = property(no_constants)  # type: ignore[assignment]
