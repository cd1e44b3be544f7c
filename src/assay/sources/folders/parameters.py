"""Parameters of a source: what a person chooses when adding it, such as the title of a code.

A description names them under `parameters`, and has `$name` in the names, addresses and options of
its endpoints. Such an endpoint is written once for each value.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from assay.errors import InvalidInput

Values = Mapping[str, Sequence[str]]
NO_VALUES: Values = {}
_MOST = 100


class SourceParameter(BaseModel):
    """One parameter: its values if nothing is chosen, and what a value looks like."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    default: Annotated[tuple[Annotated[str, Field(max_length=100)], ...], Field(min_length=1)]
    pattern: Annotated[str, Field(min_length=1, max_length=200)]
    about: Annotated[str, Field(max_length=500)]


def parse_choices(given: Iterable[str]) -> dict[str, list[str]]:
    """The values in `name=value`, by name."""
    found: dict[str, list[str]] = {}
    for entry in given:
        name, sign, value = entry.partition("=")
        if not sign or not name.strip() or not value.strip():
            raise InvalidInput(f"{entry!r} is not name=value.", advice="For example, title=12.")
        found.setdefault(name.strip(), []).append(value.strip())
    return found


def fill_endpoints(
    endpoints: Mapping[str, Any], parameters: Mapping[str, SourceParameter], chosen: Values
) -> dict[str, Any]:
    """The endpoints, with the chosen values or the default ones in the places of the names."""
    for name in chosen:
        if name not in parameters:
            known = ", ".join(sorted(parameters)) or "none"
            raise InvalidInput(
                f"The source has no option '{name}'.", advice=f"Its options: {known}."
            )
    filled: dict[str, Any] = {}
    for endpoint, described in endpoints.items():
        named = [name for name in parameters if _mentions((endpoint, described), name)]
        if not named:
            filled[endpoint] = described
        for name in named[:1]:
            for value in _check_values(name, parameters[name], chosen.get(name)):
                slug = re.sub(r"[^a-z0-9]+", "-", value.lower()).strip("-")
                filled[endpoint.replace(f"${name}", slug)] = _replace(described, name, value)
    return filled


def _check_values(
    name: str, parameter: SourceParameter, chosen: Sequence[str] | None
) -> Sequence[str]:
    values = list(dict.fromkeys(chosen or parameter.default))
    if len(values) > _MOST:
        raise InvalidInput(f"Option '{name}' has {len(values)} values; {_MOST} are the most.")
    for value in values:
        if re.fullmatch(parameter.pattern, value) is None:
            raise InvalidInput(
                f"{value!r} is not a valid value of '{name}'.", advice=parameter.about
            )
    return values


def _mentions(described: Any, name: str) -> bool:
    if isinstance(described, str):
        return f"${name}" in described
    if isinstance(described, Mapping):
        return any(_mentions(part, name) for part in described.values())
    if isinstance(described, list | tuple):
        return any(_mentions(part, name) for part in described)
    return False


def _replace(described: Any, name: str, value: str) -> Any:
    if isinstance(described, str):
        return described.replace(f"${name}", value)
    if isinstance(described, Mapping):
        return {key: _replace(part, name, value) for key, part in described.items()}
    if isinstance(described, list):
        return [_replace(part, name, value) for part in described]
    return described
