"""The reference pages are written from the code, and always alike."""

import subprocess
import sys
from pathlib import Path

from assay.cli.exit_codes import MEANINGS
from assay.cli.reference import main, render_pages
from assay.events import __all__ as events
from assay.settings import Settings

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


def test_the_pages_hold_everything() -> None:
    found = render_pages()
    assert set(found) == {
        "cli.md", "settings.md", "contracts.md", "errors.md", "exits.md", "events.md",
        "metrics.md", "dependencies.md",
    }  # fmt: skip
    for name in Settings.model_fields:
        assert f"`{name}`" in found["settings.md"]
    for code in MEANINGS:
        assert f"| {int(code)} |" in found["exits.md"]
    for event in set(events) - {"Event"}:
        assert f"| {event} |" in found["events.md"]
    for command in ("assay init", "assay jobs retry", "assay store dump", "assay demo"):
        assert f"## `{command}`\n" in found["cli.md"]
    assert "flowchart LR" in found["contracts.md"]
    assert "| `psycopg` |" in found["dependencies.md"]
    assert "`schema_too_new`" in found["errors.md"]


def test_the_pages_in_the_repository_are_those_of_the_code() -> None:
    stored = {path.name: path.read_text(encoding="utf-8") for path in REFERENCE.iterdir()}
    assert stored == render_pages(), "Run 'make docs'."


def test_another_process_writes_the_same_bytes(tmp_path: Path) -> None:
    main([str(tmp_path / "here")])
    subprocess.run(
        [sys.executable, "-m", "assay.cli.reference", str(tmp_path / "there")],
        check=True,
        capture_output=True,
        env={"COLUMNS": "30", "PYTHONHASHSEED": "5", "PATH": ""},
    )
    here = {path.name: path.read_bytes() for path in (tmp_path / "here").iterdir()}
    there = {path.name: path.read_bytes() for path in (tmp_path / "there").iterdir()}
    assert here == there
    assert set(here) == set(render_pages())
