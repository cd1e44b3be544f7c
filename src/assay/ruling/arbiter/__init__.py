"""The arbiter: which of several contradicting rules prevails, or that a person must decide."""
