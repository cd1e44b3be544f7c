"""The tools that every Assay has: rules, releases, evidence and open questions."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Annotated, Any, Final

from pydantic import Field

from assay.app import App
from assay.app.abbreviations import IdKind, expand_id
from assay.app.asking import ask, check_freshness, load_stored_rules, parse_day, today
from assay.app.evidence_search import find_quotes, find_titles, read_excerpt
from assay.app.releases import find_release, list_releases
from assay.app.reviewing import list_open_requests
from assay.app.rule_queries import describe_released_rule, list_concepts
from assay.ruling.rules.conditions import parse_situation
from assay.sdk.tools import AssistantTool, Limit, ToolInput

_CACHED_RELEASES: Final = 8
_USUAL_EXCERPT: Final = 4_000
_MOST_EXCERPT: Final = 20_000
_MOST_OTHERS: Final = 5

Pack = Annotated[str | None, Field(description="Only this pack; needed if several have releases.")]
Words = Annotated[str, Field(description="Words that must all be found; capitals do not matter.")]


class AskInput(ToolInput):
    concept: str = Field(
        min_length=1,
        description="The concept, such as 'fee.amount', its label, or the words of a person, such "
        "as 'rate of value added tax'.",
    )
    situation: dict[str, str | bool | int | float] = Field(
        default={},
        max_length=50,
        description="What is known about the case, by the name of the field. The answer's "
        "'open_fields' names those that matter and are missing.",
    )
    as_of: str | None = Field(
        default=None, description="The day that the answer is for, YYYY-MM-DD; today by default."
    )
    pack: Pack = None
    release: str | None = Field(
        default=None, description="A version, such as '1.2.0'; by default the newest one in force."
    )


class ConceptsInput(ToolInput):
    words: Words = ""
    limit: Limit = 20


class RuleInput(ToolInput):
    rule_id: str = Field(min_length=1, description="The id of a released rule: 'rl_…'.")


class ReleasesInput(ToolInput):
    pack: Pack = None
    limit: Limit = 10


class EvidenceInput(ToolInput):
    words: Words = ""
    source: str | None = Field(default=None, description="Only of this source, by its short name.")
    limit: Limit = 10


class ExcerptInput(ToolInput):
    evidence_id: str = Field(
        min_length=1, description="The id of the evidence, or at least its first 4 characters."
    )
    start: int = Field(default=0, ge=0, description="The character to begin at, counted from 0.")
    length: int = Field(
        default=_USUAL_EXCERPT, ge=1, le=_MOST_EXCERPT, description="How many characters to read."
    )


class QuestionsInput(ToolInput):
    tier: str | None = Field(default=None, description="Only of rules of this tier: T0 to T3.")
    overdue: bool = Field(default=False, description="Only those whose deadline has passed.")
    limit: Limit = 10


@dataclass(frozen=True)
class CoreTools:
    """The functions behind the tools, on one store. Releases stay in memory: they never change."""

    app: App
    load_release: Callable[..., Any] = field(init=False)

    def __post_init__(self) -> None:
        cached = lru_cache(maxsize=_CACHED_RELEASES)(partial(load_stored_rules, self.app))
        object.__setattr__(self, "load_release", cached)

    def ask(self, wanted: AskInput) -> dict[str, Any]:
        situation = parse_situation(
            f"{name}={str(value).lower() if isinstance(value, bool) else value}"
            for name, value in wanted.situation.items()
        )
        as_of = today(self.app.clock) if wanted.as_of is None else parse_day(wanted.as_of)
        release = find_release(self.app, wanted.release, wanted.pack)
        rules = self.load_release(release.manifest_hash, release.state)
        reply = check_freshness(self.app, ask(rules, wanted.concept, situation, as_of))
        values = reply.values()
        others = values["others"]
        return {
            **values,
            "others": others[:_MOST_OTHERS],
            "others_left_out": max(0, len(others) - _MOST_OTHERS),
        }

    def search_concepts(self, wanted: ConceptsInput) -> dict[str, Any]:
        found, more = list_concepts(self.app, wanted.words, limit=wanted.limit)
        return {"concepts": found, "more": more}

    def get_rule(self, wanted: RuleInput) -> dict[str, Any]:
        return describe_released_rule(self.app, expand_id(self.app, wanted.rule_id, IdKind.RULE))

    def list_releases(self, wanted: ReleasesInput) -> dict[str, Any]:
        found = list_releases(self.app, wanted.pack)
        brief = [each.model_dump(mode="json", exclude={"changes"}) for each in found]
        kept = brief[: wanted.limit]
        return {"releases": kept, "more": len(brief) - len(kept)}

    def search_evidence(self, wanted: EvidenceInput) -> dict[str, Any]:
        words = wanted.words.split()
        quotes, more_quotes = find_quotes(self.app, words, source=wanted.source, limit=wanted.limit)
        documents, more_documents = find_titles(
            self.app, words, source=wanted.source, limit=wanted.limit
        )
        return {
            "quotes": quotes,
            "more_quotes": more_quotes,
            "documents": documents,
            "more_documents": more_documents,
        }

    def get_evidence_text(self, wanted: ExcerptInput) -> dict[str, Any]:
        return read_excerpt(self.app, wanted.evidence_id, wanted.start, wanted.length)

    def list_open_questions(self, wanted: QuestionsInput) -> dict[str, Any]:
        found, more = list_open_requests(
            self.app, limit=wanted.limit, tier=wanted.tier, overdue=wanted.overdue
        )
        return {"questions": found, "more": more}


def build_core_tools(app: App) -> tuple[AssistantTool, ...]:
    """Assay's own tools, in the order in which an assistant should consider them."""
    own = CoreTools(app)

    def declare(
        function: Callable[[Any], dict[str, Any]], takes: type[ToolInput], description: str
    ) -> AssistantTool:
        async def call(wanted: Any, _services: Any) -> dict[str, Any]:
            # In a thread: others must not wait for the database.
            return await asyncio.to_thread(function, wanted)

        return AssistantTool(
            name=function.__name__, description=description, input=takes, function=call
        )

    return (
        declare(
            own.ask,
            AskInput,
            "Find which value applies to a situation on a day, from the released rules that people "
            "approved. The answer has the value, the quotes that support it with their sources, "
            "and whether something has changed since the release ('freshness', 'stale'). 'state' "
            "says whether there is exactly one answer; nothing is guessed if there is not.",
        ),
        declare(
            own.search_concepts,
            ConceptsInput,
            "List the concepts that there are rules about, by words of their names.",
        ),
        declare(
            own.get_rule,
            RuleInput,
            "Show a released rule: its value, condition, period, quotes with their sources, the "
            "rules that it replaces, overrides or contradicts, and the releases that contain it.",
        ),
        declare(
            own.list_releases,
            ReleasesInput,
            "List the releases of approved rules, the newest first, with their state and hashes.",
        ),
        declare(
            own.search_evidence,
            EvidenceInput,
            "Find quotes that support facts, and documents by words of their title or address. "
            "Facts here were found by a machine and are not necessarily approved: use 'ask' for "
            "what applies.",
        ),
        declare(
            own.get_evidence_text,
            ExcerptInput,
            "Read part of the text of a document as it was fetched, with the places of the quotes "
            "in it. Continue at 'next_start'.",
        ),
        declare(
            own.list_open_questions,
            QuestionsInput,
            "List the questions that wait for a person's decision, the most urgent first. You "
            "cannot answer them; tell the person.",
        ),
    )
