"""The history of a branch, as versions of its files in the order in which the branch showed them.

Only the branch's own line is followed (the first parent of each commit), so that every version is
something that the branch really showed. What came with a merge came on the day of the merge.
"""

import re
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import IO

from assay.errors import ContentBroken, ContentTooLarge
from assay.sources.git.copies import GitLimits
from assay.sources.git.options import HistoryOptions
from assay.sources.git.program import GitProgram

GIT_HISTORY = "GIT_HISTORY"
"""The strategy of an endpoint that is a git repository."""
_MOST_COMMITS = 1_000
_MOST_VERSIONS = 500
_MOST_BYTES = 32_000_000
"""What one part of a history holds at most."""
_LATEST_MS = 253_402_300_799_000
_CURSOR = re.compile(r"([0-9a-f]{40,64})?(?:/([0-9a-f]{40,64})\+(\d+))?(!)?")
_COMMIT = re.compile(r"([0-9a-f]{40,64}) (-?\d{1,18}) ([+-])(\d\d)(\d\d)")
_FILES = ("100644", "100755")
_LFS = b"version https://git-lfs.github.com/spec/"
_PIECE = 1 << 20
_DIFF = (
    "diff-tree", "-r", "--raw", "-z", "--no-abbrev", "--no-ext-diff", "--no-textconv",
    # Only whole moves: to find others, every content of a commit would have to be compared.
    "-M100%",
)  # fmt: skip
PendingCommit = tuple["HistoryCommit", str, int]
"""A commit yet to read, the one before it, and that one's date."""


@dataclass(frozen=True, slots=True)
class HistoryCursor:
    """How far a history has been read."""

    commit: str = ""
    """The last commit that was read completely."""
    partial: str = ""
    """The commit after it, if that was read in part."""
    done: int = 0
    """How many of its changes were read."""
    accepts_rewriting: bool = False
    """Whether a person has accepted that the history was rewritten."""

    @classmethod
    def parse(cls, text: str | None) -> "HistoryCursor":
        """The cursor in a stored text; an empty one for a history that was never read."""
        found = _CURSOR.fullmatch(text or "")
        if found is None:
            return cls()
        commit, partial, done, accepts = found.groups()
        return cls(commit or "", partial or "", int(done or 0), accepts is not None)

    def __str__(self) -> str:
        part = f"/{self.partial}+{self.done}" if self.partial else ""
        return f"{self.commit}{part}{'!' if self.accepts_rewriting else ''}"

    @property
    def newest(self) -> str:
        """The newest commit of which anything was read."""
        return self.partial or self.commit


@dataclass(frozen=True, slots=True)
class HistoryCommit:
    """A commit on the branch's own line."""

    commit_id: str
    dated_ms: int
    """When its author made the change, by the author's own clock: the day matters, not the
    instant."""


@dataclass(frozen=True, slots=True)
class FileVersion:
    """What a commit did to a file."""

    commit: HistoryCommit
    previous_ms: int
    """The date of the commit before it."""
    path: str
    blob: str | None
    """The id of its content; None: the file was deleted, or is not a file any more."""
    renamed_from: str | None = None
    content: bytes | None = None
    skipped: str | None = None
    """Why there is no content."""


@dataclass(frozen=True, slots=True)
class HistoryPart:
    """Some versions, in order, and where to continue."""

    versions: tuple[FileVersion, ...]
    cursor: HistoryCursor
    is_last: bool


