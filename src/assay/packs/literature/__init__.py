"""Literature: reference lists in; a deduplicated, cited, searchable corpus out."""
