"""Rules of a release, as its manifest has them."""

from typing import Any

from assay.ruling.release.manifest import serialize_manifest, sort_lines
from assay.ruling.release.published_rules import PublishedRule

ALWAYS: dict[str, Any] = {"op": "true"}
BOOKS: dict[str, Any] = {"op": "eq", "field": "activity", "value": "books"}
SMALL: dict[str, Any] = {"op": "lte", "field": "turnover", "value": "60000"}


def line(rule_id: str, value: str = "25", **told: Any) -> dict[str, Any]:
    """One line of a manifest."""
    quote = f"The rate of value added tax is {value} %."
    return {
        "rule_id": rule_id,
        "concept": "pdv.rate",
        "label": "value added tax: rate",
        "domain": "pdv",
        "tier": "T0",
        "value": value,
        "value_type": "percentage",
        "unit": "%",
        "effective_from": "2025-01-01",
        "effective_until": None,
        "applies_when": ALWAYS,
        "applies_text": "always",
        "authority": "LAW",
        "confidence": 0.97,
        "approved_by": "ana",
        "sources": [
            {
                "source_slug": "gazette",
                "name": "Gazette",
                "url": "https://gazette.example/acts/1",
                "hierarchy": 1,
                "evidence_hash": "0" * 64,
                "content_type": "text/html",
                "artifact_hash": "1" * 64,
                "kind": "HTML_TEXT",
                "reader": "read/1",
                "quote": quote,
                "start": 10,
                "end": 10 + len(quote),
                "page": 3,
                "article": "Article 4",
            }
        ],
        **told,
    }


def manifest(*lines: dict[str, Any], version: str = "1.0.0", pack: str = "regulatory") -> bytes:
    return serialize_manifest(pack, version, None, sort_lines(lines))


def rule(rule_id: str, value: str = "25", **told: Any) -> PublishedRule:
    return PublishedRule.from_line(line(rule_id, value, **told))
