"""Further pages and child sitemaps as jobs: asked when they must be, and never lost."""

from assay.app import runs
from assay.model.records import Source
from assay.store import tables as t
from tests.engine.hand import open_batches
from tests.spine.sites import HOME, Watch, act, index, links, sitemap


def pages(watch: Watch) -> list[str]:
    """The pages of the listing that were asked for since the last time."""
    return [path for path in watch.asked() if not path.startswith("/act")]


def test_a_child_is_asked_again_when_its_date_changed_or_it_was_long_ago(watch: Watch) -> None:
    watch.endpoint()
    watch.show("/sitemap.xml", index(("/one.xml", "2026-01-01"), ("/two.xml", "2026-01-01")))
    watch.show("/one.xml", sitemap("/act-1"))
    watch.show("/two.xml", sitemap("/act-2"))
    watch.run()
    assert pages(watch) == ["/one.xml", "/sitemap.xml", "/two.xml"]
    watch.run()
    assert pages(watch) == ["/sitemap.xml"]
    watch.show("/sitemap.xml", index(("/one.xml", "2026-01-01"), ("/two.xml", "2026-01-02")))
    watch.show("/two.xml", sitemap("/act-2", "/act-3"))
    watch.clock.turn(days=20)
    watch.run()
    assert pages(watch) == ["/sitemap.xml", "/two.xml"]
    watch.clock.turn(days=10)
    watch.run()
    assert pages(watch) == ["/one.xml", "/sitemap.xml"]
    assert watch.parts()["/two.xml"]["changed"].startswith("2026-01-02")


def test_a_child_that_is_gone_through_again_has_its_documents_asked_for(watch: Watch) -> None:
    """Though they were visited later than the child was read, and so not quite as long ago."""
    watch.endpoint()
    watch.show("/sitemap.xml", index(("/one.xml", "2026-01-01")))
    watch.show("/one.xml", sitemap(("/act-1", "2026-01-01")))
    watch.show("/act-1", act(1), etag='"1"')
    runs.start_run(watch.app)
    for _ in ("sentinel", "listing"):
        ((batch, stage),) = open_batches(watch.app)
        watch.runner.run(batch, stage)
    watch.clock.turn(days=1)
    watch.drain()
    watch.asked()
    watch.clock.turn(days=29)
    watch.run()
    assert watch.asked() == ["/act-1", "/one.xml", "/sitemap.xml"]


def test_a_child_that_has_not_changed_is_noted_as_such(watch: Watch) -> None:
    watch.endpoint()
    watch.show("/sitemap.xml", index("/tagged.xml", "/dated.xml", "/plain.xml"))
    watch.show("/tagged.xml", sitemap("/act-1"), etag='"one"')
    watch.show("/dated.xml", sitemap("/act-2"), last_modified="Thu, 01 Jan 2026 00:00:00 GMT")
    watch.show("/plain.xml", sitemap("/act-3"))
    watch.run()
    watch.asked()
    run_id = watch.run()
    assert watch.notes("listing", run_id) == ["unchanged"] * 3
    sent = {seen.path: seen.headers for seen in watch.site.seen}
    assert sent["/tagged.xml"]["if-none-match"] == '"one"'
    assert sent["/dated.xml"]["if-modified-since"] == "Thu, 01 Jan 2026 00:00:00 GMT"
    assert watch.notes("fetch", run_id) == []


def test_an_index_within_an_index_may_stay_the_same_while_its_children_change(
    watch: Watch,
) -> None:
    watch.endpoint()
    watch.show("/sitemap.xml", index("/inner.xml"))
    watch.show("/inner.xml", index("/leaf.xml", "/sitemap.xml", "/inner.xml"), etag='"i"')
    watch.show("/leaf.xml", sitemap("/act-1"))
    watch.run()
    assert pages(watch) == ["/inner.xml", "/leaf.xml", "/sitemap.xml"]
    watch.show("/leaf.xml", sitemap("/act-1", "/act-2"))
    watch.run()
    assert watch.items() == ["/act-1", "/act-2"]


def test_sitemaps_that_name_ever_new_sitemaps_come_to_an_end(watch: Watch) -> None:
    watch.endpoint("/0.xml")
    for number in range(9):
        watch.show(f"/{number}.xml", index(f"/{number + 1}.xml"))
    watch.run()
    assert pages(watch) == [f"/{number}.xml" for number in range(5)]


