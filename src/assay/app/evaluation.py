"""Measures how well a pack's extractor does on documents whose facts are known."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from assay.app.examination import Examination, examine_targets
from assay.app.tools import Tools
from assay.errors import AssayError, InvalidInput
from assay.ruling.declaration import Facts
from assay.ruling.evaluation.rule_scoring import RuleScore, ScoredRule, score_rules
from assay.ruling.evaluation.scoring import FactScore, FactTally, score_facts
from assay.ruling.evaluation.truth import (
    TRUTH,
    KnownDocument,
    load_known_documents,
    load_known_rules,
)
from assay.ruling.facts.extraction import extract_facts
from assay.ruling.facts.proposals import Passage, ProposedFact
from assay.sdk.pack import Pack


@dataclass(frozen=True)
class CorpusPart:
    """A folder of documents with their known facts."""

    name: str
    folder: Path
    documents: tuple[KnownDocument, ...]


@dataclass(frozen=True, slots=True)
class UnreadDocument:
    """A document that could not be read; all its facts count as missed."""

    document: str
    reason: str


@dataclass(frozen=True)
class PartEvaluation:
    """The result for one part."""

    part: CorpusPart
    score: FactScore
    unread: tuple[UnreadDocument, ...]
    rejected: Mapping[str, int]
    """How many proposals the gates rejected, by reason."""

    def values(self) -> dict[str, Any]:
        """The result as JSON."""
        score = self.score
        return {
            "part": self.part.name,
            "documents": len(self.part.documents),
            "unread": [asdict(entry) for entry in self.unread],
            "rejected": dict(self.rejected),
            "overall": score.overall.to_dict(),
            "by_value_type": _tallies_as_json(score.by_value_type),
            "by_language": _tallies_as_json(score.by_language),
            "by_kind": _tallies_as_json(score.by_kind),
            "misses": [
                {"document": miss.document, **miss.fact.model_dump(exclude_defaults=True)}
                for miss in score.misses
            ],
            "false_alarms": [
                _fact_as_json(alarm.document, alarm.fact) for alarm in score.false_alarms
            ],
            "misnamed": [
                {
                    **_fact_as_json(entry.document, entry.found),
                    "known_as": entry.known.concept or entry.known.predicate,
                }
                for entry in score.misnamed
            ],
        }


def _tallies_as_json(tallies: Mapping[str, FactTally]) -> dict[str, Any]:
    return {name: tally.to_dict() for name, tally in tallies.items()}


def _fact_as_json(document: str, fact: ProposedFact) -> dict[str, Any]:
    return {
        "document": document,
        "concept": fact.concept,
        "value_type": fact.value_type,
        "value": fact.value,
        "unit": fact.unit,
        "quote": fact.quote,
    }


def find_corpus(pack: Pack) -> Path:
    """The data with known answers that comes with a pack."""
    corpus = None if pack.evaluation is None else pack.evaluation.corpus
    if corpus is None:
        raise InvalidInput(
            f"The pack '{pack.name}' has no data with known answers of its own.",
            advice="Give your own folder with --corpus.",
        )
    return corpus


def load_corpus_parts(
    facts: Facts, corpus: Path, only: str | None = None
) -> tuple[CorpusPart, ...]:
    """The folders that contain a truth file: the corpus itself, or folders in it.

    Everything in them is checked before any document is read.
    """
    if not corpus.is_dir():
        raise InvalidInput(
            f"There is no folder {corpus}.",
            advice="Give a folder with documents and a truth.jsonl.",
        )
    if (corpus / TRUTH).is_file():
        folders = [corpus]
    else:
        folders = sorted(path.parent for path in corpus.glob(f"*/{TRUTH}"))
    if not folders:
        raise InvalidInput(
            f"There is no {TRUTH} in {corpus} or its folders.",
            advice="Write one line for each document; the corpus' README describes the format.",
        )
    names = [folder.resolve().name for folder in folders]
    if only is not None and only not in names:
        raise InvalidInput(
            f"There is no part '{only}' in {corpus}.", advice=f"Its parts: {', '.join(names)}."
        )
    return tuple(
        CorpusPart(name, folder, load_known_documents(folder, facts))
        for name, folder in zip(names, folders, strict=True)
        if only in (None, name)
    )


async def evaluate_facts(
    parts: Sequence[CorpusPart],
    pack: Facts,
    tools: Tools,
    *,
    on_done: Callable[[], None] | None = None,
) -> list[PartEvaluation]:
    """Read, extract and compare each part; a document that cannot be read is counted as such."""
    return [await _evaluate_part(part, pack, tools, on_done) for part in parts]


def evaluate_rules(part: CorpusPart, released: Sequence[ScoredRule]) -> RuleScore:
    """Compare the released rules from a part's documents with the part's `rules.jsonl`."""
    return score_rules(released, load_known_rules(part.folder))


async def _evaluate_part(
    part: CorpusPart, pack: Facts, tools: Tools, on_done: Callable[[], None] | None
) -> PartEvaluation:
    targets = [str(part.folder / entry.document) for entry in part.documents]
    examined = await examine_targets(targets, tools, on_done=on_done)
    passages: dict[str, Passage] = {}
    unread: list[UnreadDocument] = []
    for document, entry in zip(part.documents, examined, strict=True):
        if (why := _explain_unread(entry)) is not None:
            unread.append(UnreadDocument(document.document, why))
        else:
            passages[document.document] = _build_passage(document, entry)
    results = await tools.pool.run_each(
        extract_facts, [(passage, pack) for passage in passages.values()]
    )
    found: dict[str, list[ProposedFact]] = {}
    rejected: Counter[str] = Counter()
    for name, result in zip(passages, results, strict=True):
        if isinstance(result, AssayError):
            unread.append(UnreadDocument(name, str(result)))
            continue
        found[name] = [fact.proposed for fact in result.accepted]
        rejected.update(entry.reason.value for entry in result.rejected)
    return PartEvaluation(part, score_facts(found, part.documents), tuple(unread), dict(rejected))


def _explain_unread(entry: Examination) -> str | None:
    if entry.error is not None:
        return str(entry.error)
    assert entry.measures is not None
    if entry.measures.needs_ocr:
        return "; ".join(entry.notes) or "Its pages are images, which were not read."
    return None


def _build_passage(document: KnownDocument, entry: Examination) -> Passage:
    assert entry.reading is not None
    assert entry.scout is not None
    return Passage(
        reading=entry.reading, language=entry.scout.language, published=document.published
    )
