"""Exit codes and what they mean; the single table that the commands and the docs share."""

from collections.abc import Mapping
from types import MappingProxyType

from assay.errors import (
    AssayError,
    ContractViolation,
    ErrorClass,
    SchemaMissing,
    SchemaOutdated,
    SchemaTooNew,
    StageCrashed,
    StartupRefused,
    WorkerRunning,
)
from assay.sdk.commands import ExitCode

__all__ = ["MEANINGS", "ExitCode", "exit_code_of"]

MEANINGS: Mapping[ExitCode, str] = MappingProxyType(
    {
        ExitCode.OK: "Done.",
        ExitCode.UNEXPECTED: "An unexpected error: a bug. The traceback is in the log.",
        ExitCode.USAGE: "The command line is wrong; nothing was done.",
        ExitCode.INPUT: "An input or a setting is invalid; fix it and try again.",
        ExitCode.UNAVAILABLE: "The store or the machine prevents it: a database that is busy, "
        "unreachable, damaged, missing, too old or too new; a full disk; a worker that is already "
        "running.",
        ExitCode.FAULTS: "The work finished but left dead letters, or a check found faults.",
        ExitCode.NO_SINGLE_ANSWER: "A question has no answer, or several; the output says why.",
        ExitCode.STALE_ANSWER: "A question has one answer, but its rules or their evidence have "
        "changed since the release; the output says what is newer.",
        ExitCode.INTERRUPTED: "Stopped by SIGINT (Ctrl-C); the next run does the remaining work.",
        ExitCode.PIPE_CLOSED: "The program reading the output closed the pipe.",
        ExitCode.TERMINATED: "Stopped by SIGTERM; the next run does the remaining work.",
    }
)

_BUGS = (ContractViolation, StageCrashed, StartupRefused)
_STORE = (SchemaMissing, SchemaOutdated, SchemaTooNew, WorkerRunning)
"""Their class, VALIDATION, prevents retries, but no other input would help."""


def exit_code_of(error: AssayError) -> ExitCode:
    """The exit code for an error that ends a command."""
    if isinstance(error, _BUGS):
        return ExitCode.UNEXPECTED
    if isinstance(error, _STORE):
        return ExitCode.UNAVAILABLE
    if error.error_class in (ErrorClass.VALIDATION, ErrorClass.CONTENT):
        return ExitCode.INPUT
    return ExitCode.UNAVAILABLE
