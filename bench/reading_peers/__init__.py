"""The peers of the reading bench, each in an environment of its own."""
