"""What can go wrong with documents, jobs, stages and what a person asks for."""

from assay.errors.branches import ContentError, InternalError, InvalidInput, TransientError


class FetchFailed(TransientError):
    """A site did not answer, or answered with a fault."""

    code = "fetch_failed"


class JobTimedOut(TransientError):
    """A stage took longer than its job timeout."""

    code = "job_timed_out"
    advice = "It is tried again; raise job_timeout_s if the work is really that long."


class RowChanged(TransientError):
    """Something that had to stay as it was seen has changed meanwhile; nothing was stored."""

    code = "row_changed"
    advice = "It is tried again with what holds now."


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


class InvalidCondition(InvalidInput):
    """An AppliesWhen condition that is missing or malformed; it never means "always"."""

    code = "invalid_condition"


class GateFailed(InvalidInput):
    """A gate of the stage's contract does not hold for this job."""

    code = "gate_failed"


class ReleaseRefused(InvalidInput):
    """A hard gate of a release does not hold; nothing was published."""

    code = "release_refused"


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


class WorkerRunning(InvalidInput):
    """Only one worker may listen here."""

    code = "worker_running"


class AddressRefused(InvalidInput):
    """An address where Assay does not go: private, blocked, or closed by its robots.txt."""

    code = "address_refused"


class ToolMissing(InvalidInput):
    """A program, or data of one, that has to be installed first."""

    code = "tool_missing"
    advice = "'assay doctor' says how to get it."


class ConfirmationMissing(InvalidInput):
    """A destructive command was not confirmed."""

    code = "confirmation_missing"
    advice = "Add --yes if you mean it."


class ContentEmpty(ContentError):
    """Nothing to read."""

    code = "content_empty"


class ContentTooLarge(ContentError):
    """More bytes than a document may have."""

    code = "content_too_large"


class ContentUnsupported(ContentError):
    """A kind of file that Assay does not read."""

    code = "content_unsupported"


class ContentBroken(ContentError):
    """Damaged, or not what it says it is."""

    code = "content_broken"
    advice = "Ask its publisher for a whole copy."


class ContentEncrypted(ContentError):
    """Closed with a password."""

    code = "content_encrypted"
    advice = "Ask its publisher for an open copy, or read one with the password taken off."


class ContentHostile(ContentError):
    """It costs more time or memory than a document may."""

    code = "content_hostile"
    advice = "It is set aside; 'assay read' shows what becomes of it."


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


class StartupRefused(InternalError):
    """The declared stages do not fit together."""

    code = "startup_refused"
    advice = "Correct the declarations; 'assay contracts' prints them."
