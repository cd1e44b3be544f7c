"""One module per peer of the limiter bench, each run in that peer's own virtual environment."""
