"""The packs that come with Assay; each loads the way a stranger's does."""
