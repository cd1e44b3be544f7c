"""What can go wrong with the database and the disk."""

import errno

from assay.errors.branches import AssayError, InternalError, InvalidInput, TransientError


class DatabaseBusy(TransientError):
    """Another process holds the database lock."""

    code = "database_busy"
    advice = "Wait until the other process is done, or stop it, and try again."


class DatabaseUnreachable(TransientError):
    """No connection to the database."""

    code = "database_unreachable"
    advice = "Check that the server runs and that ASSAY_DATABASE_URL names it."


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


class CorruptBlob(InternalError):
    """Stored bytes no longer match their hash."""

    code = "corrupt_blob"
    advice = "Restore the file from a backup; 'assay store check' lists every such file."


class CorruptRun(InternalError):
    """A run folder no longer matches its manifest."""

    code = "corrupt_run"
    advice = "Restore the folder from a backup; nothing else was touched."


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
