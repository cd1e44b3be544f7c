"""Vectors of published rules: made once for the same words, anew for others."""

import asyncio
from typing import Any, cast

from assay.app import runs
from assay.app.releases import roll_back_release
from assay.engine.reader import Reader
from assay.model.hashes import content_hash
from assay.ruling.payloads import EmbedJob
from assay.ruling.release.embed import EMBED, embed
from assay.ruling.release.vectors import DIMENSIONS, MODEL, compute_vector, pack_vector
from assay.store import truth
from tests.engine.hand import drain
from tests.ruling.publishing import Press
from tests.ruling.release_builders import BOOKS, RATE


def embedded(press: Press, *jobs: EmbedJob) -> list[str]:
    before = len(press.notes("embed"))
    runs.start_run(press.app, first=[("embed", job) for job in jobs])
    drain(press.app)
    return press.notes("embed")[before:]


def test_a_published_rule_gets_a_vector_of_its_label_and_quotes(desk: Press) -> None:
    desk.store(BOOKS)
    desk.publish()
    (row,) = desk.rows(truth.embedding)
    assert (row["subject"], row["model"], row["dimensions"]) == (BOOKS.rule_id, MODEL, DIMENSIONS)
    # Both sources say the same words, which count once.
    words = f"{BOOKS.label}\n{BOOKS.quote}"
    assert row["content_hash"] == content_hash(words.encode())
    assert row["vector"] == pack_vector(compute_vector(words))


def test_the_words_of_the_current_release_count_whoever_asks(desk: Press) -> None:
    desk.store(RATE)
    desk.publish()
    old = desk.rows(truth.embedding)
    desk.store(RATE.but(sources=(("decree", 2),), words="By decree: {value} {unit}."))
    desk.publish()
    new = desk.rows(truth.embedding)
    assert new[0]["content_hash"] != old[0]["content_hash"]
    first, _ = desk.releases()
    late = EmbedJob(rule_id=RATE.rule_id, release_id=first.release_id)
    reader = Reader(EMBED, desk.app.engine, desk.app.blobs, desk.app.clock.now_ms())
    (outcome,) = asyncio.run(cast(Any, embed)([late], reader))
    assert (outcome.note, outcome.records) == ("unchanged", ())


def test_what_is_published_no_more_gets_none(desk: Press) -> None:
    desk.store(RATE, BOOKS)
    desk.publish(RATE.rule_id)
    (made,) = desk.releases()
    roll_back_release(desk.app, "1.0.0", by="ana")
    gone = EmbedJob(rule_id=BOOKS.rule_id, release_id=made.release_id)
    nowhere = EmbedJob(rule_id=RATE.rule_id, release_id="re_nowhere")
    assert embedded(desk, gone, nowhere) == ["withdrawn", "withdrawn"]
    assert [row["subject"] for row in desk.rows(truth.embedding)] == [RATE.rule_id]
