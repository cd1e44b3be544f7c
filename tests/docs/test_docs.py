"""The documentation is whole, leads where it says, and speaks of the program as it is."""

import asyncio
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
import typer
from typer.core import TyperGroup
from typer.main import get_command

from assay.app import App
from assay.app.composition import init_home
from assay.cli.commands import find_command, list_commands
from assay.cli.exit_codes import MEANINGS
from assay.cli.main import program
from assay.cli.reference import main as write_reference
from assay.cli.reference import with_pipeline
from assay.engine.contract import BoundStage, Pipeline
from assay.engine.faults import POINTS
from assay.engine.jobs import NewJob
from assay.errors import AssayError
from assay.events import Event
from assay.model.hashes import content_hash
from assay.model.ids import derive_evidence_id
from assay.model.lifecycle import TRANSITIONS
from assay.model.records import Evidence
from assay.settings import PriceSettings, ProviderSettings, QueueSettings, Settings
from assay.store import tables as t
from assay.store.upserts import upsert_records
from tests.conftest import quick_settings
from tests.engine.hand import all_rows, drain
from tests.providers.behaviour import Behaviour
from tests.providers.server import ProviderServer

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
REFERENCE = DOCS / "reference"
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted(DOCS.rglob("*.md")),
]
WORDS = (
    "source", "endpoint", "item", "document", "candidate", "evidence", "artifact", "fact",
    "pointer", "rule", "conflict", "review request", "release", "run", "job", "agent run",
    "ledger entry", "stage", "contract", "gate", "payload", "outcome", "batch", "queue", "worker",
    "lease", "fence", "dead letter", "home", "store", "guard", "run manifest", "release manifest",
)  # fmt: skip
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_PROMPT = re.compile(r"^\$ (.+)$", re.MULTILINE)


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def prose(page: Path) -> str:
    return _FENCE.sub("", text_of(page))


def blocks(page: Path, *languages: str) -> list[str]:
    return [body for language, body in _FENCE.findall(text_of(page)) if language in languages]


def shown_calls(page: Path) -> list[list[str]]:
    """Every call of Assay that a page shows, as its words."""
    lines = [
        line
        for block in blocks(page, "bash", "console")
        for line in _PROMPT.findall(block.replace("\\\n", " "))
    ]
    return [words for line in lines for words in calls(line)]


