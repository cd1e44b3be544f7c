"""Releases, rules and concepts in the API, and what goes wrong."""

import json
import re
from typing import Any

import pytest
import sqlalchemy as sa

from assay.app import App
from assay.errors import (
    AssayError,
    DatabaseBusy,
    DiskFull,
    InvalidInput,
    NotFound,
    SchemaOutdated,
)
from assay.model.hashes import content_hash
from assay.model.rules import Conflict, ConflictSide, Rule, RuleEdge
from assay.ruling.release.manifest import read_manifest
from assay.sdk.problems import advise_client, http_status_of
from assay.store import truth
from assay.store.upserts import upsert_records
from tests.console.conftest import AskedApi, asking
from tests.ruling.published import line, manifest
from tests.server.stored import LINES, publish
from tests.unit.test_errors import CLASSES


async def test_releases_are_listed_the_newest_first(api: AskedApi) -> None:
    found = (await api.get("/api/releases"))["releases"]
    assert [(row["version"], row["rule_count"]) for row in found] == [("2.0.0", 3), ("1.0.0", 1)]
    assert (await api.get("/api/releases", pack="civic"))["releases"] == []
    one = await api.get("/api/releases/2.0.0")
    assert (one["version"], one["changes"]) == ("2.0.0", {})


async def test_the_manifest_is_the_stored_bytes_under_their_hash(api: AskedApi) -> None:
    answer = await api.client.get("/api/releases/2.0.0/manifest")
    tag = answer.headers["ETag"].strip('"')
    assert answer.headers["Content-Type"] == "application/jsonl; charset=utf-8"
    assert answer.content == manifest(*LINES, version="2.0.0")
    assert tag == content_hash(answer.content)
    assert len(read_manifest(answer.content).rules) == 3
    for known in (f'"{tag}"', f'W/"{tag}"', f'"other", "{tag}"', "*"):
        headers = {"If-None-Match": known}
        answer = await api.client.get("/api/releases/2.0.0/manifest", headers=headers)
        assert (answer.status_code, answer.content) == (304, b"")
    headers = {"If-None-Match": f'"{tag}"'}
    assert (
        await api.client.get("/api/releases/1.0.0/manifest", headers=headers)
    ).status_code == 200


async def test_what_a_client_has_is_not_sent_again(api: AskedApi, published: App) -> None:
    for path in ("/api/concepts", "/api/releases", "/api/rules/rl_general"):
        first = await api.client.get(path)
        headers = {"If-None-Match": first.headers["ETag"]}
        again = await api.client.get(path, headers=headers)
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["ETag"] == first.headers["ETag"]
        assert first.headers["Cache-Control"] == "private, no-cache"
    publish(published, line("rl_new", "27"), version="3.0.0", number=3)
    headers = {"If-None-Match": (await api.client.get("/api/concepts")).headers["ETag"]}
    assert (await api.client.get("/api/releases", headers=headers)).status_code == 200


async def test_a_manifest_whose_bytes_were_altered_is_not_given(
    api: AskedApi, published: App
) -> None:
    file = published.blobs.path(content_hash(manifest(*LINES, version="2.0.0")))
    file.chmod(0o644)
    file.write_bytes(file.read_bytes().replace(b'"5"', b'"6"'))
    for path in ("/api/releases/2.0.0/manifest", "/api/ask?concept=pdv.rate"):
        status, told = await api.refused(path)
        assert (status, told["code"]) == (500, "corrupt_blob")


async def test_concepts_are_found_by_any_of_their_names(api: AskedApi) -> None:
    (found,) = (await api.get("/api/concepts", q="STOPA"))["concepts"]
    assert (found["concept"], found["rules"]) == ("pdv.rate", 3)
    assert found["aliases"] == ["PDV: stopa", "VAT: rate"]
    assert (await api.get("/api/concepts", q="nothing"))["concepts"] == []
    assert (await api.get("/api/concepts"))["left_out"] == 0


async def test_a_rule_is_shown_with_what_it_rests_on(api: AskedApi) -> None:
    told = await api.get("/api/rules/rl_general")
    assert (told["value"], told["condition"], told["releases"]) == ("25", "always", ["2.0.0"])
    (source,) = told["sources"]
    assert source["quote"] == "The rate of value added tax is 25 %."
    assert (source["name"], source["evidence_hash"]) == ("Gazette", "0" * 64)
    assert [(edge["kind"], edge["to_rule"]) for edge in told["edges"]] == [("SUPERSEDES", "rl_old")]


