"""Splits an answer that is still arriving into complete JSON objects."""

import json
import re
from dataclasses import dataclass, field
from typing import Any

from assay.errors import AnswerInvalid

MAX_DEPTH = 200
"""The levels of nesting above which an answer counts as broken."""

_CLOSER = {"{": "}", "[": "]"}
_OPENING = re.compile(r"[{\[]")
_BRACKETS = re.compile(r'["{}\[\]]')
_MEMBERS = re.compile(r'["{}\[\],:]')
_STRING_STOP = re.compile(r'["\\]')
_SOLID = re.compile(r"[^ \t\r\n]")
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[{}\[\]]', re.DOTALL)
_VALUE = re.compile(r'\{[ \t\r\n]*["}]|\[[ \t\r\n]*["{\[\]\-0-9tfn]')
_FENCE = re.compile(r"```[A-Za-z0-9]*[ \t\r\n]*\Z")
_FENCED = re.compile(r"```[A-Za-z0-9]*[ \t]*\r?\n(.*)```", re.DOTALL)


def _refuse_constant(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


# Numbers stay text: this only checks whether it is JSON, and a huge integer is slow to parse.
_CHECKING = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=_refuse_constant)
_READING = json.JSONDecoder(parse_constant=_refuse_constant)


@dataclass(slots=True)
class _HeldText:
    """Text that began at `begin` of this chunk, or in an earlier one."""

    begin: int
    parts: list[str] = field(default_factory=list)

    def carry(self, chunk: str) -> None:
        self.parts.append(chunk[self.begin :])
        self.begin = 0

    def take_until(self, chunk: str, end: int) -> str:
        return "".join(self.parts) + chunk[self.begin : end]


@dataclass(slots=True)
class _ObjectHead:
    """The members so far of an object that may be an item, or enclose the items."""

    members: int = 0
    key: str | None = None
    expects_key: bool = True
    has_value: bool = False
    has_field: bool = False
    has_empty: bool = False

    def next_member(self) -> None:
        self.key, self.expects_key, self.has_value = None, True, False

    def value_follows(self, field: str | None) -> None:
        self.members += 1
        self.has_value = self.key is not None
        self.has_field |= self.has_value and self.key == field


