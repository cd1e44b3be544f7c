"""What elements mean in the vocabularies in which laws and feeds are published.

Names are compared without their prefix and in small letters. A vocabulary that is not known here
is read as well: what stands among words is taken for part of the line, all else for a line.
"""

from typing import Final

from assay.reading.result import MarkKind

METADATA: Final = frozenset(
    {"bib.instance", "bib.data", "metadata", "fdsys", "meta", "commentaries", "commentary"}
)
"""Parts that tell about the document, as editors do; left out where it has a text as well."""
NUMBERS: Final = frozenset({"no.p", "no.parag", "pnumber", "num", "sectno", "enum", "label"})
"""Numbers that stand before what they count, on its line."""
INLINE: Final = frozenset(
    {"e", "su", "ht", "ftref", "fr", "emphasis", "superior", "inferior", "strong", "em", "b", "i"}
    | {"u", "a", "span", "sup", "sub", "quot.start", "quot.end", "ref.doc.oj", "citation", "term"}
)
TABLES: Final = frozenset({"table", "tbl", "gpotable"})
ROWS: Final = frozenset({"row", "tr", "boxhd"})
CELLS: Final = frozenset({"cell", "entry", "td", "th", "ent", "ched"})
CAPTIONS: Final = frozenset({"caption", "ttitle"})
TITLES: Final = {"title": 0, "subject": 0, "doctitle": 0, "headline": 0, "heading": 1}
"""Names of the element that holds the title; the higher ones only where there is no lower."""
MARKS: Final = {
    "del": MarkKind.STRUCK,
    "deletion": MarkKind.STRUCK,
    "deleted": MarkKind.STRUCK,
    "deletedtext": MarkKind.STRUCK,
    "repeal": MarkKind.STRUCK,
    "strike": MarkKind.STRUCK,
    "ins": MarkKind.INSERTED,
    "insertion": MarkKind.INSERTED,
    "inserted": MarkKind.INSERTED,
    "addedtext": MarkKind.INSERTED,
    "addition": MarkKind.INSERTED,
    "substitution": MarkKind.INSERTED,
}


def local_name(name: str) -> str:
    """A name without its prefix, in small letters."""
    return name.rpartition(":")[2].lower()
