"""Requests of several steps: with timeouts, clean cancellation, and partial results if needed."""
