"""The three steps that ask a model. Each item is kept on arrival, whatever happens next."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from pydantic import BaseModel

from assay.packs.graph import asking
from assay.packs.graph.computing import compute
from assay.packs.graph.merging import merge_graphs
from assay.packs.graph.model import Chunk, Entity, Graph, RefusedClaim, Relation, RelationVerdict
from assay.packs.graph.steps import ENTITIES, RELATIONS, SCOPING
from assay.packs.graph.task import GraphTask, choose_properties, merge_repeated
from assay.sdk.errors import AnswerInvalid, ProviderBusy, ProviderFailed
from assay.sdk.models import LiveItems, ModelRequest, StepRun

RETRY_DELAYS_S = (5.0, 20.0)
"""Delays before a call is retried after the provider failed."""
_LONGEST_RETRY_AFTER_MS = 120_000
_LEAST_ANSWER = 96
_MOST_ANSWER = 1024
_A_VERDICT = 60
"""Tokens of one verdict with the words that support it."""
_PROMPT_SHARE = 0.65
"""Share of a step's tokens that a prompt may use before it shows fewer classes or properties."""
_CLAIM = 200
_ENTITIES_SHOWN = 25
_FEWEST_SHOWN = 4
_VERDICTS = (asking.AskedVerdict, "verdicts")

M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")


