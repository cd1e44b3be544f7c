"""Rules, pointers and facts in few words, for tests."""

from typing import Any

from assay.model.facts import CandidateFact
from assay.model.rules import Rule, SourcePointer
from assay.ruling.rules.rule_relations import GroundedRule, ground_rule

ALWAYS = '{"op":"true"}'


def a_rule(rule_id: str, value: str, **more: Any) -> Rule:
    told: dict[str, Any] = {
        "pack": "regulatory",
        "concept": "pdv.rate",
        "domain": "pdv",
        "tier": "T0",
        "value_type": "percentage",
        "unit": "%",
        "applies_when": ALWAYS,
    }
    return Rule(rule_id=rule_id, value=value, **{**told, **more})


def a_pointer(rule_id: str, document: str = "d1", **more: Any) -> SourcePointer:
    told: dict[str, Any] = {
        "pointer_id": f"sp-{rule_id}-{document}",
        "fact_id": f"fa-{rule_id}-{document}",
        "evidence_id": f"ev-{document}",
        "artifact_id": f"ar-{document}",
        "doc_id": document,
        "source_slug": f"source-of-{document}",
        "quote": "The rate is what it is.",
        "start": 0,
        "end": 23,
        "confidence": 0.9,
    }
    return SourcePointer(rule_id=rule_id, **{**told, **more})


def a_grounded(rule: Rule, document: str, hierarchy: int = 1, **more: Any) -> GroundedRule:
    pointer = a_pointer(rule.rule_id, document, **more)
    return ground_rule(rule, [pointer], {pointer.source_slug: hierarchy})


def a_fact(fact_id: str, value: str = "25", **more: Any) -> CandidateFact:
    told: dict[str, Any] = {
        "pack": "regulatory",
        "evidence_id": "ev1",
        "artifact_id": "ar1",
        "doc_id": "d1",
        "source_slug": "gazette",
        "domain": "pdv",
        "concept": "pdv.rate",
        "subject": "pdv",
        "predicate": "rate",
        "value_type": "percentage",
        "unit": "%",
        "quote": f"The rate of VAT shall be {value} %.",
        "start": 0,
        "end": 30,
        "confidence": 0.96,
        "applies_when": ALWAYS,
        "extractor": "deterministic@1",
    }
    return CandidateFact(fact_id=fact_id, value=value, **{**told, **more})
