"""The literature pack: a corpus of works from reference lists, deduplicated, cited, searchable."""
