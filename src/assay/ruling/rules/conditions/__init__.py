"""AppliesWhen: for whom and for what a rule holds.

`parse` reads a condition, `holds` decides it, `rendered` says it, `canonical` compares it.
"""

from assay.ruling.rules.conditions.canonical import (
    as_json,
    canonical,
    is_always,
    is_never,
    same,
    simplified,
    specificity,
)
from assay.ruling.rules.conditions.evaluating import Explanation, explained, holds, missing_fields
from assay.ruling.rules.conditions.nodes import Condition, fields_of
from assay.ruling.rules.conditions.parsing import parse, parse_text
from assay.ruling.rules.conditions.rendering import explained_lines, rendered
from assay.ruling.rules.conditions.situations import situation_of

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
