"""Excerpts: each aspect is judged on its own, strictly but not by the endings of words."""

from collections.abc import Sequence
from pathlib import Path

import pytest

import assay
from assay.errors import InvalidInput
from assay.ruling.declaration import load_facts
from assay.ruling.evaluation.aspects import (
    Aspect,
    AspectScore,
    AspectScorer,
    FoundFact,
    find_steps,
)
from assay.ruling.evaluation.excerpts import (
    AnnotatedDocument,
    Half,
    LocatedText,
    half_of,
    load_annotated,
)
from assay.ruling.evaluation.relations import relate_documents
from assay.ruling.evaluation.wording import covers, describe_condition, find_stems
from assay.ruling.facts.gates import AcceptedFact
from assay.ruling.facts.proposals import ProposedFact

TEXT = "§ 2 Die Biersteuer beträgt 20 Euro je Hektoliter, wenn das Bier im Inland gebraut ist."
SOURCE = {"repository": "a/b", "commit": "c", "path": "d", "licence": "e"}
PACK = load_facts(Path(assay.__file__).parent / "packs" / "regulatory")
TERMS = {"legal_person": ["pravna osoba"]}


def annotate(**more: object) -> AnnotatedDocument:
    fact = {
        "at": "20 Euro",
        "value": "20",
        "unit": "EUR",
        "predicates": ["amount"],
        "about": ["Biersteuer"],
        "qualifiers": ["je Hektoliter"],
        "condition": "wenn das Bier im Inland gebraut ist",
        "provision": ["sec_2__para_1", "sec_2"],
    }
    told = {
        "document": "beer.md",
        "language": "de",
        "jurisdiction": "de",
        "instrument": ["Biersteuergesetz"],
        "source": SOURCE,
    }
    given = {name: more.pop(name) for name in ("not_facts", "arguable") if name in more}
    return AnnotatedDocument.model_validate({**told, **given, "facts": [{**fact, **more}]})


def propose(**more: object) -> ProposedFact:
    told: dict[str, object] = {
        "domain": "ostalo",
        "subject": "biersteuer",
        "predicate": "amount",
        "value": "20",
        "value_type": "currency",
        "unit": "EUR",
        "quote": TEXT,
        "confidence": 0.9,
        "article": "§ 2",
        "applies_when": {
            "op": "eq",
            "field": "scope",
            "value": "wenn das Bier im Inland gebraut ist, je Hektoliter",
        },
    }
    return ProposedFact(**{**told, **more})  # type: ignore[arg-type]


def judge(document: AnnotatedDocument, *facts: ProposedFact) -> AspectScore:
    scorer = AspectScorer(TERMS)
    scorer.add(document, TEXT, [FoundFact(fact, 0, len(TEXT)) for fact in facts])
    return scorer.score()


def wrong_aspects(score: AspectScore) -> dict[str, str]:
    return {aspect.value: kind for aspect, kind in score.judged[0].wrong.items()}


def test_a_fact_that_says_everything_is_right_in_every_aspect() -> None:
    score = judge(annotate(), propose())
    assert wrong_aspects(score) == {}
    assert (score.matched, score.all_right, score.core_right, score.found) == (1, 1, 1, 1)
    assert all(score.count_right(aspect) == 1 for aspect in Aspect)


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"unit": "USD"}, {"value and unit": "another unit"}),
        ({"subject": "trosarina"}, {"concept": "another levy or instrument"}),
        ({"predicate": "threshold"}, {"concept": "threshold instead of amount"}),
        ({"article": ""}, {"provision": "missing"}),
        ({"article": "§ 3"}, {"provision": "another article"}),
        ({"article": "§ 2 Abs. 4"}, {"provision": "another paragraph"}),
        ({"effective_from": "2009-07-15"}, {"dates": "invented start"}),
        (
            {"applies_when": {"op": "true"}},
            {"qualifiers": "missing", "condition": "always, although limited"},
        ),
        (
            {"applies_when": {"op": "eq", "field": "scope", "value": "je Hektoliter Wein"}},
            {"condition": "incomplete"},
        ),
    ],
)
def test_one_error_makes_only_its_aspect_wrong(
    change: dict[str, object], wrong: dict[str, str]
) -> None:
    assert wrong_aspects(judge(annotate(), propose(**change))) == wrong


def test_a_condition_of_a_value_that_always_applies_is_wrong() -> None:
    score = judge(annotate(condition=""), propose())
    assert wrong_aspects(score) == {"condition": "limited, although it always applies"}


def test_a_comparison_with_the_figures_of_the_condition_says_the_same() -> None:
    condition = {"op": "lte", "field": "income", "value": 50400}
    score = judge(
        annotate(condition="bis 50 400 Euro Einkommen", qualifiers=[]),
        propose(applies_when=condition),
    )
    assert wrong_aspects(score) == {}


@pytest.mark.parametrize(
    ("stated", "wrong"),
    [
        ("wenn das Bier nicht im Inland gebraut ist", {}),
        ("es sei denn, das Bier ist im Inland gebraut", {}),
        ("wenn das Bier im Inland gebraut ist", {"condition": "incomplete"}),
    ],
)
def test_a_condition_without_its_negation_is_wrong(stated: str, wrong: dict[str, str]) -> None:
    score = judge(
        annotate(condition="wenn das Bier nicht im Inland gebraut ist"),
        propose(
            applies_when={"op": "eq", "field": "scope", "value": stated},
            qualifiers=("je Hektoliter",),
        ),
    )
    assert wrong_aspects(score) == wrong


