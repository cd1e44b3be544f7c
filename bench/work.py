"""The work every contender of the engine bench does, the same to the byte.

A document passes four stages. Each is a pure function of the document's text and the record
of the stage before it, light enough (well under 100 µs) that a run measures the engine that
carries the documents and not the stages themselves.
"""

import hashlib
import json
import random
import zlib
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

Record: TypeAlias = dict[str, str | int | float]
Stage: TypeAlias = Callable[[str, Mapping[str, str | int | float]], Record]

SEED: Final = 20_240_501
"""The seed of the documents in a published run."""

SHORTEST_TEXT: Final = 6_000
LONGEST_TEXT: Final = 14_000
"""The visible characters of a document lie between these two."""

_SUBJECTS: Final[Mapping[str, tuple[str, ...]]] = {
    "transport": ("railway", "harbour"),
    "energy": ("turbine", "pipeline"),
    "finance": ("subsidy", "procurement"),
    "health": ("hospital", "vaccine"),
}
_SUBJECT_NAMES: Final = tuple(_SUBJECTS)
_URGENT_WORDS: Final = ("deadline", "suspended")

_ACTORS: Final = (
    "The ministry", "The regional council", "A joint committee", "The audit office",
    "The contracting authority", "An independent panel", "The municipal board",
    "The inspectorate", "A consortium of operators", "The licensing body",
)  # fmt: skip
_VERBS: Final = (
    "approved", "published", "postponed", "reviewed", "suspended", "awarded", "amended",
    "inspected", "extended", "rejected",
)  # fmt: skip
_OBJECTS: Final = (
    "the revised schedule", "a second tender", "the annual statement", "the draft permit",
    "the maintenance contract", "a public consultation", "the safety report",
    "the environmental assessment", "the accounts for the period", "the appeal",
)  # fmt: skip
_TAILS: Final = (
    "after a hearing that lasted two days", "with effect from the first of next month",
    "subject to the conditions set out in the annex", "without a date for completion",
    "at the request of three member districts", "before the deadline set by the statute",
    "on the advice of its own engineers", "as the earlier notice had foreseen",
)  # fmt: skip
_SENTENCES_IN_A_PARAGRAPH: Final = 5


def documents(n: int, seed: int = SEED) -> list[str]:
    """Generate `n` notices as HTML pages; the same seed gives the same pages."""
    if n < 0:
        raise ValueError(f"a bench needs zero or more documents, not {n}")
    rng = random.Random(seed)
    return [_page(rng, number) for number in range(1, n + 1)]


def stage_1(text: str, previous: Mapping[str, str | int | float]) -> Record:
    """Measure the page: its size, its parts and its digest."""
    title_at = text.index("<title>") + len("<title>")
    return {
        "stage": "measure",
        "characters": len(text),
        "paragraphs": text.count("<p>"),
        "links": text.count("<a "),
        "digest": hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()[:16],
        "title": text[title_at : text.index("</title>", title_at)],
    }


def stage_2(text: str, previous: Mapping[str, str | int | float]) -> Record:
    """Count the words that speak for each subject."""
    counts: Record = {
        subject: sum(text.count(word) for word in words) for subject, words in _SUBJECTS.items()
    }
    return {"stage": "count", "characters": previous["characters"], **counts}


def stage_3(text: str, previous: Mapping[str, str | int | float]) -> Record:
    """Score the page: which subject leads, how strongly, how urgently."""
    counts = {subject: int(previous[subject]) for subject in _SUBJECT_NAMES}
    subject = max(counts, key=lambda name: (counts[name], name))
    total = sum(counts.values())
    urgency = sum(text.count(word) for word in _URGENT_WORDS)
    share = counts[subject] / total if total else 0.0
    return {
        "stage": "score",
        "subject": subject,
        "share": round(share, 4),
        "density": round(1000 * total / int(previous["characters"]), 4),
        "urgency": urgency,
        "score": round(100 * share + urgency, 4),
    }


def stage_4(text: str, previous: Mapping[str, str | int | float]) -> Record:
    """Route the page to a desk."""
    score = float(previous["score"])
    return {
        "stage": "route",
        "desk": f"{previous['subject']}-{zlib.crc32(text[:512].encode()) % 4}",
        "priority": 1 if score >= 85 else 2 if score >= 65 else 3,
        "score": score,
        "urgent": int(int(previous["urgency"]) > 2),
        "reason": f"{previous['subject']} leads with {previous['share']}",
    }


STAGES: Final[tuple[Stage, ...]] = (stage_1, stage_2, stage_3, stage_4)


def run_stage(
    number: int, text: str, previous: Mapping[str, str | int | float] | None = None
) -> Record:
    """Run stage `number` (1 to 4); `previous` is the record of the stage before it, if any."""
    if not 1 <= number <= len(STAGES):
        raise ValueError(f"there is no stage {number}; stages go from 1 to {len(STAGES)}")
    return STAGES[number - 1](text, previous or {})


def encode(record: Mapping[str, str | int | float]) -> str:
    """Write a record as the one JSON text that every contender stores."""
    return json.dumps(record, sort_keys=True, separators=(",", ":"))


def expected_results(texts: list[str]) -> dict[tuple[int, int], str]:
    """What a finished run must have stored: (document id from 1, stage) → encoded record."""
    expected: dict[tuple[int, int], str] = {}
    for doc_id, text in enumerate(texts, start=1):
        record: Record = {}
        for number in range(1, len(STAGES) + 1):
            record = run_stage(number, text, record)
            expected[doc_id, number] = encode(record)
    return expected


def _page(rng: random.Random, number: int) -> str:
    # One subject leads and the others are noise, as in a real notice.
    leading = rng.choice(_SUBJECT_NAMES)
    weight = rng.uniform(0.2, 0.8)
    wanted = rng.randint(SHORTEST_TEXT, LONGEST_TEXT - 1_000)
    paragraphs: list[str] = []
    written = 0
    while written < wanted:
        sentences = [_sentence(rng, leading, weight) for _ in range(_SENTENCES_IN_A_PARAGRAPH)]
        written += sum(map(len, sentences)) + len(sentences)
        paragraphs.append(f"<p>{' '.join(sentences)}</p>")
    for place in range(2, len(paragraphs), 4):
        paragraphs.insert(place, f"<h2>Section {place // 4 + 1}</h2>")
    links = "".join(
        f'<li><a href="/notices/{rng.randint(1, 9999)}">Notice {rng.randint(1, 9999)}</a></li>'
        for _ in range(6)
    )
    day = f"2024-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
    title = f"Notice {number}: {leading} in district {rng.randint(1, 40)}"
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<link rel="stylesheet" href="/site.css"></head><body><nav><ul>{links}</ul></nav>'
        f'<article><h1>{title}</h1><time datetime="{day}">{day}</time>'
        f"{''.join(paragraphs)}</article><footer>Official gazette</footer></body></html>"
    )


def _sentence(rng: random.Random, leading: str, weight: float) -> str:
    subject = leading if rng.random() < weight else rng.choice(_SUBJECT_NAMES)
    return (
        f"{rng.choice(_ACTORS)} {rng.choice(_VERBS)} {rng.choice(_OBJECTS)} for the "
        f"{rng.choice(_SUBJECTS[subject])} {rng.choice(_TAILS)}."
    )
