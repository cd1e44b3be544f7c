"""The versions of a repository's files as versions of documents: which is whose, and what is new.

A document is a path. A file that is moved unchanged, in one commit, keeps its identity; a file that
is moved and edited at once is a new document, and the old one is gone.
"""

import mimetypes
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from assay.events import DocumentChanged, Event, EvidenceStored
from assay.model.hashes import content_hash
from assay.model.ids import derive_evidence_id, doc_id_of_url, make_file_url
from assay.model.lifecycle import Move, find_ready_state
from assay.model.records import (
    Document,
    DocumentSource,
    Endpoint,
    Evidence,
    IngestCandidate,
    Record,
    RepositoryFile,
)
from assay.sources.git import FileVersion
from assay.spine.payloads import ScoutJob

_SHOWN_COMMIT = 12


@dataclass(frozen=True, slots=True)
class DocumentVersion:
    """A version of a document, as a commit left it."""

    version: FileVersion
    file: RepositoryFile
    """The file after the commit; of a late version, the file as it is now."""
    evidence_id: str
    content_hash: str
    version_ms: int
    previous_seen_ms: int | None
    is_late: bool = False
    """Whether a later version is known already: the history is read from further back."""

    @property
    def doc_id(self) -> str:
        return self.file.doc_id


class FileTracker:
    """Follows the files of a repository from commit to commit."""

    def __init__(
        self,
        endpoint_id: str,
        files: Mapping[str, RepositoryFile],
        positions: Mapping[str, int],
        *,
        is_mirror: bool = False,
    ) -> None:
        self._endpoint_id = endpoint_id
        self._files = dict(files)
        self._positions = positions
        self._is_mirror = is_mirror
        self.changed: dict[str, RepositoryFile] = {}
        """The files that changed, as they are now."""
        self.gone: list[str] = []
        """The documents that were deleted."""

    def follow(self, version: FileVersion) -> DocumentVersion | None:
        """Take the next version; None if it brings no content that is new to its document."""
        before = self._files.get(version.path)
        is_late = before is not None and self._is_behind(version, before)
        if version.blob is None:
            if not is_late and before is not None and before.blob is not None:
                self.gone.append(before.doc_id)
                self._keep(_leave(before, version))
            return None
        if version.content is None:
            return None
        origin = self._find_origin(version, before, is_late=is_late)
        url = self._name(version, before) if origin is None else origin.url
        digest = content_hash(version.content)
        dated_ms = version.commit.dated_ms
        if origin is not None and not is_late:
            # Clocks go wrong, and two commits may have the same second: the order of the
            # history counts.
            dated_ms = max(dated_ms, origin.version_ms + 1)
        file = RepositoryFile(
            endpoint_id=self._endpoint_id,
            path=version.path,
            doc_id=doc_id_of_url(url) if origin is None else origin.doc_id,
            url=url,
            blob=version.blob,
            commit_id=version.commit.commit_id,
            version_ms=dated_ms,
            evidence_id=derive_evidence_id(url, digest),
        )
        if is_late:
            assert before is not None
            return DocumentVersion(version, before, file.evidence_id or "", digest, dated_ms, None,
                                   is_late=True)  # fmt: skip
        if version.renamed_from and origin is not None and origin.path == version.renamed_from:
            self._keep(_leave(origin, version).model_copy(update={"is_moved": True}))
        self._keep(file)
        if origin is not None and origin.evidence_id == file.evidence_id and origin.blob:
            return None
        return DocumentVersion(
            version, file, file.evidence_id or "", digest, dated_ms,
            self._find_previous_ms(version, origin, dated_ms),
        )  # fmt: skip

    def _is_behind(self, version: FileVersion, file: RepositoryFile) -> bool:
        """Whether the file is known as this commit left it, or a later one."""
        place = self._positions.get(file.commit_id)
        return place is not None and place >= self._positions[version.commit.commit_id]

    def _find_origin(
        self, version: FileVersion, before: RepositoryFile | None, *, is_late: bool
    ) -> RepositoryFile | None:
        """The document that the version belongs to; None if it is a new one."""
        if version.renamed_from is not None and not is_late:
            moved = self._files.get(version.renamed_from)
            if moved is not None and moved.blob is not None:
                return moved
        return None if before is None or before.is_moved else before

    def _name(self, version: FileVersion, before: RepositoryFile | None) -> str:
        """A new document's address. Where another one began, the commit tells them apart."""
        name = version.path
        if before is not None:
            name = f"{name}@{version.commit.commit_id[:_SHOWN_COMMIT]}"
        return make_file_url(self._endpoint_id, name)

    def _find_previous_ms(
        self, version: FileVersion, origin: RepositoryFile | None, dated_ms: int
    ) -> int | None:
        if origin is None:
            return None
        if origin.blob is None:
            return max(0, origin.version_ms - 1)
        # The branch showed the version before until this one came.
        return min(version.previous_ms if self._is_mirror else dated_ms, dated_ms - 1)

    def _keep(self, file: RepositoryFile) -> None:
        self._files[file.path] = file
        self.changed[file.path] = file


