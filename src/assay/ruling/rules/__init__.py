"""Rules: what facts say together, for whom it holds, and how rules of one concept relate."""
