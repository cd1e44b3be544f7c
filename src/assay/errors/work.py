"""What can go wrong with documents, jobs, stages and a person's requests."""

from assay.errors.branches import (
    AuthError,
    ContentError,
    InternalError,
    InvalidInput,
    TransientError,
)


class FetchFailed(TransientError):
    """A site did not respond, or responded with an error."""

    code = "fetch_failed"


class DeliveryFailed(TransientError):
    """A notification could not be delivered now."""

    code = "delivery_failed"
    advice = (
        "It is tried again; if it stays so, find out more with 'assay watch test', "
        "then retry it with 'assay dead retry'."
    )


class DeliveryRefused(InvalidInput):
    """A notification cannot be delivered until a setting or its receiver changes."""

    code = "delivery_refused"
    advice = "Fix the channel, test it with 'assay watch test', then use 'assay dead retry'."


class JobTimedOut(TransientError):
    """A stage took longer than its job timeout."""

    code = "job_timed_out"
    advice = "It is retried automatically; raise job_timeout_s if the work really takes that long."


class RowChanged(TransientError):
    """A row that had to stay the same changed after it was read; nothing was stored."""

    code = "row_changed"
    advice = "It is retried automatically with the current data."


class QuestionChanged(InvalidInput):
    """A question, rule or conflict changed after the person who decides had looked at it."""

    code = "question_changed"
    advice = "Look at it again, then decide."


class UnknownSetting(InvalidInput):
    """A setting that does not exist."""

    code = "unknown_setting"


class InvalidSetting(InvalidInput):
    """A setting with an invalid value."""

    code = "invalid_setting"


class InvalidPayload(InvalidInput):
    """A job's payload does not fit its stage."""

    code = "invalid_payload"
    advice = "Inspect it with 'assay jobs show', then discard it or schedule it again."


class InvalidCondition(InvalidInput):
    """An AppliesWhen condition is missing or malformed; it is never read as "always"."""

    code = "invalid_condition"


class GateFailed(InvalidInput):
    """A gate of the stage's contract failed for this job."""

    code = "gate_failed"


class ReleaseRefused(InvalidInput):
    """A hard gate of a release failed; nothing was published."""

    code = "release_refused"


class IllegalTransition(InvalidInput):
    """The candidate lifecycle does not allow this transition."""

    code = "illegal_transition"


class NotFound(InvalidInput):
    """Nothing has that name or id."""

    code = "not_found"


class AmbiguousId(InvalidInput):
    """Several ids begin with what was given as an abbreviation."""

    code = "ambiguous_id"
    advice = "Give more characters of the one you mean."


class ForeignRequest(InvalidInput):
    """A request to the server under a name that is not its own, or from a page of another site."""

    code = "foreign_request"


class RequestTooSlow(InvalidInput):
    """The body of a request to the server arrives too slowly."""

    code = "request_too_slow"
    advice = "Send it again, over a faster connection or in smaller parts."


class TokenMissing(AuthError):
    """A request to the server about requests, without the token that they belong to."""

    code = "token_missing"
    advice = (
        "Send 'Authorization: Bearer …' with the token that the response to your first request "
        "had in the header Assay-Token, or with 32 to 128 random letters and digits of your own."
    )


class LoginNeeded(AuthError):
    """A request to the server that does not say who sends it, or no longer does."""

    code = "login_needed"
    advice = (
        "Log in at /login, or send 'Authorization: Bearer …' with a token that an operator of this "
        "installation made for you."
    )


class LoginRefused(AuthError):
    """A login that does not succeed."""

    code = "login_refused"
    advice = "An operator of this installation can set a new password."


class RoleMissing(AuthError):
    """A request to the server by somebody who may not do that."""

    code = "role_missing"
    advice = "Ask an operator of this installation for the role."


class TooManyAttempts(AuthError):
    """A login after too many that failed."""

    code = "too_many_attempts"
    advice = "Wait, then try again; an operator of this installation can set a new password."

    def __init__(self, what: str, *, advice: str | None = None, wait_s: int = 60) -> None:
        super().__init__(what, advice=advice)
        self.wait_s = wait_s
        """When the next attempt is allowed."""


class RequestKeyReused(InvalidInput):
    """A key that makes a request take effect only once was given to another request."""

    code = "request_key_reused"
    advice = "Give each request a key of its own."


class RunIdReused(InvalidInput):
    """A run id can be used only once."""

    code = "run_id_reused"
    advice = "Omit --run-id to get a new one."


class WorkerRunning(InvalidInput):
    """Only one worker may run on this store."""

    code = "worker_running"


class AddressRefused(InvalidInput):
    """An address that Assay does not fetch: private, blocked, or disallowed by robots.txt."""

    code = "address_refused"


class HistoryRewritten(InvalidInput):
    """The history of a repository no longer contains what was read from it."""

    code = "history_rewritten"


class ToolMissing(InvalidInput):
    """A program, or its data, must be installed first."""

    code = "tool_missing"
    advice = "'assay doctor' shows how to install it."


class ExtraMissing(ToolMissing):
    """An optional part of Assay, or of a pack, must be installed first."""

    code = "extra_missing"
    advice = "'assay doctor' shows which parts are installed."


class ConfirmationMissing(InvalidInput):
    """A destructive command was not confirmed."""

    code = "confirmation_missing"
    advice = "Add --yes if you mean it."


class ContentEmpty(ContentError):
    """Nothing to read."""

    code = "content_empty"


class ContentTooLarge(ContentError):
    """The document has more bytes than allowed."""

    code = "content_too_large"


class ContentUnsupported(ContentError):
    """A kind of file that Assay does not read."""

    code = "content_unsupported"


class ContentBroken(ContentError):
    """Damaged, or not the kind of file it claims to be."""

    code = "content_broken"
    advice = "Ask the publisher for an intact copy."


class ContentEncrypted(ContentError):
    """Protected by a password."""

    code = "content_encrypted"
    advice = "Ask the publisher for an unprotected copy, or remove the password first."


class ContentHostile(ContentError):
    """Reading it takes more time or memory than allowed."""

    code = "content_hostile"
    advice = "It is set aside; 'assay read' shows what happens when it is read."


class ContractViolation(InternalError):
    """A stage did something its contract does not declare; nothing was stored."""

    code = "contract_violation"
    advice = "Declare it in the stage's contract, or stop doing it. Nothing was stored."


class StageCrashed(InternalError):
    """A stage raised an unexpected exception."""

    code = "stage_crashed"
    advice = "The traceback is in the log; 'assay dead retry' runs it again after a fix."


class WorkerDied(InternalError):
    """The worker died too often while working on this job."""

    code = "worker_died"
    final = True
    advice = "The document probably crashes the reader; 'assay dead retry' tries it again."


class StartupRefused(InternalError):
    """The declared stages do not fit together."""

    code = "startup_refused"
    advice = "Fix the declarations; 'assay contracts' prints them."
