"""One module per peer of the engine bench, each run in that peer's own virtual environment."""
