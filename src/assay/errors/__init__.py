"""The error tree. Every error has a stable code, a class in the retry matrix, and advice.

AssayError
├── TransientError            TRANSIENT   may work if tried again
│   ├── FetchFailed           a site did not respond, or responded with an error
│   ├── DeliveryFailed        a notification could not be delivered now
│   ├── JobTimedOut           a stage took longer than its job timeout
│   ├── RowChanged            a row changed between being read and being written
│   ├── DatabaseFailed        the database failed, whatever was asked of it
│   │   ├── DatabaseBusy          another process holds the database lock
│   │   ├── DatabaseFull          the database server has no space left
│   │   └── DatabaseUnreachable   no connection to the database
│   ├── CallDenied            the control plane did not grant a model call
│   └── ProviderFailed        a model provider did not respond, or responded with an error
│       ├── ProviderBusy      it asks for fewer calls
│       ├── ProviderTimedOut  it took longer than the call allowed
│       └── StreamCut         its answer was cut off
├── InvalidInput              VALIDATION  the input must change first
│   ├── UnknownSetting
│   ├── InvalidSetting
│   ├── InvalidPayload        a job's payload does not fit its stage
│   ├── InvalidCondition      an AppliesWhen condition is missing or malformed
│   ├── QuestionChanged       what a person decides on changed after they had looked at it
│   ├── GateFailed            a gate of the stage's contract failed
│   ├── ReleaseRefused        a hard gate of a release failed
│   ├── IllegalTransition     the candidate lifecycle does not allow this transition
│   ├── NotFound              nothing has that name or id
│   ├── AmbiguousId           several ids begin with an abbreviation
│   ├── ForeignRequest        a request under a foreign name, or from a foreign page
│   ├── RequestTooSlow        a request whose body arrives too slowly
│   ├── RequestKeyReused      a key was given to another request before
│   ├── RunIdReused           a run id can be used only once
│   ├── SchemaMissing         the store was never created
│   ├── SchemaOutdated        the store is older than this program
│   ├── SchemaTooNew          the store is newer than this program
│   ├── WorkerRunning         only one worker may run on this store
│   ├── DeliveryRefused       a notification cannot be delivered as things are set
│   ├── AddressRefused        an address that Assay does not fetch
│   ├── HistoryRewritten      a repository no longer has what was read from it
│   ├── ToolMissing           a program, or its data, must be installed first
│   │   └── ExtraMissing          an optional part of Assay, or of a pack
│   ├── BackupDamaged         a backup is incomplete, or was altered
│   ├── ConfirmationMissing   a destructive command without --yes
│   ├── CallTooLarge          a model call too large for any limit to allow
│   ├── BudgetExceeded        a request has too few tokens left for a call
│   ├── PriceUnknown          spending is capped, but a model has no price
│   ├── ProviderUnknown       no provider has that name
│   ├── CallRefused           a provider rejects the call as it is
│   └── AnswerInvalid         a model's answer does not match what was asked for
├── AuthError                 AUTH        a key or a permission is missing
│   ├── LoginNeeded           a request does not say who sends it
│   ├── LoginRefused          a login that does not succeed
│   ├── RoleMissing           whoever sends a request may not do that
│   ├── TokenMissing          whose requests are meant is not said
│   └── TooManyAttempts       too many logins in a row failed
├── QuotaError                QUOTA       a quota is used up
├── ContentError              CONTENT     the document itself is the problem
│   ├── ContentEmpty
│   ├── ContentTooLarge
│   ├── ContentUnsupported
│   ├── ContentBroken         damaged, or not the kind of file it claims to be
│   ├── ContentEncrypted      protected by a password
│   └── ContentHostile        reading it takes more time or memory than allowed
└── InternalError             INTERNAL    a bug, or a broken machine
    ├── ContractViolation     a stage did something its contract does not declare
    ├── StageCrashed          a stage raised an unexpected exception
    ├── WorkerDied            the worker died too often while doing this job
    ├── CorruptBlob           stored bytes no longer match their hash
    ├── CorruptRun            a run folder no longer matches its manifest
    ├── StartupRefused        the declared stages do not fit together
    └── DiskFailed            the disk refused a write
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
    BackupDamaged,
    CorruptBlob,
    CorruptRun,
    DatabaseBusy,
    DatabaseFailed,
    DatabaseFull,
    DatabaseUnreachable,
    DiskFailed,
    DiskFull,
    SchemaMissing,
    SchemaOutdated,
    SchemaTooNew,
    from_os_error,
    is_about_path,
)
from assay.errors.work import (
    AddressRefused,
    AmbiguousId,
    ConfirmationMissing,
    ContentBroken,
    ContentEmpty,
    ContentEncrypted,
    ContentHostile,
    ContentTooLarge,
    ContentUnsupported,
    ContractViolation,
    DeliveryFailed,
    DeliveryRefused,
    ExtraMissing,
    FetchFailed,
    ForeignRequest,
    GateFailed,
    HistoryRewritten,
    IllegalTransition,
    InvalidCondition,
    InvalidPayload,
    InvalidSetting,
    JobTimedOut,
    LoginNeeded,
    LoginRefused,
    NotFound,
    QuestionChanged,
    ReleaseRefused,
    RequestKeyReused,
    RequestTooSlow,
    RoleMissing,
    RowChanged,
    RunIdReused,
    StageCrashed,
    StartupRefused,
    TokenMissing,
    ToolMissing,
    TooManyAttempts,
    UnknownSetting,
    WorkerDied,
    WorkerRunning,
)

__all__ = [
    "AddressRefused",
    "AmbiguousId",
    "AnswerInvalid",
    "AssayError",
    "AuthError",
    "BackupDamaged",
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
    "DatabaseFailed",
    "DatabaseFull",
    "DatabaseUnreachable",
    "DeliveryFailed",
    "DeliveryRefused",
    "DiskFailed",
    "DiskFull",
    "ErrorClass",
    "ExtraMissing",
    "FetchFailed",
    "ForeignRequest",
    "GateFailed",
    "HistoryRewritten",
    "IllegalTransition",
    "InternalError",
    "InvalidCondition",
    "InvalidInput",
    "InvalidPayload",
    "InvalidSetting",
    "JobTimedOut",
    "LoginNeeded",
    "LoginRefused",
    "NotFound",
    "PriceUnknown",
    "ProviderBusy",
    "ProviderFailed",
    "ProviderTimedOut",
    "ProviderUnknown",
    "QuestionChanged",
    "QuotaError",
    "ReleaseRefused",
    "RequestKeyReused",
    "RequestTooSlow",
    "RoleMissing",
    "RowChanged",
    "RunIdReused",
    "SchemaMissing",
    "SchemaOutdated",
    "SchemaTooNew",
    "StageCrashed",
    "StartupRefused",
    "StreamCut",
    "TokenMissing",
    "TooManyAttempts",
    "ToolMissing",
    "TransientError",
    "UnknownSetting",
    "WorkerDied",
    "WorkerRunning",
    "from_os_error",
    "is_about_path",
]
