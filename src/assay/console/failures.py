"""Errors as responses: a page for people, problem details (RFC 9457) for programs."""

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import DBAPIError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from assay.console.layout import render_page
from assay.errors import AssayError, ErrorClass, LoginNeeded, TooManyAttempts
from assay.logs import Log
from assay.sdk.problems import BUG, PROBLEM_TYPE, RETRY_S, Problem, describe_problem
from assay.store.database import explain_database_error

API = ("/api/", "/feeds/")
"""Where programs ask; they get problem details."""
log = Log("assay.console")


def add_handlers(made: FastAPI) -> None:
    """Report every error in the same way."""
    made.add_exception_handler(AssayError, _answer_error)
    made.add_exception_handler(DBAPIError, _answer_database_error)
    made.add_exception_handler(HTTPException, _answer_http_error)
    made.add_exception_handler(RequestValidationError, _answer_invalid)


def answer_problem(request: Request, problem: Problem) -> Response:
    """The response that reports a problem."""
    if request.url.path.startswith(API):
        response: Response = JSONResponse(
            problem.as_json(), problem.status, media_type=PROBLEM_TYPE
        )
    else:
        response = render_page(request, "error.html", status=problem.status, problem=problem)
    if problem.status == 503:
        response.headers["Retry-After"] = RETRY_S
    return response


async def _answer_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, AssayError)
    problem = describe_problem(error)
    if problem.status >= 500:
        log.warning("request_failed", str(error), code=error.code)
    response = answer_problem(request, problem)
    if isinstance(error, LoginNeeded):
        response.headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, TooManyAttempts):
        response.headers["Retry-After"] = str(error.wait_s)
    return response


async def _answer_database_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, DBAPIError)
    return await _answer_error(request, explain_database_error(error))


async def _answer_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    path = request.url.path
    message = (
        f"There is nothing at {path}."
        if error.status_code == 404
        else f"{path} does not support {request.method}."
        if error.status_code == 405
        else str(error.detail)
    )
    allowed = (error.headers or {}).get("Allow")
    advice = (
        f"Use {allowed}."
        if allowed
        else "GET /api/openapi.json describes all addresses of the API."
        if error.status_code == 404 and path.startswith(API)
        else ""
    )
    problem = Problem(error.status_code, "http", ErrorClass.VALIDATION.value, message, advice)
    response = answer_problem(request, problem)
    response.headers.update(error.headers or {})
    return response


async def _answer_invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"][1:]) or "the request"
    # Half a character is not text, and no response can contain it.
    message = f"{place[:80]}: {first['msg']}.".encode("utf-8", "backslashreplace").decode()
    problem = Problem(400, "invalid_input", ErrorClass.VALIDATION.value, message, "")
    return answer_problem(request, problem)


def answer_bug(request: Request, error: Exception) -> Response:
    """The response to what nobody expected, with a traceback in the log."""
    log.error("bug", f"{type(error).__name__}: {error}", path=request.url.path, traceback=True)
    return answer_problem(request, BUG)
