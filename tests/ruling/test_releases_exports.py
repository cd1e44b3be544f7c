"""A release in other forms: exact, the same each time, and harmless where it is opened."""

import csv
import io
import json
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

from assay.ruling.release.exports.csv_table import COLUMNS, export_csv
from assay.ruling.release.exports.json_ld import CONTEXT, export_json_ld
from assay.ruling.release.exports.parameters import export_parameters
from assay.ruling.release.exports.parquet_table import export_parquet
from assay.ruling.release.manifest import (
    ReleaseManifest,
    build_rule_line,
    read_manifest,
    serialize_manifest,
    sort_lines,
)
from tests.payloads import CONTROLS, FORMULAS, MARKUP, find_obeyed
from tests.ruling.release_builders import (
    ALL,
    BOOKS,
    KEEPING,
    PACK,
    RATE,
    THRESHOLD,
    Stated,
    condition,
)


def manifest(*rules: Stated, previous: str | None = None) -> ReleaseManifest:
    lines = sort_lines(build_rule_line(rule.standing, rule.effective_until) for rule in rules)
    return read_manifest(serialize_manifest(PACK, "1.2.0", previous, lines))


def rows_of(*rules: Stated) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(export_csv(manifest(*rules)).decode(), newline="")))


def parameters(*rules: Stated) -> dict[str, Any]:
    return {
        path: yaml.safe_load(data) for path, data in export_parameters(manifest(*rules)).items()
    }


@pytest.mark.parametrize("form", [export_csv, export_parquet, export_json_ld, export_parameters])
def test_the_same_release_gives_the_same_bytes(form: Any) -> None:
    assert form(manifest(*ALL)) == form(manifest(*reversed(ALL)))


def test_csv_has_a_row_for_each_rule_and_source() -> None:
    rows = rows_of(*ALL)
    assert tuple(rows[0]) == COLUMNS
    assert [(row["concept"], row["source_slug"]) for row in rows] == [
        ("pdv.rate", "gazette"), ("pdv.reduced_rate", "gazette"),
        ("pdv.reduced_rate", "tax-office"), ("pdv.retention_period", "forum"),
        ("pdv.retention_period", "tax-office"), ("pdv.threshold", "gazette"),
    ]  # fmt: skip
    assert rows[0]["quote"] == RATE.quote
    assert (rows[0]["value"], rows[0]["effective_until"], rows[0]["release"]) == ("25", "", "1.2.0")
    assert json.loads(rows[1]["applies_when"])["value"] == "books"


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=1+1", "'=1+1"), ("+49", "'+49"), ("@SUM(A1)", "'@SUM(A1)"), ("-x", "'-x"),
        (" =cmd|'/c calc'!A0", "' =cmd|'/c calc'!A0"), ("\t=1", "'\t=1"), ("--03-31", "'--03-31"),
        ("-5", "-5"), ("-5.25", "-5.25"), ("25", "25"), ("a=b", "a=b"), ("-٥", "'-٥"),
    ],
)  # fmt: skip
def test_no_cell_is_a_formula(value: str, cell: str) -> None:
    (row,) = rows_of(RATE.but(value=value, value_type="text", unit=""))
    assert row["value"] == cell


def test_a_name_or_a_quote_is_no_formula_either() -> None:
    (row,) = rows_of(
        RATE.but(words='=HYPERLINK("http://x") {value} {unit}\nnext', approved_by="@eve")
    )
    assert row["quote"].startswith("'=HYPERLINK") and row["quote"].endswith("\nnext")
    assert row["approved_by"] == "'@eve"


def test_parquet_has_the_rules_as_they_are() -> None:
    data = manifest(*ALL)
    table = pq.read_table(io.BytesIO(export_parquet(data)))
    assert table.num_rows == 4
    first = table.to_pylist()[0]
    assert first["value"] == data.rules[0]["value"]
    assert first["sources"] == data.rules[0]["sources"]
    assert json.loads(first["applies_when"]) == data.rules[0]["applies_when"]
    assert table.schema.metadata[b"assay.content_hash"].decode() == data.header["content_hash"]
    assert pq.read_table(io.BytesIO(export_parquet(manifest()))).num_rows == 0


def test_json_ld_explains_itself_without_a_network() -> None:
    told = json.loads(export_json_ld(manifest(*ALL, previous="1.1.0")))
    assert told["@context"] == CONTEXT
    assert told["@id"] == "urn:assay:release:regulatory:1.2.0"
    assert told["revisionOf"] == "urn:assay:release:regulatory:1.1.0"
    rate = told["rules"][0]
    assert (rate["concept"], rate["value"], rate["from"]) == ("pdv.rate", "25", "2013-01-01")
    assert "until" not in rate
    quote = rate["quotedFrom"][0]
    assert quote["exact"] == RATE.quote
    assert quote["end"] - quote["start"] == len(RATE.quote)
    used = {name for rule in told["rules"] for name in rule} | set(quote) | set(told)
    unexplained = {name for name in used if not name.startswith("@")} - set(CONTEXT)
    assert unexplained == set()


