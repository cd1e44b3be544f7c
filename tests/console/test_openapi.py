"""The description of the API, and requests that Schemathesis makes up from it."""

import asyncio
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.python import asgi
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from assay.app import App
from assay.app.console_addresses import CONSOLE_ROOTS
from assay.app.principals import Role
from assay.clock import TurnedClock
from assay.console import create_console
from tests.conftest import quick_settings
from tests.console.conftest import identify
from tests.console.questions import ABOUT_EVIDENCE, ask_people
from tests.packs.graph.provider import ONTOLOGY, TEXT
from tests.server.sites import serving

CHECKS: list[Any] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
KNOWN = {
    "rule_id": "rl_general",
    "version": "1.0.0",
    "request_id": ABOUT_EVIDENCE,
    "doc_id": "do_1",
    "slug": "gazette",
    "name": "feed",
    "id": "mine",
}
"""Ids of what there is: most made-up ones are of nothing."""
FEW = settings(max_examples=15, suppress_health_check=list(HealthCheck))
MODES = [GenerationMode.POSITIVE, GenerationMode.NEGATIVE]


@pytest.fixture(scope="module")
def stored(migrated_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """A store with questions, for all requests together."""
    home = tmp_path_factory.mktemp("openapi") / "home"
    shutil.copytree(migrated_once, home)
    with App(quick_settings(home), clock=TurnedClock()) as app:
        ask_people(app)
        yield app


@pytest.fixture(scope="module")
def console(stored: App) -> Iterator[tuple[Any, requests.Session]]:
    """The description, and a session with the application."""
    made: Any = create_console(stored)
    with asgi.get_client(made) as session:
        session.headers.update(identify("ana", Role.OPERATOR))
        yield schemathesis.openapi.from_dict(made.openapi()), session


@pytest.fixture(scope="module")
def url(stored: App) -> Iterator[str]:
    """The address of the server, which runs in a thread of its own."""
    ready, stop = threading.Event(), asyncio.Event()
    found: list[str] = []
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        async with serving(stored) as address:
            found.append(address)
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    try:
        assert ready.wait(60)
        yield found[0]
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


def draw_case(data: st.DataObject, described: Any, method: str, path: str) -> Any:
    """A request that fits the description, or one that does not; some name what there is."""
    mode = data.draw(st.sampled_from(MODES))
    case: Any = data.draw(described[path][method].as_strategy(mode))
    if data.draw(st.booleans()):
        given_path = dict(case.path_parameters)
        case.path_parameters = {name: KNOWN.get(name, value) for name, value in given_path.items()}
    return case


OWN = (
    ("GET", "/api/ask"),
    ("GET", "/api/concepts"),
    ("GET", "/api/rules/{rule_id}"),
    ("GET", "/api/releases"),
    ("POST", "/api/releases"),
    ("GET", "/api/releases/{version}"),
    ("GET", "/api/releases/{version}/manifest"),
    ("GET", "/api/questions"),
    ("GET", "/api/questions/{request_id}"),
    ("POST", "/api/questions/{request_id}/decision"),
    ("GET", "/api/conflicts"),
    ("GET", "/api/documents"),
    ("GET", "/api/documents/{doc_id}"),
    ("GET", "/api/evidence/{evidence_id}"),
    ("GET", "/api/facts"),
    ("GET", "/api/sources"),
    ("GET", "/api/sources/{slug}"),
    ("POST", "/api/sources/{slug}/pause"),
    ("POST", "/api/sources/{slug}/resume"),
    ("GET", "/api/runs"),
    ("GET", "/api/jobs"),
    ("GET", "/api/jobs/{job_id}"),
    ("GET", "/api/dead-letters"),
    ("POST", "/api/jobs/{job_id}/retry"),
    ("POST", "/api/jobs/{job_id}/cancel"),
    ("GET", "/api/status"),
    ("GET", "/api/budget"),
    ("GET", "/feeds/{name}.xml"),
)
ENDLESS = ("GET", "/api/events")
OF_PACKS = (
    ("POST", "/extract"),
    ("GET", "/extract"),
    ("GET", "/extract/{id}"),
    ("GET", "/extract/{id}/events"),
    ("DELETE", "/extract/{id}"),
)


def test_every_route_is_described(stored: App) -> None:
    described = create_console(stored).openapi()
    listed = {
        (method.upper(), path)
        for path, methods in described["paths"].items()
        for method in methods
        if path.startswith(("/api/", "/feeds/", "/extract"))
    }
    assert listed == {*OWN, ENDLESS, *OF_PACKS}
    extract = described["paths"]["/extract"]["post"]
    assert extract["requestBody"]["content"]["application/json"]["schema"]["required"] == ["text"]
    assert set(extract["responses"]) == {"200", "202", "default"}
    assert "HTTPValidationError" not in str(described)


def test_the_addresses_of_the_console_are_its_own(stored: App) -> None:
    made = create_console(stored)
    names = set(stored.packs.installed)
    paths = [str(getattr(route, "path", "")) for route in made.routes]
    paths += [path for path in made.openapi()["paths"] if not path.startswith("/extract")]
    firsts = {path.split("/")[1] for path in paths if path.startswith("/")}
    assert firsts - names - {""} <= CONSOLE_ROOTS


@pytest.mark.parametrize(("method", "path"), OWN)
@FEW
@given(data=st.data())
def test_no_request_ends_in_a_fault(
    data: st.DataObject, console: tuple[Any, requests.Session], method: str, path: str
) -> None:
    described, session = console
    case = draw_case(data, described, method, path)
    case.validate_response(case.call(session=session, base_url="http://localhost"), checks=CHECKS)


@pytest.mark.parametrize(("method", "path"), OF_PACKS)
@FEW
@given(data=st.data())
def test_no_request_to_a_pack_ends_in_a_fault(
    data: st.DataObject,
    console: tuple[Any, requests.Session],
    url: str,
    method: str,
    path: str,
) -> None:
    case = draw_case(data, console[0], method, path)
    if isinstance(case.body, dict) and data.draw(st.booleans()):
        case.body = case.body | {"text": TEXT, "ontology": ONTOLOGY, "model": False}
    with requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {'x' * 40}"
        case.validate_response(case.call(session=session, base_url=url), checks=CHECKS)
