"""The store: canonical tables, blobs, append-only run folders."""
