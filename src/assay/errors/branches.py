"""The root and the branches of the error tree: one for each class of the retry matrix."""

from enum import StrEnum


class ErrorClass(StrEnum):
    """How an error is treated by the retry matrix."""

    TRANSIENT = "TRANSIENT"
    VALIDATION = "VALIDATION"
    AUTH = "AUTH"
    QUOTA = "QUOTA"
    CONTENT = "CONTENT"
    INTERNAL = "INTERNAL"


class AssayError(Exception):
    """The root of every error that Assay raises on purpose."""

    code = "error"
    error_class = ErrorClass.INTERNAL
    advice = "Run the command again with --log-level debug and report what it prints."
    final = False
    """Whether trying again is pointless, whatever the class says."""

    def __init__(self, what: str, *, advice: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        if advice is not None:
            self.advice = advice

    def __str__(self) -> str:
        return f"{self.what} {self.advice}".strip()


class TransientError(AssayError):
    """It may well work the next time."""

    code = "transient"
    error_class = ErrorClass.TRANSIENT
    advice = "It is tried again by itself."


class InvalidInput(AssayError):
    """The input must change before it can work."""

    code = "invalid_input"
    error_class = ErrorClass.VALIDATION
    advice = ""


class AuthError(AssayError):
    """A key or a right is missing."""

    code = "auth"
    error_class = ErrorClass.AUTH
    advice = "Check the key, then close the circuit."


class QuotaError(AssayError):
    """An allowance is used up."""

    code = "quota"
    error_class = ErrorClass.QUOTA
    advice = "Wait for the allowance to return or raise it, then close the circuit."


class ContentError(AssayError):
    """The document itself is at fault."""

    code = "content"
    error_class = ErrorClass.CONTENT
    advice = ""


class InternalError(AssayError):
    """A bug, or a broken machine."""

    code = "internal"
