"""How a listing that was tried is shown to a person."""

from assay.app.source_proposals import TriedListing
from assay.cli.rendering import pluralize
from assay.cli.session import Session
from assay.sources.listing import ListedItem
from assay.sources.proposals import SelectorCount

_SHOWN = 5
_SAME = " " * 12


def report_trial(session: Session, tried: TriedListing) -> None:
    """Say what a look would find, which selectors match, and what looks wrong."""
    trial, listing = tried.trial, tried.trial.listing
    count = len(listing.items)
    found = "nothing" if not count else "1 entry" if count == 1 else f"{count} entries"
    session.say(f"{tried.url} read as {tried.strategy}: {found}.")
    for option, value in tried.options.model_dump(mode="json", exclude_unset=True).items():
        matched = next((s for s in trial.selectors if s.option == option), None)
        session.say(f"  {option}: {_format_option(value)}{_describe_matches(matched)}")
    for item in listing.items[:_SHOWN]:
        _show_entry(session, item)
    if count > _SHOWN:
        session.say(f"  … and {count - _SHOWN} more; --json shows all.")
    if listing.parts:
        further = pluralize(len(listing.parts), "further page")
        session.say(f"It continues on {further}, the first at {listing.parts[0].url}.")
    if trial.error:
        session.say(f"Cannot be read: {trial.error}")
    for doubt in (*tried.notes, *trial.doubts):
        session.say(f"Look at this: {doubt}")
    if not count and (reason := explain_nothing(tried)):
        session.say(reason)


def explain_nothing(tried: TriedListing) -> str:
    """Which selector is the first that matches nothing; empty if every one of them does."""
    empty = next((s for s in tried.trial.selectors if not s.matches and s.option != "next"), None)
    if empty is None:
        return ""
    places = "" if empty.within <= 1 else f" in any of {empty.within} places"
    return f"{empty.option}={empty.written} matches nothing{places}."


def _show_entry(session: Session, item: ListedItem) -> None:
    when = item.published or item.changed or "no date"
    session.say(f"  {when[:10]:<10}  {item.title or '(no title)'}")
    session.say(f"  {_SAME}{item.url}")


def _format_option(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _describe_matches(counted: SelectorCount | None) -> str:
    if counted is None:
        return ""
    if counted.option in ("within", "item", "items", "next"):
        return f"  ({pluralize(counted.matches, 'match', 'matches')})"
    return f"  (in {counted.matches} of {counted.within})"
