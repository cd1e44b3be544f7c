"""The error tree. Every error has a stable code, a class of the retry matrix, and advice.

AssayError
├── TransientError            TRANSIENT   it may well work the next time
│   ├── FetchFailed           a site did not answer, or answered with a fault
│   ├── JobTimedOut           a stage took longer than its job timeout
│   ├── DatabaseBusy          another process holds the database lock
│   ├── DatabaseUnreachable   no connection to the database
│   ├── CallDenied            the control plane did not grant a model call
│   └── ProviderFailed        a model provider did not answer, or answered with a fault
│       ├── ProviderBusy      it asks to be called less often
│       ├── ProviderTimedOut  it took longer than the call was given
│       └── StreamCut         its answer ended before its end
├── InvalidInput              VALIDATION  the input must change first
│   ├── UnknownSetting
│   ├── InvalidSetting
│   ├── InvalidPayload        a job's payload does not fit its stage
│   ├── GateFailed            a gate of the stage's contract does not hold
│   ├── IllegalTransition     the candidate lifecycle has no such arrow
│   ├── NotFound              no row under that name
│   ├── RunIdReused           a run id is used once, for ever
│   ├── SchemaMissing         the store was never created
│   ├── SchemaOutdated        the store is older than this program
│   ├── SchemaTooNew          the store is newer than this program
│   ├── WorkerRunning         only one worker may listen here
│   ├── ConfirmationMissing   a destructive command without --yes
│   ├── CallTooLarge          a model call that no limit could ever let through
│   ├── BudgetExceeded        a request has too few tokens left for a call
│   ├── PriceUnknown          money is capped, and a model has no price
│   ├── ProviderUnknown       no provider under that name
│   ├── CallRefused           a provider does not take the call as it is
│   └── AnswerInvalid         a model's answer does not fit what was asked for
├── AuthError                 AUTH        a key or a right is missing
├── QuotaError                QUOTA       an allowance is used up
├── ContentError              CONTENT     the document itself is at fault
│   ├── ContentEmpty
│   ├── ContentTooLarge
│   └── ContentUnsupported
└── InternalError             INTERNAL    a bug, or a broken machine
    ├── ContractViolation     a stage did what its contract does not declare
    ├── StageCrashed          a stage raised something unforeseen
    ├── WorkerDied            the worker died too often while doing this job
    ├── CorruptBlob           stored bytes no longer match their hash
    ├── CorruptRun            a run folder no longer matches its manifest
    ├── StartupRefused        the declared stages do not fit together
    └── DiskFailed            the disk does not take what must be stored
        └── DiskFull
"""

import errno
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


class FetchFailed(TransientError):
    """A site did not answer, or answered with a fault."""

    code = "fetch_failed"


class JobTimedOut(TransientError):
    """A stage took longer than its job timeout."""

    code = "job_timed_out"
    advice = "It is tried again; raise job_timeout_s if the work is really that long."


class DatabaseBusy(TransientError):
    """Another process holds the database lock."""

    code = "database_busy"
    advice = "Wait until the other process is done, or stop it, and try again."


class DatabaseUnreachable(TransientError):
    """No connection to the database."""

    code = "database_unreachable"
    advice = "Check that the server runs and that ASSAY_DATABASE_URL names it."


class CallDenied(TransientError):
    """The control plane did not grant a model call.

    `reason` is one of `assay.llm.Denial`; without `recovers_ms` a person must act first.
    """

    code = "call_denied"

    def __init__(self, what: str, *, reason: str, recovers_ms: int | None, advice: str) -> None:
        super().__init__(what, advice=advice)
        self.reason = reason
        self.recovers_ms = recovers_ms
        self.final = recovers_ms is None


class ProviderFailed(TransientError):
    """A model provider did not answer, or answered with a fault."""

    code = "provider_failed"


class ProviderBusy(ProviderFailed):
    """A provider asks to be called less often, and may say for how long."""

    code = "provider_busy"

    def __init__(self, what: str, *, retry_after_ms: int | None = None) -> None:
        super().__init__(what)
        self.retry_after_ms = retry_after_ms


class ProviderTimedOut(ProviderFailed):
    """A provider took longer than the call was given."""

    code = "provider_timed_out"


class StreamCut(ProviderFailed):
    """A provider's answer ended before its end; what had arrived is kept."""

    code = "stream_cut"


class InvalidInput(AssayError):
    """The input must change before it can work."""

    code = "invalid_input"
    error_class = ErrorClass.VALIDATION
    advice = ""


class UnknownSetting(InvalidInput):
    """A setting that does not exist."""

    code = "unknown_setting"


class InvalidSetting(InvalidInput):
    """A setting with a value that it cannot take."""

    code = "invalid_setting"


