"""How things are presented to a model: short lines, and fences that a text cannot imitate."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from assay.packs.graph.asking.names import OntologyNames, cut_local_name, fold_term_name
from assay.packs.graph.model import Entity, Literal
from assay.packs.graph.ontology.model import XSD, OntologyClass, Property, Takes
from assay.sdk.models import Prompt, PromptLibrary

_FENCE = re.compile(r"-{4,}")
_COMMENT, _COMMENTS = 60, 900
"""Most characters of one comment, and of all comments in a list: a few words of each."""
_NAME = 80
_CLASSES = 3
"""Most classes of a domain or a range that are shown."""


@cache
def _load_library() -> PromptLibrary:
    return PromptLibrary(Path(__file__).parent.parent / "prompts")


def load_prompt(name: str) -> Prompt:
    """Load a prompt of this pack; the files are read once."""
    return _load_library()[name]


def fence_text(text: str) -> str:
    """Prepare a text for a fence of dashes: it cannot contain such a line itself."""
    return _FENCE.sub("---", text.replace("\x00", " ").encode("utf-8", "replace").decode())


def shorten_words(words: str, most: int = _NAME) -> str:
    """Put words on one line; cut them at a word boundary if they are too long."""
    line = " ".join(fence_text(words[: 4 * most]).split())
    if len(line) <= most:
        return line
    return line[:most].rsplit(" ", 1)[0].rstrip(" ,;:.") + "…"


def describe_classes(classes: Sequence[OntologyClass], names: OntologyNames) -> str:
    """Write one line for each class; a class comes after those below it, because it is meant for
    the rest. A small model takes the first that fits."""
    above = {one.iri: names.ontology.ancestors_of(one.iri) for one in classes}
    over = {one.iri: sum(one.iri in of for of in above.values()) - 1 for one in classes}
    ordered = sorted(classes, key=lambda one: over[one.iri])
    room = _compute_comment_room(len(classes))
    return "\n".join(
        _write_class_line(one, names, room, other=over[one.iri] > 0) for one in ordered
    )


def describe_properties(properties: Sequence[Property], names: OntologyNames) -> str:
    """Write one line for each property: its domain and its range."""
    return "\n".join(
        _write_property_line(one, names, _compute_comment_room(len(properties)))
        for one in properties
    )


def describe_example(properties: Sequence[Property], names: OntologyNames) -> str:
    """Write example statements in the expected shape, with listed properties: a small model copies
    the words of an example."""
    things = [one for one in properties if one.takes is not Takes.LITERAL][:1]
    values = [one for one in properties if one.takes is Takes.LITERAL][:1]
    chosen = [(one, "E2") for one in things] + [(one, "words of the text") for one in values]
    return ", ".join(
        json.dumps(
            {"subject": "E1", "property": names.properties.shorten(one.iri), "object": object_},
            ensure_ascii=False,
        )
        for one, object_ in chosen
    )


def number_entities(entities: Iterable[Entity], names: OntologyNames) -> str:
    """Write one line for each entity, with the number that refers to it."""
    return "\n".join(
        f"E{number} {shorten_words(entity.name)} ({_join_class_names(entity.types, names)})"
        for number, entity in enumerate(entities, start=1)
    )


def describe_end(value: str | Literal, entities: Mapping[str, Entity]) -> str:
    """Describe an end of a relation: a name, or a value with its unit."""
    if isinstance(value, Literal):
        return shorten_words(f"{value.value} {value.unit}")
    known = entities.get(value)
    return shorten_words(known.name) if known is not None else ""


def _compute_comment_room(lines: int) -> int:
    return min(_COMMENT, _COMMENTS // max(lines, 1))


def _write_property_line(known: Property, names: OntologyNames, room: int) -> str:
    short = names.properties.shorten(known.iri)
    leads = f"{_join_class_names(known.domains, names)} → {_write_range(known, names)}"
    label, comment = _write_label(known.label, short), shorten_words(known.comment, room)
    more = "; ".join(filter(None, (label, comment)))
    return f"- {short}: {leads}" + (f" ({more})" if more else "")


def _write_class_line(known: OntologyClass, names: OntologyNames, room: int, *, other: bool) -> str:
    short = names.classes.shorten(known.iri)
    label, comment = _write_label(known.label, short), shorten_words(known.comment, room)
    more = "; ".join(filter(None, (label, comment, "any other" if other else "")))
    return f"- {short} ({more})" if more else f"- {short}"


def _write_label(label: str, short: str) -> str:
    """Write the label if it says more than the short name."""
    own = fold_term_name(cut_local_name(short)).replace(" ", "")
    return "" if fold_term_name(label).replace(" ", "") == own else shorten_words(label)


def _write_range(known: Property, names: OntologyNames) -> str:
    if known.datatype is not None:
        return cut_local_name(known.datatype)
    if known.takes is Takes.LITERAL:
        return cut_local_name(XSD + "string")
    return _join_class_names(known.ranges, names)


def _join_class_names(iris: Sequence[str], names: OntologyNames) -> str:
    return "|".join(names.classes.shorten(iri) for iri in iris[:_CLASSES]) or "any"
