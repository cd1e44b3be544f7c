"""One module per peer of the calls bench, each run in that peer's own virtual environment."""
