"""`assay regulatory`: the acts that are stored, and what their provisions said when."""

from datetime import date
from typing import Annotated

import typer
from rich.text import Text

from assay.packs.regulatory.act_histories import list_acts, read_act_history
from assay.packs.regulatory.acts.provision_history import ProvisionVersion, select_provision
from assay.sdk.commands import AsJson, pluralize, render_table, session_of
from assay.sdk.errors import InvalidInput, NotFound


def commands() -> typer.Typer:
    """The commands of this pack."""
    group = typer.Typer(no_args_is_help=True, help="Read acts as they were on a day.")
    group.command("acts")(show_acts)
    group.command("show")(show)
    return group


def show_acts(ctx: typer.Context, as_json: AsJson = False) -> None:
    """List the acts of which a text is stored, with their versions and amendments."""
    session = session_of(ctx, as_json)
    found = session.run(list_acts)
    if found:
        session.show(render_table(list(found[0]), [list(row.values()) for row in found]))
    else:
        session.say("No acts yet. 'assay run' fetches and reads what the sources publish.")
    session.print_json(found)


def show(
    ctx: typer.Context,
    act: Annotated[str, typer.Argument(help="The title of the act, or a part of it.")],
    provision: Annotated[
        str, typer.Option("--provision", help="Only this provision, such as art_2__para_1.")
    ] = "",
    as_of: Annotated[
        str, typer.Option("--as-of", help="Only what applies on this date, YYYY-MM-DD.")
    ] = "",
    source: Annotated[
        str | None, typer.Option(help="The source, if several publish the act.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show every wording of an act's provisions, and the days on which each applies."""
    session = session_of(ctx, as_json)
    _check_day(as_of)
    row, found = session.run(lambda services: read_act_history(services, act, source))
    chosen = select_provision(found, provision, as_of)
    if not chosen:
        of = f"provision {provision} of " if provision else ""
        when = f" on {as_of}" if as_of else ""
        raise NotFound(
            f"No text of {of}“{row.title}”{when} is stored.",
            advice="Show all of it with 'assay regulatory show', without options.",
        )
    for one in chosen:
        session.show(Text(f"{one.provision.path}  {describe_period(one, as_of)}", style="bold"))
        session.show(Text(one.text + "\n"))
    session.say(f"{row.title}: {pluralize(len(chosen), 'wording')}.")
    session.print_json([_describe_wording(one, as_of) for one in chosen])


def describe_period(one: ProvisionVersion, day: str = "") -> str:
    """When a wording applies, in words; on a day, also whether that is certain."""
    words = ["since before the first known version" if not one.start else f"from {one.start}"]
    if one.start_since:
        words = [f"from some day between {one.start_since} and {one.start}"]
    if one.until_since:
        words.append(f"until some day between {one.until_since} and {one.until}")
    elif one.until:
        words.append(f"until {one.until} (excluded)")
    if day and not one.is_certain_on(day):
        words.append(f"uncertain on {day}")
    return ", ".join(words)


def _check_day(text: str) -> None:
    try:
        date.fromisoformat(text or "2000-01-01")
    except ValueError as error:
        raise InvalidInput(f"'{text}' is not a valid date.", advice="Use YYYY-MM-DD.") from error


def _describe_wording(one: ProvisionVersion, day: str) -> dict[str, object]:
    return {
        "provision": one.provision.path,
        "from": one.start or None,
        "from_since": one.start_since or None,
        "until": one.until or None,
        "until_since": one.until_since or None,
        "came_about": one.came_about.value,
        "moved_from": one.moved_from or None,
        "text": one.text,
        "evidence": list(one.sources),
        **({"certain": one.is_certain_on(day)} if day else {}),
    }