def test_one_broken_child_does_not_stop_the_others_and_is_read_when_it_is_whole(
    watch: Watch,
) -> None:
    watch.endpoint()
    dated = [(f"/{number}.xml", "2026-01-01") for number in range(4)]
    watch.show("/sitemap.xml", index(*dated))
    for number in range(4):
        watch.show(f"/{number}.xml", sitemap(f"/act-{number}"))
    watch.show("/1.xml", b"<html><title>Access denied</title></html>")
    watch.hide("/2.xml")
    watch.run()
    assert watch.items() == ["/act-0", "/act-3"]
    assert len([letter for letter in watch.dead() if ".xml" in letter]) == 2
    assert watch.state()["consecutive_errors"] == 0
    watch.show("/1.xml", sitemap("/act-1"))
    watch.show("/2.xml", sitemap("/act-2"))
    pages(watch)
    watch.run()
    assert pages(watch) == ["/1.xml", "/2.xml", "/sitemap.xml"]
    assert watch.items() == [f"/act-{number}" for number in range(4)]


def test_a_page_that_could_not_be_read_is_come_back_to(watch: Watch) -> None:
    """The pages before it have nothing new by then, so that nobody would come to it again."""
    watch.endpoint("/p1", "PAGINATION", options={"item": "li"})
    for number in range(1, 6):
        watch.show(f"/p{number}", links(f"/act-{number}", following=f"/p{number + 1}"))
    watch.show("/p3", b"", status=500)
    watch.run()
    assert watch.items() == ["/act-1", "/act-2"]
    watch.show("/p3", links("/act-3", following="/p4"))
    watch.run()
    assert watch.items() == [f"/act-{number}" for number in range(1, 6)]
    # The page after the last one is gone: that is where the listing ends, and no failure.
    assert [letter for letter in watch.dead() if "/p6" in letter] == []
    pages(watch)
    watch.run()
    assert pages(watch) == ["/p1"]


def test_a_page_that_was_read_before_and_then_fails_is_come_back_to_as_well(watch: Watch) -> None:
    watch.endpoint("/p1", "PAGINATION", options={"item": "li"})
    watch.show("/p1", links("/act-1", following="/p2"))
    watch.show("/p2", links("/act-2"))
    watch.run()
    watch.show("/p1", links("/act-3", following="/p2"))
    watch.show("/p2", b"", status=500)
    watch.run()
    watch.show("/p2", links("/act-4", "/act-1"))
    watch.run()
    assert watch.items() == ["/act-1", "/act-2", "/act-3", "/act-4"]


def test_pages_that_lead_on_do_so_whether_or_not_they_changed(watch: Watch) -> None:
    watch.endpoint("/p1", "PAGINATION", options={"item": "li", "until_known": False})
    for number in range(1, 4):
        watch.show(f"/p{number}", links(f"/act-{number}", following=f"/p{number + 1}"))
    watch.show("/p4", links("/act-4"))
    for number in range(1, 6):
        watch.show(f"/act-{number}", act(number))
    watch.run()
    watch.show("/p4", links("/act-4", "/act-5"))
    watch.asked()
    run_id = watch.run()
    assert watch.notes("listing", run_id) == ["done", "unchanged", "unchanged"]
    # The documents of a page that says what it said are believed to be what they were.
    found = ["/act-1", "/act-4", "/act-5", "/p1", "/p2", "/p3", "/p4"]
    assert watch.asked() == found


def test_a_crawl_goes_on_below_a_page_that_has_nothing_new_and_ends_at_max_pages(
    watch: Watch,
) -> None:
    options = {"include": ["/act-*"], "follow": ["/c*"], "max_depth": 4, "max_pages": 5}
    watch.endpoint("/c0", "CRAWL", options=options)
    watch.show("/c0", links("/c1", "/act-0"))
    watch.show("/c1", links("/c0", "/c2", "/c3", "/act-1"))
    watch.show("/c2", links("/act-2"))
    watch.show("/c3", links("/c4", "/c5", "/c6", "/act-3"))
    watch.show("/c4", links("/act-4", "/c7"))
    watch.run()
    assert pages(watch) == ["/c0", "/c1", "/c2", "/c3", "/c4"]
    watch.show("/c2", links("/act-2", "/act-9"))
    watch.run()
    assert pages(watch) == ["/c0", "/c1", "/c2", "/c3", "/c4"]
    assert watch.items() == [f"/act-{number}" for number in (0, 1, 2, 3, 4, 9)]


def test_all_days_of_a_listing_are_read_though_the_first_has_nothing_new(watch: Watch) -> None:
    watch.endpoint("/day?d={date}", "DATE_FILTERED", options={"item": "li", "days_back": 2})
    watch.show("/day", links("/act-1", following="/p2"))
    watch.show("/p2", links("/act-2"))
    watch.run()
    assert pages(watch) == [f"/day?d=2023-11-{day}" for day in (12, 13, 14)] + ["/p2"]
    watch.run()
    assert pages(watch) == [f"/day?d=2023-11-{day}" for day in (12, 13, 14)]


