"""The demo's report: what was found, who decided what, and what was released."""

import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.constrain import Constrain
from rich.markdown import Markdown
from rich.padding import Padding
from rich.text import Text

from assay.app.asking import ReleaseAnswer
from assay.cli.ask import describe_quotation
from assay.cli.rendering import format_time, pluralize, render_table
from assay.cli.session import Session
from assay.demo.result import DemoResult
from assay.demo.reviewer import ReviewRound
from assay.model.rules import Resolution
from assay.ruling.answers import AnswerState
from assay.ruling.rules.descriptions import describe_period, describe_value
from assay.sdk.demo import Demo

_MOST = 4
"""How many conflicts and waiting rules are shown; commands list the others."""
_TEXT_WIDTH = 100
"""Columns for a text in paragraphs, if the terminal is that wide."""
_TIERS = ("T0", "T1", "T2", "T3")


def describe_day(row: Mapping[str, Any]) -> str:
    """A day in one line."""
    words = [
        f"{row['new']} new",
        f"{row['changed']} changed",
        *(f"{row[name]} {name}" for name in ("unchanged", "gone", "skipped") if row[name]),
        *([f"{pluralize(row['scans_waiting'], 'scan')} waiting"] if row["scans_waiting"] else []),
        *([f"{row['dead']} dead"] if row["dead"] else []),
    ]
    found = ", ".join(pluralize(row[name], name[:-1]) for name in ("facts", "rules", "conflicts"))
    return f"Day {row['day']}: {', '.join(words)}; {found} ({row['seconds']:.1f} s)."


def show_story(
    session: Session,
    demos: Mapping[str, Demo],
    endings: Mapping[str, DemoResult | None],
    epilogues: Mapping[str, str],
    counts: Mapping[str, int],
    added: Mapping[str, int],
) -> None:
    """The whole story of each pack; a short one if nothing is new."""
    is_new = any(
        added[name] for name in ("documents", "facts", "rules", "pointers", "decisions", "releases")
    )
    if not is_new:
        session.say(
            "\nNothing new: no document, no fact, no rule, no pointer, no decision, no release, "
            "no model call."
        )
    for name, demo in demos.items():
        ending = endings.get(name)
        if name not in endings:
            _show_remarks(session, demo)
        if ending is None:
            continue
        if is_new:
            _show_facts(session, demo, ending, counts["model_calls"])
            _show_reviews(session, ending.decided)
            _show_conflicts(session, ending.conflicts)
        _show_release(session, ending)
        for question, reply in ending.replies:
            _show_answer(session, reply, question.command)
    for epilogue in epilogues.values() if is_new else ():
        _show_epilogue(session, epilogue)
    _suggest_commands(session, demos, endings)


def _show_remarks(session: Session, demo: Demo) -> None:
    for remark in demo.remarks:
        _show_line(session, remark)


def _show_facts(session: Session, demo: Demo, ending: DemoResult, model_calls: int) -> None:
    counts = ending.counts
    _show_heading(session, "Facts and rules")
    session.show(
        Text(
            f"{pluralize(counts['facts'], 'fact')} from "
            f"{pluralize(counts['documents'], 'document')} of "
            f"{pluralize(len(demo.sources), 'publisher')}, each with its exact quote; "
            f"{pluralize(counts['rejected'], 'claim')} rejected; "
            f"{pluralize(model_calls, 'model call')}."
        )
    )
    if ending.scans_waiting:
        _show_line(
            session,
            f"{pluralize(ending.scans_waiting, 'scanned document')} "
            f"{'waits' if ending.scans_waiting == 1 else 'wait'}: Tesseract is not installed. "
            "'assay doctor' shows how to install it.",
        )
    tiers = [tier for tier in _TIERS if any(tier in found for found in ending.rules.values())]
    rows = [
        [status, *(found.get(tier, 0) for tier in tiers)] for status, found in ending.rules.items()
    ]
    session.show(render_table(["rules", *tiers], rows))
    _show_remarks(session, demo)
    rows = [
        [reason, asked["open"], format_time(asked["deadline_ms"])]
        for reason, asked in ending.questions.items()
    ]
    if rows:
        session.show(render_table(["reason to ask a person", "questions", "first answer by"], rows))


