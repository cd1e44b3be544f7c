"""Scouting: what a text is worth, told without a model."""
