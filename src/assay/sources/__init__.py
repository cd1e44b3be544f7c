"""Sources: fetching politely, and finding addresses in what was fetched."""
