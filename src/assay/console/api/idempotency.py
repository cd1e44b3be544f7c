"""`Idempotency-Key`: a client that does not know whether its request arrived sends it again."""

from collections.abc import Callable
from typing import Annotated

from fastapi import Header, Request, Response
from pydantic import BaseModel

from assay.app import App
from assay.app.answered_requests import begin_request
from assay.app.principals import Principal
from assay.model.hashes import content_hash

RequestKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=200,
        pattern=r"^[!-~]+$",
        description="Any text, new for each request. A request with the same key and the same "
        "body gets the first response again, for a day.",
    ),
]
_AGAIN = {"Idempotency-Replayed": "true"}


def answer_once(
    request: Request,
    app: App,
    principal: Principal,
    key: str | None,
    given: BaseModel | None,
    work: Callable[[], BaseModel],
    *,
    status: int = 200,
) -> Response:
    """Do the work and answer with its result; once only, if the request has a key.

    An error is not kept: a request that was refused has changed nothing.
    """
    if key is None:
        return _answer(status, work().model_dump_json())
    asked = f"{request.method} {request.url.path}?{request.url.query}\n"
    body = "" if given is None else given.model_dump_json()
    begun = begin_request(
        app,
        content_hash(f"{principal.name}\n{key}".encode()),
        content_hash(f"{asked}{body}".encode()),
    )
    if isinstance(begun, tuple):
        return _answer(*begun, headers=_AGAIN)
    try:
        made = work().model_dump_json()
    except BaseException:
        begun.forget()
        raise
    begun.keep(status, made)
    return _answer(status, made)


def _answer(status: int, body: str, headers: dict[str, str] | None = None) -> Response:
    return Response(body, status, headers, media_type="application/json")