class ItemScanner:
    """Returns each object of an answer as soon as its last character has arrived.

    The objects may be in an array, in an array under a field of one object, or one after another;
    a fence and prose around them are skipped. Nothing is repaired: an object that is not closed or
    not JSON is not returned.

    Without a field's name, the first array of objects on the first level of the first object is
    used. If each line is an object and the objects may have such arrays, a field must be named.
    """

    def __init__(self, field: str | None = None) -> None:
        self.refused = 0
        """The number of values in place of an item that are not JSON objects."""
        self.fault: str | None = None
        """Why nothing more can be found, however much arrives."""
        self._field = field
        self._stack: list[str] = []
        self._list_depth: int | None = None
        self._item: _HeldText | None = None
        self._key: _HeldText | None = None
        self._head: _ObjectHead | None = None
        self._opener = ""
        self._peeking = False
        self._in_string = False
        self._escaped = False
        self._in_scalar = False
        self._lines = False
        self._balanced = False
        self._done = False

    @property
    def is_complete(self) -> bool:
        """Whether what encloses the items was closed.

        Nothing encloses objects that come one after another; then, whether none is still open.
        """
        return self._done or (self._balanced and not self._stack and not self._opener)

    @property
    def pending_text(self) -> str:
        """The text of the object that is still open."""
        return "" if self._item is None else "".join(self._item.parts)

    def feed(self, chunk: str) -> list[str]:
        """The text of each object that this chunk completes.

        Raises AnswerInvalid if brackets do not match or nest too deeply; objects that the same
        chunk completed earlier are returned first, and the error comes with the next chunk.
        """
        found: list[str] = []
        at = 0
        while at < len(chunk) and not self._done and self.fault is None:
            at = self._take_step(chunk, at, found)
        for held in (self._item, self._key):
            if held is not None:
                held.carry(chunk)
        if self.fault is not None and not found:
            raise AnswerInvalid(self.fault)
        return found

    def _take_step(self, chunk: str, at: int, found: list[str]) -> int:
        """Move to the next character that matters; return where to continue after it."""
        if self._in_string:
            return self._scan_string(chunk, at)
        if self._opener:
            return self._check_opener(chunk, at)
        if not self._stack:
            return self._seek(chunk, at)
        if self._peeking:
            return self._peek(chunk, at)
        if len(self._stack) == self._list_depth:
            return self._scan_between_items(chunk, at)
        return self._scan_item(chunk, at, found)

    def _seek(self, chunk: str, at: int) -> int:
        opening = _OPENING.search(chunk, at)
        if opening is None:
            return len(chunk)
        self._opener = opening[0]
        self._item = _HeldText(opening.start())
        return opening.end()

    def _check_opener(self, chunk: str, at: int) -> int:
        """Prose has brackets as well; what follows one shows whether it opens JSON."""
        solid = _SOLID.search(chunk, at)
        if solid is None:
            return len(chunk)
        opener, self._opener = self._opener, ""
        if opener == "{" and solid[0] in '"}':
            self._stack.append("}")
            self._head = None if self._lines else _ObjectHead()
            return solid.start()
        self._item = None
        if opener == "[" and solid[0] == "{":
            self._stack.append("]")
            self._list_depth = 1
        elif opener == "[" and solid[0] == "]":
            self._balanced = True
        return solid.start()

    def _peek(self, chunk: str, at: int) -> int:
        """Inspect an array when no field was named; its first value shows what it is."""
        solid = _SOLID.search(chunk, at)
        if solid is None:
            return len(chunk)
        self._peeking = False
        if solid[0] == "{":
            self._take_list()
        elif solid[0] == "]" and self._head is not None:
            self._head.has_empty = True
        return solid.start()

    def _take_list(self) -> None:
        self._list_depth = len(self._stack)
        self._item = self._head = None

    def _scan_string(self, chunk: str, at: int) -> int:
        if self._escaped:
            self._escaped = False
            return at + 1
        stop = _STRING_STOP.search(chunk, at)
        if stop is None:
            return len(chunk)
        if stop[0] == "\\":
            self._escaped = True
            return stop.end()
        self._in_string = False
        if self._key is not None and self._head is not None:
            self._head.key = _decode_string(self._key.take_until(chunk, stop.end()))
            self._head.expects_key = False
            self._key = None
        return stop.end()

    def _scan_between_items(self, chunk: str, at: int) -> int:
        solid = _SOLID.search(chunk, at)
        if solid is None:
            return len(chunk)
        sign = solid[0]
        if sign in "}]":
            self._close(sign)
        elif sign == ",":
            self._in_scalar = False
        elif sign == "{":
            self._item = _HeldText(solid.start())
            self._open(sign)
        else:
            self.refused += not self._in_scalar
            self._in_scalar = True
            self._in_string = sign == '"'
            if sign == "[":
                self._open(sign)
        return solid.end()

    def _scan_item(self, chunk: str, at: int, found: list[str]) -> int:
        head = self._head if len(self._stack) == 1 else None
        stop = (_BRACKETS if head is None else _MEMBERS).search(chunk, at)
        if stop is None:
            return len(chunk)
        sign = stop[0]
        if sign == '"':
            self._in_string = True
            if head is not None and head.expects_key:
                self._key = _HeldText(stop.start())
        elif sign in "{[":
            self._open(sign)
            if sign == "[" and head is not None and head.has_value:
                self._enter_list_under(head)
        elif sign in "}]":
            self._close(sign)
            self._finish_item(chunk, stop.end(), found)
        elif head is not None and sign == ",":
            head.next_member()
        elif head is not None:
            head.value_follows(self._field)
        return stop.end()

    def _enter_list_under(self, head: _ObjectHead) -> None:
        if self._field is None:
            self._peeking = True
        elif head.key == self._field:
            self._take_list()

    def _open(self, sign: str) -> None:
        self._stack.append(_CLOSER[sign])
        if len(self._stack) > MAX_DEPTH:
            self.fault = f"The answer nests deeper than {MAX_DEPTH} levels."

    def _close(self, sign: str) -> None:
        if self._stack[-1] != sign:
            self.fault = f"The answer has a '{sign}' where a '{self._stack[-1]}' belongs."
            return
        self._stack.pop()
        if self._list_depth is not None and len(self._stack) < self._list_depth:
            self._list_depth = None
        self._done = not self._stack and self._item is None

    def _finish_item(self, chunk: str, end: int, found: list[str]) -> None:
        """Return the item if the bracket just closed is its last."""
        if self.fault is not None or self._item is None:
            return
        if len(self._stack) != (self._list_depth or 0):
            return
        text, self._item = self._item.take_until(chunk, end), None
        head, self._head = self._head, None
        if not self._stack:
            self._balanced = True
            if head is not None and self._field is None and head.members == 1 and head.has_empty:
                self._done = True
                return
        if _is_json(text) and not (head is not None and head.has_field):
            found.append(text)
            # From now on every object is an item, whatever it contains.
            self._lines = self._field is None
        else:
            self.refused += 1


