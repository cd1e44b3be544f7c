"""Sources: fetch politely, and find addresses in what was fetched."""
