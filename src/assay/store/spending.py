"""The tables of the control plane: what was granted, what was used, and what must wait."""

from sqlalchemy import Index, PrimaryKeyConstraint, Table

from assay.model.storage import DELETABLE, NEVER_DELETED, fixed_except
from assay.store.columns import (
    METADATA,
    int_columns,
    make_guard_info,
    ms_columns,
    partial_index,
    real_columns,
    text_columns,
)

call = Table(
    "llm_calls",
    METADATA,
    *text_columns("call_id", "request_id", "stage"),
    *text_columns("source_slug", "evidence_id", "run_id", "job_id", null=True),
    *text_columns("provider", "model", "lane", "day", "worker", "state"),
    *int_columns("reserved_prompt", "reserved_output"),
    *int_columns("prompt_tokens", "completion_tokens", "charged_tokens"),
    *int_columns("charged_micros", null=True),
    *text_columns("basis"),
    *text_columns("error_code", null=True),
    *int_columns("probe", "slot"),
    *ms_columns("expires_ms", "reserved_ms"),
    *ms_columns("sent_ms", "settled_ms", null=True),
    PrimaryKeyConstraint("call_id"),
    Index("ix_llm_calls_request_id", "request_id"),
    Index("ix_llm_calls_evidence_id_day", "evidence_id", "day"),
    Index("ix_llm_calls_day_source_slug", "day", "source_slug"),
    partial_index("ix_llm_calls_open", "provider", where="state = 'open'"),
    info=make_guard_info(
        fixed_except(
            "lane", "worker", "state", "prompt_tokens", "completion_tokens", "charged_tokens",
            "charged_micros", "basis", "error_code", "probe", "slot", "expires_ms", "sent_ms",
            "settled_ms",
        )
    ),
)  # fmt: skip
"""The ledger: one row per call. While a call is open, it is charged what was reserved."""

state = Table(
    "llm_state",
    METADATA,
    *text_columns("name", "value"),
    *ms_columns("updated_ms"),
    PrimaryKeyConstraint("name"),
    info=make_guard_info(DELETABLE),
)
"""The state of each provider's limiter and circuit, and of each lane, as one JSON value each."""

meter = Table(
    "llm_meters",
    METADATA,
    *text_columns("day", "meter"),
    *int_columns("calls", "tokens", "micros"),
    PrimaryKeyConstraint("day", "meter"),
    info=make_guard_info(NEVER_DELETED),
)
"""The totals of the ledger, by day and by what is capped."""

ticket = Table(
    "llm_tickets",
    METADATA,
    *text_columns("ticket_id", "provider", "lane", "stage"),
    *int_columns("priority", "tokens"),
    *ms_columns("since_ms", "due_ms"),
    PrimaryKeyConstraint("ticket_id"),
    Index("ix_llm_tickets_provider", "provider"),
    info=make_guard_info(DELETABLE),
)
"""Calls that wait for a permit; a ticket that is not renewed when it is due no longer counts."""

cooldown = Table(
    "llm_cooldowns",
    METADATA,
    *text_columns("source_slug"),
    *int_columns("empties"),
    *ms_columns("until_ms", null=True),
    PrimaryKeyConstraint("source_slug"),
    info=make_guard_info(DELETABLE),
)
"""Sources that gave empty answers, and how long they are paused."""

estimate = Table(
    "llm_estimates",
    METADATA,
    *text_columns("provider", "model"),
    *int_columns("samples"),
    *real_columns("factor", "highest"),
    *ms_columns("updated_ms"),
    PrimaryKeyConstraint("provider", "model"),
    info=make_guard_info(DELETABLE),
)
"""How many tokens a provider counts for each token that Assay counts."""

answer = Table(
    "llm_answers",
    METADATA,
    *text_columns("cache_key", "provider", "model", "body", "finish"),
    *int_columns("prompt_tokens", "completion_tokens"),
    *ms_columns("created_ms"),
    PrimaryKeyConstraint("cache_key"),
    info=make_guard_info(DELETABLE),
)
"""The response cache."""

batch = Table(
    "llm_batches",
    METADATA,
    *text_columns("batch_id", "provider", "model", "state"),
    *text_columns("handle", "error_code", "error_message", null=True),
    *ms_columns("created_ms"),
    *ms_columns("submitted_ms", "ended_ms", null=True),
    PrimaryKeyConstraint("batch_id"),
    Index("ix_llm_batches_state", "state"),
    info=make_guard_info(NEVER_DELETED),
)
"""Batches sent to a provider; the handle identifies one after a restart."""

batch_item = Table(
    "llm_batch_items",
    METADATA,
    *text_columns("batch_id", "item_key", "call_id", "request", "state"),
    *text_columns("answer", "error_message", null=True),
    PrimaryKeyConstraint("batch_id", "item_key"),
    info=make_guard_info(NEVER_DELETED),
)
"""The questions of a batch, and their answers."""

result = Table(
    "request_results",
    METADATA,
    *text_columns("key"),
    *text_columns("request_id", volatile=True),
    *text_columns("kind", "completeness"),
    *text_columns("result_hash", volatile=True),
    *ms_columns("created_ms"),
    PrimaryKeyConstraint("key"),
    Index("ix_request_results_request_id", "request_id"),
    info=make_guard_info(fixed_except("request_id", "completeness", "result_hash", "created_ms")),
)
"""The results of whole requests, by what was asked; the bytes are a blob."""
