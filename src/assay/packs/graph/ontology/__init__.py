"""Ontologies: read within limits, cached by their hash, searched for what a text mentions."""
