"""What a decision means for the conflicts of a rule."""

from assay.model.rules import ConflictState, Rule
from assay.ruling.arbiter.rulings import mooted
from assay.ruling.review.desk import Sitting
from assay.ruling.review.judgement import stands
from assay.ruling.review.lookup import dispute_in, rows_of


def settle_conflicts(sitting: Sitting, rule: Rule) -> None:
    """Close the conflicts of a rule that does not stand any more, and look at all it concerns."""
    concerned = {rule.rule_id}
    for conflict in rows_of(sitting.connection, [rule.rule_id]).conflicts:
        if conflict.state == ConflictState.MOOT:
            continue
        dispute = dispute_in(sitting.connection, conflict.conflict_id, sitting.desk.packs)
        if stands(dispute.a) and stands(dispute.b):
            continue
        for change in mooted(dispute, sitting.by.person).changes:
            sitting.carry_out(change)
        concerned |= {conflict.rule_a, conflict.rule_b}
    sitting.look_again(concerned)
