"""The peers of the literature benches, run in their own virtual environments."""
