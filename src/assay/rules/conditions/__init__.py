"""AppliesWhen: for whom and for what a rule holds.

`parse` reads a condition, `holds` decides it, `rendered` says it, `canonical` compares it.
"""

from assay.rules.conditions.canonical import (
    as_json,
    canonical,
    is_always,
    is_never,
    same,
    simplified,
    specificity,
)
from assay.rules.conditions.evaluating import Explanation, explained, holds, missing_fields
from assay.rules.conditions.nodes import Condition, fields_of
from assay.rules.conditions.parsing import parse, parse_text
from assay.rules.conditions.rendering import explained_lines, rendered
from assay.rules.conditions.situations import situation_of

__all__ = [
    "Condition",
    "Explanation",
    "as_json",
    "canonical",
    "explained",
    "explained_lines",
    "fields_of",
    "holds",
    "is_always",
    "is_never",
    "missing_fields",
    "parse",
    "parse_text",
    "rendered",
    "same",
    "simplified",
    "situation_of",
    "specificity",
]
