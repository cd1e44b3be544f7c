"""HTML pages: all their lines, which of them are the main text, and the resulting reading."""
