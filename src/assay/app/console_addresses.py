"""Which addresses belong to the console and the API; nothing of them is loaded to know that."""

from typing import Final

CONSOLE_ROOTS: Final = frozenset(
    {
        "account",
        "api",
        "ask",
        "auth",
        "budget",
        "concepts",
        "conflicts",
        "dead-letters",
        "documents",
        "evidence",
        "feeds",
        "health",
        "jobs",
        "login",
        "logout",
        "metrics",
        "releases",
        "review",
        "rules",
        "runs",
        "sources",
        "static",
    }
)
"""The first names of their paths; a pack can claim no address that begins with one."""
