"""`assay doctor`: checks this machine, this home and this store, and says what to fix."""

import asyncio
import platform
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any

import sqlalchemy as sa
import typer

from assay import __version__
from assay.app import App
from assay.app.checks import FAIL, OK, WARN, Finding, check_spending
from assay.app.installed_packs import HomePacks, branches_of, load_all_packs
from assay.app.models import find_missing_keys
from assay.app.pack_validation import validate_packs
from assay.app.sources import list_unread_sources
from assay.app.status import collect_status
from assay.app.tools import build_bounds, build_ocr_options
from assay.cli.commands import refuse_names_of_commands
from assay.cli.exit_codes import ExitCode
from assay.cli.rendering import findings_as_json, pluralize, render_findings, render_table
from assay.cli.session import AsJson, Session, session_of
from assay.engine.pool_worker import describe_confinement
from assay.engine.process_pool import ProcessPool
from assay.engine.sandbox import LANDLOCK_FOR_SIGNALS, MEANING, Confinement
from assay.errors import AssayError, InvalidInput, SchemaMissing, StartupRefused
from assay.extras import OWN, describe_installation, list_extras
from assay.reading.ocr import check_availability
from assay.sdk.pack import Check, Pack
from assay.sdk.services import Services
from assay.settings import ENV_PREFIX, FILE_NAME, FILE_ONLY, Settings
from assay.store import schema
from assay.store.database import explain_errors, is_sqlite, open_engine

_LEAST_PYTHON = (3, 11)
_LITTLE_ROOM = 1_000_000_000
_NO_ROOM = 100_000_000


