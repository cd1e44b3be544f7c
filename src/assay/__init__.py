"""Assay turns public documents into facts that can be cited."""

__version__ = "0.1.0"
