"""Errors as problem details (RFC 9457): one table from errors to HTTP statuses, for every process
that answers requests."""

import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from assay.errors import (
    AssayError,
    ContentTooLarge,
    ErrorClass,
    ForeignRequest,
    InvalidInput,
    LoginNeeded,
    LoginRefused,
    NotFound,
    QuestionChanged,
    RequestKeyReused,
    RequestTooSlow,
    RoleMissing,
    RowChanged,
    SchemaMissing,
    SchemaOutdated,
    SchemaTooNew,
    TokenMissing,
    TooManyAttempts,
    TransientError,
)

STATUSES: tuple[tuple[type[AssayError], int], ...] = (
    (NotFound, 404),
    (ForeignRequest, 403),
    (TokenMissing, 401),
    (LoginNeeded, 401),
    (LoginRefused, 403),
    (RoleMissing, 403),
    (TooManyAttempts, 429),
    (RequestTooSlow, 408),
    (RowChanged, 409),
    (RequestKeyReused, 422),
    (QuestionChanged, 409),
    (SchemaMissing, 503),
    (SchemaOutdated, 503),
    (SchemaTooNew, 503),
    (InvalidInput, 400),
    (ContentTooLarge, 413),
    (TransientError, 503),
    (AssayError, 500),
)
"""The first match decides."""
PROBLEM_TYPE = "application/problem+json"
RETRY_S = "5"
"""When a client may try again after an error that will pass."""
_REQUESTS = (
    ("'assay rules list'", "GET /api/concepts"),
    ("'assay release list'", "GET /api/releases"),
    ("with --pack", "with the parameter 'pack'"),
    ("with --as-of (as_of)", "with the parameter 'as_of'"),
)
"""What commands and options of advice are over HTTP."""
_COMMAND = re.compile(r"'assay |(?<!\w)--[a-z]|ASSAY_")
"""What only somebody at the server's own command line can follow."""
_CLAUSE = re.compile(r"(?<=[.?!;])\s+")
_FOR_OPERATOR = "Try again later, or ask the operator of this server."


@dataclass(frozen=True)
class Problem:
    """What a response says about an error."""

    status: int
    code: str
    error_class: str
    detail: str
    advice: str

    @property
    def title(self) -> str:
        """The status in words."""
        try:
            return HTTPStatus(self.status).phrase
        except ValueError:
            return "Error"

    def as_json(self) -> dict[str, Any]:
        """The members of the problem details."""
        return {
            "type": f"urn:assay:error:{self.code}",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "advice": self.advice,
            "code": self.code,
            "class": self.error_class,
        }


BUG = Problem(
    500, "bug", ErrorClass.INTERNAL.value, "This is a bug in Assay.",
    "The traceback is in the log; please report it.",
)  # fmt: skip


def describe_problem(error: AssayError) -> Problem:
    """The problem that an error is for a client."""
    status = http_status_of(error)
    advice = advise_client(error.advice, status)
    return Problem(status, error.code, error.error_class.value, error.what, advice)


def http_status_of(error: AssayError) -> int:
    """The HTTP status of an error."""
    return next(status for kind, status in STATUSES if isinstance(error, kind))


def advise_client(advice: str, status: int) -> str:
    """The advice without what a client cannot do, such as typing a command at the server."""
    for command, request in _REQUESTS:
        advice = advice.replace(command, request)
    clauses = [clause for clause in _CLAUSE.split(advice) if not _COMMAND.search(clause)]
    kept = " ".join(clauses)
    if not kept and status >= 500:
        return _FOR_OPERATOR
    return f"{kept.removesuffix(';')}." if kept.endswith(";") else kept
