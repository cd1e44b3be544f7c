"""Copies, near-copies and versions: documents that say the same thing, or almost.

A document's signature is small, and its size does not depend on the document. Two signatures show
how much two documents share; the band keys of a signature find, by plain equality, the few
documents that are worth comparing, which is why the cost of one document does not grow with their
number.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np
import numpy.typing as npt
import xxhash
from rensa import RMinHash

from assay.model.months import list_month_stems
from assay.reading.stems import build_matcher

_SIGNS = "% ‰ € $ £ §"
_UNITS = """
posto postotak* eur eura euro* eurima kn kuna kune hrk usd chf gbp percent prozent*
"""
_NUMERALS = """
jedan jedna jedno jednog* jednom* jednoj dva dvije dvaju dvama dvjema tri triju trima četiri*
pet šest sedam osam devet deset *naest dvadeset* trideset* četrdeset* pedeset* šezdeset* sedamdeset*
osamdeset* devedeset* sto stotin* dvjesto tristo petsto tisuć* milijun* milijard* pola polovin*
trećin* četvrtin* dvostruk* trostruk* prvi prvog prvoga prva prve drugi drugog drugoga treći trećeg
trećega jednom
one two three four five six seven eight nine ten eleven twelve *teen twenty* thirty* forty* fifty*
sixty* seventy* eighty* ninety* hundred* thousand* million* billion* half third quarter double twice
first second once
eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf *zehn *zwanzig *dreißig *vierzig
*fünfzig *sechzig *siebzig *achtzig *neunzig *hundert *tausend million* milliard* halb* hälfte
drittel viertel doppelt* erste* zweite* dritte* einmal zweimal
"""
_MONTHS = " ".join(list_month_stems())
_NEGATIONS = """
ne nije nisu nema nemaju neće ni niti nikad* nijed* bez osim izuzev zabran* nedopušten*
not no nor never none without except unless neither cannot prohibit* forbidden exempt*
nicht kein* nie niemals ohne außer ausgenommen weder verbot* untersag* befreit*
"""
_MODALS = """
mora moraju moral* može mogu mogl* smije smiju dužan dužn* obvezan obvezn* treba trebaju ovlašten*
must may shall should can might required liable entitled
muss müssen darf dürfen kann können soll sollen verpflichtet berechtigt
"""
_BOUNDS = """
najmanje najviše manje više manji manja većeg veći veća prije nakon poslije ispod iznad ili samo
isključivo
least most less more fewer below above before after until or only exceed*
mindestens höchstens weniger mehr unter vor bis oder nur übersteig*
"""
_decides = build_matcher(_SIGNS, _UNITS, _NUMERALS, _MONTHS, _NEGATIONS, _MODALS, _BOUNDS)


def is_decisive(word: str) -> bool:
    """Whether a lower-case word is a figure, or is as decisive as one."""
    return any(map(str.isdigit, word)) or _decides(word)


NEAR = 0.9
"""Two documents that share at least this much of their word sequences count as near."""
PERMUTATIONS = 126
BANDS = 14
"""Fourteen bands of nine rows: a pair at 0.9 shares a band in 999 of 1,000 cases, a pair at 0.5
in 27."""
_ROWS = PERMUTATIONS // BANDS
_SEED = 20250303
_SHINGLE = 4
"""Consecutive words that are compared as one unit."""
_VERSION = 1
"""Increased with every change that makes old signatures incomparable with new ones."""
_REMEMBERED = 200_000
_MIX = np.array(
    [0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93],
    dtype=np.uint64,
)

_Hashes = npt.NDArray[np.uint64]


class Kinship(StrEnum):
    """How two documents are related."""

    COPY = "COPY"
    """The same words in the same order."""
    NEAR_COPY = "NEAR_COPY"
    """Almost the same words, and the same figures and names."""
    VERSION = "VERSION"
    """Almost the same words, but other figures or names. Never skipped: a changed rate is exactly
    what matters, and two decisions may differ only in the person."""


@dataclass(frozen=True, slots=True)
class Resemblance:
    """A document that another one resembles."""

    evidence_id: str
    kinship: Kinship
    share: float
    """The estimated share of word sequences that the two have in common."""


@dataclass(frozen=True)
class Signature:
    """What is kept of a document in order to recognize similar ones."""

    words: bytes
    """A hash of all words in their order."""
    figures: bytes
    """A hash of all words that decide what a rule says, and of all names, whatever their order."""
    digest: bytes
    """The least hash under each permutation, four bytes each, little-endian."""

    @cached_property
    def _rows(self) -> npt.NDArray[np.uint32]:
        return np.frombuffer(self.digest, dtype="<u4")

    def compute_bands(self) -> tuple[int, ...]:
        """Keys of which two near documents almost certainly share at least one.

        Signed 64-bit integers, as a database stores them.
        """
        width = 4 * _ROWS
        keys = (
            xxhash.xxh3_64_intdigest(self.digest[at : at + width], seed=at)
            for at in range(0, len(self.digest), width)
        )
        return tuple(key - (1 << 64) if key >> 63 else key for key in keys)

    def similarity_to(self, other: "Signature") -> float:
        """The estimated share of word sequences that two documents have in common."""
        return float(np.count_nonzero(self._rows == other._rows)) / PERMUTATIONS

    def kinship_with(self, other: "Signature") -> tuple[Kinship, float] | None:
        """How two documents are related, and how much they share; `None` if they are unrelated."""
        if self.words == other.words:
            return Kinship.COPY, 1.0
        share = self.similarity_to(other)
        if share < NEAR:
            return None
        same = self.figures == other.figures
        return (Kinship.NEAR_COPY if same else Kinship.VERSION), share

    def to_bytes(self) -> bytes:
        """The signature as it is stored."""
        return bytes([_VERSION]) + self.words + self.figures + self.digest

    @classmethod
    def from_bytes(cls, stored: bytes) -> "Signature":
        """A signature as it was stored."""
        if len(stored) != 25 + 4 * PERMUTATIONS or stored[0] != _VERSION:
            raise ValueError("the stored signature is of another version of Assay")
        return cls(words=stored[1:17], figures=stored[17:25], digest=stored[25:])


def compute_signature(words: Sequence[str], names: Sequence[str] = ()) -> Signature:
    """The signature of a document, given its words and names (see `assay.reading.words`)."""
    shingles = _hash_shingles(words)
    rows = RMinHash.digest_matrix_from_flat_token_hashes(
        shingles, [0, len(shingles)], PERMUTATIONS, _SEED
    ).to_rows()[0]
    decisive = sorted([*filter(_DECISIVE.__getitem__, words), *names])
    return Signature(
        words=xxhash.xxh3_128_digest(" ".join(words).encode("utf-8", "surrogatepass")),
        figures=xxhash.xxh3_64_digest(" ".join(decisive).encode("utf-8", "surrogatepass")),
        digest=np.array(rows, dtype="<u4").tobytes(),
    )


def find_resemblances(
    evidence_id: str, signature: Signature, candidates: Mapping[str, Signature]
) -> list[Resemblance]:
    """The candidates that a document resembles, the closest first, then by id.

    The result depends only on the candidates, not on which was seen first, and is symmetric.
    """
    found = [
        Resemblance(other, *kin)
        for other, theirs in candidates.items()
        if other != evidence_id and (kin := signature.kinship_with(theirs)) is not None
    ]
    return sorted(found, key=lambda entry: (_CLOSEST.index(entry.kinship), entry.evidence_id))


def find_original(evidence_id: str, related: Iterable[Resemblance]) -> Resemblance | None:
    """The document that this one is a copy or near-copy of: the lowest id, if lower than its own.

    A version is not a copy. Every comparison therefore agrees on the original, in whatever order
    the documents arrived.
    """
    copies = [
        entry
        for entry in related
        if entry.kinship is not Kinship.VERSION and entry.evidence_id < evidence_id
    ]
    return min(copies, key=lambda entry: entry.evidence_id, default=None)


_CLOSEST = tuple(Kinship)


class _WordHashes(dict[str, int]):
    """The hash of each word seen so far, computed once."""

    def __missing__(self, word: str) -> int:
        if len(self) >= _REMEMBERED:
            self.clear()
        key = xxhash.xxh3_64_intdigest(word.encode("utf-8", "surrogatepass"))
        self[word] = key
        return key


class _DecisiveWords(dict[str, bool]):
    """Whether each word seen so far is decisive."""

    def __missing__(self, word: str) -> bool:
        if len(self) >= _REMEMBERED:
            self.clear()
        decides = is_decisive(word)
        self[word] = decides
        return decides


_HASHES = _WordHashes()
_DECISIVE = _DecisiveWords()


def _hash_shingles(words: Sequence[str]) -> _Hashes:
    """A hash for every few consecutive words; for a shorter text, one for all of it."""
    hashes = np.fromiter(map(_HASHES.__getitem__, words), np.uint64, len(words))
    count = len(hashes) - _SHINGLE + 1
    if count < 1:
        padded = np.zeros(_SHINGLE, dtype=np.uint64)
        padded[: len(hashes)] = hashes
        hashes, count = padded, 1
    mixed = np.zeros(count, dtype=np.uint64)
    for at, factor in enumerate(_MIX):
        mixed += hashes[at : at + count] * factor
    return mixed
