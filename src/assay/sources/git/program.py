"""Runs the `git` program so that nothing in a repository decides what is executed or contacted.

Only plumbing commands are used. They read objects; they start no pager, hook, filter, text
conversion, signature check or helper that a repository's configuration could name. No transport is
allowed unless the caller names one.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from assay.display import escape_line
from assay.errors import AssayError, ContentBroken, FetchFailed, ToolMissing

_SAFE = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.attributesFile=/dev/null",
    "core.askPass=",
    "core.sshCommand=false",
    "core.gitProxy=",
    "credential.helper=",
    "diff.orderFile=",
    "fetch.recurseSubmodules=false",
    "fetch.uriProtocols=",
    "gc.auto=0",
    "maintenance.auto=false",
    "http.cookieFile=",
    "http.followRedirects=false",
    "http.lowSpeedLimit=1000",
    "http.lowSpeedTime=60",
    "http.proxy=",
    "protocol.allow=never",
    # The path was chosen by the user, and nothing that the repository configures is run.
    "safe.directory=*",
    "submodule.recurse=false",
    "transfer.bundleURI=false",
)
_LONGEST_MESSAGE = 500
_WATCH_EVERY_S = 0.2


@dataclass(frozen=True, slots=True)
class GitProgram:
    """The program, the repository that it reads, and how long one command may take."""

    git_dir: Path
    timeout_s: float = 600.0

    def run(self, *words: str, config: Sequence[str] = (), protocols: str = "none") -> bytes:
        """The output of a command that says little."""
        with self.open(*words, config=config, protocols=protocols) as output:
            return output.read()

    @contextmanager
    def open(
        self,
        *words: str,
        lines: Iterable[str] | None = None,
        config: Sequence[str] = (),
        protocols: str = "none",
        check: Callable[[], AssayError | None] = lambda: None,
        pass_fds: Sequence[int] = (),
    ) -> Iterator[IO[bytes]]:
        """A command's output, to be read as it comes; `lines` are its input.

        Leaving early ends the command. `check` is asked regularly whether to go on.
        """
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as errors:
            for line in lines or ():
                given.write(f"{line}\n".encode())
            given.seek(0)
            process = subprocess.Popen(
                [*self._build_command(config), *words],
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=_build_environment(protocols),
                start_new_session=True,
                pass_fds=pass_fds,
            )
            assert process.stdout is not None
            watch = _Watch(process, self.timeout_s, check)
            try:
                yield process.stdout
                if left_early := bool(process.stdout.read(1)):
                    watch.kill()
            except BaseException:
                watch.kill()
                if watch.error is not None:
                    # Its output was cut off, so whatever else went wrong follows from that.
                    raise watch.error from None
                raise
            finally:
                process.stdout.close()
                code = process.wait()
                watch.end()
            if watch.error is not None:
                raise watch.error
            if code and not left_early:
                errors.seek(0)
                raise _explain_failure(self.git_dir, words[0], errors.read(10_000))

    def _build_command(self, config: Sequence[str]) -> list[str]:
        program = shutil.which("git")
        if program is None:
            raise ToolMissing(
                "The program 'git' is not installed.",
                advice="Install it (apt install git) to read repositories.",
            )
        options = [word for entry in (*_SAFE, *config) for word in ("-c", entry)]
        named = f"--git-dir={self.git_dir}"
        return [program, "--no-pager", "--no-replace-objects", named, *options]


class _Watch:
    """Ends a command that takes too long, or that its caller no longer wants."""

    def __init__(
        self,
        process: "subprocess.Popen[bytes]",
        timeout_s: float,
        check: Callable[[], AssayError | None],
    ) -> None:
        self.error: AssayError | None = None
        self._process = process
        self._timeout_s = timeout_s
        self._check = check
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        waited = 0.0
        while not self._ended.wait(_WATCH_EVERY_S):
            waited += _WATCH_EVERY_S
            if waited > self._timeout_s:
                self.error = FetchFailed(
                    f"git took longer than {self._timeout_s:g} seconds.",
                    advice="Raise repository_timeout_s, or clone the repository yourself and "
                    "add the clone's folder.",
                )
            else:
                self.error = self._check()
            if self.error is not None:
                self.kill()
                return

    def kill(self) -> None:
        """End the command, and the programs that it started."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            self._process.poll()

    def end(self) -> None:
        """Stop watching."""
        self._ended.set()
        self._thread.join()


def _build_environment(protocols: str) -> dict[str, str]:
    """Nothing of the user's own environment: no proxies, helpers, keys or configuration."""
    return {
        "PATH": os.defpath,
        "HOME": "/nonexistent",
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_ALLOW_PROTOCOL": protocols,
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "",
        "SSH_ASKPASS": "",
        "GIT_LFS_SKIP_SMUDGE": "1",
    }


def _explain_failure(git_dir: Path, command: str, output: bytes) -> AssayError:
    lines = output.decode("utf-8", "replace").strip()[-_LONGEST_MESSAGE:].splitlines()
    last = escape_line(lines[-1]).removeprefix("fatal: ") if lines else "it gave no reason"
    if command == "fetch":
        return FetchFailed(
            f"git cannot fetch the repository: {last.rstrip('.')}.",
            advice="Check the address and the branch; a repository with a login must be cloned "
            "by you, and its folder added.",
        )
    return ContentBroken(
        f"git {command} fails in {git_dir}: {last.rstrip('.')}.",
        advice="Check it with 'git fsck'; if it is a copy that Assay keeps, delete the folder.",
    )
