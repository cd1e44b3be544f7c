"""The HTTP API, one module for each area; OpenAPI describes it at `/api/openapi.json`."""

from assay.console.api import (
    asking,
    documents,
    events,
    feeds,
    questions,
    releases,
    rules,
    sources,
    state,
    work,
)

APIS = (asking, rules, releases, questions, documents, sources, work, state, events, feeds)
"""Each has a `router`."""
