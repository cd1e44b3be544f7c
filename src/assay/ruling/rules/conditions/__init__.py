"""AppliesWhen: the conditions under which a rule applies.

`parse_condition` reads a condition, `condition_holds` evaluates it in a situation,
`render_condition` puts it into words, and `to_canonical_bytes` makes it comparable.
"""

from assay.ruling.rules.conditions.canonical_form import (
    as_json,
    compute_specificity,
    is_always,
    is_never,
    is_same_condition,
    simplify_condition,
    to_canonical_bytes,
)
from assay.ruling.rules.conditions.evaluation import (
    Explanation,
    condition_holds,
    explain_condition,
    find_missing_fields,
    parse_situation,
)
from assay.ruling.rules.conditions.nodes import WORDING_FIELD, Condition, fields_of
from assay.ruling.rules.conditions.parsing import parse_condition, parse_condition_text
from assay.ruling.rules.conditions.rendering import render_condition, render_explanation

__all__ = [
    "WORDING_FIELD",
    "Condition",
    "Explanation",
    "as_json",
    "compute_specificity",
    "condition_holds",
    "explain_condition",
    "fields_of",
    "find_missing_fields",
    "is_always",
    "is_never",
    "is_same_condition",
    "parse_condition",
    "parse_condition_text",
    "parse_situation",
    "render_condition",
    "render_explanation",
    "simplify_condition",
    "to_canonical_bytes",
]
