"""Requests of several steps: under timeouts, cancelled cleanly, answered in part if need be."""
