"""Limits on how much work a document may cause its reader."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """How large a document may be; beyond that it is cut with a warning or refused with a reason.

    These are counts, which are cheap to check. Time and memory are limited from outside: a
    document that is worse than these counts can show costs no more than its worker process.
    """

    max_bytes: int = 200_000_000
    """Bytes of the document itself; a larger one is refused."""
    max_characters: int = 5_000_000
    """Characters of text to keep; the rest is left out with a warning."""
    max_pages: int = 2_000
    """Pages of a PDF, which is refused if it has more, or sheets of a workbook, which is cut."""
    max_nodes: int = 1_000_000
    """Elements of a tree: tags of a page, elements of an XML document, values of JSON."""
    max_depth: int = 400
    """How deep elements may be nested; deeper tags of HTML are read, but have no effect."""
    max_unpacked_bytes: int = 200_000_000
    """Total bytes that the parts of a packed document may unpack to."""
    max_unpacked_ratio: int = 200
    """How many times their packed size the parts may grow, once they exceed a megabyte."""
    max_parts: int = 10_000
    """Files inside a packed document."""
    max_rows: int = 200_000
    """Rows to read of a sheet or a table."""
    max_columns: int = 1_000
    """Cells to read of one row."""
    max_tables: int = 2_000
    """Tables to keep as data beside the text."""
    max_table_cells: int = 500_000
    """Cells of all those tables together."""
    max_segments: int = 200_000
    """Links from the text back to the document; lines beyond the limit have none."""
