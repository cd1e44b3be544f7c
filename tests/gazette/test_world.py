"""The demo world is a pure function of seed and day, and changes as it says it does."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from datetime import timedelta
from email.utils import parsedate_to_datetime
from html.parser import HTMLParser

import pytest

from assay.sdk.demo import ANY_BASE
from tests.gazette.documents import ACTS
from tests.gazette.world import FEWEST_DOCUMENTS, FIRST_DAY, Changes, World

SITEMAP = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9"}
SEEDS = (0, 7, 12345)
INDEXES = {"/", "/acts/", "/sitemap.xml", "/feed.xml", "/robots.txt"}
VOID = {"meta", "input", "br", "link"}

DIGEST = """
import hashlib, sys
from tests.gazette.world import World
total = hashlib.sha256()
for path, page in sorted(World(seed=7, day=4).build_pages().items()):
    fields = (path, page.content_type, page.last_modified, page.etag)
    total.update("\\n".join(fields).encode() + page.body)
sys.stdout.write(total.hexdigest())
"""


class _Reader(HTMLParser):
    """Collects what a reader sees, and insists that every element is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        self.links += [value for name, value in attrs if name == "href" and value]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"head", "script", "style"} & set(self.open):
            self.words += data.split()


def read(body: bytes) -> _Reader:
    reader = _Reader()
    reader.feed(body.decode())
    reader.close()
    assert reader.open == []
    return reader


def seen(body: bytes) -> str:
    return " ".join(read(body).words)


def digest_in_another_process(hash_seed: str) -> str:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": hash_seed}
    command = [sys.executable, "-c", DIGEST]
    return subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout


def test_same_seed_and_day_give_the_same_bytes_in_any_process() -> None:
    total = hashlib.sha256()
    for path, page in sorted(World(seed=7, day=4).build_pages().items()):
        fields = (path, page.content_type, page.last_modified, page.etag)
        total.update("\n".join(fields).encode() + page.body)
    assert {digest_in_another_process(s) for s in ("0", "1", "99")} == {total.hexdigest()}


def test_another_seed_gives_another_world() -> None:
    one, two = World(seed=1).build_pages(), World(seed=2).build_pages()
    acts = {path for path in one if path.startswith("/acts/2")} & set(two)
    assert acts
    assert all(one[path].body != two[path].body for path in acts)


@pytest.mark.parametrize("documents", [FEWEST_DOCUMENTS, 60, 150])
def test_day_one_has_as_many_documents_as_asked(documents: int) -> None:
    world = World(documents=documents)
    assert len(world.gazette()) == documents
    assert world.changes() == Changes(added=tuple(sorted(world.gazette())))
    assert set(world.build_pages()) == set(world.gazette()) | INDEXES


@pytest.mark.parametrize("seed", SEEDS)
def test_each_day_differs_from_the_day_before_exactly_as_it_says(seed: int) -> None:
    world = World(seed=seed)
    for _ in range(6):
        before, world = world, world.next()
        old, new, changes = before.build_pages(), world.build_pages(), world.changes()
        assert tuple(sorted(set(new) - set(old))) == changes.added
        assert tuple(sorted(set(old) - set(new))) == changes.removed
        changed = {p for p in set(old) & set(new) - INDEXES if old[p].body != new[p].body}
        assert changed == {*changes.amended, *changes.noisy}
        assert not set(changes.amended) & set(changes.noisy)
        assert 7 <= len(changes.added) <= 9
        assert 2 <= len(changes.amended) <= 4
        assert 1 <= len(changes.removed) <= 2
        assert len(changes.noisy) == 1


def test_what_was_removed_never_comes_back() -> None:
    gone: set[str] = set()
    world = World()
    for _ in range(15):
        world = world.next()
        gone |= set(world.changes().removed)
        assert not gone & set(world.build_pages())


def test_days_can_be_reached_directly() -> None:
    assert World(day=3) == World().next().next()
    assert World(day=3).today == FIRST_DAY + timedelta(days=2)


@pytest.mark.parametrize("seed", SEEDS)
def test_an_amendment_alters_one_figure_and_says_so(seed: int) -> None:
    before = World(seed=seed)
    after = before.next()
    for path in after.changes().amended:
        old, new = before.gazette()[path], after.gazette()[path]
        assert new.kind in ACTS
        altered = {name for name in new.figures if new.figures[name] != old.figures[name]}
        assert len(altered) == 1
        (name,) = altered
        assert old.figures[name] in new.content
        assert new.figures[name] in new.content
        assert "Izmjena" in new.content
        assert "Izmjena" not in old.content
        note, *rest = [x for x in new.content.splitlines() if x not in old.content.splitlines()]
        assert "Izmjena" in note
        assert rest
        assert all(new.figures[name] in line for line in rest)


def test_acts_can_be_amended_again_and_keep_every_note() -> None:
    world = World(documents=FEWEST_DOCUMENTS, day=12)
    notes = [document.content.count("Izmjena") for document in world.gazette().values()]
    assert max(notes) >= 2


