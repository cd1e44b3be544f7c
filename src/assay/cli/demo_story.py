"""The demo's story: what was found, who decided what, and what was released."""

import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.padding import Padding
from rich.text import Text

from assay.app.asking import Reply
from assay.cli.ask import source_said
from assay.cli.session import Session
from assay.cli.show import moment, plural, table
from assay.demo.ending import DemoEnding
from assay.demo.person import DecidedReviews
from assay.ruling.answers import State
from assay.ruling.rules.readable import period_said, value_said
from assay.sdk.demo import Demo

_MOST = 4
"""Conflicts, and rules that wait, which are shown; commands list the others."""
_TIERS = ("T0", "T1", "T2", "T3")


def describe_day(row: Mapping[str, Any]) -> str:
    """A day in one line."""
    words = [
        f"{row['new']} new",
        f"{row['changed']} changed",
        *(f"{row[name]} {name}" for name in ("unchanged", "gone", "skipped") if row[name]),
        *([f"{plural(row['scans_waiting'], 'scan')} waiting"] if row["scans_waiting"] else []),
        *([f"{row['dead']} dead"] if row["dead"] else []),
    ]
    found = ", ".join(plural(row[name], name[:-1]) for name in ("facts", "rules", "conflicts"))
    return f"Day {row['day']}: {', '.join(words)}; {found} ({row['seconds']:.1f} s)."


def tell_story(
    session: Session,
    demos: Mapping[str, Demo],
    endings: Mapping[str, DemoEnding | None],
    counts: Mapping[str, int],
    added: Mapping[str, int],
) -> None:
    """The whole story of each pack; the short one where nothing is new."""
    is_new = any(added[name] for name in ("facts", "rules", "pointers", "decisions", "releases"))
    if not is_new:
        session.say(
            "\nNothing new: no fact, no rule, no pointer, no decision, no release, no model call."
        )
    for name, demo in demos.items():
        ending = endings.get(name)
        if name not in endings:
            _tell_remarks(session, demo)
        if ending is None:
            continue
        if is_new:
            _tell_found(session, demo, ending, counts["model_calls"])
            _tell_decided(session, ending.decided)
            _tell_conflicts(session, ending.conflicts)
        _tell_release(session, ending)
        for question, reply in ending.replies:
            _tell_answer(session, reply, question.command)
    _suggest_commands(session, demos, endings)


def _tell_remarks(session: Session, demo: Demo) -> None:
    for remark in demo.remarks:
        _line(session, remark)


def _tell_found(session: Session, demo: Demo, ending: DemoEnding, model_calls: int) -> None:
    counts = ending.counts
    _head(session, "Facts and rules")
    session.show(
        Text(
            f"{plural(counts['facts'], 'fact')} from {plural(counts['documents'], 'document')} of "
            f"{plural(len(demo.sources), 'publisher')}, each with its exact words; "
            f"{plural(counts['rejected'], 'claim')} refused; {plural(model_calls, 'model call')}."
        )
    )
    if ending.scans_waiting:
        _line(
            session,
            f"{plural(ending.scans_waiting, 'scanned document')} "
            f"{'waits' if ending.scans_waiting == 1 else 'wait'}: Tesseract is not installed. "
            "'assay doctor' says how to get it.",
        )
    tiers = [tier for tier in _TIERS if any(tier in found for found in ending.rules.values())]
    rows = [
        [status, *(found.get(tier, 0) for tier in tiers)] for status, found in ending.rules.items()
    ]
    session.show(table(["rules", *tiers], rows))
    _tell_remarks(session, demo)
    rows = [
        [reason, asked["open"], moment(asked["deadline_ms"])]
        for reason, asked in ending.questions.items()
    ]
    if rows:
        session.show(table(["a person is asked because of", "questions", "first answer by"], rows))


def _tell_decided(session: Session, decided: DecidedReviews | None) -> None:
    if decided is None:
        return
    _head(session, "A person decides")
    _line(
        session,
        f"{decided.person} decides {plural(len(decided.resolved), 'conflict')} as the machine "
        f"recommends, approves {plural(len(decided.approved), 'rule')}, and leaves "
        + (f"{len(decided.left)} waiting:" if decided.left else "nothing waiting."),
    )
    for left in sorted(decided.left, key=lambda left: (left.tier or "T9", left.concept))[:_MOST]:
        tier = f" ({left.tier})" if left.tier else ""
        _line(session, f"{left.concept}{tier}: {left.why}", 2)
    _more(session, len(decided.left), "review list")


