"""Releases, rules, concepts, health, and what goes wrong, over real HTTP."""

import json
import re
from typing import Any

import aiohttp
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
from assay.server.failures import advise_client, http_status_of
from assay.store import truth
from assay.store.schema import VERSION_TABLE
from assay.store.upserts import upsert_records
from tests.ruling.published import line, manifest
from tests.server.sites import Asked, serving
from tests.server.stored import LINES, publish
from tests.unit.test_errors import CLASSES


async def test_releases_are_listed_the_newest_first(site: Asked) -> None:
    found = (await site.get("/releases"))["releases"]
    assert [(row["version"], row["rule_count"]) for row in found] == [("2.0.0", 3), ("1.0.0", 1)]
    assert (await site.get("/releases", pack="civic"))["releases"] == []
    one = await site.get("/releases/2.0.0")
    assert (one["version"], one["changes"]) == ("2.0.0", {})


async def test_the_manifest_is_the_stored_bytes_under_their_hash(site: Asked) -> None:
    async with site.session.get("/releases/2.0.0/manifest") as answer:
        data = await answer.read()
        tag = answer.headers["ETag"].strip('"')
        assert answer.content_type == "application/jsonl"
    assert data == manifest(*LINES, version="2.0.0")
    assert tag == content_hash(data)
    assert len(read_manifest(data).rules) == 3
    known = {"If-None-Match": f'"{tag}"'}
    async with site.session.get("/releases/2.0.0/manifest", headers=known) as answer:
        assert (answer.status, await answer.read()) == (304, b"")
    async with site.session.get("/releases/1.0.0/manifest", headers=known) as answer:
        assert answer.status == 200


async def test_a_manifest_whose_bytes_were_altered_is_not_given(
    site: Asked, published: App
) -> None:
    file = published.blobs.path(content_hash(manifest(*LINES, version="2.0.0")))
    file.chmod(0o644)
    file.write_bytes(file.read_bytes().replace(b'"5"', b'"6"'))
    for path in ("/releases/2.0.0/manifest", "/ask?concept=pdv.rate"):
        status, told = await site.refused(path)
        assert (status, told["code"]) == (500, "corrupt_blob")


async def test_concepts_are_found_by_any_of_their_names(site: Asked) -> None:
    (found,) = (await site.get("/concepts", q="STOPA"))["concepts"]
    assert (found["concept"], found["rules"]) == ("pdv.rate", 3)
    assert found["aliases"] == ["PDV: stopa", "VAT: rate"]
    assert (await site.get("/concepts", q="nothing"))["concepts"] == []
    assert (await site.get("/concepts"))["left_out"] == 0


async def test_a_rule_is_shown_with_what_it_rests_on(site: Asked) -> None:
    told = await site.get("/rules/rl_general")
    assert (told["value"], told["condition"], told["releases"]) == ("25", "always", ["2.0.0"])
    (source,) = told["sources"]
    assert source["quote"] == "The rate of value added tax is 25 %."
    assert (source["name"], source["evidence_hash"]) == ("Gazette", "0" * 64)
    assert [(edge["kind"], edge["to_rule"]) for edge in told["edges"]] == [("SUPERSEDES", "rl_old")]


async def test_a_rule_that_is_not_released_is_not_shown(site: Asked, published: App) -> None:
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
        status, told = await site.refused(f"/rules/{rule_id}")
        assert (status, told["message"]) == (404, f"There is no released rule {rule_id}.")
    shown = await site.get("/rules/rl_general")
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
        "Did you mean 'a'? GET /concepts lists them."
    )
    assert advise_client("Choose one with --pack.", 400) == "Choose one with the parameter 'pack'."
    assert advise_client("Run 'assay init' first.", 503) == (
        "Try again later, or ask the operator of this server."
    )
    assert advise_client("Send less; 'assay x' shows it.", 413) == "Send less."


async def test_the_advice_of_real_refusals_is_for_clients(site: Asked, published: App) -> None:
    _, told = await site.refused("/releases/7.0.0")
    assert told["advice"] == "GET /releases lists them."
    _, told = await site.refused("/ask", ("concept", "pdv.rte"))
    assert told["advice"].endswith("GET /concepts lists all concepts.")
    _, told = await site.refused("/ask", ("concept", "pdv.rate"), ("date", "2026-01-01"))
    assert told["advice"] == "Give it with the parameter 'as_of'."
    publish(published, line("rl_civic", "7"), pack="civic")
    _, told = await site.refused("/ask", ("concept", "pdv.rate"))
    assert told["advice"] == "Choose one with the parameter 'pack'."


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/", 404, "nothing at /"),
        ("/rules/rl_generl", 404, "no released rule rl_generl"),
        ("/releases/7.0.0", 404, "no release 7.0.0"),
        ("/releases/..%2F..%2Fetc/manifest", 400, "'../../etc' is not a version"),
        ("/concepts?limit=0", 400, "limit=0"),
        ("/concepts?limit=99999999999", 400, "not a whole number from 1 to 1000"),
        ("/concepts?qq=x", 400, "no parameter 'qq'"),
        ("/releases?version=1", 400, "no parameter 'version'"),
    ],
    ids=["root", "rule", "release", "path", "limit", "large", "parameter", "version"],
)
async def test_what_is_not_there_is_said(site: Asked, path: str, status: int, words: str) -> None:
    code, told = await site.refused(path)
    assert code == status
    assert words in told["message"]


async def test_nothing_can_be_written(site: Asked) -> None:
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        async with site.session.request(method, "/ask") as answer:
            assert answer.status == 405
            assert answer.headers["Allow"] == "GET,HEAD"
            assert (await answer.json())["error"]["message"] == f"/ask does not support {method}."


async def test_health_tells_whether_the_store_is_there(site: Asked, published: App) -> None:
    assert (await site.get("/health"))["status"] == "ok"
    async with site.session.head("/health") as answer:
        assert answer.status == 200
        assert answer.headers["Server"] == "assay"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
    with published.engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE {VERSION_TABLE} SET version_num = '9999'")
    status, told = await site.refused("/health")
    assert (status, told["code"]) == (503, "schema_too_new")


async def test_a_bug_is_answered_and_the_server_goes_on(
    empty: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(empty, *LINES)

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr("assay.app.rule_queries.list_concepts", broken)
    async with serving(empty) as url, aiohttp.ClientSession(url) as session:
        status, told = await Asked(session).refused("/concepts")
        assert (status, told["code"]) == (500, "bug")
        assert "secret" not in str(told)
        assert (await Asked(session).get("/health"))["status"] == "ok"


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
