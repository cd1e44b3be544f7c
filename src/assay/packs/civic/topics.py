"""The topics of agenda items, and how they are recognized without a model."""

import re
from typing import Final

_WORDS: Final = {
    "housing": r"housing|tenants?|renters?|landlords?|evictions?|homeless\w*|shelters?|"
    r"affordable (units?|homes?)|mobile ?homes?",
    "zoning": r"(re)?zon(e|ed|ing)|variances?|conditional use|land use|setbacks?|overlay district|"
    r"subdivisions?|plats?",
    "transportation": r"transportation|traffic|streets?|roads?|sidewalks?|transit|bus(es)?|parking|"
    r"bicycles?|bike lanes?|highways?|intersections?|bridges?|airport",
    "budget": r"budgets?|appropriat\w+|fiscal year|tax(es|ation)?|levy|bonds?|revenues?|audit\w*|"
    r"financial (report|statement)s?|fees?",
    "public_safety": r"police|fire (department|station|truck|engine)s?|sheriff|emergency|911|crime|"
    r"public safety|ambulances?|firearms?",
    "environment": r"environment\w*|climate|emissions?|conservation|wetlands?|trees?|stormwater|"
    r"pollut\w+|recycl\w+|sustainab\w+|floodplain",
    "parks": r"parks?|recreation\w*|playgrounds?|trails?|pools?|librar(y|ies)|golf",
    "utilities": r"utilit(y|ies)|water (main|line|system|rate|treatment)s?|sewer|wastewater|"
    r"electric(al|ity)?|broadband|solid waste|garbage",
    "economic_development": r"economic development|redevelopment|tax increment|TIF|downtown|"
    r"business (improvement|incentive)s?|abatements?|tourism",
    "education": r"schools?|students?|education\w*|teachers?|curriculum|universit(y|ies)|college",
    "health": r"health|hospitals?|mental|opioids?|vaccin\w+|medical|senior services",
    "planning": r"(comprehensive|master|general|site) plan|planning commission|annex\w+",
    "permits": r"permits?|licen[cs](e|es|ing)|special events?|encroachment",
    "contracts": r"contracts?|agreements?|purchase|procure\w+|bids?|change orders?|vendors?|"
    r"professional services|memorand(um|a) of understanding|leases?",
    "appointments": r"(re)?appoint\w*|nominat\w+|boards? and commissions?|vacanc(y|ies)",
}
TOPICS: Final = (*_WORDS, "other")
"""All topics; an item has one to three of them."""
MOST_TOPICS: Final = 3
_PATTERNS: Final = {
    topic: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for topic, words in _WORDS.items()
}
_SYNONYMS: Final = {
    "transport": "transportation", "traffic": "transportation", "finance": "budget",
    "police": "public_safety", "safety": "public_safety", "fire": "public_safety",
    "recreation": "parks", "water": "utilities", "land_use": "zoning", "business":
    "economic_development", "schools": "education", "climate": "environment",
    "licensing": "permits", "procurement": "contracts", "homelessness": "housing",
}  # fmt: skip
_TITLE_WEIGHT: Final = 5


def find_topics(title: str, text: str) -> list[str]:
    """One to three topics of an item, the clearest first; the title counts for more."""
    counts = {
        topic: _TITLE_WEIGHT * len(pattern.findall(title)) + len(pattern.findall(text[:20_000]))
        for topic, pattern in _PATTERNS.items()
    }
    best = sorted((topic for topic in counts if counts[topic]), key=lambda t: (-counts[t], t))
    if not best:
        return ["other"]
    least = max(1, counts[best[0]] // 3)
    return [topic for topic in best if counts[topic] >= least][:MOST_TOPICS]


def normalise_topics(names: list[str]) -> list[str]:
    """The topics of the taxonomy that a model's words mean; `other` if none."""
    keys = ["_".join(re.findall(r"[a-z]+", name.lower())) for name in names]
    known = [_SYNONYMS.get(key, key) for key in keys]
    found = list(dict.fromkeys(topic for topic in known if topic in TOPICS))
    return found[:MOST_TOPICS] or ["other"]
