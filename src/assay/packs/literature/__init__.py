"""Literature: a corpus of papers that only becomes more accurate."""
