"""The history of this pack's tables."""
