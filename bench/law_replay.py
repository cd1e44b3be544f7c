"""Replay amendments on real law: from an earlier text, through the amending words, to the next one.

    python -m bench.law_replay --notices FR_NOTICES --compiled REGULATIONS_XML [--union LEX_CORPUS]

Reads checkouts of cfpb/fr-notices (the words of the Federal Register) and cfpb/regulations-xml (the
compiled versions of 12 CFR parts) in place. The structured changes of the latter are not used.
With `--union`, also a clone of SFHAJJI/lex-corpus-eu-eurlex: acts of the Union as the Official
Journal printed and as the publisher consolidated them. An act that takes effect in stages is left
out, because only some of its instructions lead to the next version.

Two notices in five are held out by a hash of their names. The held-out notices of the United States
were read once to judge what differs from the compiled copy, so they no longer measure what is
unseen. Of the Union's, only the totals are looked at, with one exception: the differences that the
amending act's words do not explain were read. Three were errors, which were corrected: a heading
with the number of its article, and the same miscounted subparagraph in two regulations. So that
part is unseen except for these.
"""

import argparse
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay.packs.regulatory.acts.amending import apply_operations, parse_amendments
from assay.packs.regulatory.acts.commencement import read_divided
from assay.packs.regulatory.acts.fact_places import find_path_at, index_places
from assay.packs.regulatory.acts.shapes import (
    Act,
    Operation,
    Provision,
    UnclearInstruction,
    join_words,
)
from assay.packs.regulatory.acts.trees import read_act
from bench.law_replay_differences import (
    Sources,
    Verdict,
    judge_difference,
    squeeze,
    squeeze_sources,
)
from bench.law_replay_eregs import is_named, list_named
from bench.law_replay_eu import is_about, list_union_steps
from bench.law_replay_us import Step, list_steps
from bench.report import Report, print_report

_EFFECTIVE = re.compile(
    r"\s*(?:\d+[a-z]?\.\s*)?Effective\s+(\w+)\s+(\d+),\s+(\d{4})", re.IGNORECASE
)
_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)


@dataclass(slots=True)
class Outcome:
    """What a replay of one notice came to."""

    step: Step
    applied: int = 0
    undated: int = 0
    """Applied, but since when is a question to a person."""
    deferred: int = 0
    unclear: int = 0
    wrong: list[str] = field(default_factory=list)
    equal: int = 0
    changed_equal: int = 0
    official: int = 0
    changed: int = 0
    reasons: list[tuple[str, str, str]] = field(default_factory=list)
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    """Whose words those are that differ, for each of `wrong`."""
    named: set[str] = field(default_factory=set)
    """What the operations change."""
    differences: set[str] = field(default_factory=set)
    """Provisions that differ between the two compiled versions."""


def replay(step: Step) -> Outcome:
    """Apply a notice's words to the version before it, and compare with the version after it."""
    found = [
        each
        for each in parse_amendments("notice", step.text, step.tradition)
        if _is_due(step, step.text[each.quote.start : each.quote.end])
        and (step.tradition != "eu" or is_about(each.instrument, step.part))
    ]
    operations = [each for each in found if isinstance(each, Operation)]
    # The compiled versions do not contain the citation of the authority.
    operations = [each for each in operations if each.target != "preamble_authority"]
    unclear = [each for each in found if isinstance(each, UnclearInstruction)]
    act, applied, deferred = apply_operations(step.before, operations)
    undated = _find_undated(step, applied)
    outcome = Outcome(step, len(applied), len(undated), len(deferred), len(unclear))
    for each in deferred:
        quote = step.text[each.operation.quote.start : each.operation.quote.end]
        outcome.reasons.append(("deferred", f"{each.operation.target}: {each.reason}", quote[:160]))
    for item in unclear:
        quote = step.text[item.quote.start : item.quote.end]
        outcome.reasons.append(("unclear", f"{item.target}: {item.reason}", quote[:160]))
    open_paths = [each.operation.target for each in deferred] + [each.target for each in unclear]
    open_paths += [each.operation.renumbered for each in deferred if each.operation.renumbered]
    _compare(outcome, act, applied, open_paths, {_name_place(each) for each in undated})
    outcome.named = {path for each in operations for path in (each.target, each.renumbered) if path}
    return outcome


def _is_due(step: Step, instruction: str) -> bool:
    """Whether an instruction takes effect with this version, if the notice says when."""
    found = _EFFECTIVE.match(instruction)
    if found is None or not step.effective:
        return True
    month = _MONTHS.index(found[1].lower()) + 1 if found[1].lower() in _MONTHS else 0
    return step.effective == f"{found[3]}-{month:02}-{int(found[2]):02}"


