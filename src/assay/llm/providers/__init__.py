"""Access to models, one module per dialect."""

from assay.llm.providers.anthropic import anthropic
from assay.llm.providers.gemini import gemini
from assay.llm.providers.http import HttpProvider
from assay.llm.providers.ollama import ollama, ollama_cloud
from assay.llm.providers.openai import openai

__all__ = ["HttpProvider", "anthropic", "gemini", "ollama", "ollama_cloud", "openai"]
