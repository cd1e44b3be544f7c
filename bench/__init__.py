"""Assay measured beside its peers; every bench runs as `python -m bench.<name>`."""
