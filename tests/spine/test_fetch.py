"""Items and what lies at their addresses: what is asked for, what is kept, what is only noted."""

import json

from assay.model.hashes import content_hash
from assay.model.lifecycle import CandidateState
from assay.store import tables as t
from tests.spine.sites import HOME, Watch, act, index, links, sitemap

DAY = "2026-01-0{}T00:00:00Z"


def test_an_item_is_asked_for_when_its_listing_says_that_it_changed(watch: Watch) -> None:
    watch.endpoint()
    watch.show("/sitemap.xml", sitemap(("/a", DAY.format(1)), ("/b", DAY.format(1)), "/undated"))
    for number, path in enumerate(("/a", "/b", "/undated")):
        watch.show(path, act(number), etag=f'"{path}"')
    watch.run()
    watch.asked()
    watch.show("/sitemap.xml", sitemap(("/a", DAY.format(2)), ("/b", DAY.format(1)), "/undated"))
    run_id = watch.run()
    conditions = {
        seen.path: seen.headers.get("if-none-match")
        for seen in watch.site.seen
        if seen.path not in ("/sitemap.xml", "/robots.txt")
    }
    assert conditions == {"/a": '"/a"', "/undated": '"/undated"'}
    assert watch.notes("fetch", run_id) == ["unchanged", "unchanged"]
    (visit,) = [v for v in watch.rows(t.item_visit) if v["changed"] and "01-02" in v["changed"]]
    assert visit["etag"] == '"/a"'
    watch.asked()
    watch.clock.turn(days=31)
    watch.run()
    assert watch.asked() == ["/a", "/b", "/sitemap.xml", "/undated"]


def test_an_item_that_changed_and_could_not_be_fetched_is_fetched_in_the_next_run(
    watch: Watch,
) -> None:
    """Even if the part of the listing that says so is not read again, since it has not changed."""
    watch.endpoint()
    watch.endpoint("/single.xml", name="single")
    for day in (1, 2):
        watch.show("/sitemap.xml", index(("/part.xml", DAY.format(day))))
        watch.show("/part.xml", sitemap(("/a", DAY.format(day)), ("/b", DAY.format(1))))
        watch.show("/single.xml", sitemap(("/c", DAY.format(day))))
        for path in ("/a", "/b", "/c"):
            watch.show(path, act(ord(path[1]), rate=day), status=200 if day == 1 else 500)
        watch.run()
    assert len(watch.rows(t.dead_letter)) == 2
    for path in ("/a", "/c"):
        watch.show(path, act(ord(path[1]), rate=2))
    watch.asked()
    watch.run()
    assert watch.asked() == ["/a", "/c", "/single.xml", "/sitemap.xml"]
    assert len(watch.evidence("/a")) == len(watch.evidence("/c")) == 2
    watch.run()
    assert watch.asked() == ["/single.xml", "/sitemap.xml"]


def test_a_blocked_document_waits_and_one_that_was_given_up_is_left_alone(watch: Watch) -> None:
    watch.endpoint()
    watch.show("/sitemap.xml", sitemap(("/a", DAY.format(1)), "/b"))
    for tries in range(6):
        watch.run()
        assert watch.asked() == ["/a", "/b", "/sitemap.xml"], tries
        watch.run()
        assert watch.asked() == ["/sitemap.xml"], "its time has not come"
        watch.clock.turn(days=14)
    assert {row["state"] for row in watch.rows(t.candidate)} == {CandidateState.FAILED}
    watch.run()
    assert watch.asked() == ["/sitemap.xml"]
    watch.show("/sitemap.xml", sitemap(("/a", DAY.format(2)), "/b"))
    watch.show("/a", act())
    watch.run()
    assert watch.asked() == ["/a", "/sitemap.xml"]
    assert len(watch.evidence("/a")) == 1


def test_a_page_that_is_gone_is_told_of_and_what_was_kept_stays(watch: Watch) -> None:
    watch.endpoint()
    watch.show("/sitemap.xml", sitemap(("/a", DAY.format(1))))
    watch.show("/a", act())
    watch.run()
    watch.hide("/a")
    watch.show("/sitemap.xml", sitemap(("/a", DAY.format(2))))
    before = [row["state"] for row in watch.rows(t.candidate)]
    assert "gone" in watch.notes("fetch", watch.run())
    assert [event["status"] for event in watch.events("document.gone")] == [404]
    assert [row["state"] for row in watch.rows(t.candidate)] == before
    assert len(watch.evidence("/a")) == 1
    watch.asked()
    watch.run()
    assert watch.asked() == ["/sitemap.xml"], "its listing says nothing new of it"


def test_a_page_that_is_gone_does_not_show_what_it_showed_before(watch: Watch) -> None:
    """It may have changed right after the last visit that found it."""
    watch.endpoint()

    def visit(day: int) -> int:
        watch.show("/sitemap.xml", sitemap(("/a", DAY.format(day))))
        watch.clock.turn(days=1)
        watch.run()
        return watch.clock.now_ms()

    watch.show("/a", act())
    visit(1)
    seen_ms = visit(2)
    watch.hide("/a")
    visit(3)
    watch.show("/a", act(rate=23))
    visit(4)
    found = {row["previous_seen_ms"] for row in watch.evidence("/a")}
    assert found == {None, seen_ms}


