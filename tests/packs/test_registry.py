"""Which packs are installed, and what becomes of one that is broken."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from types import ModuleType
from typing import Any

import pytest

from assay.app import pack_entries
from assay.app.installed_packs import load_all_packs, load_pack
from assay.app.pack_entries import list_pack_names
from assay.errors import InvalidInput, NotFound


def offered() -> Any:
    return replace(load_pack("regulatory"), name="extra")


def broken() -> Any:
    raise RuntimeError("the wheels came off")


def leaving() -> Any:
    sys.exit(3)


def nothing() -> Any:
    return {"name": "extra"}


def misnamed() -> Any:
    return replace(offered(), name="other")


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Offers packs of this module under the name `extra`."""
    own = load_pack("regulatory")
    here = ModuleType("strangers")
    for function in (offered, broken, leaving, nothing, misnamed):
        setattr(here, function.__name__, function)
    monkeypatch.setitem(sys.modules, "strangers", here)

    def installed(*values: str) -> None:
        extra = [EntryPoint("extra", value, pack_entries.GROUP) for value in values]

        def known(group: str, name: str | None = None) -> EntryPoints:
            found = [*entry_points(group=group), *extra]
            return EntryPoints(entry for entry in found if name in (None, entry.name))

        monkeypatch.setattr(pack_entries, "entry_points", known)

    load_pack.cache_clear()
    yield installed
    load_pack.cache_clear()
    assert own.name == "regulatory"


def test_assays_own_pack_is_installed_like_any_other() -> None:
    assert "regulatory" in list_pack_names()
    assert load_all_packs()["regulatory"].facts is not None


def test_a_strangers_pack_is_found_by_its_name(install: Any) -> None:
    install("strangers:offered", "strangers:offered")
    assert list_pack_names() == ["civic", "extra", "graph", "literature", "regulatory"]
    assert load_all_packs()["extra"].name == "extra"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (["strangers:broken"], "cannot be loaded: RuntimeError: the wheels came off"),
        (["strangers:leaving"], "cannot be loaded: SystemExit"),
        (["strangers:absent"], "cannot be loaded: AttributeError"),
        (["no_such_module:pack"], "cannot be loaded: ModuleNotFoundError"),
        (["strangers:nothing"], "returns a dict, not a Pack"),
        (["strangers:misnamed"], "calls itself 'other'"),
        (["strangers:offered", "strangers:nothing"], "Several packages provide a pack 'extra'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_pack_that_is_none_is_told_under_its_name(
    install: Any, values: list[str], words: str
) -> None:
    install(*values)
    with pytest.raises(InvalidInput) as refused:
        load_all_packs()
    assert words in str(refused.value) and "'extra'" in str(refused.value)


def test_a_pack_that_is_not_installed_names_those_that_are() -> None:
    with pytest.raises(NotFound, match="regulatory"):
        load_pack("tariffs")
