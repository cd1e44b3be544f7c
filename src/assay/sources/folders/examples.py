"""Test a source on its saved examples."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from assay.errors import ContentError, InvalidInput, from_os_error
from assay.model.ids import normalise_url
from assay.sources.folders.adapters import describe_document, read_adapter_listing
from assay.sources.folders.definition import ADAPTER, SourceFolder, load_folder
from assay.sources.folders.descriptions import DocumentDescription, parse_description
from assay.sources.folders.expectations import EXAMPLES, ExpectedItem, SourceExample
from assay.sources.git import GIT_HISTORY
from assay.sources.listing import Listing, ListingOptions, read_listing
from assay.sources.policy import FetchPolicy
from assay.sources.portals import NO_PORTALS, Portal

_SHOWN = 3


def find_example_failures(
    path: Path, policy: FetchPolicy | None = None, portals: Mapping[str, Portal] = NO_PORTALS
) -> list[str]:
    """Where the folder's examples differ from what is expected, one sentence each.

    An invalid folder raises InvalidInput. The adapter runs in this process. A tenant of a portal
    needs no examples: the pack that provides the portal tests it. Nor does a git repository, which
    is not a page that could be read wrongly.
    """
    folder = load_folder(path, policy, portals)
    without_examples = {GIT_HISTORY, *portals}
    if not folder.examples and all(e.strategy in without_examples for e in folder.endpoints):
        return []
    if not folder.examples:
        return [f"{path} has no example: it cannot be tested."]
    return [
        f"{EXAMPLES}/{e.file}: {failure}"
        for e in folder.examples
        if (failure := _try_example(folder, e))
    ]


def _try_example(folder: SourceFolder, example: SourceExample) -> str | None:
    """What is wrong with an example; None if nothing is."""
    path = folder.path / EXAMPLES / example.file
    try:
        data = path.read_bytes()
    except OSError as error:
        raise from_os_error(error, f"reading {path}") from error
    try:
        if example.endpoint is not None:
            listing = _read_example_listing(folder, example, data)
        else:
            description = describe_document(folder.path, data, example.url)
    except ContentError as error:
        return _compare_refusal(example, error)
    if example.expects_nothing:
        given = (
            _describe_listing(listing)
            if example.endpoint is not None
            else _format_description(description)
        )
        field = "items" if example.endpoint is not None else "described"
        return (
            f"nothing is expected of it yet. It gives {given}. If that is right,"
            f" write it under '{field}' in expected.yml."
        )
    if example.refused is not None:
        return f"it must be refused with {example.refused!r}, but it is read."
    if example.endpoint is not None:
        return _compare_listing(example, listing)
    return _compare_description(example, description)


def _read_example_listing(folder: SourceFolder, example: SourceExample, data: bytes) -> Listing:
    endpoint = folder.get_endpoint(example.endpoint or "")
    options = ListingOptions.model_validate(endpoint.options)
    if endpoint.strategy == ADAPTER:
        return read_adapter_listing(folder.path, data, example.url, options)
    return read_listing(endpoint.strategy, data, example.url, options)


def _compare_refusal(example: SourceExample, error: ContentError) -> str | None:
    if example.refused is None:
        return f"it cannot be read: {error.what}"
    if example.refused in error.what:
        return None
    return f"it is refused, but not with {example.refused!r}: {error.what}"


def _compare_listing(example: SourceExample, listing: Listing) -> str | None:
    wanted = example.items
    if isinstance(wanted, int) and len(listing.items) != wanted:
        return f"it gives {_describe_listing(listing)}, not {wanted}."
    if isinstance(wanted, tuple) and (failure := _compare_items(wanted, listing)):
        return failure
    parts = [part.url for part in listing.parts]
    if example.parts is not None and parts != list(example.parts):
        return f"it continues at {parts}, not at {list(example.parts)}."
    if example.warns is not None and not any(
        example.warns in warning for warning in listing.warnings
    ):
        return f"it warns of {list(listing.warnings)}, not of {example.warns!r}."
    return None


def _compare_items(wanted: tuple[ExpectedItem, ...], listing: Listing) -> str | None:
    if len(wanted) != len(listing.items):
        return f"it gives {_describe_listing(listing)}, not {len(wanted)}."
    for number, (expected, found) in enumerate(zip(wanted, listing.items, strict=True), 1):
        fields = expected.model_dump(exclude_none=True)
        fields["url"] = normalise_url(fields["url"])
        for field, value in fields.items():
            given = getattr(found, field)
            if given != value:
                return f"item {number} has the {field} {given!r}, not {value!r}."
    return None


def _compare_description(example: SourceExample, found: DocumentDescription) -> str | None:
    assert example.described is not None
    given = asdict(found)
    try:
        wanted = asdict(parse_description(example.described))
    except ValueError as error:
        raise InvalidInput(f"'described' of example {example.file}: {error}.") from error
    for field in example.described:
        if given[field] != wanted[field]:
            return (
                f"its {field} is {_format_value(given[field])}, not {_format_value(wanted[field])}."
            )
    return None


def _describe_listing(listing: Listing) -> str:
    count = len(listing.items)
    shown = ", ".join(item.url for item in listing.items[:_SHOWN])
    more = ", …" if count > _SHOWN else ""
    also = f" and {len(listing.parts)} further pages" if listing.parts else ""
    return (
        f"{count} item{'' if count == 1 else 's'}" + (f" ({shown}{more})" if count else "") + also
    )


def _format_description(description: DocumentDescription) -> str:
    known = {name: value for name, value in asdict(description).items() if value}
    return ", ".join(f"{name}: {_format_value(value)}" for name, value in known.items())


def _format_value(value: Any) -> str:
    if isinstance(value, tuple):
        entries = (f"{e['kind']} {e['act']}" if isinstance(e, dict) else str(e) for e in value)
        return f"[{', '.join(entries)}]"
    return repr(value)
