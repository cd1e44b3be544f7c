"""The root and the branches of the error tree: one branch for each class in the retry matrix."""

from enum import StrEnum


class ErrorClass(StrEnum):
    """How the retry matrix treats an error."""

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
    """Whether a retry is pointless, whatever the class says."""

    def __init__(self, what: str, *, advice: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        if advice is not None:
            self.advice = advice

    def __str__(self) -> str:
        return f"{self.what} {self.advice}".strip()


class TransientError(AssayError):
    """May work if tried again."""

    code = "transient"
    error_class = ErrorClass.TRANSIENT
    advice = "It is retried automatically."


class InvalidInput(AssayError):
    """Cannot work until the input changes."""

    code = "invalid_input"
    error_class = ErrorClass.VALIDATION
    advice = ""


class AuthError(AssayError):
    """A key or a permission is missing."""

    code = "auth"
    error_class = ErrorClass.AUTH
    advice = "Check the key, then close the circuit."


class QuotaError(AssayError):
    """A quota is used up."""

    code = "quota"
    error_class = ErrorClass.QUOTA
    advice = "Wait until the quota resets, or raise it; then close the circuit."


class ContentError(AssayError):
    """The document itself is the problem."""

    code = "content"
    error_class = ErrorClass.CONTENT
    advice = ""


class InternalError(AssayError):
    """A bug, or a broken machine."""

    code = "internal"