class ModelSteps:
    """The steps of one task that ask the provider."""

    def __init__(self, task: GraphTask, refused: list[RefusedClaim]) -> None:
        self.task = task
        self.refused = refused
        self.cut = False
        """Whether an answer was cut inside its list."""
        self._done: dict[str, set[int]] = {}
        """For each step, the chunks that were read completely."""

    async def entities(self, run: StepRun) -> tuple[Entity, ...]:
        """Find the entities of each chunk."""
        task = self.task

        async def read(chunk: Chunk, tokens: int) -> None:
            ranked = await compute(task.index.rank_classes, chunk.text, task.options.classes)
            request = await _fit_request(
                lambda shown, most: asking.build_entity_request(chunk, shown, task.ontology, most),
                ranked,
                tokens,
                partial(self._estimate_cost, run, asking.AskedEntity, "entities"),
                _estimate_answer_tokens(chunk),
            )
            await self._keep_items(
                run,
                request,
                asking.AskedEntity,
                "entities",
                lambda asked: _split_reading(
                    asking.read_entity_parts(asked, chunk, task.ontology, task.document)
                ),
            )

        await self._read_each_chunk(run, read)
        return run.kept

    async def relations(self, run: StepRun) -> tuple[Relation, ...]:
        """Find what each chunk says about its entities."""
        task = self.task
        graph = await compute(
            merge_graphs, [Graph(entities=tuple(run.inputs[ENTITIES]))], task.ontology
        )

        async def read(chunk: Chunk, tokens: int) -> None:
            here = _find_chunk_entities(chunk, graph.entities)
            shown_here = here[:_ENTITIES_SHOWN]
            if len(here) > len(shown_here):
                run.warn(
                    f"A stretch names {len(here)} things; what it says was asked for of the "
                    f"first {len(shown_here)} alone."
                )
            properties = choose_properties(chunk, run.inputs.get(SCOPING), task)
            if not shown_here or not properties:
                return
            request = await _fit_request(
                lambda shown, most: asking.build_relation_request(
                    chunk, shown_here, shown, task.ontology, most
                ),
                properties,
                tokens,
                partial(self._estimate_cost, run, asking.AskedRelation, "relations"),
                _estimate_answer_tokens(chunk),
            )
            await self._keep_items(
                run,
                request,
                asking.AskedRelation,
                "relations",
                lambda asked: (
                    asking.read_relation(
                        asked, chunk, shown_here, task.ontology, task.document, task.by, properties
                    ),
                ),
            )

        await self._read_each_chunk(run, read)
        return run.kept

    async def grounding(self, run: StepRun) -> tuple[Relation, ...]:
        """Verify that the text supports each relation, a few at a time."""
        task, options = self.task, self.task.options
        graph = Graph(entities=tuple(run.inputs[ENTITIES]))
        resolved = await compute(merge_graphs, [graph], task.ontology)
        entities = {entity.id: entity for entity in resolved.entities}
        judged = {relation.id: relation for relation in run.earlier}
        for relation in judged.values():
            run.keep(relation)
        left = [r for r in merge_repeated(run.payload) if r.id not in judged]
        while left:
            await run.checkpoint()
            first = asking.batch_relations(left, options.batch)[0]
            batch, request = await self._fit_batch(run, first, entities)
            if request is None:
                self._warn_unverified(run, left)
                break
            verdicts, is_cut = await self._ask_verdicts(run, request, len(batch) * _A_VERDICT)
            verified = asking.apply_verdicts(
                batch, verdicts, task.text, entities, options.threshold
            )
            if is_cut:
                verified = _keep_judged(verified, verdicts)
            for relation in verified:
                task.memory.keep_verdict(relation, options.threshold)
                run.keep(relation)
            if not verified:
                run.warn("A verdict did not come to its end; its relation is not verified.")
                run.keep(replace(batch[0], verdict=RelationVerdict.UNVERIFIED))
            done = {relation.id for relation in verified or batch[:1]}
            left = [relation for relation in left if relation.id not in done]
        return run.kept

    async def _fit_batch(
        self, run: StepRun, batch: Sequence[Relation], entities: Mapping[str, Entity]
    ) -> tuple[Sequence[Relation], ModelRequest | None]:
        """Take as many of a batch as the step's tokens pay for, with the request about them."""
        room = run.budget.share_of(run.step).remaining
        while batch:
            least = len(batch) * _A_VERDICT // 2
            request = asking.build_grounding_request(batch, entities, self.task.ontology, least)
            if await self._estimate_cost(run, *_VERDICTS, request) + least <= room:
                return batch, request
            batch = batch[: len(batch) // 2]
        return batch, None

    def reduce_entities(self, attempt: int, chunks: tuple[Chunk, ...]) -> tuple[Chunk, ...] | None:
        """Reduce what is read for entities after an attempt that took too long."""
        return self._reduce_chunks(ENTITIES, chunks)

    def reduce_relations(self, attempt: int, chunks: tuple[Chunk, ...]) -> tuple[Chunk, ...] | None:
        """Reduce what is read for relations after an attempt that took too long."""
        return self._reduce_chunks(RELATIONS, chunks)

    def _reduce_chunks(self, step: str, chunks: tuple[Chunk, ...]) -> tuple[Chunk, ...] | None:
        """Keep what was read completely and half of the rest; halve a single chunk by sentences."""
        done = self._done.get(step, set())
        whole = [chunk for chunk in chunks if chunk.index in done]
        left = [chunk for chunk in chunks if chunk.index not in done]
        if len(left) > 1:
            return (*whole, *left[: len(left) // 2])
        if left and len(left[0].sentences) > 1:
            return (*whole, _take_first_half(left[0]))
        return tuple(whole) or None

    async def _read_each_chunk(
        self, run: StepRun, read: Callable[[Chunk, int], Awaitable[None]]
    ) -> None:
        """Read the chunks that no earlier attempt has read completely."""
        done = self._done.setdefault(run.step, set())
        for item in run.earlier:
            run.keep(item)
        left = [chunk for chunk in run.payload if chunk.index not in done]
        for position, chunk in enumerate(left):
            await run.checkpoint()
            share = run.budget.share_of(run.step)
            room = max(share.remaining, run.budget.remaining if share.may_overflow else 0)
            tokens = min(share.max_tokens, room) // (len(left) - position)
            await read(chunk, tokens)
            done.add(chunk.index)

    async def _keep_items(
        self,
        run: StepRun,
        request: ModelRequest,
        kind: type[M],
        field: str,
        made: Callable[[M], Iterable[Entity | Relation | RefusedClaim]],
    ) -> None:
        """Keep each item as it arrives; a repeated one is kept once.

        In another chunk it is kept again, with its positions there.
        """
        seen: set[str] = set()

        async def once() -> None:
            received: set[str | RefusedClaim] = set()
            is_new = True
            async with run.items(
                request,
                kind,
                field=field,
                provider=self.task.provider,
                max_tokens=request.max_tokens,
            ) as found:
                async for asked in found:
                    is_new = False
                    for item in made(asked):
                        mark = item if isinstance(item, RefusedClaim) else item.id
                        is_new |= mark not in received
                        received.add(mark)
                        if isinstance(item, RefusedClaim):
                            self._refuse(item)
                        elif item.id not in seen:
                            seen.add(item.id)
                            run.keep(item)
                for raw, why in found.rejected:
                    self._refuse(asking.refuse_invalid(raw, why))
                if not received and _lacks_list(found):
                    raise AnswerInvalid(
                        f"The answer contains no list of {field}: {found.live.text[:_CLAIM]!r}."
                    )
            if not found.is_complete and is_new:
                # Otherwise it was repeating itself, and nothing more would have come.
                self.cut = True
                run.warn(f"An answer ended before its list of {field} did; some may be missing.")

        await _retry_call(once)

    async def _ask_verdicts(
        self, run: StepRun, request: ModelRequest, wanted: int
    ) -> tuple[list[asking.AskedVerdict], bool]:
        """Return the verdicts of an answer, and whether it was cut; a failed call is retried with
        the tokens that are left."""
        received: list[asking.AskedVerdict] = []
        failed: list[ProviderFailed] = []
        is_cut = False

        async def once() -> None:
            received.clear()
            left = run.budget.share_of(run.step).remaining
            room = left - await self._estimate_cost(run, *_VERDICTS, request)
            if failed and room < request.max_tokens:
                raise failed[-1]
            most = max(request.max_tokens, min(wanted, room))
            try:
                await ask(replace(request, max_tokens=most))
            except ProviderFailed as error:
                failed.append(error)
                raise

        async def ask(request: ModelRequest) -> None:
            nonlocal is_cut
            async with run.items(
                request,
                asking.AskedVerdict,
                field="verdicts",
                provider=self.task.provider,
                max_tokens=request.max_tokens,
            ) as found:
                async for verdict in found:
                    received.append(verdict)
                if not received and _lacks_list(found):
                    raise AnswerInvalid(
                        f"The answer contains no verdicts: {found.live.text[:_CLAIM]!r}."
                    )
            is_cut = not found.is_complete

        await _retry_call(once)
        return received, is_cut

    async def _estimate_cost(
        self, run: StepRun, kind: type[BaseModel], field: str, request: ModelRequest
    ) -> int:
        """Estimate what the prompt of a request will cost."""
        return await run.prompt_tokens(request, kind, field=field, provider=self.task.provider)

    def _warn_unverified(self, run: StepRun, left: Sequence[Relation]) -> None:
        run.warn(
            f"{len(left)} of {len(run.payload)} relations were not verified: "
            "what the request's tokens leave for it does not pay for another question."
        )
        for relation in left:
            run.keep(replace(relation, verdict=RelationVerdict.UNVERIFIED))

    def _refuse(self, refused: RefusedClaim) -> None:
        if refused not in self.refused:
            self.refused.append(refused)


async def _retry_call(call: Callable[[], Awaitable[None]]) -> None:
    """Make a call, and up to two more if the provider failed and may recover."""
    for delay_s in (*RETRY_DELAYS_S, None):
        try:
            await call()
            return
        except ProviderFailed as error:
            if delay_s is None or _is_long(error):
                raise
            if not isinstance(error, ProviderBusy):
                await asyncio.sleep(delay_s * random.uniform(0.8, 1.2))


def _split_reading(reading: asking.EntityReading) -> Iterator[Entity | RefusedClaim]:
    if reading.entity is not None:
        yield reading.entity
    yield from reading.refused


def _lacks_list(found: LiveItems[Any]) -> bool:
    """Whether an answer without items is not an empty list either."""
    return bool(found.rejected or found.refused_count or not found.is_complete)


def _keep_judged(
    judged: Iterable[Relation], verdicts: Iterable[asking.AskedVerdict]
) -> list[Relation]:
    """Keep what a cut answer does say; a missing verdict might still have come."""
    refuted = {verdict.n for verdict in verdicts if not verdict.supported}
    return [
        relation
        for number, relation in enumerate(judged, 1)
        if relation.verdict is RelationVerdict.GROUNDED or number in refuted
    ]


def _is_long(error: ProviderFailed) -> bool:
    """Whether the provider asks for a longer pause than any step could wait."""
    if not isinstance(error, ProviderBusy):
        return False
    return (error.retry_after_ms or 0) > _LONGEST_RETRY_AFTER_MS


async def _fit_request(
    make: Callable[[Sequence[T], int], ModelRequest],
    shown: Sequence[T],
    tokens: int,
    cost: Callable[[ModelRequest], Awaitable[int]],
    wanted: int,
) -> ModelRequest:
    """Build a request that fits, dropping the less likely half of what it shows until it does."""
    request = make(shown, _LEAST_ANSWER)
    prompt = await cost(request)
    while len(shown) > _FEWEST_SHOWN and prompt > tokens * _PROMPT_SHARE:
        shown = shown[: max(_FEWEST_SHOWN, len(shown) // 2)]
        request = make(shown, _LEAST_ANSWER)
        prompt = await cost(request)
    most = max(_LEAST_ANSWER, tokens - prompt)
    return replace(request, max_tokens=min(most, wanted))


def _estimate_answer_tokens(chunk: Chunk) -> int:
    """Estimate the tokens for everything a chunk can say; a model that goes on repeats itself."""
    return min(_MOST_ANSWER, _LEAST_ANSWER + len(chunk.text))


def _find_chunk_entities(chunk: Chunk, entities: Iterable[Entity]) -> list[Entity]:
    """Find the entities of a chunk, in the order of their first mention."""
    found: list[tuple[int, str, Entity]] = []
    for entity in entities:
        starts = [m.start for m in entity.mentions if chunk.start <= m.start < chunk.end]
        if starts:
            found.append((min(starts), entity.id, entity))
    return [entity for _, _, entity in sorted(found, key=lambda each: each[:2])]


def _take_first_half(chunk: Chunk) -> Chunk:
    kept = chunk.sentences[: len(chunk.sentences) // 2]
    end = kept[-1][1]
    return Chunk(chunk.index, chunk.start, end, chunk.text[: end - chunk.start], kept)
