"""Which acts are stored, and what each of them said when."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assay.packs.regulatory.acts.law_changes import LawText
from assay.packs.regulatory.acts.naming import make_act_key
from assay.packs.regulatory.jobs import StatuteJob
from assay.packs.regulatory.page_versions import read_act_sources
from assay.packs.regulatory.questions import read_answers, read_questions
from assay.packs.regulatory.records import ActAmendment, ActText
from assay.packs.regulatory.stages.statute import STATUTE
from assay.sdk.errors import InvalidInput, NotFound
from assay.sdk.stages import Reader

if TYPE_CHECKING:
    from assay.packs.regulatory.acts.provision_history import ProvisionVersion
    from assay.sdk.services import Services

_MOST_NAMED = 5


async def list_acts(services: "Services") -> list[dict[str, Any]]:
    """Every act with its source, and the number of versions and amendments that are stored."""
    return await asyncio.to_thread(_list_acts, services)


def _list_acts(services: "Services") -> list[dict[str, Any]]:
    texts = services.read_records(ActText)
    amending = Counter((r.source_slug, r.act_key) for r in services.read_records(ActAmendment))
    versions = Counter((row.source_slug, row.act_key) for row in texts)
    titles = {(row.source_slug, row.act_key): row.title for row in texts}
    return [
        {"act": title, "source": key[0], "versions": versions[key], "amendments": amending[key]}
        for key, title in sorted(titles.items())
    ]


def find_act(texts: Sequence[ActText], name: str, source: str | None) -> ActText:
    """The act that a person means by its title or a part of it; any of its texts."""
    known = {
        (row.source_slug, row.act_key): row
        for row in texts
        if source is None or row.source_slug == source
    }
    key, folded = make_act_key(name), name.casefold()
    exact = [row for row in known.values() if row.act_key == key]
    found = exact or [row for row in known.values() if folded in row.title.casefold()]
    if len(found) == 1:
        return found[0]
    if not found:
        raise NotFound(
            f"No text of '{name}' is stored.", advice="List acts with 'assay regulatory acts'."
        )
    named = "; ".join(f"{row.title} ({row.source_slug})" for row in found[:_MOST_NAMED])
    raise InvalidInput(f"'{name}' may mean {named}.", advice="Give its full title, or --source.")


async def read_act_history(
    services: "Services", name: str, source: str | None = None
) -> tuple[ActText, "list[ProvisionVersion]"]:
    """An act and every wording of its provisions, as its newest pages tell it."""
    # Only who asks for a history needs the patterns, which take long to compile.
    from assay.packs.regulatory.acts.provision_history import list_stored_provisions
    from assay.sdk.extraction import read_stored_texts

    row = find_act(await asyncio.to_thread(services.read_records, ActText), name, source)
    read = Reader(STATUTE, services.engine, services.blobs, services.clock.now_ms())
    job = StatuteJob(act_key=row.act_key, source=row.source_slug)
    sources = await read_act_sources(job, read)
    laws = {one.evidence_id: one.doc_id for one in sources.amending}
    documents = await read_stored_texts([*sources.versions, *laws], read)
    answers = await read_answers(await read_questions(job, read), read)
    found: list[ProvisionVersion] = []
    for page in sources.pages:
        found += await services.pool.run(
            list_stored_provisions,
            page.list_versions(documents),
            [
                LawText(key, documents[key].text)
                for key, doc_id in laws.items()
                if doc_id != page.doc_id
            ],
            row.act_key,
            answers,
        )
    return row, found