async def test_a_rule_that_is_not_released_is_not_shown(api: AskedApi, published: App) -> None:
    hidden: dict[str, Any] = {"pack": "regulatory", "concept": "pdv.rate", "domain": "pdv"}
    hidden |= {"tier": "T0", "value_type": "percentage", "applies_when": '{"op":"true"}'}
    drafts = [
        Rule(rule_id="rl_draft", value="99", **hidden),
        Rule(rule_id="rl_withdrawn", value="98", **hidden),
    ]
    conflict = Conflict(
        conflict_id="co_1", pack="regulatory", concept="pdv.rate", value_type="percentage",
        applies_when="{}", kind="SOURCE", sign="VALUE_MISMATCH", recommendation="rl_draft",
    )  # fmt: skip
    edge = RuleEdge(from_rule="rl_draft", to_rule="rl_general", kind="SUPERSEDES", reason="99 %")
    side = ConflictSide(
        side_id="cs_1", conflict_id="co_1", rule_id="rl_general", gave_way_to="rl_draft"
    )
    with published.engine.begin() as connection:
        upsert_records(connection, [*drafts, conflict, edge, side])
        rule = truth.rule
        edited = sa.update(rule).where(rule.c.rule_id == "rl_general")
        connection.execute(edited.values(person_version={"value": "77"}))
    publish(published, line("rl_withdrawn", "98"), version="3.0.0", number=3, state="ROLLED_BACK")
    for rule_id in ("rl_draft", "rl_withdrawn"):
        status, told = await api.refused(f"/api/rules/{rule_id}")
        assert (status, told["detail"]) == (404, f"There is no released rule {rule_id}.")
    shown = await api.get("/api/rules/rl_general")
    assert [edge["to_rule"] for edge in shown["edges"]] == ["rl_old"]
    assert [found["conflict_id"] for found in shown["conflicts"]] == ["co_1"]
    assert not {"rl_draft", "99", "98", "77"} & set(re.findall(r"\w+", json.dumps(shown)))


@pytest.mark.parametrize("error", CLASSES, ids=lambda error: error.__name__)
def test_advice_over_http_names_no_command(error: type[AssayError]) -> None:
    advice = advise_client(error.advice, 500)
    assert "'assay " not in advice
    assert "--" not in advice
    assert "ASSAY_" not in advice
    assert advice or not error.advice


def test_advice_over_http_names_requests() -> None:
    assert advise_client("Did you mean 'a'? 'assay rules list' lists them.", 404) == (
        "Did you mean 'a'? GET /api/concepts lists them."
    )
    assert advise_client("Choose one with --pack.", 400) == "Choose one with the parameter 'pack'."
    assert advise_client("Run 'assay init' first.", 503) == (
        "Try again later, or ask the operator of this server."
    )
    assert advise_client("Send less; 'assay x' shows it.", 413) == "Send less."


async def test_the_advice_of_real_refusals_is_for_clients(api: AskedApi, published: App) -> None:
    _, told = await api.refused("/api/releases/7.0.0")
    assert told["advice"] == "GET /api/releases lists them."
    _, told = await api.refused("/api/ask", ("concept", "pdv.rte"))
    assert told["advice"].endswith("GET /api/concepts lists all concepts.")
    _, told = await api.refused("/api/ask", ("concept", "pdv.rate"), ("date", "2026-01-01"))
    assert told["advice"] == "Give it with the parameter 'as_of'."
    publish(published, line("rl_civic", "7"), pack="civic")
    _, told = await api.refused("/api/ask", ("concept", "pdv.rate"))
    assert told["advice"] == "Choose one with the parameter 'pack'."


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/api/nothing", 404, "nothing at /api/nothing"),
        ("/api/rules/rl_generl", 404, "no released rule rl_generl"),
        ("/api/releases/7.0.0", 404, "no release 7.0.0"),
        ("/api/releases/..%2F..%2Fetc/manifest", 404, "There is nothing at"),
        ("/api/releases/..%5Cetc/manifest", 400, "'..\\etc' is not a version"),
        ("/api/rules/rl%00", 400, "zero byte"),
        ("/api/concepts?limit=0", 400, "limit"),
        ("/api/concepts?limit=99999999999", 400, "less than or equal to 1000"),
        ("/api/concepts?qq=x", 400, "no parameter 'qq'"),
        ("/api/releases?version=1", 400, "no parameter 'version'"),
    ],
    ids=[
        "root",
        "rule",
        "release",
        "path",
        "version",
        "zero",
        "limit",
        "large",
        "parameter",
        "unknown",
    ],
)
async def test_what_is_not_there_is_said(api: AskedApi, path: str, status: int, words: str) -> None:
    code, told = await api.refused(path)
    assert code == status
    assert words in told["detail"]


async def test_nothing_can_be_written_where_nothing_is(api: AskedApi) -> None:
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        answer = await api.client.request(method, "/api/ask", json={})
        assert answer.status_code == 405
        assert answer.headers["Allow"] == "GET"
        told = answer.json()
        assert told["detail"] == f"/api/ask does not support {method}."
        assert told["advice"] == "Use GET."


async def test_a_bug_is_answered_and_the_server_goes_on(
    empty: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(empty, *LINES)

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr("assay.app.rule_queries.list_concepts", broken)
    async with asking(empty) as api:
        status, told = await api.refused("/api/concepts")
        assert (status, told["code"]) == (500, "bug")
        assert "secret" not in str(told)
        assert (await api.get("/health"))["status"] == "ok"


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (NotFound("x"), 404),
        (InvalidInput("x"), 400),
        (SchemaOutdated("x"), 503),
        (DatabaseBusy("x"), 503),
        (DiskFull("x"), 500),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, AssayError) else str(value),
)
def test_every_error_has_a_status(error: AssayError, status: int) -> None:
    assert http_status_of(error) == status