def parse_whole_json(text: str) -> Any:
    """The one JSON value of an answer; a fence or prose around it is skipped.

    Raises AnswerInvalid if there is none, or more than one outside a fence, or it is broken or cut.
    """
    bare = text.strip()
    fenced = _FENCED.fullmatch(bare)
    for whole in (bare, fenced[1].strip() if fenced else ""):
        if whole and whole[0] not in "{[":
            try:
                return _READING.decode(whole)
            except ValueError:
                continue
    spans = _find_values(bare)
    several = len(spans)
    if several > 1:
        spans = [span for span in spans if _FENCE.search(bare, max(0, span[0] - 40), span[0])]
    if len(spans) == 1:
        return spans[0][1]
    raise AnswerInvalid(f"The answer has {several or 'no'} JSON values, not one: {_shorten(bare)}.")


def _find_values(text: str) -> list[tuple[int, Any]]:
    """Where each outermost object or array begins, and its value."""
    found: list[tuple[int, Any]] = []
    start = _VALUE.search(text)
    while start is not None:
        end = _find_span_end(text, start.start())
        span = text[start.start() : end]
        try:
            found.append((start.start(), _READING.decode(span)))
        except ValueError as error:
            # Brackets without a quote in them are a remark, such as a marginal number.
            if '"' in span:
                raise AnswerInvalid(
                    f"The answer is not JSON ({error}): {_shorten(span)}."
                ) from error
        start = _VALUE.search(text, end)
    return found


def _find_span_end(text: str, start: int) -> int:
    stack: list[str] = []
    for token in _TOKEN.finditer(text, start):
        sign = token[0]
        if sign in _CLOSER:
            stack.append(_CLOSER[sign])
            if len(stack) > MAX_DEPTH:
                raise AnswerInvalid(f"The answer nests deeper than {MAX_DEPTH} levels.")
        elif sign in ("}", "]"):
            if stack.pop() != sign:
                raise AnswerInvalid(
                    f"The answer's brackets do not match: {_shorten(text[start:])}."
                )
            if not stack:
                return token.end()
    raise AnswerInvalid(f"The answer is cut off: {_shorten(text[start:])}.")


def _decode_string(quoted: str) -> str | None:
    try:
        return str(_CHECKING.decode(quoted))
    except ValueError:
        return None


def _is_json(text: str) -> bool:
    try:
        _CHECKING.decode(text)
    except ValueError:
        return False
    return True


def _shorten(text: str) -> str:
    """Enough of a text to see what it is."""
    return repr(text if len(text) <= 120 else f"{text[:80]} … {text[-30:]}")
