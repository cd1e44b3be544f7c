"""What elements mean in the vocabularies used to publish laws and feeds.

Names are compared in lower case and without their prefix. A vocabulary that is not known here is
read as well: an element among words is part of the line, any other is a line.
"""

from typing import Final

from assay.reading.result import MarkKind

METADATA: Final = frozenset(
    {"bib.instance", "bib.data", "metadata", "fdsys", "meta", "commentaries", "commentary"}
)
"""Editorial parts that describe the document; left out if it also has a text."""
NUMBERS: Final = frozenset({"no.p", "no.parag", "pnumber", "num", "sectno", "enum", "label"})
"""Numbers that precede what they count, on its line."""
INLINE: Final = frozenset(
    {"e", "su", "ht", "ftref", "fr", "emphasis", "superior", "inferior", "strong", "em", "b", "i"}
    | {"u", "a", "span", "sup", "sub", "quot.start", "quot.end", "ref.doc.oj", "citation", "term"}
)
TABLES: Final = frozenset({"table", "tbl", "gpotable"})
ROWS: Final = frozenset({"row", "tr", "boxhd"})
CELLS: Final = frozenset({"cell", "entry", "td", "th", "ent", "ched"})
CAPTIONS: Final = frozenset({"caption", "ttitle"})
TITLES: Final = {"title": 0, "subject": 0, "doctitle": 0, "headline": 0, "heading": 1}
"""Names of the title element; the higher ones only if there is no lower one."""
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
    """A name in lower case, without its prefix."""
    return name.rpartition(":")[2].lower()
