"""How well the pack does on data with known answers."""
