"""What a pack declares, and what is wrong with one that cannot be."""

import pickle
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml

import assay
from assay.errors import InvalidInput
from assay.ruling.declaration import load_facts

REGULATORY = Path(assay.__file__).parent / "packs" / "regulatory"
GOOD: dict[str, Any] = {
    "name": "tariffs",
    "version": "1",
    "title": "Tariffs",
    "domains": {"customs": "customs duties"},
    "value_types": ["percentage", "text"],
    "predicates": {"rate": {"tier": "T0", "value_types": ["percentage"], "labels": {"en": "rate"}}},
}


def load(tmp_path: Path, told: object) -> Any:
    (tmp_path / "facts.yml").write_text(
        told if isinstance(told, str) else yaml.safe_dump(told), encoding="utf-8"
    )
    return load_facts(tmp_path)


def test_the_regulatory_pack_is_as_a_pack_must_be() -> None:
    pack = load_facts(REGULATORY)
    assert (pack.name, pack.confidence_floor, pack.approval_floor) == ("regulatory", 0.8, 0.95)
    assert {pack.tier_of(name) for name in ("rate", "threshold", "penalty")} == {"T0", "T1"}
    assert pack.range_of("percentage", "interest_rate") != pack.range_of("percentage", "rate")
    assert pack.subjects["pdv"].labels["hr"][1] == "PDV"
    assert pickle.loads(pickle.dumps(pack)) == pack


def test_what_is_left_out_has_its_usual_value(tmp_path: Path) -> None:
    pack = load(tmp_path, {**GOOD, "ranges": {"percentage/rate": [0.5, 60]}})
    assert (pack.subjects, pack.fields, pack.currencies) == ({}, {}, frozenset())
    assert pack.range_of("percentage", "rate").least == Decimal("0.5")
    assert pack.range_of("percentage", "other") is None
    assert pack.tier_of("nobody declared it") == "T0"


def test_a_pack_may_speak_any_language(tmp_path: Path) -> None:
    tea = {"domain": "customs", "fr": ["thé", "infusion"], "pl": ["herbata"]}
    pack = load(tmp_path, {**GOOD, "languages": ["fr", "pl"], "subjects": {"tea": tea}})
    assert pack.languages == ("fr", "pl")
    assert pack.subjects["tea"].labels == {"fr": ("thé", "infusion"), "pl": ("herbata",)}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"colour": "red"}, "no setting called 'colour'"),
        ({"name": None}, "name"),
        ({"name": "Tariffs & more"}, "name"),
        ({"version": 1}, "version"),
        ({"domains": ["customs"]}, "domains"),
        ({"domains": {}}, "domains"),
        ({"value_types": "percentage"}, "value_types"),
        ({"blocked_domains": ["customs"]}, "both declared and blocked"),
        ({"predicates": {}}, "predicates"),
        ({"predicates": {"rate": {"tier": "T7", "value_types": ["text"], "labels": {}}}}, "tier"),
        ({"predicates": {"rate": {"tier": "T0", "value_types": ["colour"], "labels": {}}}},
         "unknown value type 'colour'"),
        ({"predicates": {"rate": {"tier": "T0", "value_types": "text", "labels": {}}}},
         "predicates.rate.value_types"),
        ({"predicates": {"rate": {"tier": "T0", "value_types": ["text"], "labels": {},
                                  "many": "no"}}}, "predicates.rate.many"),
        ({"predicates": {"a.b": {"tier": "T0", "value_types": ["text"], "labels": {}}}}, "a.b"),
        ({"subjects": {"tea": {"domain": "drinks"}}}, "unknown domain 'drinks'"),
        ({"subjects": {"tea": {"domain": "customs", "en": "tea"}}}, "subjects.tea.en"),
        ({"subjects": {"tea": {"domain": "customs", "French": ["thé"]}}}, "subjects.tea.French"),
        ({"subjects": {"tea": {"domain": "customs", "fr": [7]}}}, "subjects.tea.fr"),
        ({"languages": ["French"]}, "languages"),
        ({"ranges": {"percentage": [100, 0]}}, "a minimum and a maximum"),
        ({"ranges": {"percentage": [0]}}, "a minimum and a maximum"),
        ({"ranges": {"percentage": [float("nan"), 1]}}, "a minimum and a maximum"),
        ({"ranges": {"length": [0, 1]}}, "unknown value type"),
        ({"ranges": {"percentage/fee": [0, 1]}}, "unknown predicate"),
        ({"confidence_floor": 80}, "confidence_floor"),
        ({"approval_floor": float("nan")}, "approval_floor"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_a_pack_that_cannot_be_says_where(
    tmp_path: Path, changed: dict[str, Any], words: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        load(tmp_path, {**GOOD, **changed})
    assert words in str(refused.value) and "facts.yml" in str(refused.value)


@pytest.mark.parametrize("missing", list(GOOD))
def test_what_must_be_there_is_named_where_it_is_missing(tmp_path: Path, missing: str) -> None:
    with pytest.raises(InvalidInput, match=missing):
        load(tmp_path, {name: value for name, value in GOOD.items() if name != missing})


@pytest.mark.parametrize("text", ["[1, 2]", "just words", "a: [", "a: !!python/object:x {}", ""])
def test_what_is_no_mapping_is_no_pack(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidInput, match=r"facts\.yml"):
        load(tmp_path, text)


def test_a_folder_without_one_says_so(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"facts\.yml is missing"):
        load_facts(tmp_path)
