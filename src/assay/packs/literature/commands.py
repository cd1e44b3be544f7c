"""`assay literature`: build a corpus from lists of references, search it, and cite it."""

import re
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from assay.packs.literature import corpus, watches
from assay.packs.literature.citing import CitationStyle, cite_work
from assay.packs.literature.index import SearchFilters, SearchMode
from assay.packs.literature.listed import ListKind
from assay.packs.literature.outputs.exports import CorpusFormat, export_works
from assay.packs.literature.outputs.snapshots import write_snapshots
from assay.packs.literature.records import ReferenceList
from assay.packs.literature.searching import (
    answer_from_corpus,
    list_related_works,
    rebuild_index,
    search_corpus,
)
from assay.packs.literature.texts import PACK
from assay.packs.literature.works import Work, load_works
from assay.sdk.commands import (
    AsJson,
    CommandSession,
    ExitCode,
    check_output_path,
    format_counts,
    format_time,
    pluralize,
    render_fields,
    render_table,
    session_of,
)
from assay.sdk.errors import InvalidInput
from assay.sdk.records import Endpoint
from assay.sdk.services import Services

ListName = Annotated[str, typer.Argument(help="A short name for the list, such as 'gaussians'.")]
SomeList = Annotated[str | None, typer.Argument(help="The list; without it, all of them.")]
AnyId = Annotated[str, typer.Argument(help="A DOI, an arXiv id, or any other id of the work.")]
Most = Annotated[int, typer.Option("--limit", min=1, max=1000, help="Show at most this many.")]
Venue = Annotated[str | None, typer.Option(help="Only in this venue.")]
Year = Annotated[str | None, typer.Option(help="Only of this year, or of years such as 2019-2023.")]
Author = Annotated[str | None, typer.Option(help="Only by this author.")]
FromList = Annotated[str | None, typer.Option("--list", help="Only works that this list names.")]
Tier = Annotated[str | None, typer.Option(help="Only works of lists of this tier.")]
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,48}")


def commands() -> typer.Typer:
    """The commands of this pack."""
    group = typer.Typer(no_args_is_help=True, help="Build a corpus of papers, and search it.")
    group.command("add")(add)
    group.command("add-papers")(add_papers)
    group.command("lists")(show_lists)
    group.command("run")(run_all)
    group.command("discover")(discover)
    group.command("resolve")(resolve)
    group.command("ingest")(ingest)
    group.command("status")(show_status)
    group.command("search")(search)
    group.command("ask")(ask)
    group.command("show")(show)
    group.command("related")(show_related)
    group.command("cite")(cite)
    group.command("export")(export)
    group.command("snapshots")(snapshots)
    group.command("reindex")(reindex)
    group.add_typer(_build_watch_commands(), name="watch")
    return group


def _build_watch_commands() -> typer.Typer:
    group = typer.Typer(no_args_is_help=True, help="Report new works that match a query.")
    group.command("add")(add_watch)
    group.command("list")(show_watches)
    group.command("end")(end_watch)
    group.command("hits")(show_hits)
    return group


