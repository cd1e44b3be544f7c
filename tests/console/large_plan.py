"""The numbers behind a large store: how much there is of everything, and what refers to what."""

from dataclasses import dataclass
from typing import Any

from assay.app import App
from assay.clock import utc_stamp
from assay.model.hashes import content_hash
from assay.model.ids import derive_evidence_id, derive_id, doc_id_of_url
from assay.reading.html.reader import read_html
from assay.reading.limits import ReadLimits
from assay.spine.texts import PackedText, pack_reading

DAY_MS = 86_400_000
HOUR_MS = 3_600_000
SENTENCES = 40
_TEXTS = 20


@dataclass(frozen=True)
class StoreSize:
    """How much is written of everything."""

    facts: int = 100_000
    documents: int = 10_000
    jobs: int = 100_000
    meetings: int = 5_000
    questions: int = 1_000
    rules: int = 10_000
    released: int = 2_000
    conflicts: int = 300
    sources: int = 60
    runs: int = 200
    calls: int = 5_000
    dead: int = 500


SMALL = StoreSize(
    facts=300, documents=60, jobs=400, meetings=40, questions=30, rules=60, released=20,
    conflicts=6, sources=6, runs=5, calls=60, dead=50,
)  # fmt: skip
"""The same in little, for tests of a page's behaviour."""


@dataclass(frozen=True)
class SharedText:
    """A page that many documents share, and where its sentences are."""

    packed: PackedText
    quotes: tuple[tuple[str, int, int], ...]


class StorePlan:
    """Every number follows from a counter, so two stores of one size are alike."""

    def __init__(self, app: App, size: StoreSize) -> None:
        self.size, self.now_ms = size, app.clock.now_ms()
        self.texts = [_make_text(number) for number in range(_TEXTS)]
        self.slugs = [f"gazette-{number:03}" for number in range(size.sources)]
        self.run_ids = [
            f"{utc_stamp(self.now_ms - (size.runs - n) * HOUR_MS * 6)}-{n:06x}"
            for n in range(size.runs)
        ]

    def slug(self, number: int) -> str:
        return self.slugs[number % len(self.slugs)]

    def ago(self, number: int, of: int, days: int = 300) -> int:
        """A time in the last `days`, later for higher numbers."""
        return self.now_ms - (of - number) * days * DAY_MS // of

    def text(self, number: int) -> SharedText:
        return self.texts[number % _TEXTS]

    def url(self, number: int) -> str:
        return f"https://{self.slug(number)}.example/acts/{number}"

    def evidence(self, number: int) -> str:
        return derive_evidence_id(self.url(number), content_hash(self.text(number).packed.text))

    def place(self, number: int) -> dict[str, Any]:
        """Where the quote of a fact is."""
        document = number % self.size.documents
        text, evidence_id = self.text(document), self.evidence(document)
        quote, start, end = text.quotes[number // self.size.documents % len(text.quotes)]
        stored = derive_id(
            "ar", evidence_id, text.packed.kind.value,
            content_hash(text.packed.text), content_hash(text.packed.map),
        )  # fmt: skip
        return {
            "evidence_id": evidence_id,
            "artifact_id": stored,
            "doc_id": doc_id_of_url(self.url(document)),
            "source_slug": self.slug(document),
            "quote": quote,
            "start": start,
            "end": end,
            "confidence": 0.9,
            "article": f"§ {number % 30 + 1}",
        }

    def concept(self, rule: int) -> str:
        return f"local_tax_{rule // 3:05}.rate"


def _make_text(number: int) -> SharedText:
    sentences = [
        f"The rate of local tax {number}-{place} is {place + 1} percent of the price paid."
        for place in range(SENTENCES)
    ]
    parts = "".join(
        f"<h2>Article {place + 1}</h2><p>{sentence}</p>" for place, sentence in enumerate(sentences)
    )
    page = f"<!doctype html><title>Ordinance {number}</title><main><h1>Ordinance</h1>{parts}</main>"
    reading = read_html(page.encode(), ReadLimits())
    found = [(each, reading.text.index(each)) for each in sentences]
    quotes = tuple((each, start, start + len(each)) for each, start in found)
    return SharedText(pack_reading(reading, "read/3"), quotes)
