"""Git repositories as sources: the program, run safely, and the versions that a history holds."""

from assay.sources.git.copies import GitLimits, RepositoryCopies
from assay.sources.git.history import (
    GIT_HISTORY,
    FileVersion,
    GitHistory,
    HistoryCursor,
    HistoryPart,
)
from assay.sources.git.options import HistoryOptions, is_local_repository, parse_history_options

__all__ = [
    "GIT_HISTORY",
    "FileVersion",
    "GitHistory",
    "GitLimits",
    "HistoryCursor",
    "HistoryOptions",
    "HistoryPart",
    "RepositoryCopies",
    "is_local_repository",
    "parse_history_options",
]
