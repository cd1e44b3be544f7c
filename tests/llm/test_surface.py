"""What programs outside Assay may rely on."""

import subprocess
import sys

from assay.llm import api

SURFACE = {
    # asking
    "ControlPlane", "ModelRequest", "CallScope", "ModelAnswer", "Usage", "LiveAnswer", "LiveItems",
    "Denial", "SourceStanding", "Lane", "Provider", "Prompt", "PromptLibrary", "Metrics",
    # limits
    "Policy", "Price", "ProviderLimits", "PROVIDER_LIMITS", "UNLIMITED",
    # budgets
    "TokenBudget", "build_undivided_budget", "build_budget_from_table",
    "build_budget_from_percentages", "can_afford",
    # providers
    "ollama", "ollama_cloud", "openai", "anthropic", "gemini",
    "BatchService", "OpenAIBatches", "AnthropicBatches", "GeminiBatches",
    # requests of several steps
    "Supervisor", "Request", "StepSpec", "StepRun", "StepNeed", "RequestResult", "ResultRule",
    "Completeness", "CancellationMode", "CancellationSignal", "StepTimeout",
    "TimeoutEscalation", "request_key",
}  # fmt: skip


def test_the_public_surface_is_as_promised() -> None:
    assert set(api.__all__) == SURFACE
    assert all(hasattr(api, name) for name in SURFACE)


def test_it_needs_neither_the_engine_nor_the_rest_of_assay() -> None:
    seen = subprocess.run(
        [sys.executable, "-c", "import sys, assay.llm.api; print(*sorted(sys.modules))"],
        capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    others = ("assay.engine", "assay.app", "assay.spine", "assay.sources", "assay.cli", "dbos")
    assert [name for name in seen if name.startswith(others)] == []
