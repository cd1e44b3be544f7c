"""Act: notes which act a document is the text of, and which acts it amends."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.packs.regulatory.jobs import ACT_STAGE, STATUTE_STAGE, StatuteJob
from assay.packs.regulatory.records import ActAmendment, ActText, AmendingAct
from assay.sdk.errors import AssayError
from assay.sdk.facts import ExtractJob, Passage, StoredPassage
from assay.sdk.records import Artifact, DiscoveredItem, Evidence, Record, ScoutResult
from assay.sdk.stages import (
    Failed,
    NextJob,
    Outcome,
    PackJob,
    QueueLimits,
    Reader,
    Result,
    Stage,
)

if TYPE_CHECKING:
    from assay.sdk.extraction import StoredDocument
    from assay.sdk.services import Services

ACT = Stage(
    name=ACT_STAGE,
    version=1,
    payload=PackJob,
    queue=QueueLimits(),
    reads=frozenset({Evidence, Artifact, ScoutResult, DiscoveredItem, ActText, ActAmendment}),
    writes=frozenset((ActText, ActAmendment, AmendingAct)),
    next=frozenset({"extract", STATUTE_STAGE}),
    batch=50,
    purpose="notes which act a document is, and which acts it amends",
)


@dataclass(frozen=True, slots=True)
class ReadAct:
    """What a document says about itself as law."""

    key: str = ""
    title: str = ""
    amends: tuple[tuple[str, str], ...] = ()
    """Key and name of each act that it amends."""
    amending_key: str = ""
    """Its key if it only amends others."""


async def read_acts(
    jobs: Sequence[PackJob], read: Reader, services: "Services"
) -> Sequence[Result]:
    """Read each document in a process of its own; whatever is found there, its facts come next."""
    from assay.sdk.extraction import read_stored_texts

    found = await read_stored_texts([job.evidence_id for job in jobs], read)
    known = [job for job in jobs if job.original is None and job.evidence_id in found]
    texts = [(job.evidence_id, found[job.evidence_id].text) for job in known]
    acts = dict(zip(known, await services.pool.run_each(read_stored_act, texts), strict=True))
    earlier = await _find_earlier_acts({each.evidence.doc_id for each in found.values()}, read)
    return [
        build_act_outcome(job, acts.get(job), found.get(job.evidence_id), earlier) for job in jobs
    ]


async def _find_earlier_acts(doc_ids: Collection[str], read: Reader) -> dict[str, set[str]]:
    """Which acts the earlier versions of documents were about: they may no longer be."""
    found: dict[str, set[str]] = {}
    rows: list[ActText | ActAmendment] = [*await read.find_where(ActText, "doc_id", doc_ids)]
    rows += await read.find_where(ActAmendment, "doc_id", doc_ids)
    for row in rows:
        found.setdefault(row.doc_id, set()).add(row.act_key)
    return found


def read_stored_act(evidence_id: str, text: StoredPassage) -> ReadAct:
    """The act of a stored text, in a process of the pool."""
    # Only these processes need the patterns, which take long to compile.
    from assay.packs.regulatory.acts.instructions import find_named_acts
    from assay.packs.regulatory.acts.naming import identify_act, make_act_key
    from assay.packs.regulatory.extractor.reader import find_issuing_body, find_title

    passage = text.load_passage()
    title = find_title(passage)
    body = find_issuing_body(passage)
    amends = find_named_acts(evidence_id, passage, body)
    is_act = _is_act(evidence_id, passage, title)
    own = identify_act(title, passage.reading.text, body) if is_act else ""
    # An act that describes how it was amended is not amended by itself.
    amends.pop(own, None)
    named = tuple(sorted(amends.items()))
    only_amends = bool(named) and not is_act
    # A notice has no name that another one cites; it may have that of the act.
    amending_key = make_act_key(title, body) if only_amends else ""
    return ReadAct(own, title, named, "" if amending_key in amends else amending_key)


def _is_act(evidence_id: str, passage: Passage, title: str) -> bool:
    """Whether a text is that of an act with provisions of its own."""
    from assay.packs.regulatory.acts.naming import is_amending_title, is_notice
    from assay.packs.regulatory.acts.trees import read_passage

    if is_amending_title(title) or is_notice(passage.reading.text):
        return False
    found = read_passage(evidence_id, passage).provisions
    return any(each.path.startswith(("art_", "sec_")) for each in found)


def build_act_outcome(
    job: PackJob,
    act: ReadAct | AssayError | None,
    document: "StoredDocument | None",
    earlier: Mapping[str, Collection[str]],
) -> Result:
    """What is noted about a document, and where it goes; in any case to extraction."""
    following = [NextJob("extract", ExtractJob.model_validate(job.model_dump()))]
    if isinstance(act, AssayError):
        # What it amends stays unknown, so the failure is reported.
        return Failed(act, last=Outcome(next=tuple(following)))
    if not isinstance(act, ReadAct) or document is None:
        # Without a text, extraction says what is wrong.
        return Outcome(next=tuple(following))
    place = {
        "evidence_id": job.evidence_id,
        "doc_id": document.evidence.doc_id,
        "source_slug": job.source,
    }
    records: list[Record] = []
    if act.key:
        records.append(ActText(act_key=act.key, title=act.title, **place))
    if act.amending_key:
        records.append(AmendingAct(act_key=act.amending_key, **place))
    records += [ActAmendment(act_key=key, act_name=name, **place) for key, name in act.amends]
    about = {
        act.key,
        act.amending_key,
        *(key for key, _ in act.amends),
        *earlier.get(place["doc_id"], ()),
    }
    keys = sorted(about - {""})
    following += [
        NextJob(STATUTE_STAGE, StatuteJob(act_key=key, source=job.source)) for key in keys
    ]
    return Outcome(records=tuple(records), next=tuple(following))
