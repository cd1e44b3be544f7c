"""What documents may spend now: one snapshot of the accounts serves a whole batch of them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import sqlalchemy as sa

from assay.errors import CallDenied, CallTooLarge, PriceUnknown
from assay.governor.governor import ALLOWED, SpendingVerdict, deny_spending
from assay.governor.large_documents import read_answers
from assay.llm.admission import LedgerSnapshot, ProviderState, day_of, decide_admission
from assay.llm.ledger import TOTAL_METER, Ledger, decode_state
from assay.llm.limits import Policy
from assay.llm.messages import Provider
from assay.llm.scope import CallRequest, CallScope, Denial, SourceStanding
from assay.store.database import explain_errors
from assay.store.spending import call, cooldown, meter, state

_CHUNK = 500


@dataclass(frozen=True, kw_only=True)
class BudgetRequest:
    """What a document would spend."""

    source: str
    evidence: str
    tokens: int
    standing: SourceStanding = field(default_factory=SourceStanding)
    """What the health of its source allows."""


@dataclass(frozen=True, kw_only=True)
class BudgetSnapshot:
    """The accounts at one moment; checking against them reserves nothing."""

    policy: Policy
    providers: Sequence[Provider]
    now_ms: int
    states: Mapping[str, ProviderState]
    meters: Mapping[str, tuple[int, int]]
    """Tokens and money spent today, by meter."""
    rests: Mapping[str, int | None]
    """When each source's rest ends."""
    charged: Mapping[str, int]
    """Tokens charged today, by document."""
    answers: Mapping[str, bool] = field(default_factory=dict)
    """Whether a person lets a model read a document beyond the cap on one document."""

    def check(self, request: BudgetRequest, provider: Provider) -> SpendingVerdict:
        """Whether the document may go to that provider today.

        A short wait, for a free slot or for the next minute's tokens, does not count against it:
        the caller waits for those. Otherwise a document would be set aside for a day because a
        hundred others were routed in the same second.
        """
        try:
            decide_admission(
                _build_call_request(
                    request, provider, read_anyway=self.answers.get(request.evidence, False)
                ),
                self.policy,
                self._read_state(request, provider),
            )
        except CallDenied as denied:
            return deny_spending(Denial(denied.reason), denied.what, denied.recovers_ms)
        except CallTooLarge as error:
            return deny_spending(Denial.EVIDENCE_TOO_LARGE, error.what)
        except PriceUnknown as error:
            # Without a price, nobody can say whether the call stays within the money cap.
            return deny_spending(Denial.GLOBAL_DAILY_CAP_EXCEEDED, error.what)
        return ALLOWED

    def _read_state(self, request: BudgetRequest, provider: Provider) -> LedgerSnapshot:
        day_tokens, day_micros = self.meters.get(TOTAL_METER, (0, 0))
        source_tokens, _ = self.meters.get(_meter_name(request.source), (0, 0))
        return LedgerSnapshot(
            now_ms=self.now_ms,
            provider=self.states.get(provider.name, ProviderState()),
            day_tokens=day_tokens,
            day_micros=day_micros,
            source_tokens=source_tokens,
            evidence_tokens=self.charged.get(request.evidence, 0),
            resting_until_ms=self.rests.get(request.source),
        )


@dataclass(frozen=True)
class BudgetView:
    """What the documents of a run may spend, and with which providers."""

    ledger: Ledger
    providers: Sequence[Provider]

    def take_snapshot(
        self, sources: Collection[str], evidence: Collection[str], now_ms: int
    ) -> BudgetSnapshot:
        """A snapshot for these sources and documents; it costs the same for one as for hundreds."""
        with explain_errors(), self.ledger.engine.connect() as connection:
            return self.read_snapshot(connection, sources, evidence, now_ms)

    def read_snapshot(
        self,
        connection: sa.Connection,
        sources: Collection[str],
        evidence: Collection[str],
        now_ms: int,
    ) -> BudgetSnapshot:
        """The same, in the caller's transaction."""
        day = day_of(now_ms)
        names = [TOTAL_METER, *(_meter_name(source) for source in sources)]
        return BudgetSnapshot(
            policy=self.ledger.policy,
            providers=self.providers,
            now_ms=now_ms,
            states=_read_states(connection, self.providers),
            meters=_read_meters(connection, day, names),
            rests=_read_rests(connection, sources),
            charged=_read_charged_tokens(connection, day, evidence),
            answers=read_answers(connection, evidence),
        )


def _build_call_request(
    request: BudgetRequest, provider: Provider, *, read_anyway: bool
) -> CallRequest:
    return CallRequest(
        provider=provider.name,
        model=provider.model,
        lane=provider.lane,
        limits=provider.limits,
        prompt_tokens=request.tokens,
        output_tokens=0,
        scope=CallScope(source=request.source, evidence=request.evidence),
        standing=request.standing,
        read_anyway=read_anyway,
        ticket_id="",
    )


def _meter_name(source: str) -> str:
    return f"source:{source}"


def _read_states(
    connection: sa.Connection, providers: Sequence[Provider]
) -> dict[str, ProviderState]:
    rows = {f"provider:{provider.name}": provider.name for provider in providers}
    query = sa.select(state.c.name, state.c.value).where(state.c.name.in_(rows))
    return {rows[name]: decode_state(value) for name, value in connection.execute(query)}


def _read_meters(
    connection: sa.Connection, day: str, names: Collection[str]
) -> dict[str, tuple[int, int]]:
    query = sa.select(meter.c.meter, meter.c.tokens, meter.c.micros).where(meter.c.day == day)
    return {
        name: (int(tokens), int(micros))
        for some in _split_chunks(names)
        for name, tokens, micros in connection.execute(query.where(meter.c.meter.in_(some)))
    }


def _read_rests(connection: sa.Connection, sources: Collection[str]) -> dict[str, int | None]:
    query = sa.select(cooldown.c.source_slug, cooldown.c.until_ms)
    return {
        source: until_ms
        for some in _split_chunks(sources)
        for source, until_ms in connection.execute(query.where(cooldown.c.source_slug.in_(some)))
    }


def _read_charged_tokens(
    connection: sa.Connection, day: str, evidence: Collection[str]
) -> dict[str, int]:
    query = (
        sa.select(call.c.evidence_id, sa.func.sum(call.c.charged_tokens))
        .where(call.c.day == day)
        .group_by(call.c.evidence_id)
    )
    return {
        name: int(tokens)
        for some in _split_chunks(evidence)
        for name, tokens in connection.execute(query.where(call.c.evidence_id.in_(some)))
    }


def _split_chunks(values: Collection[str]) -> Iterable[list[str]]:
    ordered = sorted(set(values))
    return (ordered[start : start + _CHUNK] for start in range(0, len(ordered), _CHUNK))
