"""What `POST /extract` takes: a JSON object, checked before anything is done for it."""

import asyncio
import json
import re
from typing import Annotated, Any, Literal

from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assay.app import App
from assay.app.graphs import Order
from assay.errors import ContentTooLarge, InvalidInput, NotFound, from_os_error
from assay.packs.graph.home_ontologies import find_ontologies
from assay.packs.graph.ontology_pack import BUNDLED, bundled_ontology
from assay.packs.graph.options import Options

MAX_BYTES = 20_000_000
"""Of a request; an ontology that is larger lies in the home and is named."""
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
KNOWN_ID = re.compile(r"[A-Za-z0-9_.-]{1,80}")
"""An id that a request, or a part of one, can have."""

_Words = Annotated[str, Field(max_length=MAX_BYTES)]
"""With a bound it is checked that they are whole characters, which can be written down."""
_Format = Literal["turtle", "ntriples", "jsonld"]


class Wanted(BaseModel):
    """The body of a request."""

    model_config = ConfigDict(extra="forbid", strict=True)

    text: Annotated[str, Field(min_length=1)]
    ontology: _Words | None = None
    """The ontology itself."""
    ontology_format: Literal["turtle", "rdfxml", "jsonld", "ntriples"] | None = None
    ontology_name: _Words | None = None
    """The name of one that lies in the home, instead."""
    name: Annotated[str, Field(max_length=1_000)] = ""
    formats: list[_Format] = ["turtle"]
    base: _Words = "urn:assay:"
    model: bool = True
    provider: _Words | None = None
    tokens: int | None = None
    request_id: _Words | None = None


async def order_of(request: web.Request, app: App) -> Order:
    """The order that a request brings; InvalidInput says what is wrong with it."""
    if request.content_type != "application/json":
        # A page in a browser can send anything else to any address without asking first.
        raise InvalidInput(
            f"The request has the type {request.content_type}.",
            advice="Send JSON, with Content-Type: application/json.",
        )
    try:
        body = await request.read()
    except web.HTTPRequestEntityTooLarge as error:
        raise ContentTooLarge(
            f"The request has more than {MAX_BYTES} bytes.",
            advice="Put a large ontology into the home's folder 'ontologies' and name it.",
        ) from error
    wanted = _wanted(body)
    most = app.settings.request_max_characters
    if len(wanted.text) > most:
        raise ContentTooLarge(
            f"The text has {len(wanted.text)} characters, more than {most}.",
            advice="Split it, or raise request_max_characters.",
        )
    ontology, name = await asyncio.to_thread(_ontology, wanted, app)
    tokens = _tokens(wanted, app.settings.request_tokens)
    known: dict[str, Any] = {} if wanted.request_id is None else {"request_id": wanted.request_id}
    return Order(
        text=wanted.text,
        ontology=ontology,
        ontology_name=name,
        options=Options(formats=tuple(wanted.formats), base=wanted.base, tokens=tokens),
        use_model=wanted.model,
        provider=wanted.provider,
        name=wanted.name,
        **known,
    )


def _tokens(wanted: Wanted, most: int) -> int:
    """What a part of the text may cost: whoever asks may want to spend less, not more."""
    if wanted.tokens is not None and wanted.tokens > most:
        raise InvalidInput(
            f"tokens: a request may cost {most} at most, not {wanted.tokens}.",
            advice="Ask for fewer, or raise request_tokens.",
        )
    return most if wanted.tokens is None else wanted.tokens


def _wanted(body: bytes) -> Wanted:
    try:
        told = json.loads(body, object_pairs_hook=_each_once)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("The request is no JSON.", advice=_EXAMPLE) from error
    try:
        wanted = Wanted.model_validate(told)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the request"
        place = place[:80].encode("ascii", "backslashreplace").decode()
        raise InvalidInput(f"{place}: {first['msg']}.", advice=_EXAMPLE) from error
    if wanted.request_id is not None and not _ID.fullmatch(wanted.request_id):
        raise InvalidInput(
            "request_id may have letters, digits, - and _, at most 64.", advice="Leave it out."
        )
    return wanted


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    told = dict(pairs)
    if len(told) < len(pairs):
        raise InvalidInput("The request has a field twice.", advice="Send each field once.")
    return told


def _ontology(wanted: Wanted, app: App) -> tuple[bytes, str]:
    if (wanted.ontology is None) == (wanted.ontology_name is None):
        raise InvalidInput("An ontology is needed, either itself or by its name.", advice=_EXAMPLE)
    if wanted.ontology is not None:
        ending = _ENDINGS.get(wanted.ontology_format or "", "")
        return wanted.ontology.encode(), f"ontology{ending}"
    if wanted.ontology_name == BUNDLED:
        return bundled_ontology(), f"{BUNDLED}.ttl"
    files = find_ontologies(app.settings.home)
    file = files.get(wanted.ontology_name or "")
    if file is None:
        known = ", ".join((BUNDLED, *files))
        raise NotFound(
            f"There is no ontology '{wanted.ontology_name}'.", advice=f"Known are: {known}."
        )
    try:
        return file.read_bytes(), file.name
    except OSError as error:
        raise from_os_error(error, f"reading the ontology {file.name}") from error


_ENDINGS = {"turtle": ".ttl", "rdfxml": ".rdf", "jsonld": ".jsonld", "ntriples": ".nt"}
_EXAMPLE = 'Send {"text": "…", "ontology": "…"}; docs/how-to/graphs.md has all fields.'
