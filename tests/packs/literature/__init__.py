"""Tests of the literature pack."""
