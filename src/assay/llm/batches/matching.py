"""Which answer belongs to which question. Providers have been seen to return answers under the keys
of other questions, so a key alone proves nothing: an answer that does not fit is set aside, never
guessed."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256

from assay.llm.batches.provider import BatchEnding, BatchResult, ResultKind
from assay.llm.messages import ModelRequest

AnswerCheck = Callable[[str, ModelRequest, str], bool]
"""Whether a text can be the answer to the question with an item's key."""

_MOST_TRIES = 100_000
"""The most comparisons made to find out where misplaced answers may belong."""
_MAX_LISTED = 5
"""The most answers that a remark lists."""


class ItemState(StrEnum):
    """The state of a question in a batch."""

    WAITING = "waiting"
    ANSWERED = "answered"
    FAILED = "failed"
    REFUSED = "refused"
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    MISSING = "missing"
    """The batch ended without mentioning it."""
    DOUBLED = "doubled"
    """More than one answer came under its key."""
    MISMATCHED = "mismatched"
    """The answer under its key does not answer this question."""
    UNSENT = "unsent"
    """The provider never accepted it."""
    LOST = "lost"
    """A person gave up waiting for its answer."""
    STRAY = "stray"
    """Not a question, but an answer that belongs to none."""


@dataclass(frozen=True)
class ItemOutcome:
    """The outcome of a question."""

    state: ItemState
    result: BatchResult | None = None
    what: str = ""


@dataclass(frozen=True)
class MatchedResults:
    """Every question with its outcome, and what is left over."""

    outcomes: Mapping[str, ItemOutcome]
    strays: Sequence[ItemOutcome] = ()
    remarks: Sequence[str] = ()


def make_provider_key(batch_id: str, item_key: str) -> str:
    """The key a provider gets for a question: short, and in characters that all accept."""
    return f"{batch_id}-{sha256(item_key.encode()).hexdigest()[:16]}"


def match_results(
    batch_id: str,
    questions: Mapping[str, ModelRequest],
    results: Iterable[BatchResult],
    ending: BatchEnding,
    check: AnswerCheck | None = None,
) -> MatchedResults:
    """Assign every result to its question, by its key and its content."""
    item_keys = {make_provider_key(batch_id, key): key for key in questions}
    found: dict[str, list[BatchResult]] = defaultdict(list)
    strays: list[ItemOutcome] = []
    for result in results:
        item_key = item_keys.get(result.key or "")
        if item_key is None:
            which = f"under the unknown key {result.key!r}" if result.key else "without a key"
            strays.append(ItemOutcome(ItemState.STRAY, result, f"It came {which}."))
        else:
            found[item_key].append(result)
    # If an answer cannot be placed, any question without one may be the one that used its tokens.
    silence = _decide_silence(BatchEnding.COMPLETED if strays else ending)
    outcomes = {
        key: _decide_outcome(key, question, found[key], silence, check)
        for key, question in questions.items()
    }
    remarks = _describe_counts(outcomes, len(strays))
    strays.extend(
        ItemOutcome(ItemState.STRAY, result, f"It is one of {len(found[key])} under {key!r}.")
        for key, outcome in outcomes.items()
        if outcome.state is ItemState.DOUBLED
        for result in found[key]
    )
    if check is not None:
        remarks.extend(_find_misplaced(outcomes, strays, questions, check))
    return MatchedResults(outcomes, strays, remarks)


def _decide_outcome(
    key: str,
    question: ModelRequest,
    found: Sequence[BatchResult],
    silence: ItemOutcome,
    check: AnswerCheck | None,
) -> ItemOutcome:
    if not found:
        return silence
    if len(found) > 1:
        return ItemOutcome(ItemState.DOUBLED, what=f"{len(found)} answers came under its key.")
    result = found[0]
    if result.kind is not ResultKind.ANSWERED:
        return ItemOutcome(ItemState(result.kind.value), result, result.what)
    if check is not None and not check(key, question, result.text):
        return ItemOutcome(ItemState.MISMATCHED, result, "The answer does not fit the question.")
    return ItemOutcome(ItemState.ANSWERED, result)


def _decide_silence(ending: BatchEnding) -> ItemOutcome:
    """The outcome of a question that the results do not mention."""
    if ending is BatchEnding.COMPLETED:
        return ItemOutcome(ItemState.MISSING, what="The results do not contain it.")
    return ItemOutcome(ItemState(ending.value), what=f"The batch {_ENDED[ending]} before its turn.")


_ENDED = {
    BatchEnding.FAILED: "failed",
    BatchEnding.EXPIRED: "expired",
    BatchEnding.CANCELLED: "was cancelled",
}


def _describe_counts(outcomes: Mapping[str, ItemOutcome], unknown: int) -> list[str]:
    """How many questions and answers have no counterpart, or the wrong one."""
    remarks = []
    for state, fault in (
        (ItemState.MISSING, "have no answer"),
        (ItemState.DOUBLED, "have more than one"),
        (ItemState.MISMATCHED, "have one that does not fit"),
    ):
        keys = [key for key, outcome in outcomes.items() if outcome.state is state]
        if keys:
            remarks.append(f"{len(keys)} of {len(outcomes)} questions {fault}: {_list_some(keys)}.")
    if unknown:
        remarks.append(f"{unknown} answers belong to no question.")
    return remarks


def _find_misplaced(
    outcomes: Mapping[str, ItemOutcome],
    strays: Sequence[ItemOutcome],
    questions: Mapping[str, ModelRequest],
    check: AnswerCheck,
) -> list[str]:
    """Which answers would fit another open question; only reported, never acted upon."""
    astray = [
        (f"under {key!r}", outcome.result.text)
        for key, outcome in outcomes.items()
        if outcome.state is ItemState.MISMATCHED and outcome.result is not None
    ]
    astray.extend(
        (f"under {stray.result.key!r}" if stray.result.key else "without a key", stray.result.text)
        for stray in strays
        if stray.result is not None and stray.result.kind is ResultKind.ANSWERED
    )
    vacant = [
        key for key, outcome in outcomes.items()
        if outcome.state in (ItemState.MISMATCHED, ItemState.MISSING, ItemState.DOUBLED)
    ]  # fmt: skip
    if not astray or len(astray) * len(vacant) > _MOST_TRIES:
        return []
    fitting = []
    for where, text in astray:
        fits = [
            key for key in vacant if f"under {key!r}" != where and check(key, questions[key], text)
        ]
        if fits:
            fitting.append(f"{where} would fit {_list_some(fits)}")
    if not fitting:
        return []
    more = f", and {len(fitting) - _MAX_LISTED} more" if len(fitting) > _MAX_LISTED else ""
    some = "; ".join(fitting[:_MAX_LISTED])
    return [f"Answers seem to have been swapped: the one {some}{more}."]


def _list_some(keys: Sequence[str]) -> str:
    some = ", ".join(repr(key) for key in keys[:_MAX_LISTED])
    return some + (", …" if len(keys) > _MAX_LISTED else "")
