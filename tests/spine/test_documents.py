"""What is stored of documents, as their commands read it, on both databases."""

import pytest

from assay.app import documents
from assay.app.abbreviations import IdKind, expand_id
from assay.app.documents import DocumentFilter, parse_since
from assay.errors import AmbiguousId, InvalidInput
from assay.model.lifecycle import CandidateState
from assay.model.records import Document
from tests.spine.sites import Watch, act, sitemap

NOW_MS = 1_800_000_000_000


def test_versions_reasons_and_changes_of_a_document(watch: Watch) -> None:
    watch.show("/sitemap.xml", sitemap("/1", "/2"))
    watch.show("/1", act(1))
    watch.endpoint()
    watch.run()
    watch.clock.turn(days=1)
    before_ms = watch.clock.now_ms()
    watch.show("/1", act(1, rate=26))
    watch.run()
    found = documents.list_documents(watch.app, DocumentFilter()).documents
    assert [entry["url"][-2:] for entry in found] == ["/1", "/2"]
    one, two = found
    assert (one["versions"], two["versions"], two["state"]) == (2, 0, "blocked")
    assert (two["code"], two["reason"]) == ("FETCH", "answered 404")

    changed = documents.list_documents(watch.app, DocumentFilter(since_ms=before_ms))
    assert [entry["doc_id"] for entry in changed.documents] == [one["doc_id"]]
    blocked = documents.list_documents(watch.app, DocumentFilter(state=CandidateState.BLOCKED))
    assert [entry["doc_id"] for entry in blocked.documents] == [two["doc_id"]]
    few = documents.list_documents(watch.app, DocumentFilter(), limit=1)
    assert (len(few.documents), few.more, len(few.groups)) == (1, 1, 2)

    versions = documents.list_versions(watch.app, one["doc_id"])
    old, new = documents.choose_versions_to_compare(watch.app, one["doc_id"], versions, None, None)
    assert "25 %" in documents.read_version_text(watch.app, old)
    assert "26 %" in documents.read_version_text(watch.app, new)
    documents.mark_seen(watch.app, one["doc_id"], old["evidence_id"])
    documents.mark_seen(watch.app, one["doc_id"], new["evidence_id"])
    seen = documents.find_seen_version(watch.app, one["doc_id"])
    assert seen is not None and seen["evidence_id"] == new["evidence_id"]


def test_a_page_that_went_back_is_compared_with_what_it_was(watch: Watch) -> None:
    """The version before the current one may have a higher number."""
    watch.show("/sitemap.xml", sitemap("/1"))
    watch.endpoint()
    for rate in (25, 26, 25):
        watch.show("/1", act(1, rate=rate))
        watch.run()
        watch.clock.turn(days=1)
    (found,) = documents.list_documents(watch.app, DocumentFilter()).documents
    versions = documents.list_versions(watch.app, found["doc_id"])
    assert [version["is_current"] for version in versions] == [True, False]
    old, new = documents.choose_versions_to_compare(
        watch.app, found["doc_id"], versions, None, None
    )
    assert (old["number"], new["number"]) == (2, 1)


def test_parts_know_their_whole(watch: Watch) -> None:
    for name, parent in (("url:whole", None), ("url:part", "url:whole")):
        watch.store(
            Document(
                doc_id=name, source_slug="s", url=f"http://s.test/{name}", parent_doc_id=parent
            )
        )
    whole = documents.describe_document(watch.app, "url:whole")
    assert [child["doc_id"] for child in whole["children"]] == ["url:part"]
    part = documents.describe_document(watch.app, "url:part")
    assert (part["parent"]["doc_id"], part["state"]) == ("url:whole", "discovered")


def test_an_abbreviation_is_a_unique_beginning(watch: Watch) -> None:
    names = ("url:abc1", "url:abc2", "url:ABC3", "url:abč", "url:abc")
    for name in names:
        watch.store(Document(doc_id=name, source_slug="s", url=f"http://s.test/{name}"))

    def expand(given: str) -> str:
        return expand_id(watch.app, given, IdKind.DOCUMENT, IdKind.EVIDENCE)

    assert all(expand(name) == name for name in names)
    assert expand("url:A") == "url:ABC3"
    assert expand("url:abč") == "url:abč"
    assert expand("url:x") == "url:x"
    # Nothing in it is a pattern, and less than four characters stand for nothing.
    assert [expand(given) for given in ("url:%", "url:_bc", "url", "")] == [
        "url:%", "url:_bc", "url", "",
    ]  # fmt: skip
    with pytest.raises(AmbiguousId, match="url:abc, url:abc1, url:abc2, url:abč"):
        expand("url:ab")


def test_a_time_is_a_date_or_how_long_ago_it_was() -> None:
    assert parse_since("90m", NOW_MS) == NOW_MS - 90 * 60_000
    assert parse_since(" 3d ", NOW_MS) == NOW_MS - 3 * 86_400_000
    assert parse_since("2w", NOW_MS) == NOW_MS - 14 * 86_400_000
    assert parse_since("999999999999w", NOW_MS) == 0
    assert parse_since("1970-01-02", NOW_MS) == 86_400_000
    assert parse_since("1970-01-02T01:00+01:00", NOW_MS) == 86_400_000
    for text in ("soon", "", "3y", "2026-13-01"):
        with pytest.raises(InvalidInput, match="is not a time"):
            parse_since(text, NOW_MS)
