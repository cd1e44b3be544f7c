"""Evaluation: how well facts and rules agree with documents whose facts are known."""
