"""The body of `POST /extract`: a JSON object, checked before any work starts."""

import asyncio
import re
from typing import Annotated, Any, Literal

from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field

from assay.packs.graph.home_ontologies import find_ontologies
from assay.packs.graph.ontology_pack import BUNDLED, read_bundled_ontology
from assay.packs.graph.options import FORMATS, GraphOptions
from assay.packs.graph.service import GraphOrder
from assay.sdk.errors import ContentTooLarge, InvalidInput, NotFound, from_os_error
from assay.sdk.services import Services
from assay.sdk.web import WebLimits, read_body

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
KNOWN_ID = re.compile(r"[A-Za-z0-9_.-]{1,80}")
"""An id that a request, or a part of one, can have."""

_Words = Annotated[str, Field(max_length=WebLimits().body_bytes)]
"""The length limit also makes pydantic check that the text has no lone surrogates."""
_Name = Annotated[str, Field(max_length=1_000)]
"""It is repeated in results, some of them for each entity."""
_Format = Literal["turtle", "ntriples", "jsonld"]


class ExtractBody(BaseModel):
    """The body of a request."""

    model_config = ConfigDict(extra="forbid", strict=True)

    text: Annotated[str, Field(min_length=1)]
    ontology: _Words | None = None
    """The ontology itself."""
    ontology_format: Literal["turtle", "rdfxml", "jsonld", "ntriples"] | None = None
    ontology_name: _Name | None = None
    """The name of an ontology in the home, as an alternative."""
    name: _Name = ""
    formats: Annotated[list[_Format], Field(max_length=len(FORMATS))] = ["turtle"]
    base: _Name = "urn:assay:"
    model: bool = True
    provider: _Name | None = None
    tokens: int | None = None
    request_id: _Name | None = None


async def read_order(request: web.Request, services: Services) -> GraphOrder:
    """Read the order in a request; InvalidInput says what is wrong with it."""
    body = await read_body(request, ExtractBody, example=_EXAMPLE, too_large=_TOO_LARGE)
    if body.request_id is not None and not _ID.fullmatch(body.request_id):
        raise InvalidInput(
            "request_id may contain at most 64 letters, digits, - and _.", advice="Leave it out."
        )
    most = services.settings.request_max_characters
    if len(body.text) > most:
        raise ContentTooLarge(
            f"The text has {len(body.text)} characters, more than {most}.",
            advice="Split it, or raise request_max_characters.",
        )
    ontology, name = await asyncio.to_thread(_read_ontology, body, services)
    tokens = _choose_tokens(body, services.settings.request_tokens)
    known: dict[str, Any] = {} if body.request_id is None else {"request_id": body.request_id}
    return GraphOrder(
        text=body.text,
        ontology=ontology,
        ontology_name=name,
        options=GraphOptions(formats=tuple(body.formats), base=body.base, tokens=tokens),
        use_model=body.model,
        provider=body.provider,
        name=body.name,
        **known,
    )


def _choose_tokens(body: ExtractBody, most: int) -> int:
    """Choose what a part of the text may cost: the client may ask for less, not for more."""
    if body.tokens is not None and body.tokens > most:
        raise InvalidInput(
            f"tokens: a request may cost at most {most}, not {body.tokens}.",
            advice="Ask for fewer, or raise request_tokens.",
        )
    return most if body.tokens is None else body.tokens


def _read_ontology(body: ExtractBody, services: Services) -> tuple[bytes, str]:
    if (body.ontology is None) == (body.ontology_name is None):
        raise InvalidInput("Send either an ontology or the name of one.", advice=_EXAMPLE)
    if body.ontology is not None:
        ending = _ENDINGS.get(body.ontology_format or "", "")
        return body.ontology.encode(), f"ontology{ending}"
    if body.ontology_name == BUNDLED:
        return read_bundled_ontology(), f"{BUNDLED}.ttl"
    files = find_ontologies(services.settings.home)
    file = files.get(body.ontology_name or "")
    if file is None:
        known = ", ".join((BUNDLED, *files))
        raise NotFound(f"No ontology '{body.ontology_name}'.", advice=f"Use one of {known}.")
    try:
        return file.read_bytes(), file.name
    except OSError as error:
        raise from_os_error(error, f"reading the ontology {file.name}") from error


_ENDINGS = {"turtle": ".ttl", "rdfxml": ".rdf", "jsonld": ".jsonld", "ntriples": ".nt"}
_TOO_LARGE = "Put a large ontology in the home's 'ontologies' folder and send its name."
_EXAMPLE = 'Send {"text": "…", "ontology": "…"}; docs/how-to/graphs.md lists all fields.'
