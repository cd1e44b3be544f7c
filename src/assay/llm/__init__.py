"""The control plane: the only way to call a model. `assay.llm.api` makes it usable on its own."""