def _show_reviews(session: Session, decided: ReviewRound | None) -> None:
    if decided is None:
        return
    _show_heading(session, "A person decides")
    _show_line(
        session,
        f"{decided.person} decides {pluralize(len(decided.resolved), 'conflict')} as the machine "
        f"recommends, approves {pluralize(len(decided.approved), 'rule')}, and leaves "
        + (f"{len(decided.left)} waiting:" if decided.left else "nothing waiting."),
    )
    for left in sorted(decided.left, key=lambda left: (left.tier or "T9", left.concept))[:_MOST]:
        tier = f" ({left.tier})" if left.tier else ""
        _show_line(session, f"{left.concept}{tier}: {left.why}", 2)
    _show_remainder(session, len(decided.left), "review list")


_LINKS = {Resolution.RULE_PREVAILS.value: "not", Resolution.IN_TURN.value: "then"}


def _show_conflicts(session: Session, conflicts: Sequence[Mapping[str, Any]]) -> None:
    _show_heading(session, "Conflicts")
    for conflict in _select_conflicts(conflicts):
        link = _LINKS.get(conflict["resolution"], "or")
        # Of those that say the same, the first speaks for all.
        first = {side["display"]: side for side in reversed(conflict["sides"])}
        sides = [f"{s['display']}, {s['source']}" for s in reversed(first.values())]
        shown = f"; {link} ".join(sides[:_MOST])
        more = f"; and {len(sides) - _MOST} more" if len(sides) > _MOST else ""
        _show_line(session, f"{conflict['concept']} ({conflict['tier']}): {shown}{more}", 2)
        _show_line(session, _describe_decision(conflict), 4)
    _show_remainder(session, len(conflicts), "conflicts list --all")


def _describe_decision(conflict: Mapping[str, Any]) -> str:
    if conflict["decided_by"] is None:
        return "open: nothing decides between them, so a person has to"
    return f"ground: {conflict['ground']}; decided by {conflict['decided_by']}"


