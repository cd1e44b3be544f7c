"""Real git repositories for tests, with commits on given days, and a server that offers them."""

import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

_PERSON = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_AUTHOR_NAME": "Ana",
    "GIT_AUTHOR_EMAIL": "ana@example.org",
    "GIT_COMMITTER_NAME": "Clerk",
    "GIT_COMMITTER_EMAIL": "clerk@example.org",
    "GIT_COMMITTER_DATE": "2030-01-01T00:00:00Z",
    "HOME": "/nonexistent",
}


@dataclass(frozen=True)
class GitRepository:
    """A repository with a work tree."""

    path: Path

    def git(self, *words: str, **environment: str) -> str:
        """Run git here; return what it says."""
        done = subprocess.run(
            ["git", "-C", str(self.path), *words],
            env={**_PERSON, **environment},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def commit(self, day: str, files: Mapping[str, str | bytes | None]) -> str:
        """Commit files with these contents, by their author on that day; None deletes a file."""
        for name, content in files.items():
            file = self.path / name
            if content is None:
                file.unlink()
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode() if isinstance(content, str) else content)
        self.git("add", "--all")
        return self.commit_index(day)

    def commit_index(self, day: str) -> str:
        """Commit what is staged."""
        when = day if "T" in day else f"{day}T12:00:00Z"
        self.git("commit", "--quiet", "--allow-empty", "-m", "Change", GIT_AUTHOR_DATE=when)
        return self.git("rev-parse", "HEAD")


def make_repository(path: Path) -> GitRepository:
    path.mkdir(parents=True)
    made = GitRepository(path)
    made.git("init", "--quiet", "--initial-branch=main")
    return made


@dataclass
class RepositoryServer:
    """A plain file server; git fetches from it by its oldest protocol."""

    root: Path
    url: str = ""
    asked: list[str] = field(default_factory=list)
    redirects: dict[str, str] = field(default_factory=dict)
    """Paths, and where they redirect to."""

    def offer(self, repository: GitRepository, name: str = "laws.git") -> None:
        """Offer the repository as it is now."""
        target = self.root / name
        if not target.exists():
            repository.git("clone", "--quiet", "--bare", str(repository.path), str(target))
        repository.git("push", "--quiet", "--force", "--all", str(target))
        repository.git("--git-dir", str(target), "repack", "-a", "-d", "-q")
        repository.git("--git-dir", str(target), "update-server-info")


class _Handler(SimpleHTTPRequestHandler):
    def __init__(self, server: RepositoryServer, *given: Any) -> None:
        self.own = server
        super().__init__(*given, directory=str(server.root))

    def do_GET(self) -> None:
        self.own.asked.append(self.path)
        target = self.own.redirects.get(self.path.partition("?")[0])
        if target is None:
            super().do_GET()
            return
        self.send_response(302)
        self.send_header("Location", target)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def serve_repositories(root: Path) -> Iterator[RepositoryServer]:
    """Serve the repositories in a folder on loopback."""
    root.mkdir(parents=True, exist_ok=True)
    offered = RepositoryServer(root)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, offered))
    offered.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield offered
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
