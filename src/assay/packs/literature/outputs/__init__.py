"""What others get: exports, snapshots, and the graph of citations."""