def _select_conflicts(conflicts: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """One for each concept, starting with those whose ranks differ most, and an open one."""
    best: dict[str, Mapping[str, Any]] = {}
    for conflict in sorted(conflicts, key=_rank_conflict, reverse=True):
        key = conflict["concept"] if conflict["decided_by"] else "open"
        best.setdefault(key, conflict)
    undecided = [best.pop("open")] if "open" in best else []
    return [*list(best.values())[: _MOST - len(undecided)], *undecided]


def _rank_conflict(conflict: Mapping[str, Any]) -> tuple[bool, int, str]:
    ranks = [side["hierarchy"] for side in conflict["sides"]]
    by_machine = conflict["decided_by"] == "the machine"
    return by_machine, max(ranks) - min(ranks), str(conflict["conflict_id"])


def _show_release(session: Session, ending: DemoResult) -> None:
    release, proof = ending.release, ending.proof
    _show_heading(session, "Release")
    made = "" if ending.created.release is not None else "still "
    held = len({fault.rule_id for fault in ending.created.plan.waiting})
    _show_line(
        session,
        f"{release.pack} {release.version} is {made}current: "
        f"{pluralize(release.rule_count, 'rule')}. "
        + (
            f"{held} approved rules are held back: "
            "only one source that is not official supports each."
            if held
            else ""
        ),
    )
    verdict = "Verified" if proof.ok else f"FAILED VERIFICATION ({'; '.join(proof.faults[:3])})"
    _show_line(
        session,
        f"{verdict}: {pluralize(proof.quotes, 'quote')} in "
        f"{pluralize(proof.documents, 'document')}, "
        f"manifest {release.manifest_hash[:16]}…",
    )


def _show_answer(session: Session, reply: ReleaseAnswer, command: str) -> None:
    answer = reply.answer
    session.say("")
    session.say(Text(f"$ assay {command}", style="bold"))
    if answer.state is AnswerState.NONE:
        _show_line(session, "No rule in the release applies.", 2)
    if answer.state is AnswerState.AS_WORDED:
        _show_line(session, "Applies as its provision says:", 2)
    for found in answer.found:
        rule = found.rules[0]
        value = describe_value(found.value, found.value_type, found.unit)
        period = describe_period(rule.effective_from, rule.effective_until)
        _show_line(session, f"{value}, {period}; approved by {rule.approved_by or 'the policy'}", 2)
        source = rule.sources[0]
        _show_line(session, f"“{' '.join(source.quote.split())}”", 2)
        _show_line(session, describe_quotation(source), 2)
        quotes = sum(len(rule.sources) for rule in found.rules)
        _show_line(session, f"{pluralize(quotes, 'quote')}; release {reply.release.version}", 2)


def _show_epilogue(session: Session, epilogue: str) -> None:
    """Its first line as a heading like the others, and links by their names only."""
    title, _, text = epilogue.partition("\n")
    _show_heading(session, title.removeprefix("# "))
    session.show(Constrain(Markdown(text), _TEXT_WIDTH))


_ADDRESS = "http://127.0.0.1:8080"
"""Where `assay serve` listens if it is told nothing else."""


def _suggest_commands(
    session: Session, demos: Mapping[str, Demo], endings: Mapping[str, DemoResult | None]
) -> None:
    """Suggest commands to try next."""
    commands: list[str] = []
    for name, demo in demos.items():
        if (ending := endings.get(name)) is not None:
            commands += _suggest_ruling_commands(name, demo, ending, only=len(endings) == 1)
        commands += demo.try_next
    commands += ["audit verify", "demo      again: no work is repeated"]
    call = f"{_find_own_command()} --home {session.settings.home}"
    session.say("\nTry next:\n" + "\n".join(f"  {call} {command}" for command in commands))
    session.say(f"\nOr look at all of it in a browser:\n  {call} serve      then open {_ADDRESS}")


def _suggest_ruling_commands(name: str, demo: Demo, ending: DemoResult, *, only: bool) -> list[str]:
    left = () if ending.decided is None else ending.decided.left
    waiting = [entry.subject for entry in left if entry.tier == "T0"]
    of_pack = "" if only else f" --pack {name}"
    return [
        "review list",
        *(f"review show {subject}" for subject in waiting[:1]),
        *(question.command for question in demo.questions[:1]),
        f"release verify --deep{of_pack}",
        f"release export demo-release{of_pack}",
    ]


def demo_result_as_json(ending: DemoResult | None) -> dict[str, Any]:
    """The same as JSON."""
    if ending is None:
        return {}
    decided, proof = ending.decided, ending.proof
    return {
        "rules": ending.rules,
        "questions": ending.questions,
        "scans_waiting": ending.scans_waiting,
        "person": None if decided is None else asdict(decided),
        "conflicts": ending.conflicts,
        "release": {
            **ending.release.row(),
            "new": ending.created.release is not None,
            "held_back": [asdict(fault) for fault in ending.created.plan.waiting],
        },
        "verified": {"ok": proof.ok, "quotes": proof.quotes, "documents": proof.documents,
                     "faults": list(proof.faults)},
        "answers": [reply.values() for _, reply in ending.replies],
    }  # fmt: skip


def _show_heading(session: Session, title: str) -> None:
    session.say("")
    session.say(Text(title, style="bold"))


def _show_line(session: Session, words: str, indent: int = 0) -> None:
    session.show(Padding(Text(words), (0, 0, 0, indent), expand=False))


def _show_remainder(session: Session, count: int, command: str) -> None:
    if count > _MOST:
        _show_line(session, f"and {count - _MOST} more: assay {command}", 2)


def _find_own_command() -> str:
    """What to type to run this program again: its path, if the shell would not find it."""
    called = Path(sys.argv[0])
    if called.name == "assay" and shutil.which("assay") != str(called.absolute()):
        return str(called)
    return "assay"