@dataclass(frozen=True)
class GitHistory:
    """The line of commits that leads to `head`."""

    program: GitProgram
    options: HistoryOptions
    head: str
    limits: GitLimits = field(default_factory=GitLimits)

    @cached_property
    def commits(self) -> tuple[HistoryCommit, ...]:
        """All commits on the line, the oldest first."""
        return tuple(self._list_commits(self.head))

    @cached_property
    def positions(self) -> dict[str, int]:
        """The place of each commit on the line."""
        return {commit.commit_id: place for place, commit in enumerate(self.commits)}

    def is_continued_from(self, commit: str) -> bool:
        """Whether the history contains this commit: if not, it was rewritten."""
        return commit in self.positions or (self._has_commit(commit) and self._is_ancestor(commit))

    def count_versions(self, cursor: HistoryCursor) -> int:
        """How many changes are left to read; more than the limit is an error."""
        count = 0
        with closing(self._list_changes(self._list_pending(cursor))) as changes:
            for _ in changes:
                count += 1
                if count > self.limits.max_versions:
                    break
        if count > self.limits.max_versions:
            raise ContentTooLarge(
                f"The history has more than {self.limits.max_versions:,} versions of files.",
                advice="Choose fewer files with the option 'path' or fewer years with 'since', "
                "or raise repository_max_versions.",
            )
        return count

    def read_part(self, cursor: HistoryCursor) -> HistoryPart:
        """The next versions after the cursor, with their contents."""
        pending = self._list_pending(cursor)
        chosen = pending[:_MOST_COMMITS]
        skip = cursor.done if chosen and chosen[0][0].commit_id == cursor.partial else 0
        listed: list[tuple[int, int, FileVersion]] = []
        at, done, is_cut = -1, 0, False
        with closing(self._list_changes(chosen)) as changes:
            for number, version in changes:
                done = done + 1 if number == at else 1
                at = number
                if number == 0 and done <= skip:
                    continue
                if len(listed) == _MOST_VERSIONS:
                    is_cut = True
                    break
                listed.append((number, done, version))
        versions = self._fill_versions([version for _, _, version in listed])
        if is_cut or len(versions) < len(listed):
            number, done, _ = listed[len(versions) - 1]
            before = chosen[number - 1][0].commit_id if number else cursor.commit
            return HistoryPart(
                versions, HistoryCursor(before, chosen[number][0].commit_id, done), is_last=False
            )
        last = chosen[-1][0].commit_id if chosen else cursor.commit
        return HistoryPart(versions, HistoryCursor(last), is_last=len(chosen) == len(pending))

    def _fill_versions(self, listed: Sequence[FileVersion]) -> tuple[FileVersion, ...]:
        """The versions with their contents, as many as fit into one part, but at least one."""
        blobs = [version.blob for version in listed if version.blob and not version.skipped]
        found: list[FileVersion] = []
        size = 0
        with self.program.open("cat-file", "--batch", lines=blobs) as output:
            for version in listed:
                if found and size >= _MOST_BYTES:
                    break
                if version.blob and not version.skipped:
                    content, skipped = self._read_content(output)
                    version = replace(version, content=content, skipped=skipped)
                    size += len(content or b"")
                found.append(version)
        return tuple(found)

    def _read_content(self, output: IO[bytes]) -> tuple[bytes | None, str | None]:
        """The next object of the output, or why it is no document."""
        words = output.readline().split()
        if len(words) != 3:
            return None, "its content is missing from this copy"
        left = int(words[2])
        is_large = left > self.limits.max_file_bytes
        pieces = []
        while left:
            piece = output.read(min(left, _PIECE))
            if not piece:
                raise ContentBroken("git cat-file ended early.", advice="Check it with 'git fsck'.")
            left -= len(piece)
            if not is_large:
                pieces.append(piece)
        output.read(1)
        content = b"".join(pieces)
        if is_large:
            return None, f"it is larger than {self.limits.max_file_bytes:,} bytes"
        if content.startswith(_LFS):
            return None, "its content is kept outside of the repository (Git LFS)"
        return (content, None) if content else (None, "it is empty")

    def _list_pending(self, cursor: HistoryCursor) -> list[PendingCommit]:
        """The commits yet to read, each with the one before it and that one's date.

        Each is compared with what was read before it, whatever its own parents are.
        """
        known = cursor.commit if self._has_commit(cursor.commit) else ""
        if not known:
            line = list(self.commits[self._find_start() :])
        elif known in self.positions:
            line = list(self.commits[self.positions[known] + 1 :])
        else:
            line = self._list_commits(self.head, f"^{known}")
        if not line and known not in ("", self.head):
            # A person has accepted that the branch went back to an earlier commit.
            line = [] if known in self.positions else [self.commits[-1]]
        if not line:
            return []
        first_ms = line[0].dated_ms
        if known in self.positions:
            first_ms = self.commits[self.positions[known]].dated_ms
        pairs = [(line[0], known, first_ms)]
        pairs += [(after, b.commit_id, b.dated_ms) for b, after in pairwise(line)]
        return pairs

    def _find_start(self) -> int:
        """The first commit to read: the one that was there on the day from which versions count."""
        since_ms = self.options.since_ms
        if since_ms is None:
            return 0
        at = next((n for n, c in enumerate(self.commits) if c.dated_ms >= since_ms), None)
        return max(0, (len(self.commits) if at is None else at) - 1)

    def _list_commits(self, *revisions: str) -> list[HistoryCommit]:
        words = ("rev-list", "--first-parent", "--reverse", "--date=raw", "--format=%H %ad")
        output = self.program.run(*words, *revisions, "--")
        lines = output.decode("ascii", "replace").splitlines()
        return [_parse_commit(line) for line in lines if not line.startswith("commit ")]

    def _has_commit(self, commit: str) -> bool:
        if not commit:
            return False
        output = self._check_objects([f"{commit}^{{commit}}"])
        return b" commit " in output

    def _check_objects(self, names: Sequence[str]) -> bytes:
        with self.program.open("cat-file", "--batch-check", lines=names) as output:
            return output.read()

    def _is_ancestor(self, commit: str) -> bool:
        left = self.program.run("rev-list", "--max-count=1", commit, f"^{self.head}", "--")
        return not left.strip()

    def _list_changes(
        self, pairs: Sequence[PendingCommit]
    ) -> Generator[tuple[int, FileVersion], None, None]:
        """What each commit changed, with its number in `pairs`."""
        if pairs and not pairs[0][1]:
            # The first of all: everything in it is new.
            commit, _, before_ms = pairs[0]
            nothing = self.program.run("hash-object", "-t", "tree", "/dev/null").decode().strip()
            words = (*_DIFF, nothing, commit.commit_id, "--", *self._build_pathspecs())
            with self.program.open(*words) as output:
                for change in _parse_changes(output):
                    assert not isinstance(change, str)
                    yield 0, _make_version(change, commit, before_ms)
        start = 1 if pairs and not pairs[0][1] else 0
        rest = pairs[start:]
        if not rest:
            return
        numbers = {pair[0].commit_id: start + n for n, pair in enumerate(rest)}
        lines = [f"{commit.commit_id} {before}" for commit, before, _ in rest]
        words = (*_DIFF, "--stdin", "--", *self._build_pathspecs())
        number = -1
        with self.program.open(*words, lines=lines) as output:
            for change in _parse_changes(output):
                if isinstance(change, str):
                    number = numbers[change]
                else:
                    commit, _, before_ms = pairs[number]
                    yield number, _make_version(change, commit, before_ms)

    def _build_pathspecs(self) -> list[str]:
        return [f":(glob){pattern}" for pattern in self.options.path]


