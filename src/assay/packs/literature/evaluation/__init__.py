"""How well lists and reference strings are read, on data whose truth is known."""
