"""Adapters and examples: what comes of a stranger's function, and of what was expected."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.engine.process_pool import PoolLimits, ProcessPool
from assay.errors import AssayError, ContentBroken
from assay.sources.folders import (
    ActChange,
    ActChangeKind,
    DocumentDescription,
    describe_document,
    describe_stored_document,
    find_example_failures,
    parse_description,
    read_adapter_listing,
)
from assay.sources.listing import ListingOptions
from tests.sources.folders import ADAPTER, EXPECTED, SITEMAP, SOURCE, write_folder
from tests.waiting import PATIENCE_S

URL = "https://gazette.example.org/list"


def test_an_adapter_lists_and_describes(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, adapter=ADAPTER)
    data = b"/acts/1 An act\nhttps://elsewhere.example/2 Another\n/info Not an act"
    listing = read_adapter_listing(folder, data, URL, ListingOptions(include=("/acts/*",)))
    assert [(i.url, i.title) for i in listing.items] == [
        ("https://gazette.example.org/acts/1", "An act")
    ]
    assert any("another host" in told for told in listing.warnings)
    expected = DocumentDescription(title="A title", published="2026-01-31")
    assert describe_document(folder, b"A title\nx", URL) == expected
    stored = tmp_path / "stored"
    stored.write_bytes(b"A title\nx")
    assert describe_stored_document(folder, stored, URL) == expected
    with pytest.raises(AssayError, match="reading gone"):
        describe_stored_document(folder, tmp_path / "gone", URL)


def test_an_adapter_that_was_changed_is_loaded_anew(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, adapter=ADAPTER)
    assert describe_document(folder, b"x", URL).published == "2026-01-31"
    (folder / "adapter.py").write_text(ADAPTER.replace("01-31", "02-01"), encoding="utf-8")
    assert describe_document(folder, b"x", URL).published == "2026-02-01"
    assert not (folder / "__pycache__").exists()


def test_a_listing_goes_on_where_its_adapter_says(tmp_path: Path) -> None:
    text = (
        'def list_items(data, url):\n    return [{"url": "/a"}, {"url": "/b", "further": True}]\n'
    )
    listing = read_adapter_listing(write_folder(tmp_path, adapter=text), b"", URL)
    assert [item.url for item in listing.items] == ["https://gazette.example.org/a"]
    assert [(p.url, p.number) for p in listing.parts] == [("https://gazette.example.org/b", 2)]
    last = read_adapter_listing(
        tmp_path / "town-gazette", b"", URL, ListingOptions(max_pages=3), number=3
    )
    assert last.parts == ()
    assert "max_pages ends the look after 3 pages" in last.warnings


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("raise ValueError('no table here')", "ValueError: no table here"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("import sys; sys.exit('out')", "SystemExit: out"),
        ("return 1 / 0", "ZeroDivisionError"),
        ("return describe_document(data, url)", "RecursionError"),
        ("from assay.errors import ContentEmpty; raise ContentEmpty('Blank.')", "Blank"),
        ("return ['title']", "describe_document() returned list, not a dict"),
        ("return {'titel': 'x'}", "there is no field 'titel'"),
        ("return {'published': '31.1.2026'}", "published '31.1.2026' is not a valid date"),
        ("return {'published': '2026-02-30'}", "is not a valid date"),
        ("return {'title': 7}", "title 7 is not text"),
        ("return {'title': ' '}", "title has 0 characters"),
        ("return {'language': 'Croatian'}", "language 'Croatian' is not a code"),
        ("return {'changes': [{'kind': 'eats', 'act': 'x'}]}", "'eats' is not a kind of change"),
        ("return {'changes': ['x']}", "a change needs 'kind' and 'act'"),
        ("return {'based_on': 'x'}", "based_on is not a list"),
        ("return {'is_text': 'yes'}", "is_text is neither True nor False"),
    ],
)  # fmt: skip
def test_whatever_an_adapter_does_wrong_names_it_and_the_reason(
    tmp_path: Path, body: str, told: str
) -> None:
    folder = write_folder(tmp_path, adapter=f"def describe_document(data, url):\n    {body}\n")
    with pytest.raises(ContentBroken) as caught:
        describe_document(folder, b"x", URL)
    assert f"The adapter of town-gazette (describe_document) fails at {URL}: " in caught.value.what
    assert told in caught.value.what


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("return {}", "list_items() returned dict, not a list"),
        ("return ['/a']", "an entry is str, not a dict"),
        ("return [{'title': 'x'}]", "an entry has no url"),
        ("return [{'url': '/a', 'date': 'x'}]", "an entry has no field 'date'"),
        ("return [{'url': 3}]", "url 3 of an entry is not text"),
    ],
)
def test_a_listing_that_is_none_is_refused(tmp_path: Path, body: str, told: str) -> None:
    folder = write_folder(tmp_path, adapter=f"def list_items(data, url):\n    {body}\n")
    with pytest.raises(ContentBroken, match="town-gazette") as caught:
        read_adapter_listing(folder, b"x", URL)
    assert told in caught.value.what


def test_an_adapter_that_fails_while_it_is_loaded_or_lacks_the_function(tmp_path: Path) -> None:
    broken = write_folder(tmp_path, "a", adapter=f"raise OSError('no')\n{ADAPTER}")
    with pytest.raises(ContentBroken, match="OSError: no"):
        describe_document(broken, b"", URL)
    half = write_folder(tmp_path, "b", adapter=ADAPTER.partition("def describe_document")[0])
    with pytest.raises(ContentBroken, match="it has no function 'describe_document'"):
        describe_document(half, b"", URL)
    with pytest.raises(ContentBroken, match=r"adapter\.py is missing"):
        describe_document(write_folder(tmp_path, "c"), b"", URL)


def test_an_adapter_runs_where_documents_are_read(tmp_path: Path) -> None:
    good = write_folder(tmp_path, "good", adapter=ADAPTER)
    endless = "def describe_document(data, url):\n    while True:\n        pass\n"
    stuck = write_folder(tmp_path, "stuck", adapter=endless)

    async def described_in(folder: Path, bounds: PoolLimits) -> Any:
        async with ProcessPool(1, bounds, [folder]) as pool:
            return (await pool.run_each(describe_document, [(folder, b"x", URL)]))[0]

    told = asyncio.run(described_in(good, PoolLimits(timeout_s=PATIENCE_S)))
    error = asyncio.run(described_in(stuck, PoolLimits(timeout_s=1.0)))
    assert told == DocumentDescription(title="x", published="2026-01-31")
    assert "takes more than 1 s" in error.what


def test_changes_are_told_by_their_kind() -> None:
    told = parse_description(
        {"changes": [{"kind": "amends", "act": " 46  CFR 801 "}], "title": None}
    )
    assert told.changes == (ActChange(ActChangeKind.AMENDS, "46 CFR 801"),)
    assert told.title is None
    assert told.as_json()["changes"] == [{"kind": "amends", "act": "46 CFR 801"}]
    assert parse_description(told.as_json()) == told


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
_names = st.sampled_from(["title", "published", "changes", "language", "is_text", "text_at", "x"])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_values | st.dictionaries(_names, _values))
def test_any_answer_is_a_description_or_a_reason(told: object) -> None:
    try:
        found = parse_description(told)
    except ValueError as error:
        assert str(error)
    else:
        assert isinstance(found, DocumentDescription)
        assert parse_description(json.loads(json.dumps(found.as_json()))) == found


def test_examples_that_give_what_is_expected(tmp_path: Path) -> None:
    assert find_example_failures(write_folder(tmp_path)) == []


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("acts/1", "acts/2", "item 1 has the url 'https://gazette.example.org/acts/1', not "),
        ("changed: 2026-01-31", "changed: 2026-02-01", "item 1 has the changed '2026-01-31', not"),
        ("changed: 2026-01-31", "title: An act", "item 1 has the title None, not 'An act'"),
        ("items:\n    - {url: https://gazette.example.org/acts/1, changed: 2026-01-31}",
         "items: 2", "it gives 1 item (https://gazette.example.org/acts/1), not 2."),
        ("items:\n    - {url: https://gazette.example.org/acts/1, changed: 2026-01-31}",
         "items:", "nothing is expected of it yet. It gives 1 item"),
        ("items:\n    - {url: https://gazette.example.org/acts/1, changed: 2026-01-31}",
         "refused: came instead", "it must be refused with 'came instead', but it is read."),
        ("  items:", "  parts: [x]\n  items:", "it continues at [], not at ['x']."),
        ("  items:", "  warns: cut short\n  items:", "not of 'cut short'."),
    ],
)  # fmt: skip
def test_an_example_that_gives_something_else_is_told(
    tmp_path: Path, old: str, new: str, told: str
) -> None:
    assert old in EXPECTED
    (failure,) = find_example_failures(write_folder(tmp_path, expected=EXPECTED.replace(old, new)))
    assert failure.startswith("examples/sitemap.xml: ")
    assert told in failure


def test_an_example_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (failure,) = find_example_failures(
        write_folder(tmp_path, sitemap__xml="<html><title>Log in</title>")
    )
    assert "it cannot be read: " in failure
    wanted = EXPECTED.partition("  items")[0] + "  refused: came instead of a sitemap\n"
    other = write_folder(tmp_path, "other", sitemap__xml="<html><p>x", expected=wanted)
    assert find_example_failures(other) == []
    not_so = write_folder(tmp_path, "not-so", sitemap__xml="<html><p>x",
                          expected=wanted.replace("a sitemap", "a feed"))  # fmt: skip
    assert "it is refused, but not with" in find_example_failures(not_so)[0]


def test_a_described_example_is_held_against_each_field(tmp_path: Path) -> None:
    wanted = "- file: act.txt\n  url: https://gazette.example.org/a\n  described:\n"
    given = {"adapter": ADAPTER, "act__txt": "A title\n", "source": SOURCE, "sitemap__xml": SITEMAP}
    right = write_folder(tmp_path, "a", expected=f"{wanted}    title: A title\n", **given)
    assert find_example_failures(right) == []
    wrong = write_folder(tmp_path, "b", expected=f"{wanted}    title: Other\n", **given)
    assert find_example_failures(wrong) == [
        "examples/act.txt: its title is 'A title', not 'Other'."
    ]
    empty = write_folder(tmp_path, "c", expected=wanted, **given)
    assert (
        "nothing is expected of it yet. It gives title: 'A title'"
        in find_example_failures(empty)[0]
    )


def test_a_folder_without_examples_is_no_proof(tmp_path: Path) -> None:
    (failure,) = find_example_failures(write_folder(tmp_path, expected=None))
    assert "has no example" in failure
