"""What can go wrong, each with a class of the retry matrix and advice."""

from assay.errors import (
    AnswerInvalid,
    AssayError,
    BudgetExceeded,
    CallDenied,
    ContentBroken,
    ContentEmpty,
    ContentTooLarge,
    ContentUnsupported,
    InvalidInput,
    NotFound,
    ProviderBusy,
    ProviderFailed,
    SchemaMissing,
    TransientError,
    from_os_error,
)

__all__ = [
    "AnswerInvalid",
    "AssayError",
    "BudgetExceeded",
    "CallDenied",
    "ContentBroken",
    "ContentEmpty",
    "ContentTooLarge",
    "ContentUnsupported",
    "InvalidInput",
    "NotFound",
    "ProviderBusy",
    "ProviderFailed",
    "SchemaMissing",
    "TransientError",
    "from_os_error",
]
