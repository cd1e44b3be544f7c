"""Whether a sentence asserts what it says, or denies, supposes, reports, asks or wishes it."""

from assay.reading.statements.judging import (
    LANGUAGES,
    JudgedStatement,
    StatementMode,
    judge_quote,
    judge_statement,
)

__all__ = ["LANGUAGES", "JudgedStatement", "StatementMode", "judge_quote", "judge_statement"]
