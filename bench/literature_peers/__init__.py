"""The peers of the retrieval bench, each run in an environment of its own."""
