"""What can go wrong with the database and the disk."""

import errno

from assay.errors.branches import AssayError, InternalError, InvalidInput, TransientError


class DatabaseFailed(TransientError):
    """The database failed, whatever was asked of it."""

    code = "database_failed"
    advice = "Check the database; running work waits for it and continues by itself."


class DatabaseBusy(DatabaseFailed):
    """Another process holds the database lock."""

    code = "database_busy"
    advice = "Wait until the other process finishes, or stop it, and try again."


class DatabaseFull(DatabaseFailed):
    """The database server has no space left."""

    code = "database_full"
    advice = "Free some disk space on the server; running work continues by itself."


class DatabaseUnreachable(DatabaseFailed):
    """No connection to the database."""

    code = "database_unreachable"
    advice = "Check that the server is running and that ASSAY_DATABASE_URL points to it."


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
    advice = "Use the newer version of Assay that wrote it; nothing was changed."


class CorruptBlob(InternalError):
    """Stored bytes no longer match their hash."""

    code = "corrupt_blob"
    advice = "Restore the file from a backup; 'assay store check' lists every such file."


class CorruptRun(InternalError):
    """A run folder no longer matches its manifest."""

    code = "corrupt_run"
    advice = "Restore the folder from a backup; nothing else was touched."


class BackupDamaged(InvalidInput):
    """A backup is incomplete, or no longer matches its manifest; nothing was restored from it."""

    code = "backup_damaged"
    advice = "Use another backup: 'assay backup list FOLDER' shows them."


class DiskFailed(InternalError):
    """The disk refused a write."""

    code = "disk_failed"
    advice = "Check the disk and its limits, then start again; all committed work is safe."


class DiskFull(DiskFailed):
    """No space is left on the disk."""

    code = "disk_full"
    advice = "Free some disk space and start again; all committed work is safe."


_UNUSABLE_PATHS = (
    errno.ENOTDIR,
    errno.EISDIR,
    errno.EEXIST,
    errno.ENOTEMPTY,
    errno.ELOOP,
    errno.ENAMETOOLONG,
    errno.EBUSY,
)


def from_os_error(error: OSError, doing: str) -> AssayError:
    """Translate an operating-system error into one that says what to do."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(f"The disk ran full while {doing}.")
    if error.errno in (errno.EFBIG, errno.EIO):
        return DiskFailed(f"The disk refused a write while {doing}: {error.strerror}.")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return InvalidInput(
            f"Permission denied while {doing}: {error}.", advice="Check the owner and permissions."
        )
    if is_about_path(error):
        place = str(error.filename)
        where = "" if place in doing else f" ({place})"
        return InvalidInput(
            f"{doing[:1].upper()}{doing[1:]} failed: {error.strerror}{where}.",
            advice="Check the path.",
        )
    return InternalError(f"{error} while {doing}.")


def is_about_path(error: OSError) -> bool:
    """Whether a path of the given form cannot be used, whatever the machine's state."""
    return error.errno in _UNUSABLE_PATHS and error.filename is not None
