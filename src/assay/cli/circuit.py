"""`assay circuit` and `assay cooldown`: show open circuits and cooldowns, and end them by hand."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

import typer

from assay.app.circuits import list_circuits, load_provider_states
from assay.app.models import open_ledger
from assay.cli.rendering import Columns, format_time, report_list
from assay.cli.session import AsJson, open_app
from assay.errors import ProviderUnknown
from assay.governor.accounts import list_resting_sources
from assay.governor.standings import unpause_source
from assay.llm.circuit import CircuitState
from assay.logs import Log
from assay.model.ids import suggest_name

circuit = typer.Typer(no_args_is_help=True, help="Show the circuits of providers; close one.")
cooldown = typer.Typer(no_args_is_help=True, help="Show sources in cooldown; end a cooldown.")
log = Log("assay.cli")


@circuit.command()
def status(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Show the circuit of every provider that is configured or was ever called."""
    with open_app(ctx, as_json) as (session, app):
        now_ms = app.clock.now_ms()
        found = list_circuits(app)
    columns: Columns = {
        "provider": "provider",
        "state": "state",
        "since": lambda circuit: format_time(circuit["changed_ms"] or None),
        "failures": "failures",
        "trips": "trips",
        "recovers": lambda circuit: _describe_recovery(circuit, now_ms),
        "reason": "reason",
    }
    empty = "No providers are configured, and none was ever called."
    report_list(session, found, columns, empty)


@circuit.command()
def close(
    ctx: typer.Context,
    provider: Annotated[str, typer.Argument(help="The provider.")],
    as_json: AsJson = False,
) -> None:
    """Allow calls to a provider again, once the cause is fixed."""
    with open_app(ctx, as_json) as (session, app):
        _require_provider(provider, list(load_provider_states(app)))
        before = open_ledger(app).close_circuit(provider)
    was_closed = before.state is CircuitState.CLOSED
    if was_closed:
        session.say(f"The circuit of '{provider}' was already closed.")
    else:
        log.info("circuit_closed", f"An operator closed it; it was {before.state.value}.",
                 provider=provider)  # fmt: skip
        session.say(
            f"The circuit of '{provider}' is closed; it was "
            f"{before.state.value.replace('_', ' ')}: {before.reason}"
        )
    session.print_json({"provider": provider, "closed": not was_closed, "was": before.state.value})


@cooldown.command("list")
def list_(ctx: typer.Context, as_json: AsJson = False) -> None:
    """List sources that are in cooldown or paused, and those with empty answers in a row."""
    with open_app(ctx, as_json) as (session, app):
        resting = list_resting_sources(app.engine, app.clock.now_ms())
    columns: Columns = {
        "source": "source",
        "until": _describe_rest_end,
        "empty in a row": "empties",
        "why": "why",
    }
    found = [asdict(rest) for rest in resting]
    report_list(session, found, columns, "No source is in cooldown or paused.")


@cooldown.command()
def clear(
    ctx: typer.Context,
    source: Annotated[str, typer.Argument(help="The source.")],
    as_json: AsJson = False,
) -> None:
    """End a source's cooldown, and its pause if it is paused; reset its count of empty answers."""
    with open_app(ctx, as_json) as (session, app):
        now_ms = app.clock.now_ms()
        known = list_resting_sources(app.engine, now_ms)
        # Only if something is stored about it: a mistyped name must not become a row.
        rested = any(rest.source == source for rest in known) and open_ledger(app).clear_cooldown(
            source
        )
        unpaused = unpause_source(app.engine, source, now_ms=now_ms)
    if rested or unpaused:
        log.info("cooldown_cleared", "An operator ended a source's cooldown.", source_slug=source)
        session.say(f"Source '{source}' may use models again.")
    else:
        others = ", ".join(rest.source for rest in known if rest.rests and rest.source != source)
        session.say(
            f"Source '{source}' is not in cooldown." + (f" In cooldown: {others}." * bool(others))
        )
    session.print_json({"source": source, "cleared": rested, "unpaused": unpaused})


def _describe_recovery(values: Mapping[str, Any], now_ms: int) -> str:
    state = CircuitState(values["state"])
    if state is CircuitState.LATCHED:
        return f"after 'assay circuit close {values['provider']}'"
    if state is CircuitState.HALF_OPEN:
        return "when its probes succeed"
    if state is CircuitState.OPEN:
        due = values["recovers_ms"] <= now_ms
        return (
            "the next call is a probe" if due else f"{format_time(values['recovers_ms'])}, a probe"
        )
    return ""


def _describe_rest_end(rest: Mapping[str, Any]) -> str:
    if not rest["rests"]:
        return ""
    return "a person clears it" if rest["until_ms"] is None else format_time(rest["until_ms"])


def _require_provider(name: str, known: list[str]) -> None:
    if name in known:
        return
    advice = f"{suggest_name(name, known)}Known providers: {', '.join(known)}."
    raise ProviderUnknown(
        f"There is no provider '{name}'.", advice=advice if known else "None is configured."
    )
