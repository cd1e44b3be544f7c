"""Council meetings: what will be decided, what was decided, and who said so."""
