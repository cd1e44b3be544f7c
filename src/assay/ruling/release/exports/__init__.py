"""A release in formats for other programs. The manifest remains authoritative."""
