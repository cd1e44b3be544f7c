"""Prompts as versioned files, so that every answer can be traced to the exact wording.

---
id: entities
version: 3
description: Finds who and what an act speaks of.
schema: EntityList
---
## System
You read acts of parliament.

## User
Title: {{title}}

{{text}}
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import InvalidInput, from_os_error
from assay.llm.messages import ModelRequest
from assay.model.hashes import canonical_json, content_hash

_FIELDS = ("id", "version", "schema", "description")
_REQUIRED = ("id", "version")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*")
_FIELD_LINE = re.compile(r"([a-z]+):[ \t]*(.*)")
_HEADING = re.compile(r"^## (System|User)[ \t]*$", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")
_BRACES = re.compile(r"\{\{|\}\}")


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """One version of a prompt."""

    id: str
    version: str
    system: str
    """Instructions, with placeholders; may be empty."""
    user: str
    """The message, with placeholders."""
    schema: str | None = None
    """The name of the answer's type."""
    description: str = ""

    @property
    def prompt_version(self) -> str:
        """The identifier of this exact wording: `id@version`."""
        return f"{self.id}@{self.version}"

    @property
    def content_hash(self) -> str:
        """The hash of everything the model sees; the description is for people."""
        return content_hash(canonical_json([self.system, self.user, self.schema]))

    @property
    def placeholders(self) -> frozenset[str]:
        """The names of the values needed to fill it."""
        return frozenset(_PLACEHOLDER.findall(self.system) + _PLACEHOLDER.findall(self.user))

    def fill(self, **values: object) -> tuple[str, str]:
        """System text and message with every placeholder replaced.

        Inserted values are never searched for placeholders: a document may contain `{{text}}`.
        """
        placeholders = self.placeholders
        for name in sorted(placeholders - values.keys()):
            raise InvalidInput(f"Prompt {self.prompt_version} needs '{name}', which is not given.")
        for name in sorted(values.keys() - placeholders):
            raise InvalidInput(f"Prompt {self.prompt_version} has no placeholder '{name}'.")
        return _fill_template(self.system, values), _fill_template(self.user, values)

    def build_request(
        self,
        *,
        max_tokens: int,
        schema: Mapping[str, Any] | None = None,
        temperature: float = 0.0,
        values: Mapping[str, object] | None = None,
        **more: object,
    ) -> ModelRequest:
        """The request to a model. A placeholder named like a parameter here goes in `values`."""
        system, user = self.fill(**{**(values or {}), **more})
        return ModelRequest(
            system=system,
            user=user,
            max_tokens=max_tokens,
            schema=schema,
            schema_name=self.schema or "answer",
            temperature=temperature,
            prompt_version=self.prompt_version,
        )


class PromptLibrary:
    """Every prompt of a folder, by id."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._prompts: dict[str, Prompt] = {}
        if not folder.is_dir():
            raise InvalidInput(f"The prompt folder {folder} does not exist.")
        for path in sorted(folder.glob("*.md")):
            prompt = load_prompt(path)
            if prompt.id in self._prompts:
                raise InvalidInput(f"{path}: there is already a prompt '{prompt.id}'.")
            self._prompts[prompt.id] = prompt

    def __getitem__(self, prompt_id: str) -> Prompt:
        try:
            return self._prompts[prompt_id]
        except KeyError:
            known = ", ".join(self._prompts) or "none"
            raise InvalidInput(
                f"There is no prompt '{prompt_id}' in {self._folder}.",
                advice=f"Available: {known}.",
            ) from None

    def __iter__(self) -> Iterator[Prompt]:
        return iter(self._prompts.values())

    def __len__(self) -> int:
        return len(self._prompts)


def load_prompt(path: Path) -> Prompt:
    """Read a prompt file; InvalidInput says what is wrong with it."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8 text.") from error
    except FileNotFoundError as error:
        raise InvalidInput(f"{path} does not exist.") from error
    except OSError as error:
        raise from_os_error(error, f"reading {path.name}") from error
    try:
        return parse_prompt(text)
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error.what}") from error


def parse_prompt(text: str) -> Prompt:
    """The same from the text of a prompt file."""
    head, body = _split_head(text)
    fields = _parse_fields(head)
    sections = _parse_sections(body)
    for name, section in sections.items():
        if _BRACES.search(_PLACEHOLDER.sub("", section)):
            raise InvalidInput(f"section {name} has braces that are not a placeholder.")
    return Prompt(
        id=fields["id"],
        version=fields["version"],
        system=sections.get("System", ""),
        user=sections["User"],
        schema=fields.get("schema"),
        description=fields.get("description", ""),
    )


def _fill_template(template: str, values: Mapping[str, object]) -> str:
    return _PLACEHOLDER.sub(lambda match: str(values[match[1]]), template)


def _split_head(text: str) -> tuple[list[str], str]:
    lines = text.splitlines(keepends=True)
    if not lines or lines[0].rstrip() != "---":
        raise InvalidInput("must begin with a line '---'.")
    for number, line in enumerate(lines[1:], start=1):
        if line.rstrip() == "---":
            return [field.strip() for field in lines[1:number]], "".join(lines[number + 1 :])
    raise InvalidInput("its front matter has no closing line '---'.")


def _parse_fields(lines: list[str]) -> dict[str, str]:
    fields: dict[str, str] = {}
    for line in filter(None, lines):
        match = _FIELD_LINE.fullmatch(line)
        if match is None or match[1] not in _FIELDS:
            raise InvalidInput(f"front matter may have {', '.join(_FIELDS)}, not {line!r}.")
        if match[1] in fields:
            raise InvalidInput(f"'{match[1]}' is given twice.")
        fields[match[1]] = _strip_quotes(match[2])
    for name in _REQUIRED:
        if not fields.get(name):
            raise InvalidInput(f"'{name}' is missing.")
    for name, form in (("id", _ID), ("version", _VERSION)):
        if form.fullmatch(fields[name]) is None:
            raise InvalidInput(
                f"{fields[name]!r} is not a valid {name}: use letters, digits and '_.-'."
            )
    return {name: value for name, value in fields.items() if value}


def _strip_quotes(value: str) -> str:
    value = value.strip()
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"":
        return value[1:-1]
    return value


def _parse_sections(body: str) -> dict[str, str]:
    parts = _HEADING.split(body)
    if parts[0].strip():
        raise InvalidInput("has text before '## System' or '## User'.")
    sections: dict[str, str] = {}
    for name, text in zip(parts[1::2], parts[2::2], strict=True):
        if name in sections:
            raise InvalidInput(f"has '## {name}' twice.")
        sections[name] = text.strip()
    if not sections.get("User"):
        raise InvalidInput("has nothing under '## User'.")
    return sections