def test_parameters_are_dated_values() -> None:
    new = RATE.but(value="24.5", effective_from="2027-01-01")
    old = RATE.but(effective_until="2027-01-01")
    files = parameters(old, new, THRESHOLD, KEEPING)
    assert sorted(files) == ["pdv/rate.yaml", "pdv/retention_period.yaml", "pdv/threshold.yaml"]
    rate = files["pdv/rate.yaml"]
    assert rate["description"] == "value added tax: rate"
    assert {str(day): entry["value"] for day, entry in rate["values"].items()} == {
        "2013-01-01": 0.25, "2027-01-01": 0.245,
    }  # fmt: skip
    assert rate["metadata"]["unit"] == "/1"
    assert rate["metadata"]["reference"][0]["href"].startswith("https://gazette.example/")
    threshold = files["pdv/threshold.yaml"]
    assert threshold["metadata"]["unit"] == "currency-EUR"
    assert list(threshold["values"].values()) == [{"value": 60000}]
    keeping = files["pdv/retention_period.yaml"]
    assert (keeping["metadata"]["unit"], len(keeping["metadata"]["reference"])) == ("year", 2)
    assert [str(day) for day in keeping["values"]] == ["0001-01-01"]


def test_a_rule_that_ends_with_nothing_after_it_ends() -> None:
    (file,) = parameters(RATE.but(effective_until="2020-01-01")).values()
    assert {str(day): entry["value"] for day, entry in file["values"].items()} == {
        "2013-01-01": 0.25, "2020-01-01": None,
    }  # fmt: skip


def test_rules_for_some_only_are_parameters_beside_the_general_one() -> None:
    bread = BOOKS.but(value="8", applies_when=condition(activity="kruh, đuveč"))
    general = BOOKS.but(value="13", applies_when=RATE.applies_when)
    files = parameters(BOOKS, bread, general)
    assert "pdv/reduced_rate.yaml" in files
    assert len(files) == 3
    scoped = sorted(set(files) - {"pdv/reduced_rate.yaml"})
    assert all(path.startswith("pdv/reduced_rate_if_activity_is_") for path in scoped)
    assert any("kruh_duvec" in path for path in scoped)
    assert "books" in files[scoped[0]]["description"]


def test_rules_that_hold_side_by_side_are_parameters_of_their_own() -> None:
    two = parameters(RATE, RATE.but(value="13"))
    assert {path: next(iter(f["values"].values()))["value"] for path, f in two.items()} == {
        "pdv/rate.yaml": 0.13, "pdv/rate_2.yaml": 0.25,
    }  # fmt: skip


def test_a_long_or_odd_scope_still_gives_a_usable_name() -> None:
    long = [
        BOOKS.but(value=str(n), applies_when=condition(activity="x" * 200 + str(n))) for n in (5, 6)
    ]
    odd = RATE.but(concept="../../etc/passwd.Rate %", value="7")
    files = parameters(*long, odd)
    assert len(files) == 3
    for path in files:
        assert ".." not in path and not path.startswith("/")
        assert all(part.replace(".yaml", "").isidentifier() for part in path.split("/"))


def test_decimals_stay_exact() -> None:
    exact = THRESHOLD.but(value="12345678901234567890.12")
    data = export_parameters(manifest(exact))["pdv/threshold.yaml"]
    assert b"value: 12345678901234567890.12\n" in data


def test_what_is_no_number_is_a_list_of_one_text() -> None:
    day = RATE.but(concept="pdv.filing_deadline", value="--02-28", value_type="date", unit="",
                   words="File it by 28 February.")  # fmt: skip
    (file,) = parameters(day).values()
    assert list(file["values"].values()) == [{"value": ["--02-28"]}]


# Half a pair of surrogates cannot be stored, so it never reaches a release.
PAYLOADS = {**CONTROLS, **MARKUP, **FORMULAS}
del PAYLOADS["half-a-pair"]


@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)
def test_no_export_carries_a_payload_to_whoever_opens_it(payload: str) -> None:
    rule = RATE.but(value=payload, value_type="text", unit="", words="{value}", label=payload)
    (row,) = rows_of(rule)
    for name in ("value", "quote", "label"):
        assert not row[name].lstrip().startswith(("=", "+", "-", "@", "＝", "＠"))
        assert find_obeyed(row[name]) == []
    linked = export_json_ld(manifest(rule)).decode()
    assert find_obeyed(linked) == []
    assert json.dumps(payload) in json.dumps(json.loads(linked))
