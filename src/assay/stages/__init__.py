"""The stages of the spine, one file each."""
