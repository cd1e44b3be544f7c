"""What all routes of the API share: parameters that are checked, and entity tags."""

from collections.abc import Callable, Coroutine, Iterator
from hashlib import sha256
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import AfterValidator

from assay.errors import InvalidInput

_KEEP = "private, no-cache"
"""A client may keep a response, but asks each time whether it still holds."""


async def refuse_odd_parameters(request: Request) -> None:
    """Refuse unknown and repeated query parameters: they are mistakes, and ignoring them would hide
    that."""
    known = tuple(dict.fromkeys(_list_parameters(request.scope["route"].dependant)))
    for name in request.query_params:
        if name not in known:
            raise InvalidInput(
                f"There is no parameter '{name[:80]}'.",
                advice=f"Use one of: {', '.join(known)}."
                if known
                else "This address takes no parameters.",
            )
        refuse_repeated(request, name)
    refuse_zeros(*request.query_params.values(), *request.path_params.values())


def refuse_repeated(request: Request, name: str) -> None:
    """Refuse a parameter that is given several times."""
    if len(request.query_params.getlist(name)) > 1:
        raise InvalidInput(f"'{name[:80]}' is given more than once.", advice="Give it once.")


def refuse_zeros(*values: object) -> None:
    """Refuse text that no database stores."""
    if any("\0" in str(value) for value in values):
        raise InvalidInput("The request contains a zero byte.", advice="Leave it out.")


def _list_parameters(dependant: Dependant) -> Iterator[str]:
    for field in dependant.query_params:
        yield field.alias
    for each in dependant.dependencies:
        yield from _list_parameters(each)


class TaggedRoute(APIRoute):
    """A route whose responses carry the hash of their content, so that no client needs to fetch
    them twice."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        answer = super().get_route_handler()

        async def answer_tagged(request: Request) -> Response:
            response = await answer(request)
            body = getattr(response, "body", None)
            if request.method == "GET" and response.status_code == 200 and isinstance(body, bytes):
                tag = response.headers.get("ETag") or f'"{sha256(body).hexdigest()}"'
                return tag_response(request, response, tag)
            return response

        return answer_tagged


def tag_response(request: Request, response: Response, tag: str) -> Response:
    """The response with its tag, or 304 if the client has it already."""
    headers = {"ETag": tag, "Cache-Control": _KEEP}
    given = request.headers.get("If-None-Match", "")
    known = {each.strip().removeprefix("W/") for each in given.split(",")}
    if tag in known or "*" in known:
        return Response(status_code=304, headers=headers)
    response.headers.update(headers)
    return response


def build_router(tag: str, *, checked: bool = True) -> APIRouter:
    """A router of the API; `checked` ones refuse parameters that they do not know."""
    checks: list[Any] = [Depends(refuse_odd_parameters)] if checked else []
    return APIRouter(tags=[tag], route_class=TaggedRoute, dependencies=checks)


def _refuse_unstorable(text: str) -> str:
    if "\0" in text:
        raise ValueError("it contains a zero byte")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("it contains half a character") from None
    return text


PlainText = Annotated[str, AfterValidator(_refuse_unstorable)]
"""Text in a body that can be stored."""
