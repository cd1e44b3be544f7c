"""The stages of the pack."""
