"""The second half of `assay eval`: how good the rules in a release would be."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Group
from rich.text import Text

from assay.app.evaluation import CorpusPart, evaluate_rules
from assay.cli.rendering import pluralize, render_table
from assay.cli.session import Session
from assay.demo.corpus_release import CorpusRelease, release_corpus
from assay.ruling.evaluation.rule_scoring import RuleScore, RuleTally
from assay.sdk.demo import Demo

_COLUMNS = (
    "rules", "part", "known", "found", "precision", "recall", "named P", "named R", "dated P",
)  # fmt: skip


@dataclass(frozen=True)
class RuleEvaluation:
    """The rules of one part: those in the release, and those together with what it holds back."""

    part: str
    released: RuleScore
    approved: RuleScore


def evaluate_released_rules(
    session: Session, pack: str, demo: Demo, parts: Sequence[CorpusPart]
) -> tuple[CorpusRelease, list[RuleEvaluation]]:
    """Run the whole pipeline over the corpus, and compare released rules with the known ones."""
    if not session.json:
        session.err.print(Text("running the whole pipeline over the corpus for the rules"))
    judged = release_corpus(session.settings, pack, demo, parts)
    return judged, [
        RuleEvaluation(
            part.name,
            released=evaluate_rules(part, judged.rules_of_part(part.name)),
            approved=evaluate_rules(part, judged.rules_of_part(part.name, held_back=True)),
        )
        for part in parts
    ]


def rule_evaluation_as_json(judged: CorpusRelease, entry: RuleEvaluation) -> dict[str, Any]:
    """The evaluation as JSON."""
    return {
        "release": judged.manifest_hash,
        "values_outside_their_quotes": judged.outside_quotes,
        "t0_t1_without_a_person": judged.without_person,
        "released": _score_as_json(entry.released),
        "with_held_back": _score_as_json(entry.approved),
    }


def _score_as_json(score: RuleScore) -> dict[str, Any]:
    return {
        **score.overall.to_dict(),
        "by_predicate": {name: tally.to_dict() for name, tally in score.by_predicate.items()},
        "missing": [rule.model_dump(exclude_defaults=True) for rule in score.missing],
        "surplus": [_rule_as_json(asdict(rule)) for rule in score.surplus],
        "forbidden": [_rule_as_json(asdict(rule)) for rule, _ in score.forbidden],
    }


def _rule_as_json(rule: Mapping[str, Any]) -> dict[str, Any]:
    return {**rule, "documents": sorted(rule["documents"])}


def render_rule_scores(judged: CorpusRelease, found: Sequence[RuleEvaluation]) -> Group:
    """The evaluation as a person sees it."""
    rows: list[list[object]] = []
    for label, pick in (("released", _pick_released), ("with held back", _pick_approved)):
        for entry in found:
            rows.append([label, entry.part, *_format_figures(pick(entry).overall)])
    forbidden = sum(len(entry.released.forbidden) for entry in found)
    return Group(
        render_table(_COLUMNS, rows),
        Text(
            f"{pluralize(len(judged.released), 'rule')} released, {len(judged.held_back)} "
            "held back "
            "because only one source that is not official supports each; "
            f"{forbidden} released that should not be."
        ),
        Text(
            f"{judged.outside_quotes} released values outside their quotes, "
            f"{judged.without_person} rules of tier T0 or T1 not approved by a person."
        ),
    )


def render_missed_rules(entry: RuleEvaluation) -> Group:
    """The known rules that were not approved, and the approved rules that are not known."""
    missing = [(r.concept, f"{r.value} {r.unit}", ", ".join(r.documents))
               for r in entry.approved.missing]  # fmt: skip
    surplus = [(r.concept, f"{r.value} {r.unit}", ", ".join(sorted(r.documents)))
               for r in entry.approved.surplus]  # fmt: skip
    columns = ("concept", "value", "documents")
    return Group(
        render_table(columns, missing, title=f"{entry.part}: missing rules"),
        render_table(columns, surplus, title=f"{entry.part}: surplus rules"),
    )


def _pick_released(entry: RuleEvaluation) -> RuleScore:
    return entry.released


def _pick_approved(entry: RuleEvaluation) -> RuleScore:
    return entry.approved


def _format_figures(tally: RuleTally) -> list[object]:
    shares = (
        tally.precision,
        tally.recall,
        tally.named_precision,
        tally.named_recall,
        tally.dated_precision,
    )
    return [tally.known, tally.released, *("-" if s is None else f"{s:.3f}" for s in shares)]