def _leave(file: RepositoryFile, version: FileVersion) -> RepositoryFile:
    return file.model_copy(
        update={
            "blob": None,
            "commit_id": version.commit.commit_id,
            "version_ms": max(version.commit.dated_ms, file.version_ms + 1),
        }
    )


class VersionBuilder:
    """Builds what is stored of the versions: evidence, moves, and jobs that read it."""

    def __init__(
        self,
        endpoint: Endpoint,
        candidates: Mapping[str, IngestCandidate],
        known: frozenset[str],
        now_ms: int,
    ) -> None:
        self._endpoint = endpoint
        self._candidates = candidates
        self._known = set(known)
        self._newest = {key: found.evidence_id for key, found in candidates.items()}
        self._moved: Counter[str] = Counter()
        self._now_ms = now_ms
        self.records: list[Record] = []
        self.moves: list[Move] = []
        self.jobs: list[ScoutJob] = []
        self.events: list[Event] = []
        self.blobs: list[bytes] = []

    def add(self, found: DocumentVersion) -> None:
        """Store a version, unless it is what the document has already."""
        newest = self._newest.get(found.doc_id)
        is_known = found.evidence_id in self._known
        if newest == found.evidence_id or (found.is_late and is_known):
            return
        if not is_known:
            self._store(found, newest)
        if newest is None:
            self._add_document(found)
        reason = "a commit" if newest is None else "another content in a later commit"
        self._move(found.doc_id, found.evidence_id, reason, is_known=is_known)
        if found.is_late and newest is not None:
            # The newest version stays the newest.
            self._move(found.doc_id, newest, "an earlier commit was read", is_known=True)

    def _move(self, doc_id: str, evidence_id: str, reason: str, *, is_known: bool) -> None:
        candidate = self._candidates.get(doc_id)
        self.moves.append(
            Move(doc_id, find_ready_state(candidate), reason, evidence_id=evidence_id)
        )
        self._newest[doc_id] = evidence_id
        self._moved[doc_id] += 1
        # Content that comes back is judged again, although its evidence is old.
        events = candidate.event_count if candidate else 0
        visit = events + self._moved[doc_id] if is_known else 0
        self.jobs.append(
            ScoutJob(evidence_id=evidence_id, source=self._endpoint.source_slug, visit=visit)
        )

    def _store(self, found: DocumentVersion, newest: str | None) -> None:
        content, path = found.version.content or b"", found.version.path
        self._known.add(found.evidence_id)
        self.blobs.append(content)
        self.records.append(
            Evidence(
                evidence_id=found.evidence_id,
                url=found.file.url,
                content_hash=found.content_hash,
                doc_id=found.doc_id,
                source_slug=self._endpoint.source_slug,
                content_type=mimetypes.guess_type(path)[0] or "application/octet-stream",
                size=len(content),
                fetched_ms=self._now_ms,
                previous_seen_ms=found.previous_seen_ms,
                version=found.version.commit.commit_id,
                version_ms=found.version_ms,
            )
        )
        stored = EvidenceStored(
            evidence_id=found.evidence_id, doc_id=found.doc_id, size=len(content)
        )
        self.events.append(stored)
        if newest is not None and not found.is_late:
            self.events.append(
                DocumentChanged(
                    doc_id=found.doc_id,
                    evidence_id=found.evidence_id,
                    previous_evidence_id=newest,
                )
            )

    def _add_document(self, found: DocumentVersion) -> None:
        self.records.append(
            Document(
                doc_id=found.doc_id,
                source_slug=self._endpoint.source_slug,
                url=found.file.url,
                title=found.version.path,
                first_seen_ms=self._now_ms,
            )
        )
        self.records.append(
            DocumentSource(
                doc_id=found.doc_id,
                source_kind="endpoint",
                source_ref=self._endpoint.endpoint_id,
                first_seen_ms=self._now_ms,
            )
        )
