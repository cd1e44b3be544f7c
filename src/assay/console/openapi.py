"""The description of the API: Assay's own routes, which FastAPI describes, and those of packs."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import TypeAdapter
from pydantic.json_schema import JsonSchemaMode

from assay.sdk.pack import Pack, Route
from assay.sdk.problems import PROBLEM_TYPE

_REF = "#/components/schemas/{model}"
_VARIABLE = re.compile(r"\{([^{}:]+)[^{}]*\}")
_OF_FASTAPI = ("HTTPValidationError", "ValidationError")
_PROBLEM = {
    "type": "object",
    "description": "What went wrong, and what to do about it (RFC 9457).",
    "required": ["type", "title", "status", "detail", "advice", "code", "class"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "advice": {"type": "string", "description": "What to do next."},
        "code": {"type": "string", "description": "It never changes."},
        "class": {"type": "string"},
    },
}
_ERROR = {
    "description": "A problem",
    "content": {PROBLEM_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
}


def describe_api(made: FastAPI, packs: Iterable[Pack]) -> dict[str, Any]:
    """The OpenAPI description of all routes."""
    described = get_openapi(title=made.title, version=made.version, routes=made.routes)
    schemas = described.setdefault("components", {}).setdefault("schemas", {})
    schemas["Problem"] = _PROBLEM
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            _complete(operation, is_tagged=method == "get" and path != "/api/events")
    for name in _OF_FASTAPI:
        schemas.pop(name, None)
    for pack in packs:
        routes = () if pack.routes is None else pack.routes()
        for route in routes:
            path = _VARIABLE.sub(r"{\1}", route.path)
            operation = _describe_route(pack, route, schemas)
            described["paths"].setdefault(path, {})[route.method.lower()] = operation
    return described


def _complete(operation: dict[str, Any], *, is_tagged: bool) -> None:
    """What every operation of Assay may answer: problems, and that a client has it already."""
    # What FastAPI says about its own errors is not how they are reported here.
    operation["responses"].pop("422", None)
    operation["responses"]["default"] = _ERROR
    if is_tagged:
        operation["responses"]["304"] = {"description": "You have it already (If-None-Match)"}


def _describe_route(pack: Pack, route: Route, schemas: dict[str, Any]) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "tags": [pack.name],
        "summary": route.summary or route.path,
        "operationId": f"{pack.name}_{route.method.lower()}_{'_'.join(_list_words(route.path))}",
        "parameters": [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
            for name in _VARIABLE.findall(route.path)
        ]
        + [
            {"name": name, "in": "query", "description": meaning, "schema": {"type": "string"}}
            for name, meaning in route.parameters.items()
        ],
        "responses": {
            str(status): {"description": "OK"} | _describe_content(answer, schemas)
            for status, answer in route.responses.items()
        }
        | {"default": _ERROR},
    }
    if route.request is not None:
        schema = _add_schema(route.request, "validation", schemas)
        content = {"application/json": {"schema": schema}}
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def _describe_content(answer: Any, schemas: dict[str, Any]) -> dict[str, Any]:
    if answer is None:
        return {}
    schema = _add_schema(answer, "serialization", schemas)
    return {"content": {"application/json": {"schema": schema}}}


def _add_schema(described: Any, mode: JsonSchemaMode, schemas: dict[str, Any]) -> dict[str, Any]:
    """The schema of a type; what it refers to is added to the others."""
    schema = TypeAdapter(described).json_schema(ref_template=_REF, mode=mode)
    for name, definition in schema.pop("$defs", {}).items():
        schemas.setdefault(name, definition)
    return schema


def _list_words(path: str) -> Iterator[str]:
    yield from re.findall(r"\w+", path)
