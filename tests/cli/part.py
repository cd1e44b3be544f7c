"""The program with a small part of the demo's country: `python -m tests.cli.part --home …`.

No two of these documents contradict each other. ASSAY_TESSDATA adds one that needs Tesseract.
"""

import os
from unittest.mock import patch

from assay.cli import demo
from assay.cli.main import main
from assay.packs.regulatory.demo import build_country_demo

DOCUMENTS = frozenset(
    f"seen/{name}"
    for name in (
        "trosarina-pivo.html", "vodni-doprinos.xml", "vozila-uredba.html",
        "komunalna-naknada.html", "pausalni-pravilnik.html", "zatezne-kamate.html",
        "zatezne-kamate-srpanj.html", "vijesti-posjetitelji.html", "obrazac-pdv-f.html",
        "nekretnine-zakon.html", "fiskalizacija-zakon.docx",
    )
)  # fmt: skip

SCAN = "seen/boravisna-brezje.pdf"

if __name__ == "__main__":
    chosen = DOCUMENTS | {SCAN} if "ASSAY_TESSDATA" in os.environ else DOCUMENTS
    with patch.object(demo, "load_demos", lambda: {"regulatory": build_country_demo(chosen)}):
        main()
