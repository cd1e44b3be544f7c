"""How much a document may ask of its reader."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """What a document may have; past it, it is cut with a warning or refused with a reason.

    These are counts, and cheap to check. Time and memory are limited from outside, where a
    document that is worse than these numbers can tell costs no more than its worker.
    """

    max_bytes: int = 200_000_000
    """Bytes of the document itself; a larger one is refused."""
    max_characters: int = 5_000_000
    """Characters of text that are kept; what follows is left out with a warning."""
    max_pages: int = 2_000
    """Pages of a PDF, which is refused past it, or sheets of a workbook, which is cut."""
    max_nodes: int = 1_000_000
    """Elements of a tree: tags of a page, elements of an XML document, values of JSON."""
    max_depth: int = 400
    """Elements that may stand inside one another; in HTML deeper tags are read, but not obeyed."""
    max_unpacked_bytes: int = 200_000_000
    """Bytes that the parts of a packed document may have together, unpacked."""
    max_unpacked_ratio: int = 200
    """How many times larger than packed the parts may be, once they pass a megabyte."""
    max_parts: int = 10_000
    """Files inside a packed document."""
    max_rows: int = 200_000
    """Rows of a sheet, or of a table, that are read."""
    max_columns: int = 1_000
    """Cells of one row that are read."""
    max_tables: int = 2_000
    """Tables that are kept as data beside the text."""
    max_table_cells: int = 500_000
    """Cells of all those tables together."""
    max_segments: int = 200_000
    """Ways back from the text to the document; lines past it have none."""
