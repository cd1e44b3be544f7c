"""The command line: thin commands over the application's own functions."""
