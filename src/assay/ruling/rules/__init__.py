"""Rules: what facts state together, when it applies, and how rules of one concept relate."""
