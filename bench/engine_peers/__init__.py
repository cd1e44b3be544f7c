"""One module per peer of the engine bench, each run in that peer's own virtual environment.

A module here is run with `python -m bench.engine_peers.<peer>`, never by its path: by its
path its own directory would come first on the import path and hide the peer's package.
"""
