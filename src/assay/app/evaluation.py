"""How well a pack's extractor does on documents whose facts are known."""

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
from assay.ruling.facts.extraction import ExtractionResult, extract_facts
from assay.ruling.facts.proposals import Passage, ProposedFact
from assay.sdk.pack import Pack


@dataclass(frozen=True)
class CorpusPart:
    """A folder of documents with its truth."""

    name: str
    folder: Path
    documents: tuple[KnownDocument, ...]


@dataclass(frozen=True, slots=True)
class UnreadDocument:
    """A document of which nothing could be known; all its facts count as missed."""

    document: str
    reason: str


@dataclass(frozen=True)
class PartEvaluation:
    """What came of one part."""

    part: CorpusPart
    score: FactScore
    unread: tuple[UnreadDocument, ...]
    rejected: Mapping[str, int]
    """How many proposals the gates turned away, by reason."""

    def values(self) -> dict[str, Any]:
        """For a machine."""
        told = self.score
        return {
            "part": self.part.name,
            "documents": len(self.part.documents),
            "unread": [asdict(entry) for entry in self.unread],
            "rejected": dict(self.rejected),
            "overall": told.overall.to_dict(),
            "by_value_type": _tallies_as_json(told.by_value_type),
            "by_language": _tallies_as_json(told.by_language),
            "by_kind": _tallies_as_json(told.by_kind),
            "misses": [
                {"document": miss.document, **miss.fact.model_dump(exclude_defaults=True)}
                for miss in told.misses
            ],
            "false_alarms": [
                _fact_as_json(alarm.document, alarm.fact) for alarm in told.false_alarms
            ],
            "misnamed": [
                {
                    **_fact_as_json(entry.document, entry.found),
                    "known_as": entry.known.concept or entry.known.predicate,
                }
                for entry in told.misnamed
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
    """The documents with known facts that a pack brings."""
    if pack.evaluation is None:
        raise InvalidInput(
            f"The pack '{pack.name}' brings no documents whose facts are known.",
            advice="Give a folder of your own with --corpus.",
        )
    return pack.evaluation.corpus


def load_corpus_parts(
    facts: Facts, corpus: Path, only: str | None = None
) -> tuple[CorpusPart, ...]:
    """The folders with a truth: the corpus itself or those in it.

    Everything in them is checked before anything is read.
    """
    if not corpus.is_dir():
        raise InvalidInput(
            f"There is no folder {corpus}.",
            advice="Give a folder with documents beside a truth.jsonl.",
        )
    if (corpus / TRUTH).is_file():
        folders = [corpus]
    else:
        folders = sorted(path.parent for path in corpus.glob(f"*/{TRUTH}"))
    if not folders:
        raise InvalidInput(
            f"There is no {TRUTH} in {corpus}, nor in a folder of it.",
            advice="Write one line for each document; the corpus' README describes the form.",
        )
    names = [folder.resolve().name for folder in folders]
    if only is not None and only not in names:
        raise InvalidInput(
            f"There is no part '{only}' in {corpus}.", advice=f"There are: {', '.join(names)}."
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
    on_page: Callable[[], None] | None = None,
) -> list[PartEvaluation]:
    """Read, extract and compare each part; a document that cannot be read is counted as such."""
    return [await _evaluate_part(part, pack, tools, on_done, on_page) for part in parts]


def evaluate_rules(part: CorpusPart, released: Sequence[ScoredRule]) -> RuleScore:
    """Compare what a release holds of a part's documents with the part's `rules.jsonl`."""
    return score_rules(released, load_known_rules(part.folder))


async def _evaluate_part(
    part: CorpusPart,
    pack: Facts,
    tools: Tools,
    on_done: Callable[[], None] | None,
    on_page: Callable[[], None] | None,
) -> PartEvaluation:
    targets = [str(part.folder / entry.document) for entry in part.documents]
    examined = await examine_targets(targets, tools, on_done=on_done, on_page=on_page)
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
        found[name] = _list_accepted(result)
        rejected.update(entry.reason.value for entry in result.rejected)
    return PartEvaluation(part, score_facts(found, part.documents), tuple(unread), dict(rejected))


def _list_accepted(result: ExtractionResult) -> list[ProposedFact]:
    return [fact.proposed for fact in result.accepted]


def _explain_unread(entry: Examination) -> str | None:
    if entry.error is not None:
        return str(entry.error)
    assert entry.measures is not None
    if entry.measures.needs_ocr:
        return "; ".join(entry.notes) or "Its pages are pictures, which were not read."
    return None


def _build_passage(document: KnownDocument, entry: Examination) -> Passage:
    assert entry.reading is not None
    assert entry.scout is not None
    return Passage(
        reading=entry.reading, language=entry.scout.language, published=document.published
    )
