"""Tests of the civic pack."""
