"""Reading: bytes into text, cheaply."""
