"""Batches: many questions sent to a provider at once, answered hours later."""

from assay.llm.batches.anthropic import AnthropicBatches
from assay.llm.batches.gemini import GeminiBatches
from assay.llm.batches.matching import AnswerCheck, ItemState
from assay.llm.batches.openai import OpenAIBatches
from assay.llm.batches.provider import BatchProvider
from assay.llm.batches.records import BatchState
from assay.llm.batches.service import BatchService, BatchStatus

__all__ = [
    "AnswerCheck",
    "AnthropicBatches",
    "BatchProvider",
    "BatchService",
    "BatchState",
    "BatchStatus",
    "GeminiBatches",
    "ItemState",
    "OpenAIBatches",
]
