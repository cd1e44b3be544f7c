"""Word processor documents: DOCX, ODT, RTF and the old DOC."""
