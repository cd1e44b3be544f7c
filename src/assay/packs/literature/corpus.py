"""What a person does with the corpus: add lists and papers, and find works by any of their ids."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from assay.packs.literature.ids import find_ids, id_of_url
from assay.packs.literature.jobs import (
    IDENTITY_STAGE,
    RESOLVE_STAGE,
    TEXT_STAGE,
    PaperTextJob,
    plan_works,
)
from assay.packs.literature.listed import ListKind
from assay.packs.literature.portal import REFERENCE_LIST
from assay.packs.literature.records import FullText, ReferenceList, WorkId, WorkReference
from assay.packs.literature.texts import PACK
from assay.packs.literature.works import Work, load_works
from assay.sdk.commands import read_input
from assay.sdk.errors import InvalidInput, NotFound
from assay.sdk.records import (
    DiscoveredItem,
    Endpoint,
    Evidence,
    IngestCandidate,
    Record,
    Source,
    Within,
    doc_id_of_url,
)
from assay.sdk.services import Services
from assay.sdk.stages import CandidateState, Payload, SentinelJob

_MOST_BYTES: Final = 200_000_000
_MOST_WORKS: Final = 20_000
"""Works in one state that one run continues with; the next run takes more."""
_PAGE: Final = 10_000
_TOGETHER: Final = 50
FirstJobs = list[tuple[str, Payload]]
R = TypeVar("R", bound=Record)


def add_list(
    services: Services,
    list_id: str,
    target: str,
    kind: ListKind | None,
    tier: str,
    *,
    follow: bool = False,
) -> dict[str, Any]:
    """Watch a list on the web, or take in one from a file."""
    # Only this command needs the patterns that tell lists apart.
    from assay.packs.literature.lists import detect_kind

    is_web = target.startswith(("http://", "https://"))
    if kind is None:
        data = b"" if is_web else read_input(Path(target), _MOST_BYTES, "The list")
        kind = detect_kind(target, "", data)
        if kind is None:
            raise InvalidInput(
                f"It is not clear what kind of list {target} is.",
                advice=f"Specify it with --kind: {', '.join(ListKind)}.",
            )
    known = services.read_records(ReferenceList, list_id=list_id)
    url = target if is_web else ""
    declared = ReferenceList(list_id=list_id, kind=kind, url=url, tier=tier, follow=follow)
    if is_web:
        services.write_records([*_build_watch(services, list_id, url, kind), declared])
    else:
        source = Source(
            source_slug=list_id,
            name=list_id,
            base_url=f"file:{list_id}",
            packs=[PACK],
            created_ms=services.clock.now_ms(),
        )
        services.write_records([source, declared])
        services.add_documents([Path(target)], pack=PACK, source=list_id)
    return {"list": list_id, "kind": kind.value, "target": target, "is_new": not known}


def _build_watch(
    services: Services, list_id: str, url: str, kind: ListKind
) -> list[Source | Endpoint]:
    options = {"url": url, "kind": kind.value}
    REFERENCE_LIST.parse_tenant(options)
    endpoint_id = make_endpoint_id(list_id)
    known = services.read_records(Endpoint, endpoint_id=endpoint_id)
    declared = {"url": url, "options": options, "active": True, "consecutive_errors": 0}
    endpoint = (
        known[0].model_copy(update=declared)
        if known
        else Endpoint(
            endpoint_id=endpoint_id,
            source_slug=list_id,
            url=url,
            strategy=REFERENCE_LIST.name,
            options=options,
            frequency="DAILY",
        )
    )
    source = Source(
        source_slug=list_id,
        name=list_id,
        base_url=url,
        packs=[PACK],
        created_ms=services.clock.now_ms(),
    )
    return [source, endpoint]


def make_endpoint_id(list_id: str) -> str:
    """The id of the endpoint at which a list is."""
    return f"{list_id}/list"


def plan_discovery(services: Services, list_id: str | None = None) -> FirstJobs:
    """Look at a list, or at all of them, whether they are due or not."""
    lists = services.read_records(ReferenceList)
    if list_id is not None and list_id not in {each.list_id for each in lists}:
        raise NotFound(
            f"'{list_id}' is not a list.", advice="'assay literature lists' shows all lists."
        )
    return [
        (
            "sentinel",
            SentinelJob(endpoint_id=make_endpoint_id(each.list_id), source=each.list_id),
        )
        for each in lists
        if each.url and list_id in (None, each.list_id)
    ]


def plan_resolution(services: Services) -> FirstJobs:
    """Ask services about works that wait for it: new ones, and blocked ones that are due."""
    now = services.clock.now_ms() // 1000
    ours = _read_ours(services, state=CandidateState.DISCOVERED.value)
    ours += _read_ours(services, state=CandidateState.BLOCKED.value, next_retry_unix=Within(0, now))
    tried = {item.doc_id for item in services.read_records(DiscoveredItem, doc_id=ours)}
    waiting = sorted(set(ours) - tried)
    ids = [row.id for row in services.read_records(WorkId, doc_id=waiting)]
    askable = {each for each in ids if each.startswith(("arxiv:", "doi:"))} | set(waiting)
    plans = plan_works(RESOLVE_STAGE, askable, "", _TOGETHER)
    # What could not be fetched may be found at another address.
    plans += plan_works(IDENTITY_STAGE, tried, "", _TOGETHER)
    return [(job.stage, job.payload) for job in plans]


def _read_ours(services: Services, **where: Any) -> list[str]:
    """Works of the corpus whose documents meet the conditions; only as many as one run takes."""
    found: list[str] = []
    for page in _read_pages(services, IngestCandidate, "doc_id", **where):
        found += _keep_ours(services, [each.doc_id for each in page])
        if len(found) >= _MOST_WORKS:
            break
    return found[:_MOST_WORKS]


def _read_pages(
    services: Services, record: type[R], key: str, **where: Any
) -> Iterator[Sequence[R]]:
    """All records that meet the conditions, of which there may be millions, page by page."""
    page = services.read_last(record, key, _PAGE, **where)
    while page:
        yield page
        last = getattr(page[-1], key)
        # The last of a page is also the first of the next.
        page = services.read_last(record, key, _PAGE + 1, **{**where, key: Within("", last)})[1:]


def _keep_ours(services: Services, doc_ids: Sequence[str]) -> list[str]:
    """Those that are works of the corpus, and not aliases."""
    rows = services.read_records(WorkId, id=doc_ids)
    return [row.id for row in rows if row.id == row.doc_id]


def plan_ingestion(services: Services, *, force: str = "") -> FirstJobs:
    """Continue with works whose text can be fetched; with `force`, divide and embed all again."""
    if not force:
        ours = _read_ours(services, state=CandidateState.READY.value)
        jobs = plan_works(IDENTITY_STAGE, ours, "", _TOGETHER)
        return [(job.stage, job.payload) for job in jobs]
    texts = services.read_records(FullText)
    evidence = services.read_records(Evidence, evidence_id=[text.evidence_id for text in texts])
    return [
        (
            TEXT_STAGE,
            PaperTextJob(
                evidence_id=each.evidence_id, source=each.source_slug, pack=PACK, force=force
            ),
        )
        for each in evidence
    ]


def find_work(services: Services, text: str) -> Work:
    """The work that any of its ids, addresses or spellings leads to."""
    spelled = [text.strip(), *find_ids(text)]
    if "://" in text:
        spelled += [each for each in (id_of_url(text), doc_id_of_url(text)) if each]
    found = load_works(services, spelled)
    if not found:
        raise NotFound(
            f"The corpus has no work '{text}'.",
            advice="Use a DOI, an arXiv id or an id that 'assay literature search' shows.",
        )
    return found[0]


def count_corpus(services: Services) -> dict[str, Any]:
    """How large the corpus is, and where its works stand."""
    works = 0
    states: Counter[str] = Counter()
    for page in _read_pages(services, WorkId, "id"):
        canonical = [row.id for row in page if row.id == row.doc_id]
        works += len(canonical)
        states.update(services.count_records_by(IngestCandidate, "state", doc_id=canonical))
    return {
        "lists": services.count_records(ReferenceList),
        "references": services.count_records(WorkReference),
        "works": works,
        "ids": services.count_records(WorkId),
        "texts": services.count_records(FullText),
        "states": dict(sorted(states.items())),
    }
