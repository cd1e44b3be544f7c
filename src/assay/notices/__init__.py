"""Notices: find the changes that somebody watches, and deliver them."""
