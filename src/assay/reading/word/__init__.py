"""Word processor documents: DOCX, ODT, RTF and the old DOC."""

from assay.reading.word.reader import read_word

__all__ = ["read_word"]
