"""A source folder: read, fully checked, and turned into records."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assay.errors import AssayError, InvalidInput
from assay.model.records import Endpoint, Frequency, Source
from assay.sources.addresses import is_host_in, parse_address
from assay.sources.folders.adapters import (
    ADAPTER_FILE,
    DESCRIBE_DOCUMENT,
    LIST_ITEMS,
    find_adapter_functions,
)
from assay.sources.folders.expectations import (
    EXAMPLES,
    SourceExample,
    Words,
    describe_validation_error,
    parse_examples,
)
from assay.sources.folders.parameters import (
    NO_VALUES,
    SourceParameter,
    Values,
    fill_endpoints,
)
from assay.sources.folders.plain_yaml import read_yaml
from assay.sources.git import GIT_HISTORY, parse_history_options
from assay.sources.guard import AddressGuard
from assay.sources.listing import STRATEGIES, ListingOptions, build_first_parts, check_options
from assay.sources.policy import FetchPolicy
from assay.sources.portals import NO_PORTALS, Portal, build_first_requests
from assay.sources.yields import ExpectedYield

SOURCE_FILE = "source.yml"
EXPECTED_FILE = "expected.yml"
ADAPTER = "ADAPTER"
"""The strategy of an endpoint that the folder's own `list_items` reads."""
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LONGEST_SLUG = 60
_FILES = frozenset({SOURCE_FILE, EXPECTED_FILE, ADAPTER_FILE, EXAMPLES})
_IGNORED = frozenset({"__pycache__"})
_ANY_DAY = date(2026, 1, 1)


class _EndpointEntry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    url: Words
    strategy: Words
    frequency: Frequency = "DAILY"
    active: bool = True
    risk: Annotated[float, Field(gt=0, le=100)] = 1.0
    expected_yield: dict[str, int] = Field(default_factory=dict)
    options: dict[str, Any] = Field(default_factory=dict)


class _SourceEntry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Words
    base_url: Words
    pack: Annotated[str, Field(max_length=100)] = ""
    packs: tuple[Annotated[str, Field(max_length=100)], ...] = ()
    hierarchy: Annotated[int, Field(ge=1, le=7)] = 7
    hosts: tuple[Words, ...] = ()
    template: bool = False
    licence: Words | None = None
    about: Words | None = None
    caveats: Words | None = None
    parameters: Annotated[dict[str, SourceParameter], Field(max_length=10)] = Field(
        default_factory=dict
    )
    endpoints: Annotated[dict[str, _EndpointEntry], Field(min_length=1, max_length=200)]
    expected: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFolder:
    """A source as its folder declares it; everything in it has been checked."""

    path: Path
    slug: str
    source: Source
    endpoints: tuple[Endpoint, ...]
    functions: frozenset[str] = frozenset()
    """What its adapter offers: `list_items`, `describe_document`; nothing without one."""
    examples: tuple[SourceExample, ...] = ()
    template: bool = False
    """Whether it is only a template to copy: its addresses belong to nobody."""
    licence: str | None = None
    about: str | None = None
    caveats: str | None = None
    """What is unconfirmed or missing."""
    parameters: Mapping[str, SourceParameter] = field(default_factory=dict)
    """What a person may choose when adding it."""

    @property
    def describes_documents(self) -> bool:
        """Whether its adapter describes documents."""
        return DESCRIBE_DOCUMENT in self.functions

    def get_endpoint(self, name: str) -> Endpoint:
        """The endpoint of that name in the folder."""
        (found,) = [e for e in self.endpoints if e.endpoint_id == f"{self.slug}/{name}"]
        return found


def slug_of(folder: Path) -> str:
    """The permanent source name, from the folder's name; underscores become dashes."""
    name = folder.resolve().name
    slug = name.replace("_", "-")
    if not _SLUG.fullmatch(slug) or len(slug) > _LONGEST_SLUG:
        raise InvalidInput(
            f"{name!r} is not a valid source name.",
            advice="Use lower-case letters, digits and dashes, such as town-gazette.",
        )
    return slug


