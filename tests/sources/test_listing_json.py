"""Items in the answers of JSON interfaces."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError, ContentBroken, ContentUnsupported, InvalidInput
from assay.sources.listing import (
    ListedItem,
    Listing,
    ListingOptions,
    ListingPart,
    check_options,
    read_listing,
)
from assay.sources.listing.json_paths import JsonPlace, parse_json_path

BASE = "https://example.hr/api/acts?year=2026"


def read(value: Any, number: int = 1, **options: object) -> Listing:
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    chosen = ListingOptions.model_validate(options)
    check_options("JSON_API", chosen)
    return read_listing("JSON_API", body, BASE, chosen, number=number)


def urls(listing: Listing) -> list[str]:
    return [item.url.removeprefix("https://example.hr") for item in listing.items]


ACTS = [{"url": "/1", "title": "A"}, {"url": "https://example.hr/2"}]


@pytest.mark.parametrize(
    "value",
    [
        ACTS,
        {"results": ACTS, "count": 2},
        {"@odata.context": "x", "value": ACTS},
        {"acts": ACTS, "other": 1},
        json.dumps(ACTS),
        b"\xef\xbb\xbf" + json.dumps(ACTS).encode(),
        json.dumps(ACTS).encode("utf-16"),
        b"\r\n " + json.dumps(ACTS).encode(),
    ],
)
def test_lists_envelopes_and_texts_in_texts_are_read_alike(value: Any) -> None:
    assert read(value).items == (
        ListedItem("https://example.hr/1", "A"), ListedItem("https://example.hr/2"),
    )  # fmt: skip


def test_a_path_leads_to_entries_and_back_to_what_is_around_them() -> None:
    meetings = [
        {"name": "Council", "day": "2026-01-02T18:00:00", "files": [{"id": 1}, {"id": 2}]},
        {"name": "<b>Board</b>", "day": "1900-01-01", "files": []},
        {"name": "Committee", "day": None, "files": [{"id": "č/3", "at": "2026-01-05"}]},
    ]
    listing = read(meetings, items="[*].files[*]", url_template="/file/{id}", title="^.name",
                   date="^.day", changed="at")  # fmt: skip
    assert listing.items == (
        ListedItem("https://example.hr/file/1", "Council", "2026-01-02T18:00:00"),
        ListedItem("https://example.hr/file/2", "Council", "2026-01-02T18:00:00"),
        ListedItem("https://example.hr/file/%C4%8D%2F3", "Committee", None, "2026-01-05"),
    )


def test_a_template_may_keep_slashes_and_speak_of_bare_values() -> None:
    assert urls(read([{"p": "a/b č"}], url_template="/f/{+p}?x={p}")) == [
        "/f/a/b%20%C4%8D?x=a%2Fb+%C4%8D"
    ]
    assert urls(read([7, "8"], url_template="/act/{value}")) == ["/act/7", "/act/8"]
    assert urls(read(["/a", "/b"])) == ["/a", "/b"]


def test_an_entry_without_an_address_does_not_hide_the_others() -> None:
    listing = read([{"url": None}, {}, None, {"url": "/1"}, {"url": "http://[x"}, {"url": 5}])
    assert urls(listing) == ["/1"]
    assert listing.warnings == (
        "4 addresses are missing from their entries",
        "1 address cannot be read ('http://[x')",
    )


def test_entries_that_all_have_no_address_are_an_error() -> None:
    with pytest.raises(ContentBroken, match=r"None of 2 entries .* \(their fields: id, name\)"):
        read([{"id": 1, "name": "a"}, {"id": 2, "name": "b"}])


def test_an_empty_list_is_empty_and_no_error() -> None:
    assert read([]) == read({"value": []}) == Listing()
    assert read({"a": []}, items="a[*].b[*]") == Listing()
    assert read({"a": None}, items="a").warnings == ("'a' is null, which counts as an empty list",)


def test_an_answer_without_the_list_is_an_error_that_repeats_what_it_says() -> None:
    with pytest.raises(ContentBroken, match="with the fields Message, which says 'No such client'"):
        read({"Message": "No such client"})
    with pytest.raises(ContentBroken, match=r"nothing at 'data.rows' in a JSON object .* error"):
        read({"error": {"code": 5}}, items="data.rows")
    with pytest.raises(ContentBroken, match="several lists: items, results"):
        read({"items": [], "results": []})
    with pytest.raises(ContentBroken, match="no list in a JSON value"):
        read(b"5")


def test_names_of_fields_are_shortened_in_messages() -> None:
    long = {"k" * 1_000_000: [], "l" * 1_000_000: [1]}
    for value in (long, {"error": 1, **dict.fromkeys(long, 1)}, [long, long]):
        with pytest.raises(ContentBroken) as told:
            read(value)
        assert len(str(told.value)) < 600


@pytest.mark.parametrize(
    ("whole", "options"),
    [
        ({"value": ACTS, "@odata.nextLink": "?p=2"}, {}),
        ({"results": ACTS, "next_page_url": "https://example.hr/api/acts?p=2"}, {}),
        ({"results": ACTS, "links": {"next": "/api/acts?p=2"}}, {}),
        ({"results": ACTS, "more": {"at": "/api/acts?p=2"}}, {"next": "more.at"}),
        ({"results": ACTS}, {"page_template": "https://example.hr/api/acts?p={page}"}),
    ],
)
def test_the_next_page_is_where_interfaces_put_it(whole: Any, options: dict[str, Any]) -> None:
    assert read(whole, **options).parts == (
        ListingPart("https://example.hr/api/acts?p=2", number=2),
    )


def test_a_cursor_or_an_offset_goes_into_the_address() -> None:
    whole = {"results": ACTS, "meta": {"next": "abc==", "count": 5}}
    listing = read(whole, next="meta.next", page_param="cursor")
    assert listing.parts == (ListingPart(f"{BASE}&cursor=abc%3D%3D", number=2),)
    counted = {"page_param": "$skip", "first_page": 0, "page_step": 2, "total": "meta.count"}
    assert read(whole, 2, **counted).parts == (ListingPart(f"{BASE}&$skip=4", number=3),)
    assert read(whole, 3, **counted).parts == ()
    assert read(whole, page_param="$skip", page_step=3, page_size=3).parts == ()
    assert read({"results": ACTS, "next": None}).parts == ()
    assert read({"results": [], "next": "/x"}).parts == ()
    ended = read({"results": ACTS, "meta": {"next": None}}, next="meta.next", page_param="cursor")
    assert ended.parts == ()


@pytest.mark.parametrize("total", ["²", "٥", "9" * 5000, "5 ", "1_0", "-5", True, None, 2.0])
def test_a_count_that_is_none_ends_no_listing(total: object) -> None:
    counted = {"page_param": "$skip", "first_page": 0, "page_step": 2, "total": "count"}
    whole = {"results": ACTS, "count": total}
    assert read(whole, 9, **counted).parts == (ListingPart(f"{BASE}&$skip=18", number=10),)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"<html><title>Access  denied</title>", "An HTML page titled 'Access denied' came"),
        (b"<?xml version='1.0'?><ArrayOfEvent/>", "An XML document <ArrayOfEvent> came instead"),
        (b"", "An empty answer came instead of JSON"),
        (b" \n", "An empty answer came instead of JSON"),
        (b"Forbidden by policy", "Plain text that begins 'Forbidden by policy' came instead"),
        (b'[{"url": "/1"}, {"url": "/2', "is broken"),
        (b"[" * 200_000, "nested too deep"),
    ],
)  # fmt: skip
def test_what_came_instead_of_json_is_said(body: bytes, said: str) -> None:
    with pytest.raises(ContentBroken) as caught:
        read(body)
    assert said in caught.value.what
    assert BASE in caught.value.what


def test_xml_instead_of_json_gets_the_advice_to_ask_for_json() -> None:
    with pytest.raises(ContentBroken) as caught:
        read(b"<ArrayOfEvent/>")
    assert "accept" in (caught.value.advice or "")


def test_a_list_that_only_leads_away_is_an_error() -> None:
    with pytest.raises(ContentUnsupported, match=r"another host \(files.test\)"):
        read([{"url": "https://files.test/1"}])
    assert len(read([{"url": "https://files.test/1"}], hosts=["files.*"]).items) == 1


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("a.b", 1), ("a['b']", 1), ('a["x.y"]', 2), ("l[0].c", 3), ("l[*].c", 3), ("l[9].c", None),
        ("a.b.c", None), ("l.c", None), ("nothing", None), ('["@odata.next"]', 4), ("@id", 5),
    ],
)  # fmt: skip
def test_a_path_leads_where_it_says(path: str, value: object) -> None:
    whole = {
        "a": {"b": 1, "x.y": 2}, "l": [{"c": 3}, {"c": 6}, {}], "@odata.next": 4, "@id": 5,
    }  # fmt: skip
    assert parse_json_path(path).find_first(JsonPlace(whole)) == value


@pytest.mark.parametrize("path", ["a..b", "a[", "a[x]", "[*", ".a", "a.", "a[-1]", 'a["b]', "a^"])
def test_what_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(InvalidInput, match="is not a path"):
        parse_json_path(path)


@given(st.text(alphabet="ab.[]*^\"'0", max_size=12))
def test_any_text_is_a_path_or_refused(text: str) -> None:
    try:
        list(parse_json_path(text).iter_places(JsonPlace({"a": [{"b": {}}], "b": {"a": 1}})))
    except InvalidInput as error:
        assert text in error.what or repr(text) in error.what


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["url", "items", "next", "a"]), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(json_values)
def test_no_answer_whatever_crashes_it(value: Any) -> None:
    paths: dict[str, Any] = {"items": "items[*].a", "url": "url", "next": "next"}
    for options in ({}, paths):
        try:
            read(value, **options)
        except AssayError as error:
            assert error.what
