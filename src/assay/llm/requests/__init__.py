"""Requests of several stages: under timeouts, cancelled cleanly, answered in part if need be."""