def test_an_answer_that_nobody_asked_for_is_no_answer(watch: Watch) -> None:
    """304 where no validator was sent."""
    watch.endpoint()
    watch.show("/sitemap.xml", sitemap("/never", "/once"))
    watch.show("/never", b"", status=304)
    watch.show("/once", act())
    watch.run()
    watch.show("/once", b"", status=304)
    watch.run()
    assert [letter.partition(" answered")[0] for letter in watch.dead()] == [
        f"{HOME}/never", f"{HOME}/once",
    ]  # fmt: skip
    assert watch.events("document.gone") == []


def test_a_page_without_validators_that_is_the_same_is_no_new_evidence(watch: Watch) -> None:
    watch.endpoint()
    watch.show("/sitemap.xml", sitemap("/same", "/noisy", "/changed"))
    for path in ("/same", "/noisy", "/changed"):
        watch.show(path, act(extra="<script>a</script>"))
    watch.run()
    watch.show("/noisy", act(extra="<script>b</script><footer>12:01</footer>"))
    watch.show("/changed", act(extra="<p>A new rule.</p>"))
    run_id = watch.run()
    assert watch.notes("fetch", run_id) == ["done", "noise", "unchanged"]
    counts = {path: len(watch.evidence(path)) for path in ("/same", "/noisy", "/changed")}
    assert counts == {"/same": 1, "/noisy": 1, "/changed": 2}


def test_bytes_that_are_no_page_are_never_noise(watch: Watch) -> None:
    """A PDF is full of marks that look like tags, and what stands in them is its text."""
    forms = {
        "/pdf": b"%PDF-1.4\n1 0 obj <</Type /Catalog>>\nBT <FEFF0032{}> Tj <b> ET\n%%EOF",
        "/json": b'{"html": "<p class=\'{}\'>The rate</p>"}',
        "/xml": b"<act><rate percent='{}'/>The rate</act>",
    }
    watch.endpoint()
    watch.show("/sitemap.xml", sitemap(*forms))
    for rate in (b"0035", b"0036"):
        for path, form in forms.items():
            watch.show(path, form.replace(b"{}", rate), headers={"Content-Type": "text/html"})
        run_id = watch.run()
    assert watch.notes("fetch", run_id) == ["done"] * 3
    assert all(len(watch.evidence(path)) == 2 for path in forms)


def test_a_page_that_goes_back_to_what_it_was_is_judged_anew_and_not_read_again(
    watch: Watch,
) -> None:
    watch.endpoint()
    watch.show("/sitemap.xml", sitemap("/a"))
    for rate in (25, 26, 25, 26, 25):
        watch.show("/a", act(rate=rate))
        watch.run()
    first, second = sorted(watch.evidence("/a"), key=lambda row: row["content_hash"] != _hash(25))
    (candidate,) = watch.rows(t.candidate)
    assert candidate["evidence_id"] == first["evidence_id"]
    moved = [row["evidence_id"] for row in watch.rows(t.candidate_event)]
    assert moved.count(first["evidence_id"]) == 3
    assert moved.count(second["evidence_id"]) == 2
    assert len(watch.notes("scout")) == len(watch.notes("router")) == 5
    # Two texts were made, whatever the number of visits.
    assert len(watch.rows(t.artifact)) == 2


def _hash(rate: int) -> str:
    return content_hash(act(rate=rate))


def test_a_document_that_two_endpoints_list_is_scouted_once(watch: Watch) -> None:
    watch.endpoint("/one.xml", name="one")
    watch.show("/one.xml", sitemap("/a"))
    watch.show("/a", act())
    watch.run()
    watch.endpoint("/two.xml", name="two")
    watch.show("/two.xml", sitemap("/a"))
    watch.run()
    assert len(watch.rows(t.document)) == 1
    assert [row["source_ref"] for row in watch.rows(t.document_source)] == ["one", "two"]
    assert len(watch.rows(t.item_visit)) == 2
    assert watch.notes("scout") == ["done"]


def test_titles_that_no_database_takes_do_not_stop_a_listing(watch: Watch) -> None:
    watch.endpoint("/api", "JSON_API", options={"items": "acts", "url": "url", "title": "name"})
    acts = [
        {"url": "/a", "name": "half \ud83d of a pair"},
        {"url": "/b", "name": "nothing \0 there"},
    ]
    watch.show("/api", json.dumps({"acts": acts}).encode())
    watch.run()
    assert watch.items() == ["/a", "/b"]
    assert [row["title"] for row in watch.rows(t.item)].count(None) == 0


def test_items_are_asked_for_again_however_their_page_is_dressed(watch: Watch) -> None:
    """A first page is gone through in every run: its items have no dates to be believed."""
    watch.endpoint("/list", "HTML_LIST", options={"item": "li"})
    watch.show("/list", links("/a"))
    watch.show("/a", act(), etag='"a"')
    watch.run()
    watch.asked()
    run_id = watch.run()
    assert watch.asked() == ["/a", "/list"]
    assert watch.notes("fetch", run_id) == ["unchanged"]
