"""From facts to rules: which facts say the same, and which rule they state."""

import unicodedata
from collections.abc import Iterable, Sequence

from assay.model.concepts import parse_concept
from assay.model.facts import CandidateFact
from assay.model.ids import derive_id
from assay.model.rules import Concept, ConceptAlias, Rule, SourcePointer
from assay.ruling.declaration import Facts


def make_rule_id(fact: CandidateFact) -> str:
    """The id of the rule that a fact states: the same meaning has the same id everywhere."""
    return derive_id(
        "rl",
        fact.pack,
        fact.domain,
        fact.concept,
        fact.value_type,
        fact.value,
        fact.unit,
        fact.effective_from or "",
        fact.effective_until or "",
        fact.applies_when,
    )


def group_by_rule(
    facts: Iterable[CandidateFact],
) -> dict[tuple[str, str], dict[str, list[CandidateFact]]]:
    """Pack and concept → rule → the facts that state it, in an order independent of the input."""
    groups: dict[tuple[str, str], dict[str, list[CandidateFact]]] = {}
    for fact in sorted(facts, key=lambda fact: fact.fact_id):
        of_concept = groups.setdefault((fact.pack, fact.concept), {})
        of_concept.setdefault(make_rule_id(fact), []).append(fact)
    return groups


def draft_rule(facts: Sequence[CandidateFact], pack: Facts, now_ms: int) -> Rule:
    """The rule that facts of one meaning state."""
    first = facts[0]
    return Rule(
        rule_id=make_rule_id(first),
        pack=first.pack,
        concept=first.concept,
        domain=first.domain,
        tier=pack.tier_of(first.predicate),
        value=first.value,
        value_type=first.value_type,
        unit=first.unit,
        effective_from=first.effective_from,
        effective_until=first.effective_until,
        applies_when=first.applies_when,
        amends=any(fact.amends for fact in facts),
        created_ms=now_ms,
    )


def make_pointer(rule_id: str, fact: CandidateFact) -> SourcePointer:
    """The link from a rule to the words of a fact: one for each span of evidence."""
    return SourcePointer(
        pointer_id=derive_id(
            "sp", rule_id, fact.evidence_id, str(fact.start), str(fact.end), fact.replaces or ""
        ),
        rule_id=rule_id,
        fact_id=fact.fact_id,
        evidence_id=fact.evidence_id,
        artifact_id=fact.artifact_id,
        doc_id=fact.doc_id,
        source_slug=fact.source_slug,
        quote=fact.quote,
        start=fact.start,
        end=fact.end,
        page=fact.page,
        article=fact.article,
        confidence=fact.confidence,
        replaces=fact.replaces,
        amended=fact.amended,
    )


def find_outdated(
    earlier: Iterable[CandidateFact], facts: Iterable[CandidateFact]
) -> list[CandidateFact]:
    """The earlier facts of a document whose words no longer say what they were taken to say."""
    found = {_identify_support(fact) for fact in facts}
    return [fact for fact in earlier if _identify_support(fact) not in found]


def _identify_support(fact: CandidateFact) -> str:
    return make_pointer(make_rule_id(fact), fact).pointer_id


def build_concept(fact: CandidateFact, pack: Facts) -> tuple[Concept, list[ConceptAlias]]:
    """The concept of a fact, with its names in every language that the pack declares."""
    name = parse_concept(fact.concept)
    subject, predicate = pack.subjects.get(fact.subject), pack.predicates.get(fact.predicate)
    concept = Concept(
        concept=fact.concept,
        pack=fact.pack,
        domain=fact.domain,
        subject=fact.subject,
        predicate=fact.predicate,
        tier=pack.tier_of(fact.predicate),
        label=_make_label(pack, fact, "en"),
    )
    aliases = {concept.label}
    if subject is not None and predicate is not None and not name.kind:
        for language, names in subject.labels.items():
            what = predicate.labels.get(language, fact.predicate)
            aliases |= {f"{known}: {what}" for known in names}
    return concept, [ConceptAlias(concept=fact.concept, alias=alias) for alias in sorted(aliases)]


def _make_label(pack: Facts, fact: CandidateFact, language: str) -> str:
    known, stated = pack.subjects.get(fact.subject), pack.predicates.get(fact.predicate)
    names = () if known is None else known.labels.get(language, ())
    name = names[0] if names else fact.subject.replace("_", " ")
    what = fact.predicate if stated is None else stated.labels.get(language, fact.predicate)
    concept = parse_concept(fact.concept)
    where = f", {concept.jurisdiction}" if concept.jurisdiction else ""
    kind = _describe_kind(fact.qualifiers, concept.kind)
    return f"{name}: {what}" + (f" ({kind})" if kind else "") + where


def _describe_kind(qualifiers: str, kind: str) -> str:
    """The words that the kind was made from; the kind itself if they are not among these."""
    stems = kind.split("_") if kind else []
    phrases = [one for one in qualifiers.split("; ") if _has_any(one, stems)]
    return "; ".join(phrases) or kind.replace("_", " ")


def _has_any(phrase: str, stems: Sequence[str]) -> bool:
    split = unicodedata.normalize("NFKD", phrase.casefold().replace("đ", "d").replace("ß", "ss"))
    words = "".join(letter for letter in split if not unicodedata.combining(letter)).split()
    return any(word.startswith(stem) for word in words for stem in stems)
