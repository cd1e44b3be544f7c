"""Turns errors into responses: one table, one format."""

from collections.abc import Awaitable, Callable

from aiohttp import web
from sqlalchemy.exc import DBAPIError

from assay.errors import (
    AssayError,
    ErrorClass,
    LoginNeeded,
    RequestTooSlow,
    TokenMissing,
    TransientError,
)
from assay.logs import Log
from assay.sdk.problems import BUG, PROBLEM_TYPE, RETRY_S, Problem, describe_problem
from assay.sdk.web import answer_json
from assay.store.database import explain_database_error

_CLIENT_CLOSED_REQUEST = 499

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
log = Log("assay.server")


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
        return build_problem_answer(BUG)


def answer_error(error: AssayError) -> web.Response:
    """The response that reports an error."""
    problem = describe_problem(error)
    if problem.status >= 500:
        log.warning("request_failed", str(error), code=error.code)
    answer = build_problem_answer(problem)
    if isinstance(error, TokenMissing | LoginNeeded):
        answer.headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, RequestTooSlow):
        # The rest of the body would be read otherwise.
        answer.force_close()
    return answer


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
    answer = build_problem_answer(
        Problem(error.status, "http", ErrorClass.VALIDATION.value, message, advice)
    )
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


def build_problem_answer(problem: Problem) -> web.Response:
    """The response that reports a problem."""
    answer = answer_json(problem.as_json(), status=problem.status)
    answer.content_type = PROBLEM_TYPE
    if problem.status == 503:
        answer.headers["Retry-After"] = RETRY_S
    return answer
