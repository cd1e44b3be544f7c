"""Adapters: a source's own functions, called in the process that reads documents.

An adapter is one Python file with `list_items`, `describe_document`, or both. It is identified by
the path of its folder, so a process that reads documents can load it without help.
"""

import ast
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from assay.errors import AssayError, ContentBroken, InvalidInput, from_os_error
from assay.model.hashes import content_hash
from assay.sources.folders.descriptions import DocumentDescription, parse_description
from assay.sources.folders.plain_yaml import read_bounded_bytes
from assay.sources.listing.builder import ListingBuilder, clean_title
from assay.sources.listing.options import ListingOptions
from assay.sources.listing.results import Listing

ADAPTER_FILE = "adapter.py"
LIST_ITEMS = "list_items"
DESCRIBE_DOCUMENT = "describe_document"
_FUNCTIONS = (LIST_ITEMS, DESCRIBE_DOCUMENT)
_ENTRY = ("url", "title", "published", "changed", "further")
_ADVICE = "Correct the adapter, or the example of a payload that it was written for."


def find_adapter_functions(path: Path) -> frozenset[str]:
    """Find which functions an adapter has, without running it."""
    try:
        tree = ast.parse(read_bounded_bytes(path), str(path))
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        place = f" (line {line})" if line else ""
        what = error.msg if isinstance(error, SyntaxError) else str(error)
        raise InvalidInput(f"{path} is not valid Python: {what}{place}.") from error
    found: set[str] = set()
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if node.name not in _FUNCTIONS:
            if node.name.startswith("_"):
                continue
            raise InvalidInput(
                f"{path} has a function '{node.name}'; an adapter may only have {LIST_ITEMS} and "
                f"{DESCRIBE_DOCUMENT}.",
                advice="Start the names of all other functions with an underscore.",
            )
        taken = len(node.args.posonlyargs) + len(node.args.args)
        if isinstance(node, ast.AsyncFunctionDef) or taken != 2:
            raise InvalidInput(f"{path}: write it as 'def {node.name}(data, url)'.")
        found.add(node.name)
    if not found:
        raise InvalidInput(
            f"{path} has neither a function '{LIST_ITEMS}' nor one '{DESCRIBE_DOCUMENT}'."
        )
    return frozenset(found)


def describe_document(folder: Path, data: bytes, url: str) -> DocumentDescription:
    """Describe a document with the folder's adapter; any failure is ContentBroken."""
    result = _call_adapter(folder, DESCRIBE_DOCUMENT, data, url)
    try:
        return parse_description(result)
    except ValueError as error:
        raise _adapter_error(folder, DESCRIBE_DOCUMENT, url, str(error)) from error


def describe_stored_document(folder: Path, file: Path, url: str) -> DocumentDescription:
    """The same for stored bytes, which need not be sent to the reading process."""
    try:
        data = file.read_bytes()
    except OSError as error:
        raise from_os_error(error, f"reading {file.name}") from error
    return describe_document(folder, data, url)


def read_adapter_listing(
    folder: Path, data: bytes, url: str, options: ListingOptions | None = None, number: int = 1
) -> Listing:
    """Read a page of a listing with the folder's adapter.

    The adapter returns a dict for each entry: `url`, and `title`, `published` and `changed` if
    known; `further` is True for an address where the listing continues. The options filter the
    addresses as they do everywhere, and `number` says which page of the listing this is.
    """
    result = _call_adapter(folder, LIST_ITEMS, data, url)
    gathering = ListingBuilder(url, options or ListingOptions())
    try:
        if not isinstance(result, list):
            raise ValueError(f"list_items() returned {type(result).__name__}, not a list")
        for entry in result:
            _add_entry(entry, gathering, number)
    except ValueError as error:
        raise _adapter_error(folder, LIST_ITEMS, url, str(error)) from error
    gathering.require_addresses("the listing")
    return gathering.build_listing()


def _add_entry(entry: object, gathering: ListingBuilder, number: int) -> None:
    if not isinstance(entry, Mapping):
        raise ValueError(f"an entry is {type(entry).__name__}, not a dict")
    unknown = [str(name) for name in entry if name not in _ENTRY]
    if unknown:
        raise ValueError(f"an entry has no field '{unknown[0]}'; it may have {', '.join(_ENTRY)}")
    words = {name: entry.get(name) for name in _ENTRY[:4]}
    for name, value in words.items():
        if not isinstance(value, str | None):
            raise ValueError(f"{name} {value!r:.80} of an entry is not text")
    if not words["url"]:
        raise ValueError("an entry has no url")
    if not entry.get("further"):
        title = clean_title(words["title"])
        gathering.add(words["url"], title, words["published"], words["changed"])
    elif number < gathering.options.max_pages:
        gathering.add_part(words["url"], words["changed"], number=number + 1)
    else:
        gathering.notes.append(f"max_pages ends the look after {number} pages")


def _call_adapter(folder: Path, name: str, data: bytes, url: str) -> Any:
    try:
        module = _load_adapter(
            folder / ADAPTER_FILE, content_hash(read_bounded_bytes(folder / ADAPTER_FILE))
        )
        function: Callable[[bytes, str], Any] | None = getattr(module, name, None)
        if function is None:
            raise InvalidInput(f"it has no function '{name}'.")
        return function(data, url)
    except AssayError as error:
        raise _adapter_error(folder, name, url, error.what, error.advice) from error
    except MemoryError:
        # The reading process is replaced after this; continuing in it would fail again.
        raise
    except (Exception, SystemExit) as error:  # an adapter is third-party code: expect anything
        reason = f"{type(error).__name__}: {str(error)[:300]}"
        raise _adapter_error(folder, name, url, reason) from error


def _adapter_error(
    folder: Path, name: str, url: str, reason: str, advice: str = ""
) -> ContentBroken:
    what = f"The adapter of {folder.name} ({name}) fails at {url}: {reason.rstrip('.')}."
    return ContentBroken(what, advice=advice or _ADVICE)


@lru_cache(maxsize=64)
def _load_adapter(path: Path, hash_of_file: str) -> ModuleType:
    """The adapter as a module; one that changed is loaded again."""
    # Not a regular import, which would leave compiled files in the folder.
    module = ModuleType(f"assay_adapter_{hash_of_file[:16]}")
    module.__file__ = str(path)
    code = compile(read_bounded_bytes(path), str(path), "exec")
    # Dataclasses look up their module by its name.
    sys.modules[module.__name__] = module
    exec(code, module.__dict__)
    return module
