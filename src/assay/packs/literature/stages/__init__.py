"""The stages: from lists to references, works, full texts and the search index."""
