"""The stages of the pack: from what a portal lists to what people read."""
