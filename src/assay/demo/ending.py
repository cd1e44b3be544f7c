"""The end of the demo: a person decides, a release is cut and verified, and questions are asked."""

import asyncio
import threading
from dataclasses import dataclass
from typing import Any

from assay.app import App, release_proofs, releases
from assay.app.asking import Reply
from assay.app.releases import Created
from assay.app.status import status
from assay.demo import story
from assay.demo.country import PACK
from assay.demo.person import REVIEWER, Decided, cautious, decide
from assay.demo.story import Question
from assay.model.rules import Release
from assay.ruling.release.plan import current_of
from assay.ruling.release.proof import Proof


@dataclass(frozen=True)
class Ending:
    """What became of the rules, and how it was told before."""

    rules: dict[str, dict[str, int]]
    """status → tier → number, before the person decided."""
    questions: dict[str, dict[str, int]]
    """Those that were open before the person decided."""
    scans_waiting: int
    """Scanned documents that wait for Tesseract."""
    decided: Decided
    conflicts: list[dict[str, Any]]
    created: Created
    release: Release
    """The one that counts now, made just now or before."""
    proof: Proof
    replies: list[tuple[Question, Reply]]


def end(app: App, stop: threading.Event | None = None) -> Ending | None:
    """Let the demo's reviewer decide, and release what is approved; None if told to stop."""
    stop = stop or threading.Event()
    rules, questions = story.rules_by_status(app), story.open_questions(app)
    decided = decide(app, REVIEWER, cautious, stop)
    if stop.is_set():
        return None
    created = releases.create(app, PACK, by=REVIEWER, stop=stop)
    release = current_of(releases.all_releases(app, PACK))
    if stop.is_set() or release is None:
        return None
    return Ending(
        rules=rules,
        questions=questions,
        scans_waiting=int(status(app)["blocked"].get("OCR", 0)),
        decided=decided,
        conflicts=story.conflicts(app),
        created=created,
        release=release,
        proof=asyncio.run(release_proofs.verify(app, release)),
        replies=story.answers(app),
    )
