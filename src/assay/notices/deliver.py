"""Deliver: sends what waits for one channel of a watch, as one message."""

from collections.abc import Sequence

from assay.display import escape_line
from assay.engine.contract import Change, Failed, Outcome, QueueLimits, Result, Stage, StageFunction
from assay.engine.reader import Reader
from assay.errors import AssayError, DeliveryFailed
from assay.model.ids import derive_id
from assay.model.watches import Delivery, DeliveryState, Notice, Watch
from assay.notices.channels import Notifier
from assay.notices.messages import Report, build_message
from assay.notices.payloads import DELIVER_STAGE, DeliverJob

DELIVER = Stage(
    name=DELIVER_STAGE,
    version=1,
    payload=DeliverJob,
    queue=QueueLimits(concurrency=2),
    reads=frozenset({Watch, Notice, Delivery}),
    writes=frozenset({Delivery}),
    uses=frozenset({"notification"}),
    timeout_s=1800.0,
    entry=True,
    purpose="sends notifications by e-mail, to webhooks and to commands",
)


def deliver(notifier: Notifier) -> StageFunction:
    """The stage, with the part that sends."""

    async def work(jobs: Sequence[DeliverJob], read: Reader) -> Sequence[Result]:
        return [await _send_one(job, read, notifier) for job in jobs]

    return work


async def _send_one(job: DeliverJob, read: Reader, notifier: Notifier) -> Result:
    watch = await read.get(Watch, job.watch_id)
    waiting = await _find_waiting(job, read)
    if not waiting:
        return Outcome(note="nothing waits")
    if watch is None or not watch.active:
        return Outcome(
            changes=_mark(waiting, {"state": DeliveryState.DROPPED.value}), note="dropped"
        )
    notices = await read.get_many(Notice, {each.notice_id for each in waiting})
    reports = [
        Report(each.delivery_id, notices[each.notice_id], tuple(each.matched)) for each in waiting
    ]
    reports.sort(key=lambda r: (r.notice.happened_ms, r.notice.title, r.delivery_id))
    message = build_message(
        derive_id("msg", job.watch_id, job.channel, job.key),
        watch,
        reports,
        digest=watch.digest if job.is_digest else "none",
        at_ms=read.now_ms,
    )
    try:
        await notifier.send(job.channel, message)
    except DeliveryFailed as error:
        hint = f"'assay watch test {escape_line(job.channel)}' shows whether it works again."
        return Failed(DeliveryFailed(f"{error.what} {hint}"))
    except AssayError as error:
        return Failed(error)
    sent = {"state": DeliveryState.SENT.value, "sent_ms": read.now_ms}
    return Outcome(changes=_mark(waiting, sent), note="sent")


async def _find_waiting(job: DeliverJob, read: Reader) -> list[Delivery]:
    """What this message is about: the notices of one run, or all that waited for a digest."""
    of_channel = {"channel": job.channel, "state": DeliveryState.WAITING.value}
    found = await read.find_where(Delivery, "watch_id", [job.watch_id], beside=of_channel)
    if job.is_digest:
        return [each for each in found if each.created_ms <= job.until_ms]
    return [each for each in found if each.run_id == job.key]


def _mark(deliveries: Sequence[Delivery], to: dict[str, object]) -> tuple[Change, ...]:
    waiting = {"state": DeliveryState.WAITING.value}
    return tuple(
        Change(record=Delivery, key=each.delivery_id, when=waiting, to=to) for each in deliveries
    )
