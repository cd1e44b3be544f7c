"""The peers of the literature bench, each run in its own virtual environment."""