class InvalidPayload(InvalidInput):
    """A job's payload does not fit its stage."""

    code = "invalid_payload"
    advice = "Look at it with 'assay jobs show', then discard it or schedule it anew."


class GateFailed(InvalidInput):
    """A gate of the stage's contract does not hold for this job."""

    code = "gate_failed"


class IllegalTransition(InvalidInput):
    """The candidate lifecycle has no such arrow."""

    code = "illegal_transition"


class NotFound(InvalidInput):
    """No row under that name."""

    code = "not_found"


class RunIdReused(InvalidInput):
    """A run id is used once, for ever."""

    code = "run_id_reused"
    advice = "Leave --run-id out, and a fresh one is made."


class SchemaMissing(InvalidInput):
    """The store was never created."""

    code = "schema_missing"
    advice = "Run 'assay init' first."


class SchemaOutdated(InvalidInput):
    """The store is older than this program."""

    code = "schema_outdated"
    advice = "Run 'assay store migrate'."


class SchemaTooNew(InvalidInput):
    """The store is newer than this program."""

    code = "schema_too_new"
    advice = "Use the newer Assay that wrote it; nothing was changed."


class WorkerRunning(InvalidInput):
    """Only one worker may listen here."""

    code = "worker_running"


class ConfirmationMissing(InvalidInput):
    """A destructive command was not confirmed."""

    code = "confirmation_missing"
    advice = "Add --yes if you mean it."


class CallTooLarge(InvalidInput):
    """A model call that no limit could ever let through."""

    code = "call_too_large"
    advice = "Split the text, lower max_tokens, or raise the provider's tokens_per_minute."


class BudgetExceeded(InvalidInput):
    """A request has too few tokens left for a call; the call was not made."""

    code = "budget_exceeded"
    advice = "Give the request more tokens, or ask for less."


class PriceUnknown(InvalidInput):
    """Money is capped, and a model has no price; the call was not made."""

    code = "price_unknown"
    advice = "Set the model's price, or take the cap on money away."


class ProviderUnknown(InvalidInput):
    """No provider under that name."""

    code = "provider_unknown"


class CallRefused(InvalidInput):
    """A provider does not take the call as it is."""

    code = "call_refused"


class AnswerInvalid(InvalidInput):
    """A model's answer does not fit what was asked for."""

    code = "answer_invalid"


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


class ContentEmpty(ContentError):
    """Nothing to read."""

    code = "content_empty"


class ContentTooLarge(ContentError):
    """More bytes than a document may have."""

    code = "content_too_large"


class ContentUnsupported(ContentError):
    """A kind of file that Assay does not read."""

    code = "content_unsupported"


class InternalError(AssayError):
    """A bug, or a broken machine."""

    code = "internal"


class ContractViolation(InternalError):
    """A stage did what its contract does not declare; nothing of it was stored."""

    code = "contract_violation"
    advice = "Declare it in the stage's contract, or stop doing it. Nothing was stored."


class StageCrashed(InternalError):
    """A stage raised something unforeseen."""

    code = "stage_crashed"
    advice = "The traceback is in the log; 'assay dead retry' runs it again after a fix."


class WorkerDied(InternalError):
    """The worker died too often while doing this job."""

    code = "worker_died"
    final = True
    advice = "The document probably crashes the reader; 'assay dead retry' tries it again."


class CorruptBlob(InternalError):
    """Stored bytes no longer match their hash."""

    code = "corrupt_blob"
    advice = "Restore the file from a backup; 'assay store check' lists every such file."


class CorruptRun(InternalError):
    """A run folder no longer matches its manifest."""

    code = "corrupt_run"
    advice = "Restore the folder from a backup; nothing else was touched."


class StartupRefused(InternalError):
    """The declared stages do not fit together."""

    code = "startup_refused"
    advice = "Correct the declarations; 'assay contracts' prints them."


class DiskFailed(InternalError):
    """The disk does not take what must be stored."""

    code = "disk_failed"
    advice = "Check the disk and its limits, then start again; what was committed is safe."


class DiskFull(DiskFailed):
    """No room left for what must be stored."""

    code = "disk_full"
    advice = "Free some room and start again; what was committed is safe."


def from_os_error(error: OSError, doing: str) -> AssayError:
    """Say what an operating-system error means for the one who reads it."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(f"The disk is full while {doing}.")
    if error.errno in (errno.EFBIG, errno.EIO):
        return DiskFailed(f"The disk refuses to write while {doing}: {error.strerror}.")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return InvalidInput(f"No right to write while {doing}: {error}.", advice="Check the owner.")
    return InternalError(f"{error} while {doing}.")