def add(
    ctx: typer.Context,
    name: ListName,
    target: Annotated[str, typer.Argument(help="The address of the list, or a file.")],
    kind: Annotated[
        ListKind | None, typer.Option(help="What kind of list it is, if that is not clear.")
    ] = None,
    tier: Annotated[str, typer.Option(help="How far its choice is trusted: A, B, C.")] = "A",
    follow: Annotated[
        bool, typer.Option("--follow", help="Also take in what its papers cite.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Watch a list of references on the web, or take in one from a file."""
    session = session_of(ctx, as_json)
    if not _NAME.fullmatch(name):
        raise InvalidInput(
            f"'{name}' is not a name for a list.",
            advice="Use at most 49 lower-case letters, digits and hyphens.",
        )
    if not re.fullmatch(r"[A-Z]", tier):
        raise InvalidInput(f"'{tier}' is not a tier.", advice="Use a letter from A to Z.")
    added = _call(session, lambda s: corpus.add_list(s, name, target, kind, tier, follow=follow))
    session.say(f"{name} is a list of kind {added['kind']}. 'assay literature run' reads it.")
    session.print_json(added)


def add_papers(
    ctx: typer.Context,
    targets: Annotated[list[str], typer.Argument(help="Files, folders or addresses of papers.")],
    as_json: AsJson = False,
) -> None:
    """Take in papers that you have as files, or whose address you know."""
    session = session_of(ctx, as_json)
    added = _call(session, lambda s: s.add_documents(targets, pack=PACK))
    session.say(f"{pluralize(len(added), 'paper')} added. 'assay literature run' reads them.")
    session.print_json(added)


def show_lists(ctx: typer.Context, as_json: AsJson = False) -> None:
    """List the lists, with their last look."""
    session = session_of(ctx, as_json)

    def read(services: Services) -> list[dict[str, Any]]:
        looks = {each.source_slug: each for each in services.read_records(Endpoint)}
        return [
            {
                **declared.model_dump(),
                "last_look": format_time(looks[name].last_scraped_ms) if name in looks else "-",
                "error": looks[name].last_error if name in looks else None,
            }
            for declared in services.read_records(ReferenceList)
            for name in [declared.list_id]
        ]

    rows = _call(session, read)
    columns = ["list_id", "kind", "tier", "url", "last_look", "error"]
    _show_rows(session, columns, rows, "No lists yet. 'assay literature add' adds one.")


def run_all(ctx: typer.Context, name: SomeList = None, as_json: AsJson = False) -> None:
    """Look at the lists, resolve what is new or due again, fetch and index texts.

    Exit code 5: there are new dead letters.
    """

    def plan(services: Services) -> corpus.FirstJobs:
        return [*corpus.plan_discovery(services, name), *corpus.plan_resolution(services)]

    _work(ctx, as_json, plan)


def discover(ctx: typer.Context, name: SomeList = None, as_json: AsJson = False) -> None:
    """Look at a list, or at all of them, and continue with what is new there."""
    _work(ctx, as_json, lambda services: corpus.plan_discovery(services, name))


def resolve(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Ask services about works that are new, or blocked and due again."""
    _work(ctx, as_json, corpus.plan_resolution)


def ingest(
    ctx: typer.Context,
    force_embed: Annotated[
        bool, typer.Option("--force-embed", help="Divide and embed all texts again.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Continue with the texts of works that are ready; what has not changed is left alone."""

    def plan(services: Services) -> corpus.FirstJobs:
        force = f"forced at {services.clock.now_ms()}" if force_embed else ""
        return corpus.plan_ingestion(services, force=force)

    _work(ctx, as_json, plan)


def _work(ctx: typer.Context, as_json: bool, plan: Callable[[Services], corpus.FirstJobs]) -> None:
    session = session_of(ctx, as_json)
    done = session.work_on(plan, resume=True)
    counts = _call(session, corpus.count_corpus)
    session.say(
        f"{pluralize(counts['works'], 'work')} from {pluralize(counts['references'], 'reference')};"
        f" {format_counts(counts['states'])}."
    )
    if done["dead"]:
        session.say(f"{pluralize(done['dead'], 'dead letter')}; 'assay dead list' shows why.")
    session.print_json({**done, "corpus": counts})
    if done["dead"]:
        raise typer.Exit(ExitCode.FAULTS)


def show_status(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Show how large the corpus is, and where its works stand."""
    session = session_of(ctx, as_json)
    counts = _call(session, corpus.count_corpus)
    session.show(render_fields({**counts, "states": format_counts(counts["states"])}))
    session.print_json(counts)


def search(
    ctx: typer.Context,
    query: Annotated[list[str], typer.Argument(help="What to look for.")],
    venue: Venue = None,
    year: Year = None,
    author: Author = None,
    from_list: FromList = None,
    tier: Tier = None,
    mode: Annotated[
        SearchMode, typer.Option(help="Search the words, the vectors, or both.")
    ] = SearchMode.FUSED,
    limit: Most = 10,
    as_json: AsJson = False,
) -> None:
    """Find works and the passages in them that match best."""
    session = session_of(ctx, as_json)
    filters = _build_filters(venue, year, author, from_list, tier)
    wanted = SearchFilters(**filters)
    rows = session.run(lambda s: search_corpus(s, " ".join(query), wanted, mode, limit))
    for number, row in enumerate(rows, 1):
        session.say(Text(f"{number}. {row['title'] or row['doc_id']}", style="bold"))
        session.say(f"   {_describe_origin(row)}")
        for passage in row["passages"][:2]:
            place = f"p. {passage['page']}: " if passage["page"] else ""
            session.say(f"   {place}{_shorten(passage['text'])}")
    if not rows:
        session.say("Nothing matches.")
    session.print_json(rows)


def ask(
    ctx: typer.Context,
    question: Annotated[str, typer.Argument(help="A question about the corpus.")],
    as_json: AsJson = False,
) -> None:
    """Answer a question with quotes and page numbers; without a model, show the best passages."""
    session = session_of(ctx, as_json)
    found = session.run(lambda services: answer_from_corpus(services, question))
    for sentence in found.sentences:
        numbers = sorted({cited.number for cited in sentence.citations})
        session.say(f"{sentence.text} [{', '.join(map(str, numbers))}]")
    if found.reason:
        session.say(found.reason)
    for each in found.passages:
        place = f", p. {each.passage.page}" if each.passage.page else ""
        session.say(f"[{each.number}] {each.title}{place} ({each.doc_id})")
        session.say(f"    {_shorten(each.passage.text)}")
    session.print_json(asdict(found))


def show(ctx: typer.Context, work: AnyId, as_json: AsJson = False) -> None:
    """Show a work: all its ids, what is known about it and who says so, and where it stands."""
    session = session_of(ctx, as_json)

    def read(services: Services) -> tuple[Work, list[Work]]:
        found = corpus.find_work(services, work)
        return found, load_works(services, found.cites)

    found, cited = _call(session, read)
    value = describe_work(found)
    shown = {name: item for name, item in value.items() if item and name != "abstract"}
    session.show(render_fields(shown))
    if found.abstract:
        session.say(f"\n{found.abstract}")
    for other in cited:
        session.say(f"cites {other.doc_id}  {other.title}")
    session.print_json({**value, "cites_in_corpus": [other.doc_id for other in cited]})


def describe_work(work: Work) -> dict[str, Any]:
    """A work as JSON."""
    value = dict(vars(work))
    return {name: list(item) if isinstance(item, tuple) else item for name, item in value.items()}


def show_related(
    ctx: typer.Context, work: AnyId, limit: Most = 10, as_json: AsJson = False
) -> None:
    """Find works that are about the same, or that cite and are cited together."""
    session = session_of(ctx, as_json)
    rows = session.run(lambda s: list_related_works(s, corpus.find_work(s, work), limit))
    columns = ["title", "year", "why", "doc_id"]
    _show_rows(session, columns, rows, "No related works are known.")


def cite(
    ctx: typer.Context,
    work: AnyId,
    style: Annotated[CitationStyle, typer.Option(help="The form of the citation.")] = (
        CitationStyle.TEXT
    ),
    as_json: AsJson = False,
) -> None:
    """Print a citation of a work."""
    session = session_of(ctx, as_json)
    found = _call(session, lambda services: corpus.find_work(services, work))
    text = cite_work(found, style)
    session.say(text)
    session.print_json({"doc_id": found.doc_id, "style": style.value, "citation": text})


def export(
    ctx: typer.Context,
    output: Annotated[Path, typer.Option("-o", "--output", help="The file to write.")],
    form: Annotated[CorpusFormat, typer.Option("--format", help="The format.")] = (
        CorpusFormat.BIBTEX
    ),
    from_list: FromList = None,
    tier: Tier = None,
    as_json: AsJson = False,
) -> None:
    """Write all works, or those of a list or tier, to a file."""
    session = session_of(ctx, as_json)
    check_output_path(output, [])

    def read(services: Services) -> list[Work]:
        return [
            work
            for work in load_works(services)
            if (from_list is None or from_list in work.lists)
            and (tier is None or tier in work.tiers)
        ]

    works = _call(session, read)
    export_works(works, form, output)
    session.say(f"{pluralize(len(works), 'work')} in {output}.")
    session.print_json({"works": len(works), "format": form.value, "output": str(output)})


def snapshots(
    ctx: typer.Context,
    folder: Annotated[Path, typer.Argument(help="The folder to write to.")],
    as_json: AsJson = False,
) -> None:
    """Write the ids of each tier to text files, such as tierA_arxiv.txt; old ones are replaced."""
    session = session_of(ctx, as_json)
    paths = _call(session, lambda services: write_snapshots(services, folder))
    session.say(f"{pluralize(len(paths), 'file')} in {folder}.")
    session.print_json([str(path) for path in paths])


def reindex(
    ctx: typer.Context,
    yes: Annotated[bool, typer.Option("--yes", help="Build the index again.")] = False,
    as_json: AsJson = False,
) -> None:
    """Build the search index again from what is stored; the old one serves until it is done."""
    session = session_of(ctx, as_json)
    if not yes:
        raise InvalidInput(
            "Nothing was done: this replaces the search index.",
            advice="Repeat the command with --yes.",
        )
    count = _call(session, rebuild_index)
    session.say(f"{pluralize(count, 'work')} in the new index.")
    session.print_json({"works": count})


def add_watch(
    ctx: typer.Context,
    query: Annotated[str, typer.Argument(help="The words to watch for.")],
    venue: Venue = None,
    year: Year = None,
    author: Author = None,
    from_list: FromList = None,
    tier: Tier = None,
    as_json: AsJson = False,
) -> None:
    """Report works that match a query from now on."""
    session = session_of(ctx, as_json)
    filters = _build_filters(venue, year, author, from_list, tier)
    watch = _call(session, lambda services: watches.add_watch(services, query, filters))
    session.say(f"Watch {watch['watch_id']}. 'assay literature watch hits' shows what it finds.")
    session.print_json(watch)


def show_watches(ctx: typer.Context, as_json: AsJson = False) -> None:
    """List the watches, with the number of works that each has found."""
    session = session_of(ctx, as_json)
    rows = _call(session, watches.list_watches)
    columns = ["watch_id", "query", "filters", "is_active", "hits"]
    _show_rows(session, columns, rows, "No watches. 'assay literature watch add' adds one.")


def end_watch(
    ctx: typer.Context,
    watch: Annotated[str, typer.Argument(help="The id of the watch.")],
    as_json: AsJson = False,
) -> None:
    """Stop watching a query; what it found stays."""
    session = session_of(ctx, as_json)
    ended = _call(session, lambda services: watches.end_watch(services, watch))
    session.say(f"Stopped watching {ended['query']!r}.")
    session.print_json(ended)


def show_hits(
    ctx: typer.Context,
    watch: Annotated[str | None, typer.Argument(help="Only of this watch.")] = None,
    days: Annotated[int, typer.Option(min=1, help="Only of the last days.")] = 7,
    as_json: AsJson = False,
) -> None:
    """Show the works that watches have found, the latest first."""
    session = session_of(ctx, as_json)

    def read(services: Services) -> list[dict[str, Any]]:
        since_ms = services.clock.now_ms() - days * 86_400_000
        return watches.list_hits(services, watch, since_ms)

    rows = _call(session, read)
    columns = ["query", "title", "year", "doc_id"]
    _show_rows(session, columns, rows, f"Nothing new in {pluralize(days, 'day')}.")


def _build_filters(
    venue: str | None,
    year: str | None,
    author: str | None,
    from_list: str | None,
    tier: str | None,
) -> dict[str, Any]:
    filters: dict[str, Any] = {
        "venue": venue, "author": author, "source": from_list, "tier": tier,
    }  # fmt: skip
    if year is not None:
        found = re.fullmatch(r"(\d{4})(?:-(\d{4}))?", year)
        if found is None:
            raise InvalidInput(
                f"'{year}' is not a year.", advice="Use a year such as 2021, or 2019-2023."
            )
        filters["year_from"] = int(found[1])
        filters["year_to"] = int(found[2] or found[1])
    return {name: value for name, value in filters.items() if value is not None}


def _call(session: CommandSession, work: Callable[[Services], Any]) -> Any:
    async def run(services: Services) -> Any:
        return work(services)

    return session.run(run)


def _describe_origin(row: dict[str, Any]) -> str:
    authors = row["authors"]
    people = ", ".join(authors[:3]) + (" et al." if len(authors) > 3 else "")
    parts = [people, row["venue"], str(row["year"] or ""), row["doc_id"]]
    return " · ".join(part for part in parts if part)


def _shorten(text: str, most: int = 280) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= most else f"{plain[:most].rsplit(' ', 1)[0]} …"


def _show_rows(
    session: CommandSession, columns: list[str], rows: list[dict[str, Any]], empty: str
) -> None:
    titles = [name.replace("_", " ") for name in columns]
    cells = [[row[name] for name in columns] for row in rows]
    session.show(render_table(titles, cells) if rows else Text(empty))
    session.print_json(rows)