def _parse_commit(line: str) -> HistoryCommit:
    found = _COMMIT.fullmatch(line)
    if found is None:
        # A commit with a broken date: it may be from any time.
        return HistoryCommit(line.partition(" ")[0], 0)
    commit_id, seconds, sign, hours, minutes = found.groups()
    shift = (int(hours) * 60 + int(minutes)) * 60 * (-1 if sign == "-" else 1)
    return HistoryCommit(commit_id, min(max((int(seconds) + shift) * 1000, 0), _LATEST_MS))


@dataclass(frozen=True, slots=True)
class _RawChange:
    mode: str
    blob: str
    status: str
    path: str
    renamed_from: str | None


def _parse_changes(output: IO[bytes]) -> "Iterator[str | _RawChange]":
    """The output of diff-tree: the id of a commit before its changes, and each change."""
    entries = _split_fields(output)
    for entry in entries:
        if not entry.startswith(b":"):
            yield entry.decode("ascii", "replace")
            continue
        _, mode, _, blob, status = entry.decode("ascii", "replace").split(" ")
        path = _decode_path(next(entries))
        target = _decode_path(next(entries)) if status[0] in "RC" else path
        yield _RawChange(mode, blob, status, target, path if status[0] == "R" else None)


def _split_fields(output: IO[bytes]) -> Iterator[bytes]:
    rest = b""
    while piece := output.read(_PIECE):
        *whole, rest = (rest + piece).split(b"\0")
        yield from whole
    if rest:
        raise ContentBroken("git diff-tree ended early.", advice="Check it with 'git fsck'.")


def _decode_path(path: bytes) -> str:
    # What is no UTF-8 must still be one name; it is escaped wherever it is shown.
    return path.decode("utf-8", "backslashreplace").replace("\0", "")


def _make_version(change: _RawChange, commit: HistoryCommit, before_ms: int) -> FileVersion:
    is_file = change.status[0] != "D" and change.mode in _FILES
    return FileVersion(
        commit,
        before_ms,
        change.path,
        change.blob if is_file else None,
        change.renamed_from if is_file else None,
    )
