"""The peer of the scout bench, run in its own virtual environment."""
