"""A situation as written on the command line: `turnover=70000 "activity=room letting"`."""

import re
from collections.abc import Iterable

from assay.errors import InvalidInput
from assay.ruling.rules.conditions.parsing import FIELD_NAME
from assay.ruling.rules.conditions.values import LOOKS_LIKE_A_DAY, parse_text_value, tidy_text

_FORMAT_ADVICE = "Write it as name=value, such as turnover=70000."
_GROUPED = re.compile(r"-?[0-9]{1,3}(?:([., '’])[0-9]{3})(?:\1[0-9]{3})*(?:[.,][0-9]+)?")
_COMMA = re.compile(r"-?[0-9]+,[0-9]+")


def parse_situation(entries: Iterable[str]) -> dict[str, str]:
    """The fields of a situation, each given once as `name=value`."""
    situation: dict[str, str] = {}
    for entry in entries:
        name, sign, text = entry.partition("=")
        name, text = tidy_text(name), tidy_text(text)
        if not sign:
            raise InvalidInput(f"'{entry}' has no value.", advice=_FORMAT_ADVICE)
        if not name:
            raise InvalidInput(f"'{entry}' names no field.", advice=_FORMAT_ADVICE)
        if not FIELD_NAME.fullmatch(name):
            raise InvalidInput(
                f"'{name}' is not a valid field name.",
                advice="Use lowercase letters, digits, _ and ., starting with a letter.",
            )
        if name in situation:
            raise InvalidInput(f"'{name}' is given twice.", advice="Give each field once.")
        situation[name] = _check_value(name, text)
    return situation


def _check_value(name: str, text: str) -> str:
    if not text:
        raise InvalidInput(
            f"'{name}' has no value.", advice="Add a value, or leave it out if it is not known."
        )
    if _GROUPED.fullmatch(text) or _COMMA.fullmatch(text):
        raise InvalidInput(
            f"'{name}={text}' can be read as more than one number.",
            advice="Write numbers without separators, with a point before decimals: 70000 or 0.5.",
        )
    if LOOKS_LIKE_A_DAY.fullmatch(text) and isinstance(parse_text_value(text), str):
        raise InvalidInput(f"'{name}={text}' is not a valid date.", advice="Use YYYY-MM-DD.")
    return text