def _find_undated(step: Step, applied: Sequence[Operation]) -> list[Operation]:
    """Operations from articles of the amending act of which a part begins on a day of its own."""
    divided = read_divided(step.text, step.tradition)
    if step.tradition != "eu" or not divided.numbers:
        return []
    places = index_places(read_act("notice", step.text), "notice")
    return [
        each for each in applied if divided.contains(_find_article(places, each), each.quote.start)
    ]


def _find_article(places: Sequence[tuple[int, int, str]], operation: Operation) -> str:
    return find_path_at(places, operation.quote.start).partition("__")[0].partition("_")[2]


def _name_place(operation: Operation) -> str:
    return operation.renumbered or operation.target


def _compare(
    outcome: Outcome,
    act: Act,
    applied: Sequence[Operation],
    open_paths: Iterable[str],
    undated: Iterable[str],
) -> None:
    before, ours, official = (
        _texts(each) for each in (outcome.step.before, act, outcome.step.after)
    )
    open_set = set(open_paths)
    outcome.official = len(official)
    outcome.equal = sum(ours.get(path) == text for path, text in official.items())
    changed = [path for path, text in official.items() if before.get(path) != text]
    outcome.changed = len(changed)
    outcome.differences = set(changed) | {path for path in before if path not in official}
    outcome.changed_equal = sum(ours.get(path) == official[path] for path in changed)
    known = [set(each.by_path()) for each in (outcome.step.before, act, outcome.step.after)]
    targets = {_find_compared(_name_place(each), known) for each in applied}
    undated = {_find_compared(each, known) for each in undated}
    sources: Sources | None = None
    for target in sorted(targets):
        if _is_open(target, open_set):
            continue
        mine, theirs = _whole(act, target), _whole(outcome.step.after, target)
        if mine != theirs and not any(
            other != target and target.startswith(other + "__") for other in targets
        ):
            sources = sources or squeeze_sources(
                outcome.step.text, outcome.step.before, outcome.step.after
            )
            verdict = judge_difference(
                act.list_within(target), outcome.step.after.list_within(target), sources
            )
            if verdict is Verdict.ERROR and target in undated:
                verdict = Verdict.LATER
            outcome.wrong.append(target)
            outcome.verdicts[target] = verdict
        elif mine == theirs and _divides_otherwise(target, ours, official):
            outcome.wrong.append(target)
            outcome.verdicts[target] = Verdict.ERROR


def _find_compared(path: str, known: Sequence[Collection[str]]) -> str:
    """The provision that shows a change: sentences and subparagraphs are words of another one, and
    an instruction may leave out a level that has no number."""
    while "__" in path and not any(path in each for each in known):
        path = path.rpartition("__")[0]
    return path


def _divides_otherwise(target: str, ours: Mapping[str, str], official: Mapping[str, str]) -> bool:
    """Whether the same words belong to other parts of a provision."""
    both = set(ours) | set(official)
    inside = [path for path in both if path == target or path.startswith(target + "__")]
    return any(ours.get(path) != official.get(path) for path in inside)


def _is_open(path: str, open_paths: set[str]) -> bool:
    return any(
        not each or path == each or path.startswith(each + "__") or each.startswith(path + "__")
        for each in open_paths
    )


def _texts(act: Act) -> dict[str, str]:
    """Each provision's own words."""
    return {
        each.path: text
        for each in act.provisions
        if _has_words(each) and (text := _squeeze([each])) and not _is_reserved(text)
    }


def _whole(act: Act, path: str) -> str:
    within = act.list_within(path)
    parents = {each.parent for each in within}
    # A consolidated text may keep the number of a deleted point, without words.
    kept = [e for e in within if e.path in parents or _has_words(e)]
    text = _squeeze(kept)
    return "" if _is_reserved(text) else text


def _has_words(provision: Provision) -> bool:
    fields = (provision.heading, provision.opening, provision.closing)
    return any(each.text.strip() for each in fields)


def _squeeze(provisions: Iterable[Provision]) -> str:
    return squeeze(join_words(provisions))


def _is_reserved(text: str) -> bool:
    return bool(re.fullmatch(r"(?:§?[\w()]{0,8})?\[?reserved\]?", text))


