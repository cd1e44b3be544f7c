"""Review: what a person must decide about rules, and what follows from each decision."""
