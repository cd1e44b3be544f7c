"""Stores for assistants, and the real client of the SDK."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest
from mcp import Client

from assay.app import App
from assay.assistants.catalog import ToolCatalog
from assay.assistants.mcp_server import build_mcp_server
from assay.settings import Settings
from tests.assistants.stored import fill_store

Connect = Callable[[], AbstractAsyncContextManager[Any]]


@pytest.fixture
def filled(settings: Settings, make_app: Callable[..., App]) -> Settings:
    """The settings of a store with everything that the tools look for."""
    fill_store(make_app(settings))
    return settings


@pytest.fixture
def reading(filled: Settings) -> Any:
    """The application as `assay mcp` opens it."""
    with App(filled, read_only=True) as app:
        yield app


@pytest.fixture
def connect(reading: App) -> Connect:
    """A client of a server in this process."""
    return lambda: Client(build_mcp_server(ToolCatalog(reading)))
