"""Reference strings: where a paper's references are, where each ends, and what each says."""

from assay.packs.literature.references.sections import find_reference_section, split_references
from assay.packs.literature.references.strings import parse_reference_text

__all__ = ["find_reference_section", "parse_reference_text", "split_references"]
