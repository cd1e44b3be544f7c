"""All tools of a store, and the one way in which they are called."""

import re
from collections.abc import Awaitable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError
from sqlalchemy.exc import DBAPIError

from assay.app import App
from assay.app.read_only_services import ReadOnlyServices
from assay.assistants.bounds import BoundedAnswer, bound_answer, clean_text
from assay.assistants.core_tools import build_core_tools
from assay.display import escape_line
from assay.errors import AssayError, InternalError, InvalidInput, NotFound
from assay.logs import Log
from assay.sdk.tools import AssistantTool
from assay.store.database import explain_database_error

_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,21}")
"""With the name of any pack, at most 64 characters: clients refuse longer names."""
_TOOLS_FOR: Final = (
    ("'assay rules list'", "'search_concepts'"),
    ("'assay release list'", "'list_releases'"),
    ("'assay documents list'", "'search_evidence'"),
    ("'assay review list'", "'list_open_questions'"),
    ("--pack", "the argument 'pack'"),
)
"""What commands and options of advice are to an assistant."""
log = Log("assay.assistants")


@dataclass(frozen=True)
class NamedTool:
    """A tool with the name that an assistant calls it by."""

    name: str
    pack: str
    """The pack that it belongs to; empty for Assay's own."""
    tool: AssistantTool

    def describe_input(self) -> dict[str, Any]:
        """The JSON Schema of its arguments."""
        return self.tool.input.model_json_schema()


class ToolCatalog:
    """The tools of a store, by name. Every call is read-only, bounded and cleaned."""

    def __init__(self, app: App) -> None:
        self._services = ReadOnlyServices(app.settings, lambda: app, app.clock)
        self.tools: Mapping[str, NamedTool] = _name_tools(app)

    async def call(self, name: str, arguments: Mapping[str, Any]) -> BoundedAnswer:
        """The answer of a tool. Every error is an AssayError with advice for an assistant."""
        try:
            return await self._call(name, arguments)
        except AssayError as error:
            raise _advise_assistant(error) from error
        except DBAPIError as error:
            raise _advise_assistant(explain_database_error(error)) from error
        except Exception as error:  # a bug in one tool must not end the server
            log.error("bug", f"{type(error).__name__}: {error}", tool=name, traceback=True)
            raise InternalError(
                f"This is a bug in Assay or a pack: {type(error).__name__}.",
                advice="The traceback is in the log of the home; please report it.",
            ) from error

    async def close_after(self, serving: Awaitable[None]) -> None:
        """Serve, and then close what tools have opened."""
        try:
            await serving
        finally:
            await self._services.close()

    async def _call(self, name: str, arguments: Mapping[str, Any]) -> BoundedAnswer:
        named = self.tools.get(name)
        if named is None:
            known = ", ".join(self.tools)
            raise NotFound(f"There is no tool '{clean_text(name)}'.", advice=f"Tools: {known}.")
        _refuse_controls(arguments)
        try:
            wanted = named.tool.input.model_validate(dict(arguments))
        except ValidationError as error:
            raise InvalidInput(
                f"The arguments of '{name}' are not valid: {_describe_faults(error)}.",
                advice="Correct them and call the tool again.",
            ) from error
        return bound_answer(await named.tool.function(wanted, self._services))


def _name_tools(app: App) -> dict[str, NamedTool]:
    """Assay's own tools and those of all installed packs; a pack's carry its name."""
    named = {tool.name: NamedTool(tool.name, "", tool) for tool in build_core_tools(app)}
    for pack in app.packs.installed.values():
        for tool in () if pack.tools is None else pack.tools():
            if not _NAME.fullmatch(tool.name):
                raise InvalidInput(
                    f"Pack '{pack.name}': '{tool.name}' cannot be the name of a tool.",
                    advice="Use at most 22 lowercase letters, digits and underscores.",
                )
            name = f"{pack.name}_{tool.name}"
            if name in named:
                raise InvalidInput(
                    f"Pack '{pack.name}' declares the tool '{name}', which already exists.",
                    advice="Rename it.",
                )
            named[name] = NamedTool(name, pack.name, tool)
    return named


def _refuse_controls(value: Any) -> None:
    """No name or word that somebody looks for has control characters, and databases refuse some."""
    for text in _list_texts(value):
        if escape_line(text) != text:
            raise InvalidInput(
                "An argument contains a control character or a line break.",
                advice="Leave it out.",
            )


def _list_texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, entry in value.items():
            yield str(name)
            yield from _list_texts(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from _list_texts(entry)


def _describe_faults(error: ValidationError) -> str:
    faults = error.errors(include_url=False, include_input=False, include_context=False)
    return "; ".join(
        f"{'.'.join(map(str, fault['loc'])) or 'input'}: {fault['msg'][:1].lower()}"
        f"{fault['msg'][1:]}"
        for fault in faults[:5]
    )


def _advise_assistant(error: AssayError) -> AssayError:
    """The same error, with advice that an assistant can follow."""
    for command, tool in _TOOLS_FOR:
        error.advice = error.advice.replace(command, tool)
    if "'assay " in error.advice:
        error.advice = f"Tell the person who runs Assay: {error.advice}"
    return error
