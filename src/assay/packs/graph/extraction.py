"""`await extract(text, ontology)`: a text and an ontology in, a cited graph out."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from uuid import uuid4

from assay.packs.graph.asking.wording import load_prompt
from assay.packs.graph.chunking import split_parts
from assay.packs.graph.combine_parts import combine_results
from assay.packs.graph.computing import compute
from assay.packs.graph.memory import Memory
from assay.packs.graph.merging import merge_graphs
from assay.packs.graph.model import DETERMINISTIC, Graph, RelationVerdict
from assay.packs.graph.ontology.cache import IndexedOntology, OntologyCache
from assay.packs.graph.ontology.model import Ontology
from assay.packs.graph.ontology.retrieval import OntologyIndex
from assay.packs.graph.options import GraphOptions, compute_request_key
from assay.packs.graph.pattern_extractor import LearnedCues
from assay.packs.graph.pipeline import SixSteps, WrittenGraph, join_and_write
from assay.packs.graph.results import (
    GraphResult,
    StepFailure,
    TokenCounts,
    find_kept_result,
    join_names,
    keep_result,
)
from assay.packs.graph.steps import (
    CASCADE,
    ENTITIES,
    GRAPH_RULE,
    SERIALIZATION,
    TIMEOUTS,
    GraphCompleteness,
    plan_budget,
)
from assay.packs.graph.task import GraphTask
from assay.packs.graph.writing import find_violations
from assay.sdk.errors import CallDenied, InvalidInput
from assay.sdk.facts import RequestResults
from assay.sdk.models import (
    CancellationMode,
    CancellationSignal,
    FailedStep,
    ProgressListener,
    Request,
    RequestProgress,
    RequestResult,
    StepEnd,
    StepRun,
    StepSpec,
    StepTimeout,
    Supervisor,
)
from assay.sdk.records import content_hash

MOST_CHARACTERS = 2_000_000
_PLAIN_PART = 20_000
"""Characters per part when no model is asked."""
_A_TEXT = 50_000
"""Characters of a text whose graph is easily written within the time of one step."""
_AT_ONCE = 5
"""Parts of a text that are processed concurrently."""
_ONTOLOGIES = OntologyCache()
_HIDING_A_CUT = (GraphCompleteness.COMPLETE, GraphCompleteness.FALLBACK_CACHE)
"""How a result must not be rated if an answer was cut."""
_PROMPTS = ("entities", "relations", "grounding")


@dataclass(eq=False)
class ExtractionStop:
    """Whether the caller has cancelled: parts that have not started will not."""

    signal: CancellationSignal | None = None

    @property
    def is_abort(self) -> bool:
        """Whether nothing is to be kept."""
        return self.signal is not None and self.signal.mode is CancellationMode.ABORT


@dataclass(frozen=True, kw_only=True)
class Caller:
    """On whose behalf a text is read, and how progress is reported."""

    supervisor: Supervisor = field(default_factory=Supervisor)
    provider: str | None = None
    """The provider to ask; None: no model."""
    by: str = DETERMINISTIC
    request_id: str = field(default_factory=lambda: uuid4().hex)
    results: RequestResults | None = None
    """Where equal requests find earlier results."""
    memory: Memory = field(default_factory=Memory)
    on_progress: ProgressListener | None = None
    source: str | None = None
    evidence: str | None = None
    strict: bool = False
    """Whether a denied call is raised, which lets the work wait until calls are allowed again."""
    stop: ExtractionStop = field(default_factory=ExtractionStop)


async def extract(
    text: str,
    ontology: IndexedOntology | Ontology | bytes | str | Path,
    *,
    options: GraphOptions | None = None,
    learned: LearnedCues | None = None,
    caller: Caller | None = None,
    name: str = "",
) -> GraphResult:
    """Extract the graph of a text. Without a caller no model is asked; the pattern extractor reads.

    A text that is too long for one request is read in parts, several at a time, which are joined.
    A string is an ontology in Turtle, RDF/XML or JSON-LD; a path is a file that contains one.
    """
    _check_text(text)
    known = await asyncio.to_thread(_index_ontology, ontology)
    caller, options = caller or Caller(), options or GraphOptions()
    if options.shapes:
        # Now, not after everything has been paid for.
        await compute(find_violations, "", options.shapes)
    whole = GraphTask(
        text=text,
        document=content_hash(text.encode()),
        start=0,
        end=len(text),
        ontology=known.ontology,
        index=known.index,
        options=options,
        provider=caller.provider,
        by=caller.by,
        learned=learned,
        memory=caller.memory,
        # A file name can contain anything; what is written out cannot.
        name=name.encode("utf-8", "replace").decode(),
    )
    most = options.part_chars if whole.uses_model else _PLAIN_PART
    places = await compute(split_parts, text, most) or [(0, len(text))]
    if len(places) == 1:
        return await _extract_part(whole, caller, caller.request_id, caller.on_progress)
    key = _compute_key(whole)
    if (earlier := await find_kept_result(caller.results, key)) is not None:
        return replace(earlier, request_id=caller.request_id, stored=True)
    loop = asyncio.get_running_loop()
    started = loop.time()
    results = await _extract_parts(whole, places, caller)
    last = await _join_parts(whole, results, caller, key)
    elapsed_ms = round((loop.time() - started) * 1000)
    warnings = whole.ontology.warnings
    result = combine_results(last, results, known=warnings, execution_ms=elapsed_ms)
    return await keep_result(caller.results, result)


def _check_text(text: str) -> None:
    if len(text) > MOST_CHARACTERS:
        raise InvalidInput(
            f"The text has {len(text)} characters, more than {MOST_CHARACTERS}.",
            advice="Split it.",
        )
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"The text has half a character (a lone surrogate) at {error.start}.",
            advice="Read the file with its correct encoding.",
        ) from error


async def _extract_parts(
    whole: GraphTask, places: Sequence[tuple[int, int]], caller: Caller
) -> list[GraphResult]:
    """Extract each part as a separate request; the first permanent failure stops the others."""
    gate = asyncio.Semaphore(_AT_ONCE)

    async def read(number: int, place: tuple[int, int]) -> GraphResult:
        # The joined graph is written at the end, so no part is written separately.
        options = replace(whole.options, formats=(), shapes="")
        task = replace(whole, start=place[0], end=place[1], options=options)
        where = f"part {number} of {len(places)}"
        report = partial(_report_part, caller, where) if caller.on_progress else None
        async with gate:
            return await _extract_part(task, caller, f"{caller.request_id}.{number}", report)

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(read(n, place)) for n, place in enumerate(places, 1)]
    except BaseExceptionGroup as several:
        raise several.exceptions[0] from several
    return [task.result() for task in tasks]


def _report_part(caller: Caller, where: str, progress: RequestProgress) -> None:
    assert caller.on_progress is not None
    detail = f"{where}: {progress.detail}" if progress.detail else where
    caller.on_progress(replace(progress, request_id=caller.request_id, detail=detail))


async def _extract_part(
    task: GraphTask, caller: Caller, request_id: str, report: ProgressListener | None
) -> GraphResult:
    key = _compute_key(task)
    if (earlier := await find_kept_result(caller.results, key)) is not None:
        return replace(earlier, request_id=request_id, stored=True)
    if (signal := caller.stop.signal) is not None:
        return _build_not_begun(task, key, request_id, signal)
    steps = SixSteps(task)
    request = steps.build_request(
        request_id=request_id,
        # The caller chooses the request id and may reuse it.
        ledger_id=f"{request_id}:{uuid4().hex}",
        key=key,
        source=caller.source,
        evidence=caller.evidence,
    )
    done = await caller.supervisor.run(request, report)
    if caller.strict:
        _raise_denial(done.failed_steps)
    written: WrittenGraph | None = done.outputs.get(SERIALIZATION)
    if written is None:
        written = await compute(_build_unwritten, steps, done)
    result = _build_result(task, done, written, key, request_id)
    return await keep_result(caller.results, result)


def _build_unwritten(steps: SixSteps, done: RequestResult) -> WrittenGraph:
    """Collect what a request had found before it was stopped or failed."""
    entities = done.endings.get(ENTITIES)
    fell_back = entities is not None and entities.end is StepEnd.FELL_BACK
    # What failed once, or took too long, must not be tried again without a limit.
    graph = steps.collect_outputs(done.outputs)
    if done.error is None:
        graph = merge_graphs([steps.merge_outputs(done.outputs)], steps.task.ontology)
    return WrittenGraph(graph=graph, rdf={}, by=steps.name_finders(graph, fell_back=fell_back))


async def _join_parts(
    whole: GraphTask, results: Sequence[GraphResult], caller: Caller, key: str
) -> GraphResult:
    """Join the graphs of all parts, with the timeout and endings of any serialization."""
    graphs = [result.graph for result in results]
    by = join_names(result.by for result in results)
    if (signal := caller.stop.signal) is not None and caller.stop.is_abort:
        return _build_not_begun(whole, key, caller.request_id, signal)

    async def serialization(run: StepRun) -> WrittenGraph:
        return await compute(
            join_and_write,
            graphs,
            whole.ontology,
            whole.options,
            documents=whole.documents,
            by=by,
        )

    spec = StepSpec(
        name=SERIALIZATION,
        function=serialization,
        timeout=_extend_timeout(TIMEOUTS[SERIALIZATION], len(whole.text)),
        cascade=CASCADE[SERIALIZATION],
        count=lambda output: len(output.graph.entities) + len(output.graph.relations),
    )
    # Without a key: an equal request may have other parts to join if one of them was stopped.
    request = Request(
        steps=(spec,), request_id=caller.request_id, budget=plan_budget(0), rule=GRAPH_RULE
    )
    done = await caller.supervisor.run(request, caller.on_progress)
    written = done.outputs.get(SERIALIZATION)
    if written is None:
        graph = await compute(_build_unjoined, graphs, whole, done, caller.stop)
        written = WrittenGraph(graph=graph, rdf={}, by=by)
    return _build_result(whole, done, written, key, caller.request_id)


def _extend_timeout(time: StepTimeout, characters: int) -> StepTimeout:
    """Extend the timeout for a long text: the usual one is meant for a text of moderate length."""
    return time.scale(max(1, -(-characters // _A_TEXT)))


def _build_unjoined(
    graphs: Sequence[Graph], whole: GraphTask, done: RequestResult, stop: ExtractionStop
) -> Graph:
    """Combine the graphs of parts whose joining was stopped or failed."""
    if stop.is_abort:
        return Graph()
    if done.error is None:
        return merge_graphs(graphs, whole.ontology)
    return Graph(
        entities=tuple(entity for graph in graphs for entity in graph.entities),
        relations=tuple(relation for graph in graphs for relation in graph.relations),
        refused=tuple(refused for graph in graphs for refused in graph.refused),
    )


def _build_result(
    task: GraphTask,
    done: RequestResult,
    written: WrittenGraph,
    key: str,
    request_id: str,
) -> GraphResult:
    usage, completeness = done.token_usage, GraphCompleteness(done.completeness)
    if written.cut and completeness in _HIDING_A_CUT:
        completeness = GraphCompleteness.PARTIAL_EARLY_EXIT
    return GraphResult(
        request_id=request_id,
        key=key,
        by=written.by,
        document=task.document,
        ontology=task.ontology.key,
        completeness=completeness,
        graph=written.graph,
        rdf=written.rdf,
        violations=written.violations,
        failed_stages=tuple(_convert_failure(failure) for failure in done.failed_steps),
        skipped_stages=done.skipped_steps,
        tokens=TokenCounts(allocated=usage.allocated, used=usage.used, remaining=usage.remaining),
        execution_ms=done.execution_ms,
        warnings=(*task.ontology.warnings, *done.warnings),
        unverified=any(r.verdict is RelationVerdict.UNVERIFIED for r in written.graph.relations),
        error=None if done.error is None else _convert_failure(done.error),
    )


def _build_not_begun(
    task: GraphTask, key: str, request_id: str, signal: CancellationSignal
) -> GraphResult:
    return GraphResult(
        request_id=request_id,
        key=key,
        by="",
        document=task.document,
        ontology=task.ontology.key,
        completeness=GraphCompleteness.EMPTY,
        graph=Graph(),
        warnings=(f"It was not begun: cancelled ({signal.mode.value}): {signal.reason}.",),
    )


def _convert_failure(failure: FailedStep) -> StepFailure:
    return StepFailure(stage=failure.step, reason=failure.reason, code=failure.error_code)


def _raise_denial(failures: Sequence[FailedStep]) -> None:
    for failure in failures:
        if isinstance(failure.error, CallDenied):
            raise failure.error


def _compute_key(task: GraphTask) -> str:
    place = f"{task.document}:{task.start}:{task.end}:{task.name}"
    asked = _hash_prompts() if task.uses_model else ""
    return compute_request_key(
        place, task.ontology, task.options, f"{task.by}|{asked}|{task.learned_key}"
    )


@cache
def _hash_prompts() -> str:
    """Hash the prompts, since they affect what a model finds."""
    return content_hash("".join(load_prompt(name).content_hash for name in _PROMPTS).encode())


def _index_ontology(ontology: IndexedOntology | Ontology | bytes | str | Path) -> IndexedOntology:
    if isinstance(ontology, IndexedOntology):
        return ontology
    if isinstance(ontology, Ontology):
        return IndexedOntology(ontology=ontology, index=OntologyIndex(ontology))
    if isinstance(ontology, Path):
        try:
            data = ontology.read_bytes()
        except OSError as error:
            message = f"Cannot read the ontology {ontology}: {error.strerror}."
            raise InvalidInput(message, advice="Name an existing file.") from error
        return _ONTOLOGIES.get(data, name=ontology.name)
    return _ONTOLOGIES.get(ontology.encode() if isinstance(ontology, str) else ontology)
