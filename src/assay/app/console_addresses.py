"""Which addresses belong to the console and the API; nothing of them is loaded to know that."""

from typing import Final

CONSOLE_ROOTS: Final = frozenset(
    {
        "amendments",
        "api",
        "ask",
        "budget",
        "conflicts",
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
        "tokens",
        "users",
    }
)
"""The first names of their paths; a pack can claim no address that begins with one."""
