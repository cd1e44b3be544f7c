"""Structured logs: one JSON object per line, with the fields that tie a line to its job."""

import json
import logging
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import MappingProxyType
from typing import Any

from assay.display import escape_controls, escape_line

CORRELATION_FIELDS = ("run_id", "job_id", "parent_job_id", "source_slug", "queue", "batch_id")

_NOTHING: Mapping[str, str] = MappingProxyType({})
_bound: ContextVar[Mapping[str, str]] = ContextVar("assay_log_fields", default=_NOTHING)


@contextmanager
def bind_fields(**fields: str | None) -> Iterator[None]:
    """Add these fields to every line written inside the context."""
    token = _bound.set({**_bound.get(), **{k: v for k, v in fields.items() if v is not None}})
    try:
        yield
    finally:
        _bound.reset(token)


class JsonLines(logging.Formatter):
    """One JSON object per line; `action` is the field for programs to search by."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
            + f".{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line.update(getattr(record, "assay", {}))
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return escape_controls(json.dumps(line, ensure_ascii=False, default=str))


class ConsoleLines(logging.Formatter):
    """A line for a person: the level and the message, with a traceback below it if there is one."""

    def format(self, record: logging.LogRecord) -> str:
        line = escape_line(f"{record.levelname} {record.getMessage()}")
        if not record.exc_info:
            return line
        return f"{line}\n{escape_controls(self.formatException(record.exc_info))}"


class Log:
    """A logger that gives every line an action and fields."""

    def __init__(self, name: str) -> None:
        self._logger = logging.getLogger(name)

    def _write(self, level: int, action: str, message: str, fields: Mapping[str, Any]) -> None:
        if self._logger.isEnabledFor(level):
            exc_info = bool(fields.get("traceback"))
            values = {k: v for k, v in fields.items() if k != "traceback" and v is not None}
            self._logger.log(
                level,
                message,
                extra={"assay": {"action": action, **_bound.get(), **values}},
                exc_info=exc_info,
            )

    def debug(self, action: str, message: str, **fields: Any) -> None:
        self._write(logging.DEBUG, action, message, fields)

    def info(self, action: str, message: str, **fields: Any) -> None:
        self._write(logging.INFO, action, message, fields)

    def warning(self, action: str, message: str, **fields: Any) -> None:
        self._write(logging.WARNING, action, message, fields)

    def error(self, action: str, message: str, **fields: Any) -> None:
        self._write(logging.ERROR, action, message, fields)


def configure(level: str, file: Path | None, *, console_level: str = "ERROR") -> None:
    """Send Assay's lines to a file, and to the console only what a person must see."""
    root = logging.getLogger("assay")
    for handler in list(root.handlers):
        root.removeHandler(handler)
        handler.close()
    root.setLevel(level.upper())
    root.propagate = False
    console = logging.StreamHandler(sys.stderr)
    console.setLevel(console_level.upper())
    console.setFormatter(ConsoleLines())
    root.addHandler(console)
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        lines = logging.FileHandler(file, encoding="utf-8")
        lines.setFormatter(JsonLines())
        root.addHandler(lines)
        _borrow_for_queue(lines)


def _borrow_for_queue(lines: logging.Handler) -> None:
    """Send the queue library's warnings to the same file, never to the console."""
    logger = logging.getLogger("dbos")
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
    logger.propagate = False
    logger.addHandler(lines)
