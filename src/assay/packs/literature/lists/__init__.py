"""Lists of references of every kind: bytes in, references with their places out.

Every function here is pure: the same bytes give the same references, and nothing is looked up.
"""

from assay.packs.literature.lists.detection import detect_kind
from assay.packs.literature.lists.forms import parse_list
from assay.packs.literature.parsed import ListNote, ParsedList, decode_list

__all__ = ["ListNote", "ParsedList", "decode_list", "detect_kind", "parse_list"]