def _tell_conflicts(session: Session, conflicts: Sequence[Mapping[str, Any]]) -> None:
    _head(session, "Conflicts")
    for conflict in _telling(conflicts):
        first, second = conflict["sides"]
        link = "not" if conflict["winner"] else "or"
        _line(
            session,
            f"{conflict['concept']} ({conflict['tier']}): {first['said']}, {first['source']}; "
            f"{link} {second['said']}, {second['source']}",
            2,
        )
        _line(session, _decision_said(conflict), 4)
    _more(session, len(conflicts), "conflicts list --all")


def _decision_said(conflict: Mapping[str, Any]) -> str:
    if conflict["decided_by"] is None:
        return "open: nothing tells the two apart, so a person has to decide"
    return f"ground: {conflict['ground']}; decided by {conflict['decided_by']}"


def _telling(conflicts: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """One for each concept, those first in which the ranks differ most, and an open one."""
    best: dict[str, Mapping[str, Any]] = {}
    for conflict in sorted(conflicts, key=_gap, reverse=True):
        key = conflict["concept"] if conflict["decided_by"] else "open"
        best.setdefault(key, conflict)
    undecided = [best.pop("open")] if "open" in best else []
    return [*list(best.values())[: _MOST - len(undecided)], *undecided]


def _gap(conflict: Mapping[str, Any]) -> tuple[bool, int, str]:
    first, second = conflict["sides"]
    by_machine = conflict["decided_by"] == "the machine"
    return by_machine, abs(first["hierarchy"] - second["hierarchy"]), str(conflict["conflict_id"])


def _tell_release(session: Session, ending: DemoEnding) -> None:
    release, proof = ending.release, ending.proof
    _head(session, "Release")
    made = "" if ending.created.release is not None else "still "
    held = len({fault.rule_id for fault in ending.created.plan.waiting})
    _line(
        session,
        f"{release.pack} {release.version} is {made}current: {plural(release.rule_count, 'rule')}. "
        + (
            f"{held} approved rules are held back: "
            "only one source that is not official supports each."
            if held
            else ""
        ),
    )
    verdict = "Verified" if proof.ok else f"NOT SOUND ({'; '.join(proof.faults[:3])})"
    _line(
        session,
        f"{verdict}: {plural(proof.quotes, 'quote')} in {plural(proof.documents, 'document')}, "
        f"manifest {release.manifest_hash[:16]}…",
    )


def _tell_answer(session: Session, reply: Reply, command: str) -> None:
    answer = reply.answer
    session.say("")
    session.say(Text(f"$ assay {command}", style="bold"))
    if answer.state is State.NONE:
        _line(session, "No rule of the release holds for this.", 2)
    for found in answer.found:
        rule = found.rules[0]
        said = value_said(found.value, found.value_type, found.unit)
        period = period_said(rule.effective_from, rule.effective_until)
        _line(session, f"{said}, {period}; approved by {rule.approved_by or 'the policy'}", 2)
        source = rule.sources[0]
        _line(session, f"“{' '.join(source.quote.split())}”", 2)
        _line(session, source_said(source), 2)
        quotes = sum(len(rule.sources) for rule in found.rules)
        _line(session, f"{plural(quotes, 'quote')}; release {reply.release.version}", 2)


def _suggest_commands(
    session: Session, demos: Mapping[str, Demo], endings: Mapping[str, DemoEnding | None]
) -> None:
    """Commands that lead on."""
    commands: list[str] = []
    for name, demo in demos.items():
        if (ending := endings.get(name)) is not None:
            commands += _ruling_commands(name, demo, ending, only=len(demos) == 1)
        commands += demo.try_next
    commands += ["audit verify", "demo      again: nothing is done twice"]
    call = f"{_own_name()} --home {session.settings.home}"
    session.say("\nTry next:\n" + "\n".join(f"  {call} {command}" for command in commands))


def _ruling_commands(name: str, demo: Demo, ending: DemoEnding, *, only: bool) -> list[str]:
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


def ending_values(ending: DemoEnding | None) -> dict[str, Any]:
    """The same for a machine."""
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


def _head(session: Session, title: str) -> None:
    session.say("")
    session.say(Text(title, style="bold"))


def _line(session: Session, words: str, indent: int = 0) -> None:
    session.show(Padding(Text(words), (0, 0, 0, indent), expand=False))


def _more(session: Session, count: int, command: str) -> None:
    if count > _MOST:
        _line(session, f"and {count - _MOST} more: assay {command}", 2)


def _own_name() -> str:
    """What to type to get this program again: its path, where the shell would not find it."""
    called = Path(sys.argv[0])
    if called.name == "assay" and shutil.which("assay") != str(called.absolute()):
        return str(called)
    return "assay"
