"""A release in the forms that other programs read. The manifest stays the one that counts."""