def load_folder(
    path: Path,
    policy: FetchPolicy | None = None,
    portals: Mapping[str, Portal] = NO_PORTALS,
    chosen: Values = NO_VALUES,
) -> SourceFolder:
    """Load the source of a folder; InvalidInput says which file and which field is wrong.

    The policy says which hosts may be contacted, and `portals` are those of the packs: the
    strategy of an endpoint may be one of them. `chosen` are values of its parameters; its
    examples are for the default ones. No code of the folder is run.
    """
    if not path.is_dir():
        raise InvalidInput(f"There is no folder {path}.")
    slug = slug_of(path)
    file = path / SOURCE_FILE
    described = read_yaml(file)
    if not isinstance(described, Mapping):
        raise InvalidInput(f"{file} must be a mapping of names to values.")
    try:
        entry = _SourceEntry.model_validate(described)
    except ValidationError as error:
        raise InvalidInput(
            f"{file}: {describe_validation_error(error)}", advice=_describe_known_fields(error)
        ) from error
    entry = _fill_parameters(entry, chosen, file)
    _refuse_unknown_files(path)
    functions = (
        find_adapter_functions(path / ADAPTER_FILE)
        if (path / ADAPTER_FILE).exists()
        else frozenset[str]()
    )
    guard = AddressGuard(policy or FetchPolicy())
    source = Source(
        source_slug=slug,
        name=entry.name,
        base_url=_check_address(entry.base_url, guard, f"{file}: 'base_url'"),
        packs=[entry.pack, *entry.packs],
        hierarchy=entry.hierarchy,
    )
    endpoints = tuple(
        _build_endpoint(
            slug, name, each, _EndpointContext(file, source, entry.hosts, functions, guard, portals)
        )
        for name, each in entry.endpoints.items()
    )
    _refuse_same_addresses(endpoints, file)
    return SourceFolder(
        path=path,
        slug=slug,
        source=source,
        endpoints=endpoints,
        functions=functions,
        examples=() if chosen else _load_examples(path, entry, functions),
        template=entry.template,
        licence=entry.licence,
        about=entry.about,
        caveats=entry.caveats,
        parameters=entry.parameters,
    )


def _fill_parameters(entry: _SourceEntry, chosen: Values, file: Path) -> _SourceEntry:
    given = {name: each.model_dump(exclude_unset=True) for name, each in entry.endpoints.items()}
    try:
        filled = fill_endpoints(given, entry.parameters, chosen)
        endpoints = {name: _EndpointEntry.model_validate(each) for name, each in filled.items()}
    except InvalidInput as error:
        raise InvalidInput(f"{file}: {error.what}", advice=error.advice) from error
    return entry.model_copy(update={"endpoints": endpoints})


@dataclass(frozen=True, slots=True)
class _EndpointContext:
    """What an endpoint is checked against."""

    file: Path
    source: Source
    hosts: tuple[str, ...]
    functions: frozenset[str]
    guard: AddressGuard
    portals: Mapping[str, Portal]


def _describe_known_fields(error: ValidationError) -> str:
    first = error.errors()[0]
    if first["type"] != "extra_forbidden":
        return ""
    kind = _EndpointEntry if first["loc"][0] == "endpoints" else _SourceEntry
    return f"Known fields: {', '.join(kind.model_fields)}."


def _refuse_unknown_files(path: Path) -> None:
    """Otherwise a misspelt `adaptor.py` would be ignored silently."""
    for found in sorted(path.iterdir()):
        name = found.name
        known = name in _FILES or name in _IGNORED or name.startswith((".", "test_"))
        if not known and found.suffix != ".md":
            raise InvalidInput(
                f"{path} has {name}, which is not part of a source.",
                advice=f"A source has {', '.join(sorted(_FILES))}, tests (test_*.py) and *.md.",
            )


def _check_address(url: str, guard: AddressGuard, where: str) -> str:
    try:
        guard.check(parse_address(url), url)
    except AssayError as error:
        raise InvalidInput(f"{where}: {error.what}", advice=error.advice) from error
    return url


def _build_endpoint(
    slug: str, name: str, entry: _EndpointEntry, around: _EndpointContext
) -> Endpoint:
    where = f"{around.file}: 'endpoints.{name}"
    if not _SLUG.fullmatch(name):
        raise InvalidInput(
            f"{where}' is not a valid endpoint name.",
            advice="Use lower-case letters and dashes.",
        )
    url = entry.url
    if entry.strategy != GIT_HISTORY or not url.startswith("/"):
        # A repository may also be a folder on this machine.
        url = _check_address(url, around.guard, f"{where}.url'")
        _refuse_foreign_host(url, around, f"{where}.url'")
    options = _validate_options(entry, around, where)
    try:
        ExpectedYield(**entry.expected_yield)
    except (TypeError, InvalidInput) as error:
        why = error.what if isinstance(error, InvalidInput) else f"{error}."
        raise InvalidInput(
            f"{where}.expected_yield': {why}",
            advice="It may have min_items, min_new and per_days.",
        ) from error
    return Endpoint(
        endpoint_id=f"{slug}/{name}",
        source_slug=slug,
        url=url,
        strategy=entry.strategy,
        frequency=entry.frequency,
        active=entry.active,
        risk=entry.risk,
        expected_yield=dict(entry.expected_yield),
        options=options,
    )


