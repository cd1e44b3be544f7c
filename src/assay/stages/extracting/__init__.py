"""How facts are taken from a document: by the pack's own extractor, by a model for the rest."""
