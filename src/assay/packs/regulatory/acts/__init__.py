"""Acts as trees of provisions, how they change, and what they say on a given day."""
