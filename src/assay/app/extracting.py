"""Extracts the facts of any file without a store: reads it, extracts, and applies every gate."""

import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay.app.examination import Examination, examine_targets
from assay.app.installed_packs import HomePacks, PackFacts, load_pack, require_facts
from assay.app.pack_entries import list_pack_names
from assay.app.tools import Tools
from assay.errors import AssayError, ContentTooLarge, InvalidInput, NotFound
from assay.reading.language import UNKNOWN
from assay.reading.result import Reading
from assay.ruling.declaration import Facts
from assay.ruling.facts.extraction import ExtractionResult, extract_facts
from assay.ruling.facts.gates import AcceptedFact
from assay.ruling.facts.proposals import Passage, ProposedFact
from assay.ruling.rules.conditions import parse_condition, to_canonical_bytes
from assay.sdk.pack import Pack
from assay.settings import Settings

STDIN = "-"
"""The file name that stands for standard input."""


@dataclass(frozen=True, kw_only=True)
class FileFacts:
    """The result for one file: its facts, or the reason why there are none."""

    file: str
    pack: Facts
    language: str = "und"
    reading: Reading | None = None
    extracted: ExtractionResult | None = None
    warnings: tuple[str, ...] = ()
    error: AssayError | None = None

    def values(self) -> dict[str, Any]:
        """The result as JSON."""
        if self.error is not None:
            error = {"code": self.error.code, "message": str(self.error)}
            return {"file": self.file, "error": error}
        assert self.reading and self.extracted
        coverage = self.extracted.coverage
        return {
            "file": self.file,
            "language": self.language,
            "title": self.reading.title,
            "facts": [_fact_as_json(fact, self.pack) for fact in self.extracted.accepted],
            "rejected": [
                {"reason": fact.reason.value, "detail": fact.detail}
                | _claim_as_json(fact.proposed, self.pack)
                for fact in self.extracted.rejected
            ],
            "coverage": {
                "sentences": coverage.sentences,
                "relevant": coverage.relevant,
                "covered": coverage.covered,
                "share": coverage.share,
                "values_total": coverage.values_total,
                "values_found": coverage.values_found,
            },
            "warnings": list(self.warnings),
        }


@dataclass(frozen=True, slots=True)
class FileMetadata:
    """What is known about the files besides their bytes."""

    language: str | None = None
    """None: it is detected from the text."""
    published: str | None = None
    """The date of publication, YYYY-MM-DD."""


async def extract_files(
    targets: Sequence[str],
    tools: Tools,
    pack: Facts,
    *,
    known: FileMetadata | None = None,
    ocr: bool = True,
    piped: bytes = b"",
    on_done: Callable[[], None] | None = None,
    on_page: Callable[[], None] | None = None,
) -> list[FileFacts]:
    """Extract the facts of each file; a failure affects only its own file.

    A file called `-` is standard input. Processes of the pool do the reading and extracting, each
    within its limits.
    """
    found: list[FileFacts] = []
    for target in targets:
        if target == STDIN:
            examined = await _examine_pipe(piped, tools, ocr, on_page)
        else:
            (examined,) = await examine_targets([target], tools, ocr=ocr, on_page=on_page)
        found.append(await _extract_file(examined, tools, pack, known or FileMetadata()))
        if on_done is not None:
            on_done()
    return found


async def extract_from_reading(
    reading: Reading, language: str, published: str | None, pack: Facts, tools: Tools
) -> ExtractionResult:
    """Extract the facts of a reading with the pack's extractor, in a process of the pool."""
    passage = Passage(reading=reading, language=language, published=published)
    return await tools.pool.run(extract_facts, passage, pack)


def choose_facts(settings: Settings, name: str | None) -> Facts:
    """The facts declaration of the named pack.

    Without a name it is the pack in the settings, or the only one that declares facts.
    """
    return require_facts(choose_pack(settings, name) or _find_only_pack(settings))


