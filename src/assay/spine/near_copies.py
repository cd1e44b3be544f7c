"""Near-duplicates: which document is the original, and which others must be routed again.

Each of two similar documents is routed after its own signature was stored. Whichever is routed
last therefore finds the other, and in whatever order they came, the one with the lowest id is the
original and the other ends up as its copy.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.engine.grouping import group_pairs
from assay.engine.reader import Reader
from assay.model.records import Evidence, TextBand, TextSignature
from assay.reading.similarity import (
    Kinship,
    Resemblance,
    Signature,
    find_original,
    find_resemblances,
)

_MAX_PER_BAND = 50
"""Of the documents that share a band, only the first by id are compared: the original is among
them, and even a large number of copies costs no more than this."""


@dataclass(frozen=True, slots=True)
class NearCopies:
    """How a document relates to others."""

    original: Resemblance | None = None
    """The document that it is a near copy of."""
    version_of: Resemblance | None = None
    """A document with almost the same text but other figures; of several, the lowest id."""
    others: tuple[Evidence, ...] = ()
    """Related documents that come after it, and must be routed again to take it into account."""


NO_NEAR_COPIES = NearCopies()


async def find_near_copies(evidence: Sequence[Evidence], read: Reader) -> dict[str, NearCopies]:
    """For each piece of evidence that has a signature, how it relates to others."""
    own = await _load_signatures([entry.evidence_id for entry in evidence], read)
    bands = {key: signature.compute_bands() for key, signature in own.items()}
    met = await read.find_first_per_value(
        TextBand, "band", {b for keys in bands.values() for b in keys}, _MAX_PER_BAND
    )
    by_band = group_pairs((entry.band, entry.evidence_id) for entry in met)
    others = {other for ids in by_band.values() for other in ids}
    signatures = {**await _load_signatures(others - own.keys(), read), **own}
    known = await read.get_many(Evidence, others)
    return {
        entry.evidence_id: _compare_signatures(
            entry,
            own[entry.evidence_id],
            {o for band in bands[entry.evidence_id] for o in by_band.get(band, ())},
            signatures,
            known,
        )
        for entry in evidence
        if entry.evidence_id in own
    }


def _compare_signatures(
    entry: Evidence,
    signature: Signature,
    met: set[str],
    signatures: Mapping[str, Signature],
    known: Mapping[str, Evidence],
) -> NearCopies:
    candidates = {
        other: signatures[other]
        for other in sorted(met)
        if other in known and other in signatures and _may_be_near_copy(entry, known[other])
    }
    related = find_resemblances(entry.evidence_id, signature, candidates)
    versions = [
        kin
        for kin in related
        if kin.kinship is Kinship.VERSION and kin.evidence_id < entry.evidence_id
    ]
    return NearCopies(
        original=find_original(entry.evidence_id, related),
        version_of=min(versions, key=lambda kin: kin.evidence_id, default=None),
        others=tuple(
            known[kin.evidence_id] for kin in related if kin.evidence_id > entry.evidence_id
        ),
    )


def _may_be_near_copy(entry: Evidence, other: Evidence) -> bool:
    """An earlier version of the same document is not a copy: the changes are what matters. Equal
    bytes are found and reported by scout."""
    return other.doc_id != entry.doc_id and other.content_hash != entry.content_hash


async def _load_signatures(ids: Sequence[str] | set[str], read: Reader) -> dict[str, Signature]:
    found: dict[str, Signature] = {}
    for key, stored in (await read.get_many(TextSignature, ids)).items():
        try:
            found[key] = Signature.from_bytes(bytes.fromhex(stored.signature))
        except ValueError:
            # Written by another version of Assay: treat it as missing.
            continue
    return found
