"""The control plane: the only way to a model, and useful by itself through `assay.llm.api`."""