def test_noise_changes_the_footer_and_nothing_else() -> None:
    before, after = World(), World(day=2)
    (path,) = after.changes().noisy
    old, new = before.build_pages()[path].body.decode(), after.build_pages()[path].body.decode()
    assert old.split('<p class="generated">')[0] == new.split('<p class="generated">')[0]
    assert before.gazette()[path] == after.gazette()[path]


@pytest.mark.parametrize("seed", SEEDS)
def test_acts_are_as_long_as_acts(seed: int) -> None:
    world = World(seed=seed, day=5, documents=120)
    pages = world.build_pages()
    acts = [d for d in world.gazette().values() if d.kind in ACTS]
    lengths = [len(seen(pages[act.path].body)) for act in acts]
    assert 1_500 <= min(lengths) < 2_600
    assert 6_500 < max(lengths) <= 12_000
    assert len(seen(pages["/info/u-izradi.html"].body)) < 400


def test_every_figure_stands_in_the_text_that_states_it() -> None:
    world = World(day=4)
    for document in world.gazette().values():
        for figure in document.figures.values():
            assert figure in document.content
        if document.kind in ACTS:
            assert {"rate", "reduced", "threshold", "day", "days", "start"} <= set(document.figures)


def test_no_slot_or_choice_is_left_unfilled() -> None:
    for document in World(documents=200).gazette().values():
        assert not set("{}[]|") & set(document.content), document.path
        assert ".." not in document.content


@pytest.mark.parametrize("seed", SEEDS)
def test_every_kind_and_language_is_there_and_most_is_croatian(seed: int) -> None:
    documents = World(seed=seed).gazette().values()
    assert {document.kind for document in documents} == {
        *ACTS,
        *("FAQ", "FORM", "ANNOUNCEMENT", "NEWS", "BOILERPLATE"),
    }
    languages = Counter(document.language for document in documents)
    assert set(languages) == {"hr", "en", "de"}
    assert languages["hr"] > len(documents) / 2


def test_each_language_numbers_its_articles_in_its_own_way() -> None:
    marks = {"hr": "Članak 1.", "en": "Article 1", "de": "§ 1"}
    laws = [d for d in World().gazette().values() if d.kind == "LEGISLATION"]
    assert {law.language for law in laws} == set(marks)
    assert all(marks[law.language] in law.content for law in laws)


def test_one_act_has_an_exact_copy_at_another_address_for_ever() -> None:
    for day in (1, 2, 9, 20):
        pages = World(day=day).build_pages()
        bodies = Counter(page.body for page in pages.values())
        (twice,) = (body for body, count in bodies.items() if count > 1)
        assert bodies[twice] == 2
        paths = sorted(path for path, page in pages.items() if page.body == twice)
        assert [path.split("/")[1] for path in paths] == ["acts", "archive"]


def test_pages_are_well_formed_and_link_only_to_pages() -> None:
    pages = World(day=3).build_pages()
    for page in pages.values():
        if page.content_type.startswith("text/html"):
            assert set(read(page.body).links) <= set(pages)
            assert ANY_BASE.encode() not in page.body


def test_validators_follow_the_body() -> None:
    before, after = World().build_pages(), World(day=2).build_pages()
    for path in set(before) & set(after) - INDEXES:
        old, new = before[path], after[path]
        assert (old.etag == new.etag) == (old.body == new.body)
        moved = parsedate_to_datetime(new.last_modified) > parsedate_to_datetime(old.last_modified)
        assert moved == (old.body != new.body)


def test_sitemap_names_every_document_with_the_time_of_its_last_change() -> None:
    world = World(day=3)
    pages = world.build_pages()
    root = ET.fromstring(pages["/sitemap.xml"].with_base("http://127.0.0.1:1234").body)
    found = {
        url.findtext("s:loc", "", SITEMAP): url.findtext("s:lastmod", "", SITEMAP)
        for url in root.findall("s:url", SITEMAP)
    }
    assert set(found) == {f"http://127.0.0.1:1234{path}" for path in world.gazette()}
    for path in world.gazette():
        modified = parsedate_to_datetime(pages[path].last_modified).isoformat()
        assert found[f"http://127.0.0.1:1234{path}"] == modified


def test_listing_is_newest_first_and_complete() -> None:
    world = World(day=2)
    documents = world.gazette()
    listed = [p for p in read(world.build_pages()["/acts/"].body).links if p in documents]
    listed = [p for p in listed if documents[p].kind in ACTS]
    assert set(listed) == {p for p in documents if p.startswith("/acts/")}
    published = [documents[path].published for path in listed]
    assert published == sorted(published, reverse=True)


def test_feed_holds_the_newest_twenty() -> None:
    world = World(day=2)
    root = ET.fromstring(world.build_pages()["/feed.xml"].body)
    links = [item.findtext("link", "").removeprefix(ANY_BASE) for item in root.iter("item")]
    assert len(links) == 20
    assert set(world.changes().added) <= set(links)


def test_a_world_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="no day 0"):
        World(day=0)
    with pytest.raises(ValueError, match="needs 20 documents"):
        World(documents=5)
