"""Embed: computes the vectors of published rules, for similarity search."""

import asyncio
from collections.abc import Mapping, Sequence

from assay.engine.contract import Outcome, QueueLimits, Result, Stage
from assay.engine.reader import Reader
from assay.model.hashes import content_hash
from assay.model.records import Artifact
from assay.model.rules import Embedding, Release
from assay.ruling.payloads import EmbedJob
from assay.ruling.release.manifest import ManifestLine, read_manifest
from assay.ruling.release.plan import find_current_release
from assay.ruling.release.vectors import DIMENSIONS, MODEL, compute_vector, pack_vector

EMBED = Stage(
    name="embed",
    version=1,
    payload=EmbedJob,
    queue=QueueLimits(concurrency=2),
    # It reads no rows of Artifact, but only a stage that declares Artifact may read bytes.
    reads=frozenset({Release, Embedding, Artifact}),
    writes=frozenset({Embedding}),
    batch=200,
    purpose="computes the vectors of published rules",
)


async def embed(jobs: Sequence[EmbedJob], read: Reader) -> Sequence[Result]:
    """The stage. It uses the words of the current release, whichever release queued the job, so the
    order of the jobs does not matter."""
    lines = await _read_current_lines(jobs, read)
    known = {
        row.subject: row.content_hash
        for row in await read.find_where(
            Embedding, "subject", [job.rule_id for job in jobs], beside={"model": MODEL}
        )
    }
    return await asyncio.to_thread(_embed_all, jobs, lines, known)


async def _read_current_lines(
    jobs: Sequence[EmbedJob], read: Reader
) -> dict[str, dict[str, ManifestLine]]:
    """release → the rules of its pack as they are published now."""
    asked = await read.get_many(Release, {job.release_id for job in jobs})
    by_pack: dict[str, dict[str, ManifestLine]] = {}
    for pack in sorted({release.pack for release in asked.values()}):
        now = find_current_release(await read.find_where(Release, "pack", [pack]))
        rules = () if now is None else read_manifest(await read.blob(now.manifest_hash)).rules
        by_pack[pack] = {line["rule_id"]: line for line in rules}
    return {key: by_pack[release.pack] for key, release in asked.items()}


def _embed_all(
    jobs: Sequence[EmbedJob],
    lines: Mapping[str, Mapping[str, ManifestLine]],
    known: Mapping[str, str],
) -> list[Result]:
    return [
        _embed_rule(job, lines.get(job.release_id, {}).get(job.rule_id), known.get(job.rule_id))
        for job in jobs
    ]


def _embed_rule(job: EmbedJob, line: ManifestLine | None, known: str | None) -> Outcome:
    if line is None:
        return Outcome(note="withdrawn")
    words = build_embedding_text(line).encode()
    hashed = content_hash(words)
    if hashed == known:
        return Outcome(note="unchanged")
    made = Embedding(
        subject=job.rule_id,
        model=MODEL,
        content_hash=hashed,
        dimensions=DIMENSIONS,
        vector=pack_vector(compute_vector(words.decode())),
    )
    return Outcome(records=(made,))


def build_embedding_text(line: ManifestLine) -> str:
    """The words that represent a rule: its label, then each distinct quote."""
    quotes = sorted({" ".join(source["quote"].split()) for source in line["sources"]})
    return "\n".join((line["label"], *quotes))
