"""Records and value types, ids and hashes. Nothing here does input or output."""