def _refuse_foreign_host(url: str, around: _EndpointContext, where: str) -> None:
    host = parse_address(url).host.removeprefix("www.")
    own = parse_address(around.source.base_url).host.removeprefix("www.")
    allowed = frozenset({own, f"*.{own}", *(name.lower() for name in around.hosts)})
    if not is_host_in(host, allowed):
        raise InvalidInput(
            f"{where}: {host} is not the source's own host, {own}.",
            advice="Add it to 'hosts' if the source publishes there.",
        )


def _validate_options(
    entry: _EndpointEntry, around: _EndpointContext, where: str
) -> dict[str, Any]:
    strategy = entry.strategy
    if strategy == GIT_HISTORY:
        try:
            given = parse_history_options(entry.options)
        except AssayError as error:
            raise InvalidInput(f"{where}.options': {error.what}", advice=error.advice) from error
        return given.model_dump(mode="json", exclude_unset=True)
    if (portal := around.portals.get(strategy)) is not None:
        try:
            build_first_requests(portal, entry.options, _ANY_DAY, None)
        except AssayError as error:
            raise InvalidInput(f"{where}.options': {error.what}", advice=error.advice) from error
        return dict(entry.options)
    known = (*STRATEGIES, GIT_HISTORY, ADAPTER, *sorted(around.portals))
    if strategy not in known:
        raise InvalidInput(
            f"{where}.strategy': {strategy!r} is not known.",
            advice=f"Known strategies: {', '.join(known)}.",
        )
    if strategy == ADAPTER and LIST_ITEMS not in around.functions:
        raise InvalidInput(
            f"{where}.strategy': {ADAPTER} needs an {ADAPTER_FILE} with a function '{LIST_ITEMS}'."
        )
    try:
        options = ListingOptions.model_validate(entry.options)
        if strategy != ADAPTER:
            check_options(strategy, options)
        build_first_parts(strategy, entry.url, options, _ANY_DAY, None)
    except ValidationError as error:
        raise InvalidInput(f"{where}.options': {describe_validation_error(error)}") from error
    except AssayError as error:
        raise InvalidInput(f"{where}.options': {error.what}", advice=error.advice) from error
    return options.model_dump(mode="json", exclude_unset=True)


def _refuse_same_addresses(endpoints: tuple[Endpoint, ...], file: Path) -> None:
    seen: dict[str, str] = {}
    for endpoint in endpoints:
        other = seen.setdefault(endpoint.url, endpoint.endpoint_id)
        if other != endpoint.endpoint_id:
            raise InvalidInput(
                f"{file}: {other} and {endpoint.endpoint_id} have the same url.",
                advice="A source may list an address only once.",
            )


def _load_examples(
    path: Path, entry: _SourceEntry, functions: frozenset[str]
) -> tuple[SourceExample, ...]:
    names = frozenset(entry.endpoints)
    file = path / EXPECTED_FILE
    if not file.exists():
        file, expected = path / SOURCE_FILE, entry.expected if entry.expected is not None else []
        examples = parse_examples(expected, file, "'expected'", names)
    elif entry.expected is not None:
        raise InvalidInput(
            f"{path / SOURCE_FILE} has 'expected', but {EXPECTED_FILE} exists as well.",
            advice="Keep one.",
        )
    else:
        examples = parse_examples(read_yaml(file), file, "it", names)
    for example in examples:
        if example.endpoint is None and DESCRIBE_DOCUMENT not in functions:
            raise InvalidInput(
                f"{file}: {example.file} has no 'endpoint', and no adapter describes documents.",
                advice=f"Name its endpoint, or write {ADAPTER_FILE} with a function "
                f"'{DESCRIBE_DOCUMENT}'.",
            )
    return examples
