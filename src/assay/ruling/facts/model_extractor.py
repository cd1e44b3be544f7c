"""How a pack itself asks a model, where the one question of the extract stage will not do."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from assay.ruling.facts.proposals import Passage, ProposedFact

if TYPE_CHECKING:
    # Whoever only reads a file by rules need not wait until the way to models is loaded.
    from assay.llm.requests.supervisor import Supervisor


@dataclass
class ModelFindings:
    """What came of asking."""

    proposals: list[ProposedFact]
    tokens: int = 0
    answers: int = 0
    cached: int = 0
    """Answers that cost nothing, because they had been paid for before."""
    invalid: str | None = None
    """Why the last unusable answer was unusable."""


class RequestResults(Protocol):
    """Where the results of whole requests are kept, by the key of what was asked."""

    def find(self, key: str) -> bytes | None:
        """What was kept under a key."""

    def keep(self, key: str, request_id: str, kind: str, completeness: str, data: bytes) -> None:
        """Keep a result; a complete one stays for good."""


@dataclass(frozen=True, kw_only=True)
class ExtractionAccess:
    """The way to a model that was chosen for a document, and on whose account it is asked."""

    supervisor: "Supervisor"
    provider: str
    model: str
    source: str
    evidence: str
    results: RequestResults


class ModelExtractor(Protocol):
    """Asks a model about a whole document, in as many questions as it takes.

    What was found goes into `so_far`, and stays there if a call fails. Raises `CallDenied` where
    no more may be spent now, and any other error where a later try may succeed. A value that can
    be sent to another process, like the pack that it belongs to.
    """

    async def __call__(
        self, passage: Passage, access: ExtractionAccess, so_far: ModelFindings
    ) -> None: ...
