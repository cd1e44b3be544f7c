"""Facts: what an extractor proposes, the gates a fact must pass, and the extract stage."""
