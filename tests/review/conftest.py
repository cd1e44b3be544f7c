"""Chambers on both databases, or on SQLite alone where the database makes no difference."""

from collections.abc import Callable
from pathlib import Path

import pytest

from assay.app import App
from assay.settings import Settings
from tests.conftest import quick_settings
from tests.review.chamber import Chamber, opened


@pytest.fixture
def chamber(make_app: Callable[..., App], settings: Settings) -> Chamber:
    return opened(make_app, settings)


@pytest.fixture
def bench(make_app: Callable[..., App], home: Path) -> Chamber:
    """On SQLite."""
    return opened(make_app, quick_settings(home))
