"""How a pack asks a model itself, if the single question of the extract stage is not enough."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from assay.ruling.facts.proposals import Passage, ProposedFact

if TYPE_CHECKING:
    # Reading a file with rules alone need not wait for the model code to load.
    from assay.llm.requests.supervisor import Supervisor


@dataclass
class ModelFindings:
    """What asking a model has produced so far."""

    proposals: list[ProposedFact]
    tokens: int = 0
    answers: int = 0
    cached: int = 0
    """Answers that cost nothing because they had already been paid for."""
    invalid: str | None = None
    """Why the last invalid answer was unusable."""


class RequestResults(Protocol):
    """Stores the results of complete requests, by the key of the request."""

    def find(self, key: str) -> bytes | None:
        """The result stored under a key."""

    def keep(self, key: str, request_id: str, kind: str, completeness: str, data: bytes) -> None:
        """Store a result; a complete one is kept permanently."""


@dataclass(frozen=True, kw_only=True)
class ExtractionAccess:
    """Access to the model chosen for a document, and the account that is charged."""

    supervisor: "Supervisor"
    provider: str
    model: str
    source: str
    evidence: str
    results: RequestResults


class ModelExtractor(Protocol):
    """Asks a model about a whole document, in as many questions as it takes.

    It adds what it finds to `so_far`, where it stays if a call fails. It raises `CallDenied` if no
    more may be spent now, and any other error if a later attempt may succeed. It must be picklable,
    like the pack that it belongs to.
    """

    async def __call__(
        self, passage: Passage, access: ExtractionAccess, so_far: ModelFindings
    ) -> None: ...