def summarise(outcomes: Sequence[Outcome]) -> dict[str, object]:
    total: Counter[str] = Counter()
    verdicts: Counter[Verdict] = Counter()
    for each in outcomes:
        total["applied"] += each.applied
        total["undated"] += each.undated
        verdicts.update(each.verdicts.values())
        total["deferred"] += each.deferred
        total["unclear"] += each.unclear
        total["wrong"] += len(each.wrong)
        total["equal"] += each.equal
        total["official"] += each.official
        total["changed"] += each.changed
        total["changed_equal"] += each.changed_equal
    instructions = total["applied"] + total["deferred"] + total["unclear"]
    return {
        "notices": len(outcomes),
        "instructions": instructions,
        "applied": total["applied"],
        "applied %": round(100 * total["applied"] / max(1, instructions), 1),
        "applied, but since when is a question": total["undated"],
        "deferred": total["deferred"],
        "unclear": total["unclear"],
        "applied but different from the official text": total["wrong"],
        **{f"  {verdict}": verdicts[verdict] for verdict in Verdict},
        "provisions of the official text": total["official"],
        "provisions equal": total["equal"],
        "changed provisions": total["changed"],
        "changed provisions equal": total["changed_equal"],
    }


def measure_naming(
    outcomes: Sequence[Outcome], named: Sequence[set[str]]
) -> tuple[float, dict[str, int]]:
    """How many of the provisions that differ are named, and how many are named in vain."""
    differing = hits = total = vain = 0
    for outcome, paths in zip(outcomes, named, strict=True):
        differing += len(outcome.differences)
        hits += sum(is_named(path, paths) for path in outcome.differences)
        total += len(paths)
        vain += sum(
            not any(each == path or each.startswith(path + "__") for each in outcome.differences)
            for path in paths
        )
    figures = {
        "provisions that differ": differing,
        "of them named": hits,
        "provisions named": total,
        "named, but the official text is the same": vain,
    }
    return round(100 * hits / max(1, differing), 1), figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--notices", type=Path, required=True, help="cfpb/fr-notices")
    parser.add_argument("--compiled", type=Path, required=True, help="cfpb/regulations-xml")
    parser.add_argument("--union", type=Path, help="SFHAJJI/lex-corpus-eu-eurlex")
    parser.add_argument("--eregs", type=Path, help="eregs/regulations-parser, the peer")
    parser.add_argument("--eregs-libraries", type=Path, help="folder with its libraries")
    parser.add_argument("--explain", action="store_true", help="list what was not applied")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    outcomes = [replay(step) for step in list_steps(arguments.notices, arguments.compiled)]
    union = [replay(step) for step in list_union_steps(arguments.union)] if arguments.union else []
    if arguments.explain:
        for each in (*outcomes, *union):
            if not each.step.held_out:
                _explain(each)
    # Notices with several days lead to several versions; naming is measured where there is one.
    single = [each for each in outcomes if not each.step.effective]
    ours, naming = measure_naming(single, [each.named for each in single])
    peers: dict[str, float] = {}
    detail: dict[str, object] = {**_divide(outcomes), "named by Assay": naming}
    if union:
        detail["acts of the Union"] = _divide(union)
    if arguments.eregs and arguments.eregs_libraries:
        steps = [each.step for each in single]
        named = list_named(steps, arguments.eregs, arguments.eregs_libraries)
        peers["eRegs parser"], detail["named by eRegs"] = measure_naming(single, named)
    report = Report(
        name="changed provisions of 12 CFR that the instructions name",
        unit="%",
        better="higher",
        ours=ours,
        peers=peers,
        detail=detail,
    )
    print_report(report, arguments.json)


def _divide(outcomes: Sequence[Outcome]) -> dict[str, object]:
    return {
        "tuned on": summarise([each for each in outcomes if not each.step.held_out]),
        "held out": summarise([each for each in outcomes if each.step.held_out]),
        "all": summarise(outcomes),
    }


def _explain(outcome: Outcome) -> None:
    print(f"== {outcome.step.part} {outcome.step.notice}: {outcome.applied} applied,", end=" ")
    print(
        f"{outcome.deferred} deferred, {outcome.unclear} unclear, {len(outcome.wrong)} wrong,",
        end=" ",
    )
    print(f"{outcome.changed_equal} of {outcome.changed} changed provisions equal")
    for kind, reason, quote in outcome.reasons:
        print(f"   {kind}: {reason} | {quote}")
    for path in outcome.wrong:
        print(f"   different: {path}: {outcome.verdicts[path]}")


if __name__ == "__main__":
    main()
