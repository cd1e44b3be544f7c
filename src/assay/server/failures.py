"""Turns errors into responses: one table, one format."""

import re
from collections.abc import Awaitable, Callable

from aiohttp import web
from sqlalchemy.exc import DBAPIError

from assay.errors import (
    AssayError,
    ContentTooLarge,
    ErrorClass,
    ForeignRequest,
    InvalidInput,
    NotFound,
    RequestTooSlow,
    SchemaMissing,
    SchemaOutdated,
    SchemaTooNew,
    TokenMissing,
    TransientError,
)
from assay.logs import Log
from assay.sdk.web import answer_json
from assay.store.database import explain_database_error

STATUSES: tuple[tuple[type[AssayError], int], ...] = (
    (NotFound, 404),
    (ForeignRequest, 403),
    (TokenMissing, 401),
    (RequestTooSlow, 408),
    (SchemaMissing, 503),
    (SchemaOutdated, 503),
    (SchemaTooNew, 503),
    (InvalidInput, 400),
    (ContentTooLarge, 413),
    (TransientError, 503),
    (AssayError, 500),
)
"""The first match decides."""
_CLIENT_CLOSED_REQUEST = 499
_REQUESTS = (
    ("'assay rules list'", "GET /concepts"),
    ("'assay release list'", "GET /releases"),
    ("with --pack", "with the parameter 'pack'"),
    ("with --as-of (as_of)", "with the parameter 'as_of'"),
)
"""What commands and options of advice are over HTTP."""
_COMMAND = re.compile(r"'assay |(?<!\w)--[a-z]|ASSAY_")
"""What only somebody at the server's own command line can follow."""
_CLAUSE = re.compile(r"(?<=[.?!;])\s+")
_FOR_OPERATOR = "Try again later, or ask the operator of this server."

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
log = Log("assay.server")


def http_status_of(error: AssayError) -> int:
    """The HTTP status of an error."""
    return next(status for kind, status in STATUSES if isinstance(error, kind))


@web.middleware
async def error_middleware(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Report every error as JSON, in the same format as the command line."""
    try:
        return await handler(request)
    except web.HTTPException as error:
        if error.status < 400:
            raise
        return _answer_unknown_route(request, error)
    except AssayError as error:
        return answer_error(error)
    except DBAPIError as error:
        return answer_error(explain_database_error(error))
    except ConnectionError:
        # The client has disconnected: there is nobody to respond to, and nothing went wrong here.
        return web.Response(status=_CLIENT_CLOSED_REQUEST, reason="Client Closed Request")
    except MemoryError:
        return answer_error(
            TransientError(
                "The request needs more memory than there is.",
                advice="Send less, try again later, or raise serve_memory_mb.",
            )
        )
    except Exception as error:  # a bug must not end the server; it is logged and reported
        log.error("bug", f"{type(error).__name__}: {error}", path=request.path, traceback=True)
        return _build_answer(500, "bug", ErrorClass.INTERNAL.value, "This is a bug in Assay.",
                       "The traceback is in the log; please report it.")  # fmt: skip


def answer_error(error: AssayError) -> web.Response:
    """The response that reports an error."""
    status = http_status_of(error)
    if status >= 500:
        log.warning("request_failed", str(error), code=error.code)
    advice = advise_client(error.advice, status)
    answer = _build_answer(status, error.code, error.error_class.value, error.what, advice)
    if isinstance(error, TokenMissing):
        answer.headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, RequestTooSlow):
        # The rest of the body would be read otherwise.
        answer.force_close()
    return answer


def advise_client(advice: str, status: int) -> str:
    """The advice without what a client cannot do, such as typing a command at the server."""
    for command, request in _REQUESTS:
        advice = advice.replace(command, request)
    clauses = [clause for clause in _CLAUSE.split(advice) if not _COMMAND.search(clause)]
    kept = " ".join(clauses)
    if not kept and status >= 500:
        return _FOR_OPERATOR
    return f"{kept.removesuffix(';')}." if kept.endswith(";") else kept


def _answer_unknown_route(request: web.Request, error: web.HTTPException) -> web.Response:
    allowed = error.headers.get("Allow")
    message = (
        f"{request.path} does not support {request.method}."
        if allowed
        else f"There is nothing at {request.path}."
        if error.status == 404
        else f"{error.reason}."
    )
    advice = f"Use {allowed}." if allowed else _list_addresses(request.app)
    answer = _build_answer(error.status, "http", ErrorClass.VALIDATION.value, message, advice)
    if allowed:
        answer.headers["Allow"] = allowed
    return answer


def _list_addresses(made: web.Application) -> str:
    """The addresses that can be requested without knowing a name."""
    paths: dict[str, list[str]] = {}
    for route in made.router.routes():
        path = "" if route.resource is None else route.resource.canonical
        if route.method != "HEAD" and "{" not in path:
            paths.setdefault(route.method, []).append(path)
    return "; ".join(f"{method} {', '.join(found)}" for method, found in paths.items()) + "."


def _build_answer(
    status: int, code: str, error_class: str, message: str, advice: str
) -> web.Response:
    error = {"code": code, "class": error_class, "message": message, "advice": advice}
    return answer_json({"error": error}, status=status)
