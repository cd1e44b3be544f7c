"""Ontologies: read within bounds, kept by their hash, searched for what a text speaks of."""
