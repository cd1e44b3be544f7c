"""Asks a model which of several rules prevails, if nothing else distinguishes them."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from string import ascii_lowercase

from pydantic import BaseModel, Field

from assay.errors import AnswerInvalid, CallDenied, ProviderFailed, ProviderTimedOut
from assay.llm.messages import ModelAnswer, ModelRequest
from assay.llm.prompts import PromptLibrary
from assay.llm.scope import CallScope
from assay.model.agent_runs import AgentRun, Failure
from assay.model.ids import derive_id
from assay.ruling.arbiter.arbitration import ModelOpinion
from assay.ruling.arbiter.rulings import Dispute
from assay.ruling.declaration import Facts
from assay.ruling.review.judgement import RuleCase
from assay.ruling.review.questions import describe_quote, describe_rule

PROMPT = "arbiter"
MAX_TOKENS = 300
"""The maximum number of tokens in an opinion."""
MAX_SIDES = 8
"""With more sides than that, no model is asked."""
_MAX_REASON = 500

AskArbiterModel = Callable[[ModelRequest, type[BaseModel], CallScope], Awaitable[ModelAnswer]]
"""Asks a model through the control plane."""


class Opinion(BaseModel):
    """The answer to the arbiter's prompt. Nothing in it could approve a rule."""

    winner: str = Field(description="The letter of the rule that holds, or 'none'.")
    confidence: float = Field(ge=0.0, le=1.0)
    reason: str = ""


@dataclass(frozen=True)
class OpinionResult:
    """A model's opinion, if it gave one, and the record of having asked."""

    opinion: ModelOpinion | None
    run: AgentRun


async def ask_opinion(
    dispute: Dispute, pack: Facts, ask: AskArbiterModel, now_ms: int
) -> OpinionResult:
    """Ask once. A model that cannot be asked, or gives an invalid answer, has no opinion."""
    request = PromptLibrary(pack.folder / "prompts")[PROMPT].build_request(
        max_tokens=MAX_TOKENS,
        values={
            "concept": dispute.conflict.concept,
            "rules": "\n------\n".join(
                f"({letter}) {describe_rule(case.rule, pack.fields)}\n{_describe_quotes(case)}"
                for letter, case in _letter_sides(dispute)
            ),
        },
    )
    # No source is charged for it: the rules may come from several sources.
    scope = CallScope(step="arbiter", request_id=dispute.conflict.conflict_id)
    try:
        answer = await ask(request, Opinion, scope)
    except AnswerInvalid as error:
        return _build_failed_result(dispute, Failure.PARSE_FAILED, error, now_ms)
    except CallDenied as error:
        return _build_failed_result(dispute, Failure.CIRCUIT_OPEN, error, now_ms)
    except ProviderTimedOut as error:
        return _build_failed_result(dispute, Failure.TIMEOUT, error, now_ms)
    except ProviderFailed as error:
        return _build_failed_result(dispute, Failure.RETRY_EXHAUSTED, error, now_ms)
    return _build_result(dispute, answer, now_ms)


def _build_result(dispute: Dispute, answer: ModelAnswer, now_ms: int) -> OpinionResult:
    value: Opinion = answer.value
    rules = {letter: case.rule.rule_id for letter, case in _letter_sides(dispute)}
    reason = " ".join(value.reason.split())[:_MAX_REASON]
    opinion = ModelOpinion(
        winner=rules.get(value.winner.strip("() ").lower()),
        confidence=value.confidence,
        reason=reason,
    )
    run = _make_agent_run(dispute, now_ms).model_copy(
        update={
            "provider": answer.provider,
            "model": answer.model,
            "items_produced": 0 if opinion.winner is None else 1,
            "tokens_used": answer.usage.total_tokens,
        }
    )
    return OpinionResult(opinion, run)


def _build_failed_result(
    dispute: Dispute, failure: Failure, error: Exception, now_ms: int
) -> OpinionResult:
    run = _make_agent_run(dispute, now_ms).model_copy(
        update={"failure": failure, "error_message": str(error).strip()}
    )
    return OpinionResult(None, run)


def _make_agent_run(dispute: Dispute, now_ms: int) -> AgentRun:
    return AgentRun(
        agent_run_id=derive_id("ar", "arbiter", dispute.conflict.conflict_id, dispute.words_key),
        run_id="",
        job_id="",
        stage="arbiter",
        started_ms=now_ms,
        ended_ms=now_ms,
    )


def _letter_sides(dispute: Dispute) -> list[tuple[str, RuleCase]]:
    """The sides that contradict each other, each with a letter."""
    keys = sorted(dispute.person_outcome.contested)
    return [
        (letter, dispute.cases[key]) for letter, key in zip(ascii_lowercase, keys, strict=False)
    ]


def _describe_quotes(case: RuleCase) -> str:
    return "\n".join(sorted({describe_quote(pointer, case.sources) for pointer in case.pointers}))
