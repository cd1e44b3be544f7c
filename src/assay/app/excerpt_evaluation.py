"""Measures a pack's extractor on annotated excerpts, aspect by aspect, in two halves."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.app.examination import Examination, examine_targets
from assay.app.tools import Tools
from assay.errors import AssayError
from assay.ruling.declaration import Facts
from assay.ruling.evaluation.aspects import AspectScore, AspectScorer, FoundFact
from assay.ruling.evaluation.excerpts import (
    TEXTS,
    AnnotatedDocument,
    Half,
    load_annotated,
    load_terms,
)
from assay.ruling.evaluation.relations import RelationScore, relate_documents
from assay.ruling.facts.extraction import extract_facts
from assay.ruling.facts.gates import AcceptedFact
from assay.ruling.facts.proposals import Passage


@dataclass(frozen=True)
class ExcerptEvaluation:
    """The result for both halves, and for the rules of all excerpts together."""

    halves: Mapping[Half, AspectScore]
    relations: RelationScore
    unread: Mapping[str, str]
    """Documents without a text, or that could not be read, with the reason."""

    def values(self) -> dict[str, Any]:
        """The result as JSON; single facts of the tuning half only."""
        tuning = self.halves[Half.TUNING]
        return {
            "halves": {half.value: score.to_dict() for half, score in self.halves.items()},
            "relations": self.relations.to_dict(),
            "unread": dict(self.unread),
            "errors": [
                {"aspect": aspect, "kind": kind, "count": count}
                for aspect, kind, count in tuning.count_errors()
            ],
        }


def has_texts(folder: Path) -> bool:
    """Whether the texts of annotated excerpts are here."""
    return (folder / TEXTS).is_dir()


async def evaluate_excerpts(
    folder: Path, pack: Facts, tools: Tools, *, on_done: Callable[[], None] | None = None
) -> ExcerptEvaluation:
    """Read, extract and judge every excerpt; one without a text counts as missed."""
    halves = load_annotated(folder, pack)
    documents = [document for of_half in halves.values() for document in of_half]
    terms = load_terms(folder)
    paths = {document.document: folder / TEXTS / document.document for document in documents}
    unread = {name: "its text is not here" for name, path in paths.items() if not path.is_file()}
    present = [document for document in documents if document.document not in unread]
    examined = await examine_targets(
        [str(paths[document.document]) for document in present], tools, on_done=on_done
    )
    passages: dict[str, Passage] = {}
    for document, entry in zip(present, examined, strict=True):
        passage = _build_passage(entry, document.jurisdiction)
        if isinstance(passage, str):
            unread[document.document] = passage
        else:
            passages[document.document] = passage
    found = await _extract(passages, pack, tools, unread)
    scores = {}
    for half, of_half in halves.items():
        scorer = AspectScorer(terms)
        for document in of_half:
            name = document.document
            text = passages[name].reading.text if name in passages else ""
            scorer.add(document, text, map(_locate_fact, found.get(name, ())))
        scores[half] = scorer.score()
    return ExcerptEvaluation(scores, _relate_all(documents, found, pack), unread)


def _build_passage(entry: Examination, jurisdiction: str) -> Passage | str:
    """A passage; its jurisdiction, which a publisher's address would tell, is given."""
    if entry.error is not None or entry.reading is None or entry.scout is None:
        return str(entry.error)
    return Passage(reading=entry.reading, language=entry.scout.language, jurisdiction=jurisdiction)


async def _extract(
    passages: Mapping[str, Passage], pack: Facts, tools: Tools, unread: dict[str, str]
) -> dict[str, Sequence[AcceptedFact]]:
    results = await tools.pool.run_each(
        extract_facts, [(passage, pack) for passage in passages.values()]
    )
    found: dict[str, Sequence[AcceptedFact]] = {}
    for name, result in zip(passages, results, strict=True):
        if isinstance(result, AssayError):
            unread[name] = str(result)
        else:
            found[name] = result.accepted
    return found


def _locate_fact(accepted: AcceptedFact) -> FoundFact:
    return FoundFact(accepted.proposed, accepted.start, accepted.end)


def _relate_all(
    documents: Sequence[AnnotatedDocument],
    found: Mapping[str, Sequence[AcceptedFact]],
    pack: Facts,
) -> RelationScore:
    expected = frozenset(
        frozenset((document.document, other))
        for document in documents
        for other in document.succeeds
    )
    origins = {document.document: document.jurisdiction for document in documents}
    return relate_documents(found, pack, origins, expected)