def test_the_words_of_a_term_in_other_languages_are_not_extra_words() -> None:
    terms = {"legal_person": ["pravna osoba", "legal person", "juristische Person"]}
    scorer = AspectScorer(terms)
    fact = propose(applies_when={"op": "eq", "field": "taxpayer", "value": "legal_person"})
    document = annotate(condition="", qualifiers=["juristische Person"])
    scorer.add(document, TEXT, [FoundFact(fact, 0, len(TEXT))])
    assert wrong_aspects(scorer.score()) == {}


def test_a_threshold_may_repeat_its_own_comparison() -> None:
    stated = {"op": "eq", "field": "scope", "value": "soweit der Betrag 20 Euro übersteigt"}
    score = judge(
        annotate(predicates=["threshold"], condition="", qualifiers=[]),
        propose(predicate="threshold", value_type="threshold", applies_when=stated),
    )
    assert wrong_aspects(score) == {}


def test_arguable_dates_and_optional_words_are_not_judged() -> None:
    score = judge(
        annotate(dates="arguable", condition="", optional=["wenn das Bier im Inland gebraut ist"]),
        propose(effective_from="2020-01-01"),
    )
    assert wrong_aspects(score) == {}


def test_an_unknown_fact_is_unfounded_unless_it_is_arguable() -> None:
    other = propose(value="7")
    assert judge(annotate(), propose(), other).unfounded[0].why == "not annotated"
    traps = judge(annotate(not_facts=[{"at": "§ 2", "why": "a number"}]), propose(value="2"))
    assert (traps.sprung, traps.unfounded[0].why) == (1, "a number")
    arguable = judge(annotate(arguable=["§ 2"]), propose(value="2"))
    assert (arguable.unfounded, arguable.found) == ((), 0)


def test_a_value_that_is_found_twice_counts_once() -> None:
    score = judge(annotate(), propose(article=""), propose())
    assert (score.matched, score.all_right, len(score.unfounded)) == (1, 1, 1)


def test_errors_are_counted_by_kind() -> None:
    missed = judge(annotate())
    assert missed.count_errors() == [("missed", "amount in EUR", 1)]
    assert missed.to_dict()["recall"] == 0


@pytest.mark.parametrize(
    ("provision", "steps"),
    [
        ("§ 4 Abs. 2a Satz 1", ("4", "2a")),
        ("čl. 33. st. 11.", ("33", "11")),
        ("Article 4(2)(b)", ("4", "2", "b")),
        ("sec_5051__para_a__point_1", ("5051", "a", "1")),
        ("art_430a__para_1", ("430a", "1")),
    ],
)
def test_provisions_are_compared_by_their_numbers(provision: str, steps: Sequence[str]) -> None:
    assert find_steps(provision) == steps


def test_words_are_compared_without_case_accents_and_endings() -> None:
    assert find_stems("Pravne osobe", "hr") == find_stems("pravna osoba", "hr")
    assert find_stems("66.360,00 eura", "hr") == find_stems("66 360 euro", "hr")
    assert find_stems("Einkommens", "de") == find_stems("Einkommen", "de")
    assert find_stems("übersteigt nicht", "de") != find_stems("übersteigt", "de")
    known = find_stems("mehr als 50 000 Euro im Jahr", "de")
    assert not covers(find_stems("mehr als Euro im Jahr", "de"), known)


def test_a_named_value_of_a_condition_stands_for_its_words() -> None:
    condition = {
        "op": "and",
        "all": [
            {"op": "eq", "field": "taxpayer", "value": "legal_person"},
            {"op": "gt", "field": "income", "value": 5},
        ],
    }
    assert describe_condition(condition, TERMS) == ("pravna osoba 5", False)
    assert describe_condition({"op": "gt", "field": "income", "value": 5}, TERMS) == ("5", True)


def test_words_are_located_whatever_their_spacing_and_markup() -> None:
    text = "a **20\nEuro** b 20 Euro"
    assert [text[start:end] for start, end in LocatedText(text).locate("20 Euro")] == [
        "20\nEuro",
        "20 Euro",
    ]


def test_a_document_in_the_wrong_half_is_refused(tmp_path: Path) -> None:
    wrong = next(half for half in Half if half is not half_of("beer.md"))
    for half in Half:
        (tmp_path / f"{half.value}.jsonl").write_text(
            annotate().model_dump_json() if half is wrong else "", encoding="utf-8"
        )
    with pytest.raises(InvalidInput, match=f"belongs to the half '{half_of('beer.md').value}'"):
        load_annotated(tmp_path, PACK)


def test_only_documents_that_concern_the_same_law_may_be_related() -> None:
    def accept(value: str) -> AcceptedFact:
        rate = propose(
            subject="pdv",
            domain="pdv",
            predicate="rate",
            value=value,
            value_type="percentage",
            unit="%",
            applies_when={"op": "true"},
        )
        return AcceptedFact(rate, 0, len(TEXT), None)

    found = {"hr.md": [accept("25")], "de.md": [accept("19")]}
    origins = {"hr.md": "hr", "de.md": "de"}
    false = relate_documents(found, PACK, origins, frozenset())
    assert false.count_by_kind() == {"conflict": (1, 0)}
    same = frozenset({frozenset(("hr.md", "de.md"))})
    right = relate_documents(found, PACK, origins, same)
    assert (right.count_by_kind(), right.met) == ({"conflict": (1, 1)}, 1)
