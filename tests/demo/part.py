"""A part of the country that has something of everything, and needs no Tesseract."""

from pathlib import Path
from typing import Any

from assay.app import App
from assay.demo.play import DayReport, DemoCallbacks, play_demo
from assay.demo.result import DemoResult, finish_demo
from assay.packs.regulatory.demo import build_country_demo
from assay.sdk.demo import Demo
from assay.settings import Settings
from tests.conftest import quick_settings

PACK = "regulatory"
DAYS = 2
PART = frozenset(
    f"seen/{name}"
    for name in (
        "pdv-zakon.html", "pdv-izmjene-2026.html", "vat-act-en.html", "ust-gesetz-auszug.pdf",
        "vat-amendment-summary.html", "pdv-pitanja.html", "nacrt-pdv.html",
        "pdv-uputa-smjestaj.html", "pdv-uputa-smjestaj-srpanj.html",
        "pausalni-pravilnik.html", "pausalni-izmjena.txt", "pausalni-komora.html",
        "zatezne-kamate.html", "zatezne-kamate-srpanj.html",
        "hostile-injection.html", "hostile-sustav.html",
    )
)  # fmt: skip


def settings_of(home: Path, **changed: Any) -> Settings:
    return quick_settings(home, **changed)


def played(
    settings: Settings, days: int = DAYS, **others: Demo
) -> tuple[list[DayReport], DemoResult]:
    """The days and what follows them, as `assay demo` plays them, perhaps with other packs."""
    demo = build_country_demo(PART)
    reports = play_demo(settings, {PACK: demo, **others}, days=days, watchers=DemoCallbacks())
    with App(settings) as app:
        ending = finish_demo(app, PACK, demo)
    assert ending is not None
    return reports, ending


def manifest_of(settings: Settings, ending: DemoResult) -> bytes:
    with App(settings) as app:
        return app.blobs.get(ending.release.manifest_hash)
