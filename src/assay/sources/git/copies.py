"""Where the objects of a repository are: in a folder of the user's, or in a copy kept in the home.

A copy is a bare repository that fetches one branch. Whether and where git may connect is decided
here, by the rules for every other address, and the connection is tied to the addresses that were
checked.
"""

import fcntl
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path

from assay.errors import (
    AddressRefused,
    AssayError,
    ContentTooLarge,
    FetchFailed,
    InvalidInput,
    from_os_error,
)
from assay.model.hashes import content_hash
from assay.sources.addresses import PORTS, WebAddress, display_url, parse_address
from assay.sources.git.options import HistoryOptions, is_bare_repository
from assay.sources.git.program import GitProgram
from assay.sources.guard import AddressGuard, describe_non_public_ip
from assay.sources.policy import FetchPolicy

_LATEST = "refs/assay/latest"
_LOCK_EVERY_S = 0.2


@dataclass(frozen=True, slots=True)
class GitLimits:
    """How much a repository may cost."""

    max_bytes: int = 4_000_000_000
    """Largest copy of a repository, on disk."""
    max_versions: int = 100_000
    """Most versions of documents in one repository."""
    max_file_bytes: int = 20_000_000
    """Largest document."""
    timeout_s: float = 600.0
    """Longest time of one command; a first copy is one command."""


@dataclass(frozen=True, slots=True)
class RepositoryCopies:
    """Opens repositories: local ones in place, others as copies in a folder."""

    folder: Path
    policy: FetchPolicy
    limits: GitLimits = field(default_factory=GitLimits)

    def open(self, url: str, options: HistoryOptions) -> tuple[GitProgram, str]:
        """The repository as it is now, and its newest commit; a copy is brought up to date."""
        if url.startswith("/"):
            program = GitProgram(_find_git_dir(Path(url)), self.limits.timeout_s)
            ref = "HEAD" if options.branch is None else f"refs/heads/{options.branch}"
        else:
            program, ref = self._update_copy(url, options), self._name_ref(options)
        return program, _resolve(program, ref, url, options)

    def reopen(self, url: str) -> GitProgram:
        """The repository as it was last opened."""
        git_dir = _find_git_dir(Path(url)) if url.startswith("/") else self._locate_copy(url)
        return GitProgram(git_dir, self.limits.timeout_s)

    def check_url(self, url: str) -> WebAddress:
        """Refuse an address that may not be contacted."""
        if "://" not in url or not url.startswith(("https://", "http://")):
            raise AddressRefused(
                f"{display_url(url)} is not an https address.",
                advice="A repository has an https address, or is a folder on this machine.",
            )
        address = parse_address(url)
        AddressGuard(self.policy).check(address, url)
        return address

    def _locate_copy(self, url: str) -> Path:
        return self.folder / f"{content_hash(url.encode())[:24]}.git"

    def _name_ref(self, options: HistoryOptions) -> str:
        return _LATEST if options.branch is None else f"refs/heads/{options.branch}"

    def _update_copy(self, url: str, options: HistoryOptions) -> GitProgram:
        address = self.check_url(url)
        program = GitProgram(self._locate_copy(url), self.limits.timeout_s)
        git_dir = program.git_dir
        branch = "HEAD" if options.branch is None else f"refs/heads/{options.branch}"
        with _hold_lock(git_dir, self.limits.timeout_s) as lock:
            program.run("init", "--bare", "--quiet", "--template=", str(git_dir))
            _remove_leftovers(git_dir)
            target, config = self._pin_address(address)
            words = ("fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--force",
                     "--no-write-fetch-head", "--no-auto-maintenance", "--end-of-options",
                     target, f"+{branch}:{self._name_ref(options)}")  # fmt: skip
            # The program keeps the lock if this process dies before it.
            with program.open(
                *words, config=config, protocols="https:http", pass_fds=(lock,),
                check=lambda: self._refuse_large(git_dir),
            ) as output:  # fmt: skip
                output.read()
            if (refusal := self._refuse_large(git_dir)) is not None:
                raise refusal
        return program

    def _pin_address(self, address: WebAddress) -> tuple[str, tuple[str, ...]]:
        """What git connects to: the addresses that were checked, whatever a second lookup says."""
        guard = AddressGuard(self.policy)
        if guard.is_stand_in(address.host):
            return guard.resolve_url(address), ()
        try:
            found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise FetchFailed(f"{address.host} cannot be found: {error.strerror}.") from error
        hosts = sorted({str(entry[4][0]) for entry in found})
        refused = [kind for host in hosts if (kind := guard.refusal_of(address.host, host))]
        allowed = [host for host in hosts if guard.refusal_of(address.host, host) is None]
        if not allowed:
            raise AddressRefused(
                f"{address.host} leads to {hosts[0]}, {refused[0]}.",
                advice="If it is yours, add it to fetch_allow_private.",
            )
        if address.scheme != "https" and any(
            describe_non_public_ip(ip_address(host)) is None for host in allowed
        ):
            raise AddressRefused(
                f"{address.url} is not an https address.",
                advice="Only a server of your own may be asked without encryption.",
            )
        port = address.port or PORTS[address.scheme]
        # The brackets of an IPv6 address would end the entry early.
        pinned = ",".join(f"[{host}]" if ":" in host else host for host in allowed)
        return address.url, (f"http.curloptResolve={address.host}:{port}:{pinned}",)

    def _refuse_large(self, git_dir: Path) -> AssayError | None:
        size = sum(_measure(Path(place) / n) for place, _, names in os.walk(git_dir) for n in names)
        if size <= self.limits.max_bytes:
            return None
        return ContentTooLarge(
            f"The repository is larger than {self.limits.max_bytes:,} bytes.",
            advice="Raise repository_max_bytes, or clone it yourself and add the clone's folder.",
        )


