"""Scouting: judging what a text is worth, without a model."""