def anchors(page: Path) -> set[str]:
    """The names that a page's headings are reached by."""
    headings = _HEADING.findall(prose(page))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_somewhere(page: Path) -> None:
    broken = []
    for link in _LINK.findall(prose(page)):
        if link.startswith(("https://", "http://")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        missing = not target.is_relative_to(ROOT) or not target.exists()
        if missing or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


def test_the_map_leads_to_every_page() -> None:
    index = DOCS / "index.md"
    linked = {(DOCS / link.partition("#")[0]).resolve() for link in _LINK.findall(prose(index))}
    assert [name_of(page) for page in sorted(DOCS.rglob("*.md")) if page not in {*linked, index}] \
        == []  # fmt: skip


def test_the_readme_is_short_and_counts_right() -> None:
    page = text_of(ROOT / "README.md")
    assert len(page.splitlines()) <= 150
    assert f"kill\n  workers at {len(POINTS)} points" in page


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_page_names_a_place_of_this_machine(page: Path) -> None:
    assert re.findall(r"(?<![\w.])/(?:tmp|root|home|work|opt|Users)/\S*", text_of(page)) == []


def test_every_setting_is_in_the_reference() -> None:
    page = text_of(REFERENCE / "settings.md")
    tables = (Settings, QueueSettings, ProviderSettings, PriceSettings)
    names = [name for table in tables for name in table.model_fields]
    assert [name for name in names if f"| `{name}` |" not in page] == []


def test_every_command_is_in_the_reference() -> None:
    page = text_of(REFERENCE / "cli.md")
    assert [path for path in commands() if f"## `{path}`\n" not in page] == []


def test_every_event_is_in_the_reference() -> None:
    page = text_of(REFERENCE / "events.md")
    tags = [kind.tag for kind in own_subclasses(Event)]
    assert tags
    assert [tag for tag in tags if f"| `{tag}` |" not in page] == []


def test_every_error_is_in_the_reference() -> None:
    page = text_of(REFERENCE / "errors.md")
    codes = [kind.code for kind in own_subclasses(AssayError)]
    assert codes
    assert [code for code in codes if f"| `{code}` |" not in page] == []


def test_every_exit_code_is_in_the_reference() -> None:
    page = text_of(REFERENCE / "exits.md")
    assert [code for code in MEANINGS if f"| {int(code)} |" not in page] == []


def test_the_reference_is_as_fresh_as_the_code(tmp_path: Path) -> None:
    write_reference([str(tmp_path / "reference")])
    fresh = {path.name: text_of(path) for path in (tmp_path / "reference").iterdir()}
    kept = {path.name: text_of(path) for path in REFERENCE.iterdir()}
    assert kept == fresh, "run 'make docs'"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_command_that_is_shown_exists(page: Path) -> None:
    for words in shown_calls(page):
        check_call(words)


def test_the_tutorial_shows_the_commands_that_it_is_about() -> None:
    lines = [" ".join(words) for words in shown_calls(DOCS / "tutorial.md")]
    for path in ("status", "jobs list", "runs list", "store dump", "dead list", "runs verify"):
        assert any(path in line for line in lines), path


def test_a_command_that_does_not_exist_would_be_found() -> None:
    for line in ("assay fly", "assay jobs fly", "assay status --fly", "assay --fly status"):
        with pytest.raises(AssertionError):
            check_call(shlex.split(line)[1:])


def test_the_glossary_has_the_core_words() -> None:
    page = text_of(DOCS / "glossary.md")
    assert [word for word in WORDS if not re.search(rf"^\| {word} \|", page, re.MULTILINE)] == []


def test_every_arrow_of_the_lifecycle_is_drawn_and_told_of() -> None:
    page = DOCS / "concepts" / "lifecycle.md"
    arrows = {(here.value, there.value) for here, ends in TRANSITIONS.items() for there in ends}
    (picture,) = blocks(page, "mermaid")
    drawn = set(re.findall(r"^    (\w+) --> (\w+)$", picture, re.MULTILINE))
    told = set(re.findall(r"^\| `(\w+)` → `(\w+)` \|", text_of(page), re.MULTILINE))
    assert drawn == arrows
    assert told == arrows


def test_the_contract_that_is_shown_is_the_real_one() -> None:
    (code,) = blocks(DOCS / "concepts" / "stage-contract.md", "python")
    declaration, function = code.split("\n\n\n")
    source = text_of(ROOT / "src" / "assay" / "spine" / "scout.py")
    assert declaration in source
    assert function in source


def test_decisions_are_numbered_without_gaps() -> None:
    pages = sorted((DOCS / "decisions").glob("*.md"))
    numbers = [page.name[:4] for page in pages]
    assert numbers == [f"{number:04}" for number in range(1, len(pages) + 1)]
    for page, number in zip(pages, numbers, strict=True):
        assert text_of(page).startswith(f"# {number} ")
        for heading in ("## Context", "## Decision", "## Consequences"):
            assert f"\n{heading}\n" in text_of(page), (page.name, heading)


def test_the_changelog_has_a_place_for_what_is_new() -> None:
    assert "\n## [Unreleased]\n" in text_of(ROOT / "CHANGELOG.md")


def test_the_source_of_the_guide_can_be_watched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = quick_settings(Path("data"))
    init_home(settings)
    with App(settings) as app:
        app.migrate()
    (code,) = blocks(DOCS / "how-to" / "watch-a-source.md", "python")
    exec(compile(code, "watch-a-source.md", "exec"), {"__name__": "guide"})
    with App(settings) as app:
        assert [row["source_slug"] for row in all_rows(app, t.source)] == ["town-gazette"]
        assert [row["strategy"] for row in all_rows(app, t.endpoint)] == ["HTML_LIST"]


def test_the_stage_of_the_guide_works(tmp_path: Path) -> None:
    code, _ = blocks(DOCS / "how-to" / "write-a-stage.md", "python")
    guide: dict[str, Any] = {"__name__": "guide"}
    exec(compile(code, "write-a-stage.md", "exec"), guide)
    pipeline = Pipeline([BoundStage(guide["CLEAN"], guide["clean"])], given=(Evidence,))
    settings = quick_settings(tmp_path / "home")
    init_home(settings)
    with App(settings, pipeline=pipeline) as app:
        app.migrate()
        with app.engine.begin() as connection:
            upsert_records(connection, [evidence(app, b"<p>The rate is 20 %.</p>")])
            schedule(app, connection, guide["CleanJob"])
        drain(app)
        (artifact,) = all_rows(app, t.artifact)
        assert app.blobs.get(artifact["content_hash"]) == b"The rate is 20 %."
        assert artifact["length"] == 17


def evidence(app: App, body: bytes) -> Evidence:
    url = "http://guide.test/page"
    return Evidence(
        evidence_id=derive_evidence_id(url, app.blobs.put(body)),
        url=url,
        content_hash=content_hash(body),
        doc_id="guide",
        source_slug="guide",
        content_type="text/html",
        size=len(body),
    )


def schedule(app: App, connection: sa.Connection, payload: Any) -> None:
    rows = connection.execute(sa.select(t.evidence.c.evidence_id, t.evidence.c.source_slug))
    jobs = [NewJob("clean", payload(evidence_id=e, source=s), "guide") for e, s in rows]
    app.book.schedule(connection, jobs, app.clock.now_ms())


def own_subclasses(kind: type[Any]) -> list[type[Any]]:
    """All that Assay derives from a class, however deep; tests may derive their own."""
    below = [sub for sub in kind.__subclasses__() if sub.__module__ == kind.__module__]
    return [*below, *(deep for sub in below for deep in own_subclasses(sub))]


def commands() -> list[str]:
    """Every command with its full name, groups included."""
    root = get_command(program)
    return list(_paths(root, typer.Context(root, info_name="assay")))


def _paths(command: Any, context: Any) -> Iterator[str]:
    yield context.command_path
    if isinstance(command, TyperGroup):
        for name, below in list_commands(command, context):
            yield from _paths(below, typer.Context(below, info_name=name, parent=context))


def calls(line: str) -> list[list[str]]:
    """The calls of Assay in a shell line: the words after each 'assay', up to its end."""
    found: list[list[str]] = []
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    taking = False
    for word in lexer:
        if word == "assay":
            found.append([])
            taking = True
        elif set(word) <= set("|&;<>()"):
            taking = False
        elif taking:
            found[-1].append(word)
    return found


def check_call(words: Sequence[str]) -> None:
    """Walk from command to command; every name and every option on the way must exist."""
    command: Any = get_command(program)
    context = typer.Context(command, info_name="assay")
    left = list(words)
    while left:
        word = left.pop(0)
        if word.startswith("-"):
            _take_option(command, context, word, left)
        elif isinstance(command, TyperGroup):
            below = find_command(command, context, word)
            assert below is not None, f"there is no command {context.command_path} {word}"
            context = typer.Context(below, info_name=word, parent=context)
            command = below


def _take_option(command: Any, context: Any, word: str, left: list[str]) -> None:
    name, has_value, _ = word.partition("=")
    for parameter in command.get_params(context):
        if name in (*parameter.opts, *parameter.secondary_opts):
            if not has_value and not getattr(parameter, "is_flag", False):
                left.pop(0)
            return
    raise AssertionError(f"{context.command_path} has no option {name}")


async def test_the_program_that_asks_a_model_works(tmp_path: Path) -> None:
    program_text = blocks(DOCS / "how-to" / "ask-a-model.md", "python")[0]
    assert len([line for line in program_text.splitlines() if line.strip()]) <= 10
    async with ProviderServer(Behaviour(text="The Sava.")) as server:
        told = program_text.replace('ollama("qwen2.5:1.5b"', f'ollama("m", base_url="{server.url}"')
        file = tmp_path / "program.py"
        file.write_text(told, encoding="utf-8")
        process = await asyncio.create_subprocess_exec(
            sys.executable, file.name, cwd=tmp_path, stdout=asyncio.subprocess.PIPE
        )
        said, _ = await process.communicate()
    assert said.decode().strip() == "The Sava. (5 tokens)"
    assert (tmp_path / "spend.db").exists()


def test_the_readme_shows_the_pipeline_that_there_is() -> None:
    page = text_of(ROOT / "README.md")
    assert page.count("```mermaid") == 1
    assert with_pipeline(page) == page, "run 'make docs'"
