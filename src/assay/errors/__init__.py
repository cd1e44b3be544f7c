"""The error tree. Every error has a stable code, a class of the retry matrix, and advice.

AssayError
├── TransientError            TRANSIENT   it may well work the next time
│   ├── FetchFailed           a site did not answer, or answered with a fault
│   ├── JobTimedOut           a stage took longer than its job timeout
│   ├── RowChanged            something changed that had to stay as it was seen
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
│   ├── InvalidCondition      an AppliesWhen condition is missing or malformed
│   ├── GateFailed            a gate of the stage's contract does not hold
│   ├── ReleaseRefused        a hard gate of a release does not hold
│   ├── IllegalTransition     the candidate lifecycle has no such arrow
│   ├── NotFound              no row under that name
│   ├── RunIdReused           a run id is used once, for ever
│   ├── SchemaMissing         the store was never created
│   ├── SchemaOutdated        the store is older than this program
│   ├── SchemaTooNew          the store is newer than this program
│   ├── WorkerRunning         only one worker may listen here
│   ├── AddressRefused        an address where Assay does not go
│   ├── ToolMissing           a program, or data of one, that has to be installed first
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
│   ├── ContentUnsupported
│   ├── ContentBroken         damaged, or not what it says it is
│   ├── ContentEncrypted      closed with a password
│   └── ContentHostile        it costs more time or memory than a document may
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

from assay.errors.branches import (
    AssayError,
    AuthError,
    ContentError,
    ErrorClass,
    InternalError,
    InvalidInput,
    QuotaError,
    TransientError,
)
from assay.errors.calls import (
    AnswerInvalid,
    BudgetExceeded,
    CallDenied,
    CallRefused,
    CallTooLarge,
    PriceUnknown,
    ProviderBusy,
    ProviderFailed,
    ProviderTimedOut,
    ProviderUnknown,
    StreamCut,
)
from assay.errors.machine import (
    CorruptBlob,
    CorruptRun,
    DatabaseBusy,
    DatabaseUnreachable,
    DiskFailed,
    DiskFull,
    SchemaMissing,
    SchemaOutdated,
    SchemaTooNew,
    from_os_error,
)
from assay.errors.work import (
    AddressRefused,
    ConfirmationMissing,
    ContentBroken,
    ContentEmpty,
    ContentEncrypted,
    ContentHostile,
    ContentTooLarge,
    ContentUnsupported,
    ContractViolation,
    FetchFailed,
    GateFailed,
    IllegalTransition,
    InvalidCondition,
    InvalidPayload,
    InvalidSetting,
    JobTimedOut,
    NotFound,
    ReleaseRefused,
    RowChanged,
    RunIdReused,
    StageCrashed,
    StartupRefused,
    ToolMissing,
    UnknownSetting,
    WorkerDied,
    WorkerRunning,
)

__all__ = [
    "AddressRefused",
    "AnswerInvalid",
    "AssayError",
    "AuthError",
    "BudgetExceeded",
    "CallDenied",
    "CallRefused",
    "CallTooLarge",
    "ConfirmationMissing",
    "ContentBroken",
    "ContentEmpty",
    "ContentEncrypted",
    "ContentError",
    "ContentHostile",
    "ContentTooLarge",
    "ContentUnsupported",
    "ContractViolation",
    "CorruptBlob",
    "CorruptRun",
    "DatabaseBusy",
    "DatabaseUnreachable",
    "DiskFailed",
    "DiskFull",
    "ErrorClass",
    "FetchFailed",
    "GateFailed",
    "IllegalTransition",
    "InternalError",
    "InvalidCondition",
    "InvalidInput",
    "InvalidPayload",
    "InvalidSetting",
    "JobTimedOut",
    "NotFound",
    "PriceUnknown",
    "ProviderBusy",
    "ProviderFailed",
    "ProviderTimedOut",
    "ProviderUnknown",
    "QuotaError",
    "ReleaseRefused",
    "RowChanged",
    "RunIdReused",
    "SchemaMissing",
    "SchemaOutdated",
    "SchemaTooNew",
    "StageCrashed",
    "StartupRefused",
    "StreamCut",
    "ToolMissing",
    "TransientError",
    "UnknownSetting",
    "WorkerDied",
    "WorkerRunning",
    "from_os_error",
]
