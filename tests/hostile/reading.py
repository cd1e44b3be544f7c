"""Every document of the corpus read by the real pool, within the product's own bounds."""

import os
import time
from dataclasses import replace
from pathlib import Path

from assay.app.tools import build_bounds, build_scout_options
from assay.engine.process_pool import ProcessPool
from assay.errors import AssayError
from assay.model.hashes import content_hash
from assay.packs.regulatory.scouting import SCOUTING
from assay.reading.result import restore_reading
from assay.settings import Settings
from assay.spine.scouting.assessment import LOWEST_FLOOR
from assay.spine.scouting.profile import NO_PACK
from assay.spine.scouting.task import ScoutedDocument, ScoutOptions, scout_file
from tests.hostile.case import READ, SKIPPED, Case
from tests.hostile.measured import Watch
from tests.hostile.outcome import Ended


async def read_alone(case: Case, file: Path, settings: Settings) -> Ended:
    """Read one document in a process of its own, and see what it costs."""
    arguments = (file, _hash(file), case.charset, _options(settings))
    began = time.monotonic()
    async with ProcessPool(1, build_bounds(settings), [file.parent]) as pool:
        with Watch(os.getpid()) as watch:
            (found,) = await pool.run_each(scout_file, [arguments])
    return ended(found, time.monotonic() - began, watch.child_mb)


async def read_together(cases: dict[Path, Case], settings: Settings) -> dict[str, Ended]:
    """Read many by one pool, as a batch of scout's is."""
    options = _options(settings)
    pieces = [(file, _hash(file), case.charset, options) for file, case in cases.items()]
    folders = sorted({file.parent for file in cases})
    async with ProcessPool(2, build_bounds(settings), folders) as pool:
        found = await pool.run_each(scout_file, pieces)
    return {case.name: ended(one) for case, one in zip(cases.values(), found, strict=True)}


def ended(found: ScoutedDocument | AssayError, seconds: float = 0.0, megabytes: int = 0) -> Ended:
    """What scout's work on a document came to."""
    if isinstance(found, AssayError):
        return Ended(found.code, str(found), "", seconds, megabytes)
    judged = found.assessment.judgements[NO_PACK]
    if judged.skip_reason is not None:
        return Ended(SKIPPED, judged.skip_reason, "", seconds, megabytes)
    if found.text is None:
        if found.assessment.measures.needs_ocr:
            return Ended(READ, "its pages are pictures, to be read by OCR", "", seconds, megabytes)
        low = f"worth {judged.worth_it_score}, which is under the lowest floor of {LOWEST_FLOOR}"
        return Ended(SKIPPED, low, "", seconds, megabytes)
    reading = restore_reading(found.text.text.decode(), found.text.map)
    return Ended(READ, " ".join(reading.warnings), reading.text, seconds, megabytes)


def _options(settings: Settings) -> ScoutOptions:
    """The product's own, with a pack that looks for something."""
    return replace(build_scout_options(settings), profiles={NO_PACK: SCOUTING})


def _hash(file: Path) -> str:
    return content_hash(file.read_bytes())
