"""Versions, ends, changes, and the manifest: all follow from the rules, never from their order."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import ContentBroken, InvalidInput
from assay.model.hashes import canonical_json, content_hash
from assay.model.rules import Release, RuleEdge
from assay.ruling.release.changes import (
    compare_rules,
    describe_line,
    has_no_changes,
    list_changed_tiers,
    render_section,
)
from assay.ruling.release.manifest import (
    build_rule_line,
    read_manifest,
    serialize_manifest,
    sort_lines,
)
from assay.ruling.release.plan import ReleaseMaterial, ReleasePlan, plan_release
from assay.ruling.release.rule_standing import (
    apply_person_version,
    find_end_days,
    is_evidence_strong,
)
from assay.ruling.release.versions import ReleaseVersion, bump_version, is_version
from tests.ruling.release_builders import ALL, BOOKS, KEEPING, PACK, RATE, THRESHOLD, Stated


def material(*rules: Stated, **more: Any) -> ReleaseMaterial:
    given: dict[str, Any] = {
        "pack": PACK, "conflicts": {}, "edges": (), "faults": (), "releases": (), "published": (),
        **more,
    }  # fmt: skip
    return ReleaseMaterial(standings=tuple(rule.standing for rule in rules), **given)


def released(plan: ReleasePlan, state: str = "PUBLISHED") -> Release:
    return Release(
        release_id=plan.release_id, pack=PACK, version=plan.version, number=plan.number,
        state=state, manifest_hash=plan.manifest_hash, content_hash=plan.content_hash,
        rule_count=len(plan.lines),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("tiers", "version"),
    [
        (["T0"], "2.0.0"), (["T3", "T0", "T1"], "2.0.0"), (["T1", "T2"], "1.3.0"),
        (["T2"], "1.2.4"), (["T3"], "1.2.4"), ([], "1.2.4"),
    ],
)  # fmt: skip
def test_the_highest_tier_decides_which_number_is_raised(tiers: list[str], version: str) -> None:
    assert str(bump_version(ReleaseVersion(1, 2, 3), tiers)) == version


def test_versions_begin_at_nothing_and_compare_as_numbers() -> None:
    assert str(bump_version(ReleaseVersion(), ["T0"])) == "1.0.0"
    assert str(bump_version(ReleaseVersion(), ["T3"])) == "0.0.1"
    assert ReleaseVersion.parse("10.0.0") > ReleaseVersion.parse("9.99.99")
    for wrong in ("1.0", "v1.0.0", "1.0.0-rc1", "01.0.0", "1.0.0\n", "١.٠.٠", ""):
        assert not is_version(wrong)
        with pytest.raises(InvalidInput):
            ReleaseVersion.parse(wrong)


@pytest.mark.parametrize(
    ("sources", "strong"),
    [
        ([("a", 1)], True), ([("a", 2)], True), ([("a", 3)], False), ([("a", 7), ("a", 7)], False),
        ([("a", 7), ("b", 7)], True), ([("a", 5), ("b", 1)], True), ([], False),
    ],
)  # fmt: skip
def test_evidence_is_two_sources_or_the_law(sources: list[tuple[str, int]], strong: bool) -> None:
    assert is_evidence_strong(sources) is strong


def edge(new: Stated, old: Stated, kind: str = "SUPERSEDES") -> RuleEdge:
    return RuleEdge(from_rule=new.rule_id, to_rule=old.rule_id, kind=kind)


def test_a_rule_ends_at_the_first_of_all_that_end_it() -> None:
    later, soon = (RATE.but(value=v, effective_from=d) for v, d in (("23", "2028"), ("24", "2027")))
    unknown = RATE.but(value="20", effective_from=None)
    rules = [entry.rule for entry in (RATE, later, soon, unknown)]
    edges = [edge(later, RATE), edge(soon, RATE, "AMENDS"), edge(unknown, RATE)]
    assert find_end_days(rules, edges)[RATE.rule_id] == "2027"
    assert find_end_days(rules, edges[::-1])[RATE.rule_id] == "2027"
    assert find_end_days(rules, [edge(soon, RATE, "INTERPRETS")])[RATE.rule_id] is None
    # What is not released itself ends nothing.
    assert find_end_days([RATE.rule], edges)[RATE.rule_id] is None
    stating = RATE.but(effective_until="2026-06-01")
    assert (
        find_end_days([stating.rule, soon.rule], [edge(soon, stating)])[stating.rule_id]
        == "2026-06-01"
    )


def test_what_comes_after_the_next_ends_a_rule_if_the_next_is_not_released() -> None:
    """25 until 24 until 23: with 24 still waiting, 25 does not hold for ever."""
    soon, later = (RATE.but(value=v, effective_from=d) for v, d in (("24", "2027"), ("23", "2028")))
    edges = [edge(soon, RATE), edge(later, soon)]
    assert find_end_days([RATE.rule, later.rule], edges)[RATE.rule_id] == "2028"
    assert find_end_days([RATE.rule, soon.rule, later.rule], edges)[RATE.rule_id] == "2027"
    past = [edge(soon, RATE).model_copy(update={"holds": False})]
    assert find_end_days([RATE.rule, soon.rule], past)[RATE.rule_id] is None
    circle = [*edges, edge(RATE, later), edge(soon, later)]
    assert find_end_days([RATE.rule], circle)[RATE.rule_id] is None


def test_the_persons_day_ends_what_came_before() -> None:
    edited = RATE.but(value="24", effective_from="2027-01-01",
                      person_version={"effective_from": "2026-07-01"})  # fmt: skip
    assert (
        find_end_days([RATE.rule, edited.rule], [edge(edited, RATE)])[RATE.rule_id] == "2026-07-01"
    )


def test_a_persons_version_takes_nothing_but_what_may_be_edited() -> None:
    told = {"value": "22", "tier": "T3", "approved_by": "eve", "applies_when": {"op": "false"}}
    worded = apply_person_version(RATE.but(person_version=told).rule)
    assert (worded.value, worded.tier, worded.approved_by) == ("22", "T0", "ana")
    assert worded.applies_when == '{"op":"false"}'
    assert (
        apply_person_version(RATE.rule) is not None
        and apply_person_version(RATE.rule).value == "25"
    )


@settings(max_examples=30, deadline=None)
@given(order=st.permutations(ALL), flip=st.booleans())
def test_any_order_gives_the_same_bytes(order: list[Stated], flip: bool) -> None:
    shuffled = [
        entry.but(sources=tuple(reversed(entry.sources))) if flip else entry for entry in order
    ]
    plan = plan_release(material(*shuffled))
    usual = plan_release(material(*ALL))
    assert (plan.manifest, plan.content, plan.changes) == (
        usual.manifest, usual.content, usual.changes,
    )  # fmt: skip
    assert plan.release_id == usual.release_id


def test_the_manifest_reads_back_as_it_was_written() -> None:
    plan = plan_release(material(*ALL))
    manifest = read_manifest(plan.manifest)
    assert manifest.rules == plan.lines
    assert manifest.header["content_hash"] == plan.content_hash
    assert content_hash(canonical_json(list(manifest.rules))) == plan.content_hash
    assert plan.manifest.endswith(b"}\n") and b"\n\n" not in plan.manifest
    assert all(canonical_json(json.loads(line)) == line for line in plan.manifest.splitlines())
    assert [line["concept"] for line in plan.lines] == sorted(rule.concept for rule in ALL)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"sources": "none"}, "sources"), ({"sources": ["x"]}, "sources"), ({"value": 25}, "value"),
        ({"sources": [{}]}, "quote"), ({"confidence": "high"}, "confidence"),
        ({"applies_when": "always"}, "applies_when"),
    ],
)  # fmt: skip
def test_a_line_that_is_not_as_it_must_be_is_refused(change: dict[str, Any], what: str) -> None:
    header, line, *_ = plan_release(material(RATE)).manifest.splitlines()
    broken = canonical_json({**json.loads(line), **change})
    with pytest.raises(ContentBroken, match=rf"Line 2 .*{what}"):
        read_manifest(header + b"\n" + broken + b"\n")


def lines_of(*rules: Stated) -> list[dict[str, Any]]:
    return sort_lines(build_rule_line(rule.standing, rule.effective_until) for rule in rules)


def test_changes_are_found_whatever_they_are() -> None:
    before = lines_of(RATE, BOOKS, THRESHOLD)
    after = lines_of(RATE.but(confidence=0.5), BOOKS.but(tier="T1"), KEEPING)
    changes = compare_rules(before, after)
    assert [entry["concept"] for entry in changes["added"]] == ["pdv.retention_period"]
    assert [entry["concept"] for entry in changes["removed"]] == ["pdv.threshold"]
    assert {entry["concept"]: entry["fields"] for entry in changes["changed"]} == {
        "pdv.rate": {"confidence": [0.97, 0.5]}, "pdv.reduced_rate": {"tier": ["T0", "T1"]},
    }  # fmt: skip
    assert list_changed_tiers(changes) == {"T0", "T1", "T2"}
    assert (
        list_changed_tiers(
            compare_rules(before, lines_of(RATE.but(confidence=0.5), BOOKS, THRESHOLD))
        )
        == set()
    )
    assert has_no_changes(compare_rules(before, before))


def test_words_of_a_document_are_no_structure_of_the_changelog() -> None:
    nasty = RATE.but(value="x\n## 9.9.9\n<script>`", value_type="text", unit="")
    section = render_section("1.0.0", compare_rules([], lines_of(nasty)))
    assert section.count("\n## ") == 0
    assert "<script>" not in section and "x ## 9.9.9 &lt;script>'" in section


def test_a_doubt_is_written_in_words() -> None:
    doubt = {"from": "2026-07-10", "why": "no day is known", "quote": "Članak 13. briše se."}
    (line,) = lines_of(RATE)
    section = render_section("2.0.0", compare_rules([line], [{**line, "doubts": [doubt]}]))
    assert section.rstrip().endswith(
        "doubts none → from: 2026-07-10, why: no day is known, quote: Članak 13. briše se."
    )


def test_what_a_rule_says_in_a_few_words() -> None:
    (line,) = lines_of(BOOKS.but(effective_until="2030-01-01"))
    assert describe_line(line).startswith("5 %, from 2013-01-01, until 2030-01-01, ")
    assert "books" in describe_line(line)


def test_no_version_ever_comes_again() -> None:
    first = plan_release(material(RATE))
    gone = released(first, "ROLLED_BACK")
    second = plan_release(material(RATE, releases=(gone,)))
    assert (second.version, second.number, second.previous) == ("2.0.0", 2, None)
    third = plan_release(
        material(RATE, KEEPING, releases=(gone, released(second)), published=second.lines)
    )
    assert (third.version, third.number) == ("2.0.1", 3)
    assert third.previous is not None and third.previous.version == "2.0.0"


def test_a_release_that_is_refused_plans_no_change() -> None:
    first = plan_release(material(RATE))
    refused = plan_release(
        material(RATE, THRESHOLD.but(approved_by=None), releases=(released(first),),
                 published=first.lines)
    )  # fmt: skip
    assert [fault.gate for fault in refused.faults] == ["person_has_approved"]
    assert refused.is_unchanged and refused.lines == ()


def test_a_manifest_of_nothing_is_a_manifest() -> None:
    data = serialize_manifest(PACK, "1.0.0", "0.9.0", [])
    assert read_manifest(data).rules == ()
    assert read_manifest(data).header["rules"] == 0
