"""Records and value types, ids and hashes. No input or output happens here."""