def test_a_worker_that_is_killed_between_two_children_loses_none(watch: Watch) -> None:
    watch.endpoint()
    watch.show("/sitemap.xml", index(*(f"/{number}.xml" for number in range(4))))
    for number in range(4):
        watch.show(f"/{number}.xml", sitemap(f"/act-{number}"))
    runs.start_run(watch.app)
    killed = _Killed(watch)
    for _ in range(12):
        killed.one_batch()
    watch.drain()
    assert watch.items() == [f"/act-{number}" for number in range(4)]
    assert watch.dead() == []
    done = watch.rows(t.progress, stage="listing")
    assert len(done) == len({row["job_id"] for row in done}) == 4


class _Killed:
    """Works batch by batch, and dies at another point of each before it can go on."""

    POINTS = ("batch.after_work", "commit.after_records", "commit.before_commit")

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._at = 0

    def reach(self, point: str) -> None:
        if self._at % 4 < 3 and point == self.POINTS[self._at % 4]:
            raise SystemExit

    def one_batch(self) -> None:
        ready = [entry for entry in open_batches(self._watch.app) if entry[1] != "fetch"]
        for batch, stage in ready[:1]:
            committer = self._watch.app.make_committer()
            runner = self._watch.runner
            before = runner._faults, runner._committer
            committer._faults = runner._faults = self
            runner._committer = committer
            try:
                runner.run(batch, stage)
            except SystemExit:
                pass
            finally:
                runner._faults, runner._committer = before
            self._at += 1


def test_a_site_with_and_without_www_is_one_source(watch: Watch) -> None:
    watch.endpoint("/mixed.xml", name="mixed")
    watch.show("/mixed.xml", sitemap("/act-1", "http://www.gazette.test/act-3"))
    watch.endpoint()
    there = sitemap("/act-1", f"{HOME}/act-2", host="www.gazette.test")
    watch.show("/there.xml", there)
    watch.show(
        "/sitemap.xml", b"", status=301, headers={"Location": "http://www.gazette.test/there.xml"}
    )
    watch.run()
    assert [row["source_slug"] for row in watch.rows(t.item)] == ["gazette"] * 4
    assert [row["source_slug"] for row in watch.rows(t.source)] == ["gazette"]
    assert watch.events("source.found") == []


def test_items_of_other_hosts_count_where_they_are_allowed_and_have_sources_of_their_own(
    watch: Watch,
) -> None:
    listed = sitemap("/act-1", "http://files.test/f", "http://a-b.test/x", "http://a.b.test/y")
    watch.endpoint("/closed.xml", name="closed")
    watch.show("/closed.xml", listed)
    watch.run()
    assert [row["url"] for row in watch.rows(t.item)] == [f"{HOME}/act-1"]
    assert len(watch.rows(t.source)) == 1
    watch.store(Source(source_slug="files", name="", base_url="https://www.files.test/"))
    watch.show("/open.xml", listed)
    for name in ("z-open", "a-open"):
        watch.endpoint(
            f"/open.xml?{name}",
            name=name,
            options={"hosts": ["files.test", "*.b.test", "a-b.test"]},
        )
        watch.run()
    slugs = {row["url"]: row["source_slug"] for row in watch.rows(t.item, endpoint_id="z-open")}
    assert slugs == {
        f"{HOME}/act-1": "gazette", "http://files.test/f": "files",
        "http://a-b.test/x": "a--b-test", "http://a.b.test/y": "a-b-test",
    }  # fmt: skip
    found = {row["source_slug"]: row["found_at"] for row in watch.rows(t.source)}
    # Which of two endpoints leads there first does not show.
    assert found == {
        "gazette": None, "files": None, "a--b-test": "a-open", "a-b-test": "a-open",
    }  # fmt: skip
    assert sorted(event["found"] for event in watch.events("source.found")) == [
        "a--b-test", "a-b-test",
    ]  # fmt: skip


def test_documents_of_a_source_that_is_switched_off_are_not_asked_for(watch: Watch) -> None:
    watch.store(Source(source_slug="f", name="", base_url="http://files.test", active=False))
    watch.endpoint(options={"hosts": ["files.test"]})
    watch.show("/sitemap.xml", sitemap("/act-1", "http://files.test/f"))
    watch.run()
    assert watch.asked() == ["/act-1", "/sitemap.xml"]


def test_an_index_of_many_children_gives_a_job_for_each_and_then_for_none(watch: Watch) -> None:
    watch.endpoint()
    children = [(f"/{number}.xml", "2026-01-01") for number in range(1500)]
    watch.show("/sitemap.xml", index(*children))
    runs.start_run(watch.app)
    ((batch, stage),) = open_batches(watch.app)
    watch.runner.run(batch, stage)
    assert len(watch.rows(t.job, stage="listing")) == len(children)
    with watch.app.engine.begin() as connection:
        connection.execute(t.job.update().values(state="done"))
        connection.execute(
            t.endpoint_part.update().values(
                read_ms=watch.clock.now_ms(), changed="2026-01-01", item_count=1
            )
        )
    watch.run()
    assert len(watch.rows(t.job, stage="listing")) == len(children)
