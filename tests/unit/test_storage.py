"""A record declares its storage, and a mistake in it is reported where it was written."""

import types
from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, computed_field

from assay.errors import InternalError, StartupRefused
from assay.model.records import Document, Evidence, Source
from assay.model.storage import (
    APPEND_ONLY,
    DELETABLE,
    NEVER_DELETED,
    VOLATILE,
    ColumnKind,
    Merge,
    Moment,
    Record,
    StoredField,
    fixed_except,
    storage_of,
)


class Colour(StrEnum):
    RED = "RED"


class Ship(
    Record,
    table="ships",
    key=("ship_id",),
    unique=(("name", "port"),),
    indexes=(("port",),),
    merge=Merge.NEW,
    leftover=("gone", True),
):
    """One field of every kind."""

    ship_id: str
    name: Annotated[str | None, Merge.MIN] = None
    port: Annotated[str, Merge.KEEP, VOLATILE] = ""
    tonnes: float = Field(default=0.0, ge=0.0)
    crew: Annotated[int | None, Merge.MAX] = Field(default=None, ge=1)
    gone: bool = False
    colour: Colour | None = None
    flag: Literal["HR", "DE"] = "HR"
    papers: dict[str, Any] = Field(default_factory=dict)
    decks: list[str] | None = None
    seen_ms: Moment = 0
    sunk_ms: Annotated[Moment | None, Merge.FILL] = None
    note: str = Field(default="", exclude=True)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def label(self) -> Annotated[str, Merge.KEEP]:
        return f"{self.name} ({self.port})"


def test_columns_follow_from_the_annotations() -> None:
    text, whole, new = ColumnKind.TEXT, ColumnKind.WHOLE, Merge.NEW
    assert storage_of(Ship).fields == (
        StoredField("ship_id", text),
        StoredField("name", text, True, Merge.MIN),
        StoredField("port", text, False, Merge.KEEP, True),
        StoredField("tonnes", ColumnKind.REAL, False, new),
        StoredField("crew", whole, True, Merge.MAX),
        StoredField("gone", ColumnKind.FLAG, False, new),
        StoredField("colour", text, True, new),
        StoredField("flag", text, False, new),
        StoredField("papers", ColumnKind.JSON, False, new),
        StoredField("decks", ColumnKind.JSON, True, new),
        StoredField("seen_ms", whole, False, new, True),
        StoredField("sunk_ms", whole, True, Merge.FILL, True),
        StoredField("label", text),
    )
    assert storage_of(Ship).volatile == {"port", "seen_ms", "sunk_ms"}
    assert "ship_id" not in storage_of(Ship).merge
    assert set(Ship(ship_id="a").row()) == set(storage_of(Ship).columns)


def test_the_rest_is_as_it_was_declared() -> None:
    storage = storage_of(Ship)
    assert (storage.table, storage.key, storage.unique) == (
        "ships",
        ("ship_id",),
        (("name", "port"),),
    )
    assert (storage.guard, storage.canonical, storage.leftover) == (
        NEVER_DELETED,
        True,
        ("gone", True),
    )


def test_a_stored_record_gives_the_same_row_again() -> None:
    row = Ship(ship_id="1", name="Ada", colour=Colour.RED).row()
    assert row["colour"] == "RED"
    assert Ship.from_row({**row, "note": ""}).row() == row


def test_a_record_without_a_table_says_so_when_it_is_to_be_stored() -> None:
    class Draft(Record):
        name: str

    class LongShip(Ship):
        oars: int = 0

    with pytest.raises(InternalError, match=r"Draft has no table\. Declare it: class Draft"):
        storage_of(Draft)
    # What is added would have no column.
    with pytest.raises(InternalError, match="LongShip has no table"):
        storage_of(LongShip)


def declare(fields: dict[str, Any], **storage: Any) -> Callable[[], type[Record]]:
    told = {"table": "ships", "key": ("a",), **storage}
    body = {"__annotations__": fields, "__module__": __name__}
    return lambda: types.new_class("Wrong", (Record,), told, lambda space: space.update(body))


TEXT = {"a": str, "b": str}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (declare(TEXT, key=()), "Wrong has a table but no key"),
        (declare(TEXT, key=("c",)), "no stored field 'c', which its key names.*fields are a, b"),
        (declare(TEXT, unique=(("a", "c"),)), "'c', which its unique names"),
        (declare(TEXT, indexes=(("c",),)), "'c', which its indexes names"),
        (declare(TEXT, leftover=("c", "x")), "'c', which its leftover names"),
        (declare(TEXT, of_evidence="c"), "'c', which its of_evidence names"),
        (declare(TEXT, guard=fixed_except("c")), "'c', which its guard names"),
        (declare(TEXT, table="Ships!"), "'Ships!' is not a valid table name"),
        (declare(TEXT, table=None), "declares 'key' but no table"),
        (declare(TEXT, guard=DELETABLE), "canonical, so its rows cannot be deletable"),
        (declare(TEXT, guard=APPEND_ONLY, merge=Merge.NEW), r"Wrong\.b has a merge rule, but"),
        (declare({"a": str | None}), r"Wrong\.a is part of the key"),
        (declare({"a": Annotated[str, Merge.NEW]}), r"Wrong\.a is part of the key"),
        (declare({"a": str, "b": Annotated[str, Merge.NEW, Merge.MIN]}), "several merge rules"),
        (declare({"a": str, "b": bytes}), r"Wrong\.b has a type that cannot be stored"),
        (declare({"a": str, "b": str | int}), r"Wrong\.b has a type that cannot be stored"),
    ],
)
def test_a_mistake_is_refused_when_the_class_is_made(
    wrong: Callable[[], type[Record]], said: str
) -> None:
    with pytest.raises(StartupRefused, match=said):
        wrong()


def test_bytes_and_fields_of_persons_must_be_stored() -> None:
    with pytest.raises(StartupRefused, match="'nothing', which its BYTES"):

        class Wrong(Record, table="wrong", key=("a",)):
            BYTES = ("nothing",)
            a: str


def test_packs_of_a_source_are_kept_in_order_and_once() -> None:
    source = Source(source_slug="s", name="", base_url="", packs=["b", "", "a", "b"])
    assert source.packs == ["a", "b"]


def test_guards_and_rules_of_some_core_records() -> None:
    evidence = storage_of(Evidence)
    assert "content_hash" in evidence.guard.immutable_among(evidence.columns)
    assert storage_of(Document).merge["parent_doc_id"] is Merge.MIN
