"""How a process of the pool answers: as data of a declared type, never as code.

A process that read a hostile document may send anything. Its answer is therefore JSON, and it is
read as the type that the task declares to return: nothing in it chooses a class or a function.
"""

import functools
import inspect
import json
import struct
import types
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from pydantic import ConfigDict, TypeAdapter
from pydantic_core import PydanticSerializationError

from assay.display import escape_line
from assay.errors import (
    AssayError,
    ContentError,
    ContentTooLarge,
    CorruptBlob,
    InvalidInput,
    StageCrashed,
)

_HEAD: Final = struct.Struct("!Q8s")
HEAD_BYTES: Final = _HEAD.size
"""The head of a reply: the size of its body, and how the task ended."""
_MOST_LETTERS: Final = 2000
"""Of a message that a process sends; Assay's own are shorter."""
_CONFIG: Final = ConfigDict(
    ser_json_bytes="base64", val_json_bytes="base64", ser_json_inf_nan="constants"
)


class TaskVerdict(StrEnum):
    """How a task ended."""

    OK = "ok"
    ERROR = "error"
    MEMORY = "memory"
    DIED = "died"
    LATE = "late"


@dataclass(frozen=True, slots=True)
class TaskReply:
    """The result of one task."""

    verdict: TaskVerdict
    value: Any = None


@dataclass(frozen=True, slots=True)
class SentError:
    """An error as it is sent: the codes of its class and of the classes above, nearest first."""

    codes: tuple[str, ...]
    what: str
    advice: str
    final: bool


class ReplyInvalid(Exception):
    """A process sent something that is not an answer to its task."""


def pack_reply(task: Callable[..., Any], reply: TaskReply, most_bytes: int) -> bytes:
    """A reply as bytes, with its head in front."""
    body = b""
    if reply.verdict is TaskVerdict.OK:
        try:
            body = _encode(_build_adapter(task), reply.value)
            if len(body) > most_bytes:
                reply = TaskReply(TaskVerdict.ERROR, _make_size_error(len(body), most_bytes))
        except MemoryError:
            reply = TaskReply(TaskVerdict.MEMORY)
        except Exception as error:  # the task does not return what it declares
            name = getattr(task, "__name__", "the reader")
            message = f"{name} returned what it does not declare: {str(error)[:500]}."
            reply = TaskReply(TaskVerdict.ERROR, StageCrashed(message))
    if reply.verdict is TaskVerdict.ERROR:
        body = _ERRORS.dump_json(_describe_error(reply.value))
    return _frame(reply.verdict, body)


def pack_failure(message: str) -> bytes:
    """The reply to a task that could not even be loaded."""
    return _frame(TaskVerdict.ERROR, _ERRORS.dump_json(_describe_error(StageCrashed(message))))


def _make_size_error(size: int, most_bytes: int) -> ContentTooLarge:
    return ContentTooLarge(
        f"What is read of it takes {-(-size // 1_000_000)} MB, "
        f"more than the allowed {most_bytes // 1_000_000} MB.",
        advice="Lower read_max_characters, or split the document.",
    )


def _frame(verdict: TaskVerdict, body: bytes) -> bytes:
    return _HEAD.pack(len(body), verdict.encode()) + body


def read_head(head: bytes) -> tuple[TaskVerdict, int]:
    """How a task ended, and the size of the body that follows."""
    size, name = _HEAD.unpack(head)
    try:
        return TaskVerdict(name.rstrip(b"\0").decode("ascii")), size
    except ValueError as error:
        raise ReplyInvalid(str(error)) from error


def unpack_reply(task: Callable[..., Any], verdict: TaskVerdict, body: bytes) -> TaskReply:
    """Read a reply as what the task declares to return."""
    try:
        if verdict is TaskVerdict.OK:
            return TaskReply(verdict, _build_adapter(task).validate_json(body)[0])
        if verdict is TaskVerdict.ERROR:
            return TaskReply(verdict, _rebuild_error(_ERRORS.validate_json(body)))
        return TaskReply(verdict)
    except (ValueError, RecursionError) as error:
        raise ReplyInvalid(str(error)[:300]) from error


def _encode(adapter: TypeAdapter[tuple[Any]], value: Any) -> bytes:
    try:
        return adapter.dump_json((value,), warnings="error")
    except PydanticSerializationError:
        # Half of a surrogate pair, which no database can store, becomes a question mark.
        plain = adapter.dump_python((value,), mode="json", warnings="error")
        return json.dumps(plain, ensure_ascii=False).encode("utf-8", "replace")


@functools.lru_cache(maxsize=256)
def _build_adapter(task: Callable[..., Any]) -> TypeAdapter[tuple[Any]]:
    function = inspect.unwrap(task.func if isinstance(task, functools.partial) else task)
    returned: Any = typing.get_type_hints(function)["return"]
    # In a tuple, because a dataclass on its own takes no configuration.
    whole: Any = types.GenericAlias(tuple, (returned,))
    return TypeAdapter(whole, config=_CONFIG)


_ERRORS: Final = TypeAdapter(SentError)


def _describe_error(error: AssayError) -> SentError:
    codes = [base.code for base in type(error).__mro__ if issubclass(base, AssayError)]
    return SentError(tuple(codes), error.what, error.advice, error.final)


def _rebuild_error(sent: SentError) -> AssayError:
    """An error of the nearest class that may come from a document; otherwise a crash.

    Other classes speak for the program: a reader that claims that the database is lost would make
    the worker wait for it.
    """
    allowed: list[type[AssayError]] = [InvalidInput, CorruptBlob, *_list_errors(ContentError)]
    known = {each.code: each for each in allowed}
    chosen = next((known[code] for code in sent.codes if code in known), StageCrashed)
    error = chosen.__new__(chosen)
    AssayError.__init__(error, _clean(sent.what), advice=_clean(sent.advice))
    error.final = sent.final
    return error


def _clean(text: str) -> str:
    """One line of bounded length, which may be shown and stored."""
    line = " ".join(text.split())
    return escape_line(line if len(line) <= _MOST_LETTERS else line[:_MOST_LETTERS] + "…")


def _list_errors(root: type[AssayError]) -> Iterator[type[AssayError]]:
    yield root
    for each in root.__subclasses__():
        yield from _list_errors(each)
