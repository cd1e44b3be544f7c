"""What readers get: digests, feeds and exports."""