def choose_pack(settings: Settings, name: str | None) -> Pack | None:
    """The named pack, or the one in the settings; None if neither names one."""
    chosen = name or settings.pack
    if not chosen:
        return None
    # Only this pack is loaded: loading another may take longer than everything else.
    if chosen in list_pack_names():
        return load_pack(chosen)
    return HomePacks(settings.home).require_pack(chosen)


def _find_only_pack(settings: Settings) -> Pack:
    packs = HomePacks(settings.home)
    with_facts = sorted(PackFacts(packs))
    if len(with_facts) == 1:
        return packs.require_pack(with_facts[0])
    if not with_facts:
        raise NotFound("No installed pack extracts facts.", advice="Install a pack.")
    raise InvalidInput(
        f"Several packs extract facts: {', '.join(with_facts)}.", advice="Choose one with --pack."
    )


async def _examine_pipe(
    data: bytes, tools: Tools, ocr: bool, on_page: Callable[[], None] | None
) -> Examination:
    most = tools.scout.limits.max_bytes
    if len(data) > most:
        error = ContentTooLarge(f"Standard input has more than {most} bytes.", advice="Split it.")
        return Examination(STDIN, len(data), error=error)
    with tempfile.TemporaryDirectory(prefix="assay-extract-") as folder:
        file = Path(folder) / "piped"
        file.write_bytes(data)
        (found,) = await examine_targets([str(file)], tools, ocr=ocr, on_page=on_page)
    return replace(found, target=STDIN)


async def _extract_file(
    examined: Examination, tools: Tools, pack: Facts, known: FileMetadata
) -> FileFacts:
    if examined.error is not None:
        return FileFacts(file=examined.target, pack=pack, error=examined.error)
    assert examined.reading and examined.scout
    reading = examined.reading
    language = known.language or examined.scout.language or "und"
    try:
        found = await extract_from_reading(reading, language, known.published, pack, tools)
    except AssayError as error:
        return FileFacts(file=examined.target, pack=pack, error=error)
    return FileFacts(
        file=examined.target,
        pack=pack,
        language=language,
        reading=reading,
        extracted=found,
        warnings=(*reading.warnings, *examined.notes, *_warn_about_language(language, pack)),
    )


def _warn_about_language(language: str, pack: Facts) -> tuple[str, ...]:
    if not pack.languages or language in pack.languages:
        return ()
    is_unknown = language == UNKNOWN
    detected = "Could not detect the language" if is_unknown else f"The language is '{language}'"
    return (
        f"{detected}; pack '{pack.name}' finds facts in {', '.join(pack.languages)}. "
        "Use --language if that is wrong.",
    )


def _fact_as_json(fact: AcceptedFact, pack: Facts) -> dict[str, Any]:
    claim = _claim_as_json(fact.proposed, pack)
    condition = to_canonical_bytes(parse_condition(fact.proposed.applies_when))
    return {**claim, "start": fact.start, "end": fact.end, "page": fact.page,
            "applies_when": json.loads(condition)}  # fmt: skip


def _claim_as_json(claim: ProposedFact, pack: Facts) -> dict[str, Any]:
    """A claim as it was made; its position is only certain once it is a fact."""
    return {
        "concept": claim.concept,
        "domain": claim.domain,
        "subject": claim.subject,
        "predicate": claim.predicate,
        "tier": pack.tier_of(claim.predicate),
        "value": claim.value,
        "value_type": claim.value_type,
        "unit": claim.unit,
        "quote": claim.quote,
        "start": claim.start,
        "end": None if claim.start is None else claim.start + len(claim.quote),
        "page": None,
        "article": claim.article,
        "confidence": claim.confidence,
        "effective_from": claim.effective_from,
        "effective_until": claim.effective_until,
        "applies_when": dict(claim.applies_when),
        "amends": claim.amends,
        "replaces": claim.replaces,
    }
