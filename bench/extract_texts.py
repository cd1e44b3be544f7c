"""Texts that become graphs under load, and a model that can read every one of them.

The model is Assay's own server double. It finds in a prompt what the texts are made of, so that
each text has a graph of its own, and tells at once if an answer ever reached the wrong request.
"""

import json
import re
from collections.abc import Sequence
from itertools import count, product
from typing import Any, Final

from tests.providers.behaviour import Behaviour
from tests.providers.dialects import Asked

ONTOLOGY: Final = """
@prefix : <http://example.org/people#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

<http://example.org/people> a owl:Ontology ; rdfs:label "People and places" .
:Person a owl:Class ; rdfs:label "person" .
:Place a owl:Class ; rdfs:label "place" .
:City a owl:Class ; rdfs:label "city" ; rdfs:subClassOf :Place .
:Country a owl:Class ; rdfs:label "country" ; rdfs:subClassOf :Place .
:birthPlace a owl:ObjectProperty ; rdfs:label "birth place" ;
    rdfs:domain :Person ; rdfs:range :Place .
:country a owl:ObjectProperty ; rdfs:label "country" ; rdfs:domain :City ; rdfs:range :Country .
:birthYear a owl:DatatypeProperty ; rdfs:label "birth year" ;
    rdfs:domain :Person ; rdfs:range xsd:gYear .
"""
PIECE_CHARS: Final = 40
"""Characters that the model streams at a time."""

_SYLLABLES: Final = ("ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu")
_BORN: Final = re.compile(r"(\w+ \w+) was born in (\w+) in (\d{4})\.")
_LIES: Final = re.compile(r"(\w+) is a city in (\w+)\.")
_STATEMENT: Final = re.compile(r"^(\d+)\. (.+?) — .* → (.+)$", re.MULTILINE)

Claim = tuple[str, str, str]
"""Subject, property and object, in words."""


def text(number: int, people: int = 2) -> str:
    """The text of that number: nobody else speaks of the same people and places."""
    return " ".join(_sentences(number * people + one) for one in range(people))


def claims_of(text: str) -> set[Claim]:
    """Everything that a text says."""
    born = [claim for match in _BORN.finditer(text) for claim in _born(*match.groups())]
    return {*born, *((city, "country", land) for city, land in _LIES.findall(text))}


def claims_in(result: dict[str, Any]) -> set[Claim]:
    """Everything that a graph says, as `POST /extract` answers it."""
    graph = result["graph"]
    names = {entity["id"]: entity["name"] for entity in graph["entities"]}
    labels = {"birthPlace": "birth place", "birthYear": "birth year", "country": "country"}
    return {
        (
            names[relation["subject"]],
            labels[relation["predicate"].partition("#")[2]],
            _object(relation["object"], names),
        )
        for relation in graph["relations"]
    }


def reading(asked: Asked) -> Behaviour:
    """What the model answers, whichever stage asks."""
    return Behaviour(text=answer(asked.texts), piece_chars=PIECE_CHARS)


def answer(texts: Sequence[str]) -> str:
    """The right answer to a prompt."""
    said, told = "\n".join(texts), texts[-1]
    if '{"entities":' in said:
        return json.dumps({"entities": _entities(told)})
    if '{"relations":' in said:
        claims = sorted(claims_of(told))
        items = [{"subject": s, "property": p, "object": o} for s, p, o in claims]
        return json.dumps({"relations": items})
    return json.dumps({"verdicts": _verdicts(told)})


def _sentences(person: int) -> str:
    name = _name(person)
    born = f"Ana {name} was born in {name}ton in {1500 + person % 500}."
    return f"{born} {name}ton is a city in {name}land."


def _name(number: int) -> str:
    """Different for every number, and nothing but letters."""
    for digits in count(2):
        if number < 10**digits:
            return "".join(_SYLLABLES[int(d)] for d in f"{number:0{digits}}").capitalize()
    raise AssertionError


def _born(name: str, city: str, year: str) -> tuple[Claim, Claim]:
    return (name, "birth place", city), (name, "birth year", year)


def _object(told: Any, names: dict[str, str]) -> str:
    return str(told["value"]) if isinstance(told, dict) else names[told]


def _entities(told: str) -> list[dict[str, str]]:
    kinds = {name: "Person" for name, _, _ in _BORN.findall(told)}
    for city, land in _LIES.findall(told):
        kinds |= {city: "City", land: "Country"}
    return [{"mention": mention, "type": kind} for mention, kind in kinds.items()]


def _verdicts(told: str) -> list[dict[str, Any]]:
    sentences = re.findall(r"[^.\n]+\.", told.partition("Statements:")[0])
    found = []
    for number, subject, object_ in _STATEMENT.findall(told.partition("Statements:")[2]):
        pairs = product(sentences, [(subject, object_)])
        words = next((s.strip() for s, (a, b) in pairs if a in s and b in s), "")
        found.append(
            {
                "n": int(number),
                "object": object_,
                "words": words,
                "supported": bool(words),
                "confidence": 0.95,
            }
        )
    return found