def doctor(
    ctx: typer.Context,
    settings: Annotated[
        bool, typer.Option("--settings", help="List every setting instead.")
    ] = False,
    model: Annotated[
        str,
        typer.Option(
            "--model",
            metavar="NAME",
            help="Make one small call to this provider instead, and report what it cost.",
        ),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Check the machine, the home and the store, and say what to fix. Exit code 5: a fault."""
    session = session_of(ctx, as_json)
    if settings:
        _list_settings(session)
        return
    if model:
        _check_model(session, model)
        return
    with session.working("Checking the machine and the home"):
        findings = list(_check_all(session))
    session.say(render_findings(session, findings))
    session.print_json(findings_as_json(findings))
    if any(finding.level is FAIL for finding in findings):
        raise typer.Exit(ExitCode.FAULTS)


def _check_model(session: Session, name: str) -> None:
    """Make one small call to a model, and say how it went."""
    from assay.app.model_check import check_model

    with App(session.settings) as app:
        app.require_store()
        found = asyncio.run(check_model(app, name))
    cost = f"no price is set for {found.model}" if found.cost is None else f"cost {found.cost:.6f}"
    spent = f"{pluralize(found.charged_tokens, 'token')} charged, {cost}"
    if found.error is None:
        what = f"{found.model} answered in {found.seconds:.1f} s: {found.prompt_tokens} tokens in, "
        what += f"{found.completion_tokens} out, {spent}"
        finding = Finding(f"model {name}", OK, what)
    else:
        what = f"{found.error['message']} {spent[:1].upper()}{spent[1:]}."
        finding = Finding(f"model {name}", FAIL, what, found.error["advice"])
    session.say(render_findings(session, [finding]))
    session.print_json(found.values())
    if not found.ok:
        raise typer.Exit(ExitCode.FAULTS)


def _check_all(session: Session) -> Iterator[Finding]:
    yield _check_python()
    yield _check_queue_library()
    yield _check_extras()
    try:
        settings = session.settings
    except AssayError as error:
        yield Finding("settings", FAIL, error.what, error.advice)
        return
    yield Finding("settings", OK, f"home {settings.home}, profile {settings.profile}")
    yield _check_home(settings)
    yield _check_disk(settings)
    yield _check_models(settings)
    yield _check_ocr(settings)
    yield _check_sandbox(settings)
    yield from _check_packs(settings)
    yield from _check_store(settings)
    yield from _run_pack_checks(settings)


def _check_sandbox(settings: Settings) -> Finding:
    """Ask a reading process what it is still allowed to do."""

    async def ask() -> Confinement:
        async with ProcessPool(1, build_bounds(settings)) as pool:
            return await pool.run(describe_confinement)

    try:
        found = asyncio.run(ask())
    except AssayError as error:
        return Finding("sandbox", FAIL, f"No reading process starts. {error.what}", error.advice)
    return assess_confinement(found)


def assess_confinement(found: Confinement) -> Finding:
    """What a reading process can still do on this system."""
    missing = found.missing
    if not missing:
        well = "documents are read without network, programs or other files"
        if found.landlock_version < LANDLOCK_FOR_SIGNALS:
            well += (
                f"; Landlock {found.landlock_version} is older than {LANDLOCK_FOR_SIGNALS}, so "
                "seccomp alone refuses signals to other processes"
            )
        return Finding("sandbox", OK, well)
    lacks = "; ".join(f"{name} ({why}): {MEANING[name]}" for name, why in missing.items())
    return Finding(
        "sandbox", WARN,
        f"If a document takes over the process that reads it, this system lacks {lacks}.",
        "Use Linux 5.13 or newer with seccomp and Landlock, or run Assay in a container.",
    )  # fmt: skip


def _check_python() -> Finding:
    versions = f"{platform.python_version()}, Assay {__version__}"
    if sys.version_info >= _LEAST_PYTHON:
        return Finding("python", OK, versions)
    return Finding("python", FAIL, f"{versions}.", "Assay needs Python 3.11 or newer.")


def _check_queue_library() -> Finding:
    """The queue library is pinned, because Assay relies on some of its internals."""
    found = metadata.version("dbos")
    pins = [line for line in metadata.requires("assay") or [] if line.startswith("dbos==")]
    pinned = pins[0].removeprefix("dbos==") if pins else found
    if found == pinned:
        return Finding("dbos", OK, found)
    return Finding(
        "dbos", WARN, f"{found}, but Assay was tested with {pinned}.",
        f"Install dbos=={pinned}.",
    )  # fmt: skip


def _check_extras() -> Finding:
    """The optional parts of the installation; none of them is a fault to miss."""
    extras = list_extras()
    here = ", ".join(extra.name for extra in extras if not extra.missing) or "none"
    missing = [extra for extra in extras if extra.missing]
    if not missing:
        return Finding("extras", OK, f"all installed: {here}")
    absent = "; ".join(f"{extra.name} ({extra.purpose})" for extra in missing)
    return Finding(
        "extras", OK, f"installed: {here}; not installed: {absent}.",
        describe_installation(OWN, *(extra.name for extra in missing)),
        tuple(extra.name for extra in missing),
    )  # fmt: skip


def _check_home(settings: Settings) -> Finding:
    home = settings.home
    if not home.is_dir():
        return Finding("home", WARN, f"{home} does not exist.", "Run 'assay init'.")
    try:
        with tempfile.TemporaryFile(dir=home) as file:
            file.write(b"assay")
    except OSError as error:
        return Finding(
            "home", FAIL, f"{home} is not writable ({error.strerror}).",
            "Check its owner and the free disk space.",
        )  # fmt: skip
    return Finding("home", OK, f"{home} is writable")


def _check_disk(settings: Settings) -> Finding:
    folder = settings.home.absolute()
    while not folder.is_dir():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    space = f"{free / 1e9:.1f} GB free"
    if free < _NO_ROOM:
        return Finding("disk", FAIL, f"{space}.", "Free some disk space before the next run.")
    if free < _LITTLE_ROOM:
        return Finding("disk", WARN, f"{space}.", "A larger corpus will not fit.")
    return Finding("disk", OK, space)


def _check_models(settings: Settings) -> Finding:
    """The model providers, and whether their keys are set and private."""
    names = ", ".join(settings.providers) or "no provider is configured"
    if missing := find_missing_keys(settings):
        reasons = "; ".join(f"{name} has no key, {why}" for name, why in missing.items())
        return Finding(
            "models", WARN, f"{names}; {reasons}.",
            "Set the variable named by key_env before the next run.",
        )  # fmt: skip
    file = settings.home / FILE_NAME
    written = [n for n, p in settings.providers.items() if p.key is not None and p.key_env is None]
    if written and file.exists() and file.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH):
        return Finding(
            "models", WARN, f"{names}; others can read {file}, which contains keys.",
            "Use key_env, or make the file readable only by its owner.",
        )  # fmt: skip
    return Finding("models", OK, names)


def _check_ocr(settings: Settings) -> Finding:
    """Whether scanned pages can be read."""
    here = check_availability(build_ocr_options(settings))
    if here.ok:
        return Finding("ocr", OK, f"Tesseract {here.version}, {', '.join(here.languages)}")
    problem = f"no {', '.join(here.missing)}" if here.version else "no Tesseract"
    return Finding("ocr", WARN, f"{problem}: scans stay blocked.", here.how_to_get)


def _check_packs(settings: Settings) -> Iterator[Finding]:
    """Whether every pack loads and fits the others, and every pack file in the home is valid."""
    try:
        packs = HomePacks(settings.home)
        refuse_names_of_commands(packs.installed)
        validate_packs(packs.installed)
        faults = packs.faults()
    except AssayError as error:
        yield _finding_from_error("packs", error)
        return
    if not faults:
        yield Finding("packs", OK, ", ".join(packs.names()))
        return
    problems = "; ".join(fault.error.what.rstrip(".") for fault in faults)
    yield Finding(
        "packs",
        WARN,
        f"{problems}. Documents for these packs wait.",
        faults[0].error.advice,
        tuple(fault.file.name for fault in faults),
    )


def _run_pack_checks(settings: Settings) -> Iterator[Finding]:
    """Run the packs' own checks, if there is a store."""
    try:
        packs = load_all_packs()
        checks = [(pack, check) for pack in packs.values() for check in pack.checks]
        if not checks:
            return
        with App(settings) as app:
            app.require_pack_tables()
            for pack, check in checks:
                yield _run_pack_check(pack, check, app.services)
    except SchemaMissing:
        return
    except AssayError as error:
        yield _finding_from_error("pack checks", error)


def _run_pack_check(pack: Pack, check: Check, services: Services) -> Finding:
    try:
        is_well, detail = check.run(services)
    # A pack is third-party code: whatever it raises, the other checks still run.
    except (Exception, SystemExit) as error:
        return Finding(
            check.name,
            FAIL,
            f"{pack.name}: the check failed with {type(error).__name__}: {error}.",
            f"Fix the pack '{pack.name}' or uninstall it.",
        )
    level = OK if is_well else WARN
    return Finding(check.name, level, f"{pack.name}: {detail}")


def _check_store(settings: Settings) -> Iterator[Finding]:
    """Check the database, its schema and its workers, as far as each can be reached."""
    try:
        if settings.database_url is None and not Path(settings.home / "assay.db").exists():
            raise SchemaMissing("there is no store yet.")
        engine = open_engine(settings.database, wait_s=settings.database_wait_s, pool_size=1)
    except AssayError as error:
        yield _finding_from_error("database", error)
        return
    try:
        yield Finding("database", OK, _describe_database(engine))
        branches = branches_of(load_all_packs())
        schema.require_current(engine, branches)
        yield _check_schema(engine, branches)
    except AssayError as error:
        is_schema = isinstance(error, InvalidInput | StartupRefused)
        yield _finding_from_error("schema" if is_schema else "database", error)
        return
    finally:
        engine.dispose()
    if settings.home.is_dir():
        yield from _check_application(settings)


def _check_schema(engine: sa.Engine, branches: schema.Branches) -> Finding:
    """The versions of a store that is up to date, and tables that uninstalled packs left in it."""
    with explain_errors(), engine.connect() as connection:
        versions = schema.read_versions(connection)
    current = f"{schema.describe_versions(schema.find_newest_versions(branches))}, current"
    if orphaned := schema.find_orphaned_branches(versions, branches):
        return Finding(
            "schema", WARN,
            f"{current}; the store has tables of packs that are not installed: "
            f"{', '.join(orphaned)}.",
            "They are left in place; install the pack to use them.", tuple(orphaned),
        )  # fmt: skip
    return Finding("schema", OK, current)


def _describe_database(engine: sa.Engine) -> str:
    with explain_errors(), engine.connect() as connection:
        if is_sqlite(connection):
            version = connection.execute(sa.select(sa.func.sqlite_version())).scalar()
            # Only reading from the file itself shows whether it can be read.
            connection.execute(sa.text("PRAGMA schema_version"))
            return f"SQLite {version} responds"
        return f"Postgres {connection.execute(sa.text('SHOW server_version')).scalar()} responds"


def _check_application(settings: Settings) -> Iterator[Finding]:
    """Run the checks that need the application."""
    looks = (("workers", _check_workers), ("spending", check_spending), ("sources", _check_sources))
    for name, look in looks:
        try:
            with App(settings) as app:
                yield look(app)
        except AssayError as error:
            yield _finding_from_error(name, error)


def _check_workers(app: App) -> Finding:
    workers = collect_status(app)["workers"]
    states = ", ".join(f"{w['worker_id']} {w['state']}" for w in workers) or "none yet"
    if any(worker["state"] == "silent" for worker in workers):
        return Finding(
            "workers", WARN, f"{states}.",
            "A silent worker has died or hangs; the next worker takes over its work.",
        )  # fmt: skip
    return Finding("workers", OK, states)


def _check_sources(app: App) -> Finding:
    """Whether a pack reads the documents of every source."""
    unread = list_unread_sources(app)
    if not unread:
        return Finding("sources", OK, "a pack reads each of them")
    reasons = "; ".join(f"{slug}: {reason}" for slug, reason in unread.items())
    return Finding(
        "sources", WARN, f"{reasons}. Their documents are stored but not read.",
        "Add the source again with --pack, or install its pack.", tuple(unread),
    )  # fmt: skip


def _finding_from_error(name: str, error: AssayError) -> Finding:
    level = WARN if isinstance(error, SchemaMissing) else FAIL
    return Finding(name, level, error.what, error.advice)


def _list_settings(session: Session) -> None:
    """List every setting, even if the values in use are invalid: then the list is needed most."""
    fault: AssayError | None = None
    try:
        used = session.settings
    except AssayError as error:
        used, fault = Settings(), error
    rows = [
        {
            "setting": name,
            "value": None if fault else _to_plain(name, getattr(used, name)),
            "default": _to_plain(name, info.get_default(call_default_factory=True)),
            "variable": env_variable_of(name),
            "help": info.description or "",
        }
        for name, info in Settings.model_fields.items()
    ]
    columns = ("setting", "value", "default", "help")
    session.show(
        render_table(columns, [[_format_value(row[name]) for name in columns] for row in rows])
    )
    if fault is not None:
        session.say(f"The values in use cannot be shown: {fault}")
    session.print_json(rows)


def env_variable_of(name: str) -> str | None:
    """The environment variable of a setting; file-only tables have none."""
    return None if name in FILE_ONLY else f"{ENV_PREFIX}{name.upper()}"


def _to_plain(name: str, value: Any) -> Any:
    """A JSON-compatible value, without the password that a URL may contain."""
    if name == "database_url" and value is not None:
        try:
            return sa.make_url(value).render_as_string(hide_password=True)
        except sa.exc.ArgumentError:
            return "(not an address)"
    given = Settings.model_construct(**{name: value})
    # For a table, only what was set; a key is never shown.
    return given.model_dump(mode="json", include={name}, exclude_unset=True)[name]


def _format_value(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    return ", ".join(part if isinstance(part, str) else f"{part:g}" for part in value)
