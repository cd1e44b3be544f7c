"""How the PDFs and the Word files of the regulatory pack's corpus were made."""
