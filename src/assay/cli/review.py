"""Questions to a person: what Assay cannot decide by itself."""

import typer

from assay.app.questions import open_questions
from assay.cli.jobs import Limit
from assay.cli.session import AsJson, session_of
from assay.cli.show import moment, table

review = typer.Typer(no_args_is_help=True, help="Look at questions that wait for a person.")


@review.command("list")
def list_(ctx: typer.Context, limit: Limit = 50, as_json: AsJson = False) -> None:
    """Open questions, the most urgent first."""
    session = session_of(ctx, as_json)
    with session.app() as app:
        found, left_out = open_questions(app, limit)
        now_ms = app.clock.now_ms()
    session.show(
        table(
            ["about", "source", "reason", "answer by", "question"],
            [
                [f"{q['subject_kind']} {q['subject']}", q["source_slug"], q["reason"],
                 _deadline(q["deadline_ms"], now_ms), q["question"]]
                for q in found
            ],
        )
    )  # fmt: skip
    if left_out:
        session.say(f"{left_out} more; --limit shows them.")
    session.give(found)


def _deadline(deadline_ms: int, now_ms: int) -> str:
    return moment(deadline_ms) + (" (over)" if deadline_ms < now_ms else "")
