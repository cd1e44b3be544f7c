"""The payloads of the spine's jobs: ids and options, never text."""

from assay.engine.contract import Payload


class SentinelJob(Payload):
    """Look at one endpoint for new items."""

    endpoint_id: str
    source: str

    @property
    def subject(self) -> str:
        return self.endpoint_id

    @property
    def source_slug(self) -> str:
        return self.source


class ListingJob(Payload):
    """Look at one more page of an endpoint's listing, or at one child of its sitemap."""

    endpoint_id: str
    source: str
    url: str
    number: int = 0
    changed: str | None = None
    body: str | None = None
    """What to send by POST; None: use GET."""
    is_form: bool = False
    """Whether the body is a form; otherwise it is JSON."""
    headers: tuple[tuple[str, str], ...] = ()
    step: str = ""
    context: tuple[tuple[str, str], ...] = ()
    """With `step`: which response a portal expects, and what its reader needs to know."""

    @property
    def subject(self) -> str:
        return " ".join(part for part in (self.endpoint_id, self.url, self.body) if part)

    @property
    def source_slug(self) -> str:
        return self.source


class LookJob(Payload):
    """Note how a check of a portal's tenant goes.

    It is sent for the first response, for every further one that lists documents which belong to
    no other, and for every request that fails. One job may stand for several.
    """

    endpoint_id: str
    source: str
    began_ms: int
    """When the check began."""
    error: str | None = None
    """Why a request failed."""
    was_made: bool = True
    """False: the site was not asked, for the reason that `error` gives."""

    @property
    def subject(self) -> str:
        return self.endpoint_id if self.error is None else f"{self.endpoint_id} failed"

    @property
    def source_slug(self) -> str:
        return self.source


class HistoryJob(Payload):
    """Store the next versions of a git repository's files."""

    endpoint_id: str
    source: str
    head: str
    """The commit up to which to read."""
    cursor: str = ""
    """How far the history has been read."""

    @property
    def subject(self) -> str:
        return f"{self.endpoint_id} {self.cursor}..{self.head}"

    @property
    def source_slug(self) -> str:
        return self.source


class FetchJob(Payload):
    """Fetch the document at an item's URL, for all items that lead there."""

    item_id: str
    source: str
    url: str = ""
    """The item's URL: within a run, it is fetched once, however many listings lead to it."""

    @property
    def subject(self) -> str:
        return self.url or self.item_id

    @property
    def source_slug(self) -> str:
        return self.source


class IntakeJob(Payload):
    """Take in a file that a person added; its bytes are already stored."""

    content_hash: str
    name: str
    """The file's name; different content under the same name is a new version of it."""
    url: str = ""
    """Where it was fetched from, if the person gave a URL."""
    source: str
    content_type: str = ""

    @property
    def subject(self) -> str:
        return f"{self.source}/{self.name}@{self.content_hash}"

    @property
    def source_slug(self) -> str:
        return self.source


class EvidenceJob(Payload):
    """Work on a piece of evidence."""

    evidence_id: str
    source: str
    original: str | None = None
    """The evidence that turned out to have the same bytes and to count as the original."""
    visit: int = 0
    """Distinguishes one return to old content from the next; 0 for new content."""

    @property
    def subject(self) -> str:
        original = f"={self.original}" if self.original is not None else ""
        visit = f"#{self.visit}" if self.visit else ""
        return f"{self.evidence_id}{original}{visit}"

    @property
    def source_slug(self) -> str:
        return self.source


class RoutedJob(EvidenceJob):
    """Work on a piece of evidence before it is handed to packs."""

    newcomers: tuple[str, ...] = ()
    """The packs that began to watch the source after it was routed: only they get it. Empty: all
    packs of the source do."""

    @property
    def subject(self) -> str:
        return super().subject + "".join(f"+{pack}" for pack in self.newcomers)


class ScoutJob(RoutedJob):
    """Judge a piece of evidence cheaply."""


class RouterJob(RoutedJob):
    """Decide where a scouted piece of evidence goes."""

    after_ocr: bool = False
    """Whether it had scanned pages, which have been read by now."""

    @property
    def subject(self) -> str:
        return super().subject + ("+ocr" if self.after_ocr else "")


class OcrJob(RoutedJob):
    """Read the pages of a scanned piece of evidence."""


class PackJob(EvidenceJob):
    """Work on a piece of evidence that the router hands to a pack."""

    pack: str
    provider: str | None = None
    """The provider that the router chose, whose calls may be denied; None: no model is asked."""

    @property
    def subject(self) -> str:
        return f"{super().subject}/{self.pack}"