def _find_git_dir(path: Path) -> Path:
    git_dir = path if is_bare_repository(path) else path / ".git"
    try:
        if git_dir.is_file():
            # A work tree of its own: the file names the real place.
            target = git_dir.read_text(encoding="utf-8").partition("gitdir:")[2].strip()
            git_dir = (path / target).resolve()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{git_dir} cannot be read.") from error
    if not (git_dir / "HEAD").is_file():
        raise InvalidInput(
            f"{path} is not a git repository.",
            advice="Give the folder that contains .git, or a bare repository.",
        )
    return git_dir


def _resolve(program: GitProgram, ref: str, url: str, options: HistoryOptions) -> str:
    try:
        found = program.run("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
    except AssayError as error:
        what = f"has no branch '{options.branch}'" if options.branch else "has no commits"
        raise InvalidInput(f"{url} {what}.", advice="Check it with 'git branch -a'.") from error
    return found.decode().strip()


@contextmanager
def _hold_lock(git_dir: Path, timeout_s: float) -> Iterator[int]:
    """Only one process fetches into a copy at a time."""
    try:
        git_dir.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(git_dir.with_suffix(".lock"), os.O_CREAT | os.O_RDWR, 0o600)
    except OSError as error:
        raise from_os_error(error, f"keeping a copy of a repository in {git_dir.parent}") from error
    try:
        waited = 0.0
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                waited += _LOCK_EVERY_S
                if waited > timeout_s:
                    raise FetchFailed("Another process is fetching the same repository.") from None
                time.sleep(_LOCK_EVERY_S)
        yield file
    finally:
        os.close(file)


def _remove_leftovers(git_dir: Path) -> None:
    """Remove what a program left that was killed: nobody else writes here."""
    for place, _, names in os.walk(git_dir):
        for name in names:
            if name.endswith(".lock") or name.startswith(("tmp_pack_", "tmp_idx_", "tmp_rev_")):
                (Path(place) / name).unlink(missing_ok=True)


def _measure(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0
