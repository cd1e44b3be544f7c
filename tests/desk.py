"""One home, and the program that works on it, as people type it."""

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.forking import run_anew, run_forked
from tests.waiting import PATIENCE_S


class Desk:
    """A home whose hosts are on loopback."""

    def __init__(
        self,
        home: Path,
        hosts: Mapping[str, str],
        database_url: str | None = None,
        *,
        anew: bool = False,
    ) -> None:
        self.home = home
        self._run = run_anew if anew else run_forked
        self._env = {**os.environ, "ASSAY_POLLING_S": "0.05", "ASSAY_READ_PROCESSES": "1"}
        self._env["ASSAY_HOME"] = str(home)
        if database_url is not None:
            self._env["ASSAY_DATABASE_URL"] = database_url
        self.call("init")
        lines = "".join(f'"{name}" = "{url}"\n' for name, url in hosts.items())
        (home / "assay.toml").write_text(f"[hosts]\n{lines}", encoding="utf-8")

    def end(self, *words: str, fault: str = "") -> "subprocess.CompletedProcess[str]":
        """Run the program, however it ends; a fault kills it on the way."""
        env = {**self._env, "ASSAY_FAULT": fault}
        return self._run("assay.cli", *words, env=env, timeout=PATIENCE_S)

    def call(self, *words: str) -> str:
        """What the program prints."""
        ended = self.end(*words)
        assert ended.returncode == 0, f"{words}: {ended.stdout}{ended.stderr}"
        return ended.stdout

    def ask(self, *words: str) -> Any:
        """The JSON value that the program prints."""
        return json.loads(self.call("--json", *words))

    def refuse(self, *words: str) -> str:
        """What the program says about bad input."""
        ended = self.end(*words)
        assert ended.returncode == 3, f"{words}: {ended.stdout}{ended.stderr}"
        return ended.stderr
