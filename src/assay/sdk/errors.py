"""The errors: each has a class in the retry matrix, and advice on what to do next."""

from assay.errors import (
    AnswerInvalid,
    AssayError,
    BudgetExceeded,
    CallDenied,
    ContentBroken,
    ContentEmpty,
    ContentHostile,
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
    "ContentHostile",
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
