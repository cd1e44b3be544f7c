"""What the tests of the stages share: reading processes, and a site that is watched."""

from collections.abc import Callable, Iterator

import pytest

from assay.app import App
from assay.app.installed_packs import load_installed_facts
from assay.settings import Settings
from tests.stages.sites import Watch, Workplace, watching, workplace


@pytest.fixture(scope="session")
def shared_workplace() -> Iterator[Workplace]:
    with workplace() as shared:
        yield shared


@pytest.fixture
def watch(
    settings: Settings, make_app: Callable[..., App], shared_workplace: Workplace
) -> Iterator[Watch]:
    """An application that watches a site of its own, on either database."""
    with watching(make_app, settings, shared_workplace) as made:
        yield made


@pytest.fixture
def regulated(
    settings: Settings, make_app: Callable[..., App], shared_workplace: Workplace
) -> Iterator[Watch]:
    """The same, with a pack that takes rules from what is found."""
    with watching(make_app, settings, shared_workplace, packs=load_installed_facts()) as made:
        yield made
