"""Papers: lists of references in; a deduplicated, cited, searchable corpus out."""
