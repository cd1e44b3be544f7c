"""The arbiter: which of two contradicting rules prevails, or that a person must decide."""
