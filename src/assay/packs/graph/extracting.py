"""`await extract(text, ontology)`: a text and an ontology in, a cited graph out."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from uuid import uuid4

from assay.packs.graph.chunking import parts
from assay.packs.graph.memory import Memory
from assay.packs.graph.merging import merged
from assay.packs.graph.model import DETERMINISTIC, Graph, Verdict
from assay.packs.graph.ontology.model import Ontology
from assay.packs.graph.ontology.retrieval import Index
from assay.packs.graph.ontology.shelf import Indexed, OntologyShelf
from assay.packs.graph.options import Options, key_of
from assay.packs.graph.pipeline import SixStages, Written, joined
from assay.packs.graph.plain import Learned
from assay.packs.graph.results import GraphResult, StageFailure, Tokens, result_from
from assay.packs.graph.task import SERIALIZATION, Task
from assay.packs.graph.writing import violations
from assay.sdk import (
    CallDenied,
    CancellationSignal,
    Completeness,
    FailedStage,
    InvalidInput,
    Progress,
    Report,
    Request,
    RequestResult,
    Results,
    StageRun,
    StageSpec,
    Supervisor,
    canonical_json,
    content_hash,
)

KIND = "graph"
"""Under which results are stored."""
UNVERIFIED = "unverified"
"""How far a stored result is complete that holds relations which nobody verified."""
MOST_CHARACTERS = 2_000_000
_PLAIN_PART = 20_000
"""Characters that are read at a time where no model is asked."""
_AT_ONCE = 5
"""Parts of a text that are under way at the same time."""
_SHELF = OntologyShelf()

_ORDER = (
    Completeness.COMPLETE,
    Completeness.FALLBACK_CACHE,
    Completeness.PARTIAL_EARLY_EXIT,
    Completeness.PARTIAL_ENTITY_ONLY,
    Completeness.EMPTY,
)
"""From the most to the least."""


@dataclass(eq=False)
class Stop:
    """Whether whoever asks has changed his mind: parts that have not begun never do."""

    signal: CancellationSignal | None = None


@dataclass(frozen=True, kw_only=True)
class Caller:
    """On whose account a text is read, and how whoever asks is told."""

    supervisor: Supervisor = field(default_factory=Supervisor)
    provider: str | None = None
    """Who is asked; None: nobody."""
    by: str = DETERMINISTIC
    request_id: str = field(default_factory=lambda: uuid4().hex)
    results: Results | None = None
    """Where equal requests find what was done already."""
    memory: Memory = field(default_factory=Memory)
    on_progress: Report | None = None
    source: str | None = None
    evidence: str | None = None
    strict: bool = False
    """Whether a call that was denied is raised, so that the work can wait until it is not."""
    stop: Stop = field(default_factory=Stop)


async def extract(
    text: str,
    ontology: Indexed | Ontology | bytes | str | Path,
    *,
    options: Options | None = None,
    learned: Learned | None = None,
    caller: Caller | None = None,
    name: str = "",
) -> GraphResult:
    """The graph of a text. Without a caller nobody is asked: the extractor without a model reads.

    A text that is longer than one request may be is read in parts, several at a time, and joined.
    A string is an ontology in Turtle, RDF/XML or JSON-LD; a path is a file with one.
    """
    known = await asyncio.to_thread(_indexed, ontology)
    caller, options = caller or Caller(), options or Options()
    if len(text) > MOST_CHARACTERS:
        raise InvalidInput(
            f"The text has {len(text)} characters, more than {MOST_CHARACTERS}.",
            advice="Split it.",
        )
    if options.shapes:
        # Now, and not after everything was paid for.
        await asyncio.to_thread(violations, "", options.shapes)
    whole = Task(
        text=text,
        document=content_hash(text.encode("utf-8", "surrogatepass")),
        start=0,
        end=len(text),
        ontology=known.ontology,
        index=known.index,
        options=options,
        provider=caller.provider,
        by=caller.by,
        learned=learned,
        memory=caller.memory,
        name=name,
    )
    most = options.part_chars if whole.asks else _PLAIN_PART
    places = parts(text, most) or [(0, len(text))]
    if len(places) == 1:
        return await _part(whole, caller, caller.request_id, caller.on_progress)
    key = _key(whole)
    if (found := await _found(caller, key)) is not None:
        return replace(found, request_id=caller.request_id, stored=True)
    results = await _parts(whole, places, caller)
    return await _kept(caller, await _joined(whole, results, caller, key))


async def _parts(
    whole: Task, places: Sequence[tuple[int, int]], caller: Caller
) -> list[GraphResult]:
    """Every part as a request of its own; the first that fails for good stops the others."""
    gate = asyncio.Semaphore(_AT_ONCE)

    async def read(number: int, place: tuple[int, int]) -> GraphResult:
        # Each part is written as a whole at the end, so that none is written by itself.
        options = replace(whole.options, formats=(), shapes="")
        task = replace(whole, start=place[0], end=place[1], options=options)
        where = f"part {number} of {len(places)}"
        report = partial(_report_part, caller, where) if caller.on_progress else None
        async with gate:
            return await _part(task, caller, f"{caller.request_id}.{number}", report)

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(read(n, place)) for n, place in enumerate(places, 1)]
    except BaseExceptionGroup as several:
        raise several.exceptions[0] from several
    return [task.result() for task in tasks]


def _report_part(caller: Caller, where: str, progress: Progress) -> None:
    assert caller.on_progress is not None
    detail = f"{where}: {progress.detail}" if progress.detail else where
    caller.on_progress(replace(progress, request_id=caller.request_id, detail=detail))


async def _part(task: Task, caller: Caller, request_id: str, report: Report | None) -> GraphResult:
    key = _key(task)
    if (found := await _found(caller, key)) is not None:
        return replace(found, request_id=request_id, stored=True)
    if (signal := caller.stop.signal) is not None:
        return _not_begun(task, key, request_id, signal)
    stages = SixStages(task)
    request = stages.request(
        request_id=request_id, key=key, source=caller.source, evidence=caller.evidence
    )
    done = await caller.supervisor.run(request, report)
    if caller.strict:
        _raise_denial(done.failed_stages)
    written = done.outputs.get(SERIALIZATION)
    if written is None:
        # It was stopped before its end; what it had found by then is not lost.
        graph = await asyncio.to_thread(stages.found, done.outputs)
        written = Written(graph=merged([graph], task.ontology), rdf={})
    result = _result(task, done, written, key, request_id)
    return await _kept(caller, result)


async def _joined(
    whole: Task, results: Sequence[GraphResult], caller: Caller, key: str
) -> GraphResult:
    """The graphs of all parts as one, under the same time and the same end as any serialization."""

    async def serialization(run: StageRun) -> Written:
        return await asyncio.to_thread(
            joined,
            [result.graph for result in results],
            whole.ontology,
            whole.options,
            documents=whole.documents,
            by=whole.by,
        )

    spec = StageSpec(
        name=SERIALIZATION,
        function=serialization,
        count=lambda output: len(output.graph.entities) + len(output.graph.relations),
    )
    request = Request(stages=(spec,), request_id=caller.request_id, key=f"{key}:join")
    done = await caller.supervisor.run(request, caller.on_progress)
    written = done.outputs.get(SERIALIZATION)
    if written is None:
        graphs = [result.graph for result in results]
        written = Written(graph=await asyncio.to_thread(merged, graphs, whole.ontology), rdf={})
    last = _result(whole, done, written, key, caller.request_id)
    worst = max((result.completeness for result in results), key=_ORDER.index)
    has_any = any(result.entities for result in results)
    if worst is Completeness.EMPTY and has_any:
        worst = Completeness.PARTIAL_EARLY_EXIT
    number = {id(result): n for n, result in enumerate(results, 1)}
    return replace(
        last,
        completeness=worst,
        failed_stages=tuple(
            replace(failure, reason=f"part {number[id(result)]}: {failure.reason}")
            for result in results
            for failure in result.failed_stages
        )
        + last.failed_stages,
        skipped_stages=tuple(
            dict.fromkeys(stage for result in results for stage in result.skipped_stages)
        ),
        tokens=Tokens(
            allocated=sum(result.tokens.allocated for result in results),
            used=sum(result.tokens.used for result in results),
            remaining=sum(result.tokens.remaining for result in results),
        ),
        execution_ms=last.execution_ms + sum(result.execution_ms for result in results),
        warnings=tuple(
            f"part {number[id(result)]}: {warning}"
            for result in results
            for warning in result.warnings
        )
        + last.warnings,
    )


def _result(
    task: Task,
    done: RequestResult,
    written: Written,
    key: str,
    request_id: str,
) -> GraphResult:
    usage = done.token_usage
    return GraphResult(
        request_id=request_id,
        key=key,
        by=task.by,
        document=task.document,
        ontology=task.ontology.key,
        completeness=done.completeness,
        graph=written.graph,
        rdf=written.rdf,
        violations=written.violations,
        failed_stages=tuple(_told(failure) for failure in done.failed_stages),
        skipped_stages=done.skipped_stages,
        tokens=Tokens(allocated=usage.allocated, used=usage.used, remaining=usage.remaining),
        execution_ms=done.execution_ms,
        warnings=(*task.ontology.warnings, *done.warnings),
        unverified=any(r.verdict is Verdict.UNVERIFIED for r in written.graph.relations),
        error=None if done.error is None else _told(done.error),
    )


def _not_begun(task: Task, key: str, request_id: str, signal: CancellationSignal) -> GraphResult:
    return GraphResult(
        request_id=request_id,
        key=key,
        by=task.by,
        document=task.document,
        ontology=task.ontology.key,
        completeness=Completeness.EMPTY,
        graph=Graph(),
        warnings=(f"It was not begun: cancelled ({signal.mode.value}): {signal.reason}.",),
    )


def _told(failure: FailedStage) -> StageFailure:
    return StageFailure(stage=failure.stage, reason=failure.reason, code=failure.error_code)


def _raise_denial(failures: Sequence[FailedStage]) -> None:
    for failure in failures:
        if isinstance(failure.error, CallDenied):
            raise failure.error


def _key(task: Task) -> str:
    place = f"{task.document}:{task.start}:{task.end}:{task.name}"
    return key_of(place, task.ontology, task.options, f"{task.by}|{task.learned_key}")


async def _found(caller: Caller, key: str) -> GraphResult | None:
    """What an equal request gave, if it was whole: one that was not may do better now."""
    if caller.results is None:
        return None
    data = await asyncio.to_thread(caller.results.find, key)
    if data is None:
        return None
    found = result_from(json.loads(data))
    return found if _is_whole(found) else None


def _is_whole(result: GraphResult) -> bool:
    """Whether another try could not bring more."""
    return result.completeness is Completeness.COMPLETE and not result.unverified


async def _kept(caller: Caller, result: GraphResult) -> GraphResult:
    if caller.results is not None:
        await asyncio.to_thread(
            caller.results.keep,
            result.key,
            result.request_id,
            KIND,
            # Only what is whole stays for good.
            UNVERIFIED if result.unverified else result.completeness.value,
            canonical_json(result.values()),
        )
    return result


def _indexed(ontology: Indexed | Ontology | bytes | str | Path) -> Indexed:
    if isinstance(ontology, Indexed):
        return ontology
    if isinstance(ontology, Ontology):
        return Indexed(ontology=ontology, index=Index(ontology))
    if isinstance(ontology, Path):
        try:
            data = ontology.read_bytes()
        except OSError as error:
            told = f"The ontology {ontology} cannot be read: {error.strerror}."
            raise InvalidInput(told, advice="Name a file that is there.") from error
        return _SHELF.get(data, name=ontology.name)
    return _SHELF.get(ontology.encode() if isinstance(ontology, str) else ontology)
