"""The work behind a large store: its jobs, their attempts, what happened, and what it cost."""

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

from assay.llm.admission import day_of
from assay.llm.ledger import TOTAL_METER
from assay.model.ids import doc_id_of_url
from tests.console.large_plan import DAY_MS, HOUR_MS, StorePlan

_STAGES = ("sentinel", "fetch", "scout", "router", "extract", "compose", "apply", "review")
_ERRORS = ("http_status", "read_timeout", "host_unreachable", "content_unsupported")


def _job(plan: StorePlan, number: int) -> dict[str, Any]:
    """What a job and its attempt have in common."""
    stage = _STAGES[number % len(_STAGES)]
    run_id = plan.run_ids[number * len(plan.run_ids) // plan.size.jobs]
    return {
        "job_id": f"{stage}.1:{run_id}:{number:08}",
        "stage": stage,
        "subject": plan.evidence(number % plan.size.documents),
        "run_id": run_id,
        "source_slug": plan.slug(number),
        "attempt": 1,
    }


def _error(plan: StorePlan, number: int) -> dict[str, Any]:
    return {
        "error_code": _ERRORS[number % len(_ERRORS)],
        "error_class": "TRANSIENT",
        "error_message": f"{plan.url(number)} answered 503. All attempts are used up.",
    }


def _is_dead(plan: StorePlan, number: int) -> bool:
    return number % (plan.size.jobs // plan.size.dead) == 1


def list_jobs(plan: StorePlan) -> Iterator[dict[str, Any]]:
    for number in range(plan.size.jobs):
        at_ms = plan.ago(number, plan.size.jobs, 50)
        left = plan.size.jobs - number
        dead = _is_dead(plan, number)
        queued = not dead and left <= plan.size.jobs // 50
        yield {
            **_job(plan, number),
            **(_error(plan, number) if dead else {}),
            "batch_id": f"old:{number // 20}",
            "state": "dead" if dead else "queued" if queued else "done",
            "priority": 100,
            "payload": {"url": plan.url(number), "source": plan.slug(number)},
            "created_ms": at_ms,
            "not_before_ms": plan.now_ms + HOUR_MS if queued and left % 7 == 0 else None,
            "ended_ms": None if queued else at_ms + 2_000,
        }


def list_attempts(plan: StorePlan) -> Iterator[dict[str, Any]]:
    for number in range(plan.size.jobs - plan.size.jobs // 50):
        at_ms, dead = plan.ago(number, plan.size.jobs, 50), _is_dead(plan, number)
        job = _job(plan, number)
        yield {
            **job,
            **(_error(plan, number) if dead else {}),
            "progress_id": f"{number}#0",
            "queue": job["stage"],
            "outcome": "dead" if dead else "done",
            "records_written": 3,
            "jobs_scheduled": 1,
            "started_ms": at_ms + 1_000,
            "ended_ms": at_ms + 2_000,
        }


def list_dead_letters(plan: StorePlan) -> Iterator[dict[str, Any]]:
    for number in (n for n in range(plan.size.jobs) if _is_dead(plan, n)):
        job = {k: v for k, v in _job(plan, number).items() if k != "subject"}
        yield {
            **job,
            **_error(plan, number),
            "payload": {"url": plan.url(number), "source": plan.slug(number)},
            "died_ms": plan.ago(number, plan.size.jobs, 50) + 2_000,
        }


def list_events(plan: StorePlan) -> Iterator[dict[str, Any]]:
    """One for each document, and the looks of fifty days."""
    for number in range(plan.size.documents):
        evidence = plan.evidence(number)
        yield {
            "event_id": f"stored:{number}",
            "tag": "evidence.stored",
            "run_id": plan.run_ids[number % len(plan.run_ids)],
            "source_slug": plan.slug(number),
            "body": {
                "evidence_id": evidence,
                "doc_id": doc_id_of_url(plan.url(number)),
                "size": 4_000,
            },
            "at_ms": plan.ago(number, plan.size.documents),
        }
    numbers = count()
    for day in range(50):
        for place, slug in enumerate(plan.slugs):
            number = next(numbers)
            yield {
                "event_id": f"scanned:{number}",
                "tag": "endpoint.scanned",
                "run_id": plan.run_ids[number % len(plan.run_ids)],
                "source_slug": slug,
                "body": {
                    "endpoint_id": f"{slug}/feed",
                    "items": 20 + place + day % 3,
                    "new_items": (day + place) % 5,
                },
                "at_ms": plan.now_ms - (50 - day) * DAY_MS,
            }


def list_calls(plan: StorePlan) -> Iterator[dict[str, Any]]:
    for number in range(plan.size.calls):
        at_ms = plan.ago(number + 1, plan.size.calls, 60)
        tokens = 800 + number % 13 * 150
        yield {
            "call_id": f"{number:032x}",
            "request_id": f"{number // 2:032x}",
            "stage": ("extract", "arbiter", "router")[number % 3],
            "source_slug": plan.slug(number),
            "evidence_id": plan.evidence(number % plan.size.documents),
            "run_id": plan.run_ids[number % len(plan.run_ids)],
            "provider": "cloud" if number % 4 else "local",
            "model": ("large", "small")[number % 2],
            "lane": "bulk",
            "day": day_of(at_ms),
            "worker": "w1",
            "state": "done" if number % 50 else "lost",
            "reserved_prompt": 1_000,
            "reserved_output": 500,
            "prompt_tokens": tokens - 200,
            "completion_tokens": 200,
            "charged_tokens": tokens,
            "charged_micros": tokens * 3,
            "basis": "reported",
            "probe": 0,
            "slot": 0,
            "expires_ms": at_ms + 60_000,
            "reserved_ms": at_ms,
            "sent_ms": at_ms,
            "settled_ms": at_ms + 900,
        }


def list_workers(plan: StorePlan) -> Iterator[dict[str, Any]]:
    for number in range(3):
        yield {
            "worker_id": f"w{number}",
            "host": "host",
            "pid": 100 + number,
            "state": "stopped" if number else "alive",
            "started_ms": plan.now_ms - DAY_MS,
            "heartbeat_ms": plan.now_ms,
            "lease_ms": 60_000,
        }


def list_meters(calls: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """What the meters count of these calls."""
    sums: dict[tuple[str, str], list[int]] = {}
    for row in calls:
        for name in (TOTAL_METER, f"source:{row['source_slug']}"):
            held = sums.setdefault((row["day"], name), [0, 0, 0])
            held[0] += 1
            held[1] += row["charged_tokens"]
            held[2] += row["charged_micros"]
    for (day, name), (number, tokens, micros) in sums.items():
        yield {"day": day, "meter": name, "calls": number, "tokens": tokens, "micros": micros}
