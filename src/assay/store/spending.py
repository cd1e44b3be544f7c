"""The tables of the control plane: what was granted, what was used, and what must wait."""

from sqlalchemy import Index, PrimaryKeyConstraint, Table, text

from assay.model.storage import DELETABLE, NEVER_DELETED, fixed_except
from assay.store.columns import (
    METADATA,
    int_column,
    make_guard_info,
    ms_column,
    real_column,
    text_column,
)

call = Table(
    "llm_calls",
    METADATA,
    text_column("call_id"),
    text_column("request_id"),
    text_column("stage"),
    text_column("source_slug", null=True),
    text_column("evidence_id", null=True),
    text_column("run_id", null=True),
    text_column("job_id", null=True),
    text_column("provider"),
    text_column("model"),
    text_column("lane"),
    text_column("day"),
    text_column("worker"),
    text_column("state"),
    int_column("reserved_prompt"),
    int_column("reserved_output"),
    int_column("prompt_tokens"),
    int_column("completion_tokens"),
    int_column("charged_tokens"),
    int_column("charged_micros", null=True),
    text_column("basis"),
    text_column("error_code", null=True),
    int_column("probe"),
    int_column("slot"),
    ms_column("expires_ms"),
    ms_column("reserved_ms"),
    ms_column("sent_ms", null=True),
    ms_column("settled_ms", null=True),
    PrimaryKeyConstraint("call_id"),
    Index("ix_llm_calls_request_id", "request_id"),
    Index("ix_llm_calls_evidence_id_day", "evidence_id", "day"),
    Index("ix_llm_calls_day_source_slug", "day", "source_slug"),
    Index(
        "ix_llm_calls_open",
        "provider",
        sqlite_where=text("state = 'open'"),
        postgresql_where=text("state = 'open'"),
    ),
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
    text_column("name"),
    text_column("value"),
    ms_column("updated_ms"),
    PrimaryKeyConstraint("name"),
    info=make_guard_info(DELETABLE),
)
"""The state of each provider's limiter and circuit, and of each lane, as one JSON value each."""

meter = Table(
    "llm_meters",
    METADATA,
    text_column("day"),
    text_column("meter"),
    int_column("calls"),
    int_column("tokens"),
    int_column("micros"),
    PrimaryKeyConstraint("day", "meter"),
    info=make_guard_info(NEVER_DELETED),
)
"""The totals of the ledger, by day and by what is capped."""

ticket = Table(
    "llm_tickets",
    METADATA,
    text_column("ticket_id"),
    text_column("provider"),
    text_column("lane"),
    text_column("stage"),
    int_column("priority"),
    int_column("tokens"),
    ms_column("since_ms"),
    ms_column("due_ms"),
    PrimaryKeyConstraint("ticket_id"),
    Index("ix_llm_tickets_provider", "provider"),
    info=make_guard_info(DELETABLE),
)
"""Calls that wait for a permit; a ticket that is not renewed when it is due no longer counts."""

cooldown = Table(
    "llm_cooldowns",
    METADATA,
    text_column("source_slug"),
    int_column("empties"),
    ms_column("until_ms", null=True),
    PrimaryKeyConstraint("source_slug"),
    info=make_guard_info(DELETABLE),
)
"""Sources that gave empty answers, and how long they are paused."""

estimate = Table(
    "llm_estimates",
    METADATA,
    text_column("provider"),
    text_column("model"),
    int_column("samples"),
    real_column("factor"),
    real_column("highest"),
    ms_column("updated_ms"),
    PrimaryKeyConstraint("provider", "model"),
    info=make_guard_info(DELETABLE),
)
"""How many tokens a provider counts for each token that Assay counts."""

answer = Table(
    "llm_answers",
    METADATA,
    text_column("cache_key"),
    text_column("provider"),
    text_column("model"),
    text_column("body"),
    text_column("finish"),
    int_column("prompt_tokens"),
    int_column("completion_tokens"),
    ms_column("created_ms"),
    PrimaryKeyConstraint("cache_key"),
    info=make_guard_info(DELETABLE),
)
"""The response cache."""

batch = Table(
    "llm_batches",
    METADATA,
    text_column("batch_id"),
    text_column("provider"),
    text_column("model"),
    text_column("state"),
    text_column("handle", null=True),
    text_column("error_code", null=True),
    text_column("error_message", null=True),
    ms_column("created_ms"),
    ms_column("submitted_ms", null=True),
    ms_column("ended_ms", null=True),
    PrimaryKeyConstraint("batch_id"),
    Index("ix_llm_batches_state", "state"),
    info=make_guard_info(NEVER_DELETED),
)
"""Batches sent to a provider; the handle identifies one after a restart."""

batch_item = Table(
    "llm_batch_items",
    METADATA,
    text_column("batch_id"),
    text_column("item_key"),
    text_column("call_id"),
    text_column("request"),
    text_column("state"),
    text_column("answer", null=True),
    text_column("error_message", null=True),
    PrimaryKeyConstraint("batch_id", "item_key"),
    info=make_guard_info(NEVER_DELETED),
)
"""The questions of a batch, and their answers."""

result = Table(
    "request_results",
    METADATA,
    text_column("key"),
    text_column("request_id", volatile=True),
    text_column("kind"),
    text_column("completeness"),
    text_column("result_hash", volatile=True),
    ms_column("created_ms"),
    PrimaryKeyConstraint("key"),
    Index("ix_request_results_request_id", "request_id"),
    info=make_guard_info(fixed_except("request_id", "completeness", "result_hash", "created_ms")),
)
"""The results of whole requests, by what was asked; the bytes are a blob."""
