"""The peers of the civic benches, run in their own virtual environments."""
