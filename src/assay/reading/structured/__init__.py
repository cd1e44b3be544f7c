"""Documents that are data: XML and JSON."""
