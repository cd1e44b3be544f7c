"""How a failed command reports its error: one line or one JSON value, and the exit code."""

import errno
import os
import sys

import typer
from rich.text import Text

from assay.cli.exit_codes import ExitCode, exit_code_of
from assay.cli.session import Session
from assay.errors import AssayError, ErrorClass, from_os_error, is_about_path
from assay.logs import Log

log = Log("assay.cli")
_MACHINE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EACCES, errno.EPERM, errno.EROFS)


def report_failure(session: Session, error: Exception) -> int:
    """Report what went wrong and return the exit code."""
    if isinstance(error, typer.TyperException):
        return _report_usage(session, error)
    if isinstance(error, BrokenPipeError):
        return _discard_stdout()
    known = _to_assay_error(error)
    if known is None:
        return _report_bug(session, error)
    log.debug("command_failed", str(known), code=known.code, traceback=True)
    _print_error(session, known.code, known.error_class.value, known.what, known.advice)
    return exit_code_of(known)


def _to_assay_error(error: Exception) -> AssayError | None:
    """The error as one of the error tree; None if it is a bug."""
    if isinstance(error, AssayError):
        return error
    if isinstance(error, OSError) and (error.errno in _MACHINE or is_about_path(error)):
        return from_os_error(error, "running the command")
    # Imported here: a wrong command line must not load a database first.
    from sqlalchemy.exc import DBAPIError

    from assay.store.database import explain_database_error

    return explain_database_error(error) if isinstance(error, DBAPIError) else None


def _report_usage(session: Session, error: typer.TyperException) -> int:
    path = getattr(getattr(error, "ctx", None), "command_path", "assay")
    message = _make_sentence(error.format_message())
    # A group called without a command raises this error, which has no public name.
    if type(error).__name__ == "NoArgsIsHelpError":
        if not session.json:
            session.err.print(Text(error.format_message().strip()), soft_wrap=True)
            return ExitCode.USAGE
        message = "Missing command."
    _print_error(session, "usage", ErrorClass.VALIDATION.value, message, f"Try '{path} --help'.")
    return ExitCode.USAGE


def _make_sentence(message: str) -> str:
    """A usage error as one sentence, without the words of the library that found it."""
    plain = message.strip().replace("Value error, ", "").replace("Input should be ", "must be ")
    return plain if plain.endswith((".", "?", "!")) else f"{plain}."


def _report_bug(session: Session, error: Exception) -> int:
    has_log = session.log_file is not None
    if has_log:
        # The traceback goes to the file; the person gets one line.
        session.start_logging(session.settings, console_level="CRITICAL")
        log.error("bug", f"{type(error).__name__}: {error}", traceback=True)
    else:
        session.err.print_exception()
    where = f"The traceback is in {session.log_file}" if has_log else "The traceback is above"
    _print_error(
        session,
        "bug",
        ErrorClass.INTERNAL.value,
        f"This is a bug in Assay: {type(error).__name__}: {error}.",
        f"{where}; please report it.",
    )
    return ExitCode.UNEXPECTED


def _print_error(session: Session, code: str, error_class: str, message: str, advice: str) -> None:
    advice = session.complete_hints(advice)
    if session.json:
        session.print_json(
            {"error": {"code": code, "class": error_class, "message": message, "advice": advice}}
        )
        return
    line = " ".join(f"Error ({code}): {message} {advice}".split())
    session.err.print(Text(line, style="red"), soft_wrap=True)


def _discard_stdout() -> int:
    """Discard further output: at exit, the interpreter must not flush into the closed pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return ExitCode.PIPE_CLOSED
