"""`GET /ask` over real HTTP."""

import asyncio
from datetime import date

import pytest

from assay.app import App
from assay.app.asking import ask
from tests.console.conftest import AskedApi, asking
from tests.ruling.published import line
from tests.server.stored import GENERAL, publish


async def test_an_answer_has_value_rule_quote_source_and_release(api: AskedApi) -> None:
    told = await api.get("/api/ask", concept="pdv.rate", as_of="2026-01-01")
    assert (told["state"], told["as_of"]) == ("ANSWERED", "2026-01-01")
    (found,) = told["answers"]
    assert (found["value"], found["unit"], found["display"]) == ("25", "%", "25 %")
    (rule,) = found["rules"]
    assert (rule["rule_id"], rule["approved_by"]) == ("rl_general", "ana")
    (source,) = rule["sources"]
    assert source["quote"] == "The rate of value added tax is 25 %."
    assert (source["name"], source["page"], source["article"]) == ("Gazette", 3, "Article 4")
    assert source["url"] == "https://gazette.example/acts/1"
    assert told["release"]["version"] == "2.0.0"
    assert told["open_fields"] == ["activity"]


async def test_a_situation_and_the_other_names_of_a_concept(api: AskedApi) -> None:
    told = await api.get("/api/ask", concept="pdv: STOPA", as_of="2026-01-01", activity="books")
    assert [found["value"] for found in told["answers"]] == ["5"]
    assert told["situation"] == {"activity": "books"}


async def test_python_gives_the_same(api: AskedApi, published: App) -> None:
    told = await api.get("/api/ask", concept="VAT: rate", as_of="2026-01-01", activity="books")
    reply = ask(published, "VAT: rate", {"activity": "books"}, date(2026, 1, 1))
    assert reply.values() == told


async def test_the_day_is_today_unless_one_is_named(api: AskedApi) -> None:
    told = await api.get("/api/ask", concept="pdv.rate")
    assert (told["as_of"], told["answers"][0]["value"]) == ("2023-11-14", "23")


async def test_none_and_an_older_release_are_said(api: AskedApi) -> None:
    told = await api.get("/api/ask", concept="pdv.rate", as_of="2026-01-01", release="1.0.0")
    assert (told["state"], told["answers"]) == ("NONE", [])
    assert [(other["why"], other["reason"]) for other in told["others"]] == [
        ("ENDED", "it ended on 2025-01-01")
    ]
    assert told["release"]["version"] == "1.0.0"


async def test_several_are_said(empty: App) -> None:
    publish(empty, GENERAL, line("rl_other", "13"))
    async with asking(empty) as api:
        told = await api.get("/api/ask", concept="pdv.rate", as_of="2026-01-01")
    assert told["state"] == "SEVERAL"
    assert sorted(found["value"] for found in told["answers"]) == ["13", "25"]


async def test_a_doubt_is_said(empty: App) -> None:
    doubt = {"from": "2026-01-01", "why": "the words were not found", "quote": "“25 %” becomes"}
    publish(empty, {**GENERAL, "doubts": [doubt]})
    async with asking(empty) as api:
        told = await api.get("/api/ask", concept="pdv.rate", as_of="2026-01-01")
        before = await api.get("/api/ask", concept="pdv.rate", as_of="2025-12-31")
    assert (told["state"], told["answers"][0]["doubt"]) == ("UNCERTAIN", doubt)
    assert (before["state"], before["answers"][0]["doubt"]) == ("ANSWERED", None)


@pytest.mark.parametrize(
    ("pairs", "status", "words"),
    [
        ([], 400, "'concept' is missing"),
        ([("concept", "pdv.rat")], 404, "pdv.rat"),
        ([("concept", "pdv.rate"), ("concept", "x")], 400, "given more than once"),
        ([("concept", "pdv.rate"), ("as_of", "soon")], 400, "'soon' is not a valid date"),
        ([("concept", "pdv.rate"), ("activity", "a"), ("activity", "b")], 400, "given twice"),
        ([("concept", "pdv.rate"), ("activty", "a")], 400, "No rule asks about 'activty'"),
        ([("concept", "pdv.rate"), ("turnover", "60.000")], 400, "more than one number"),
        ([("concept", "pdv.rate"), ("date", "2026-01-01")], 400, "not part of the situation"),
        ([("concept", "pdv.rate"), ("a=b", "c")], 400, "not a field name"),
        ([("concept", "pdv.rate"), ("release", "9.9.9")], 404, "no release 9.9.9"),
        ([("concept", "pdv.rate"), ("pack", "civic")], 404, "No release of pack 'civic'"),
    ],
    ids=["nothing", "concept", "twice", "day", "field-twice", "field", "number", "date", "name",
         "release", "pack"],
)  # fmt: skip
async def test_bad_questions_are_refused(
    api: AskedApi, pairs: list[tuple[str, str]], status: int, words: str
) -> None:
    code, told = await api.refused("/api/ask", *pairs)
    assert code == status
    assert words in told["detail"]


async def test_an_unknown_name_gets_the_closest(api: AskedApi) -> None:
    _, concept = await api.refused("/api/ask", ("concept", "pdv"))
    assert "pdv.rate" in concept["advice"]
    _, field = await api.refused("/api/ask", ("concept", "pdv.rate"), ("activty", "a"))
    assert "Did you mean 'activity'?" in field["advice"]


async def test_a_release_made_meanwhile_and_one_rolled_back_count_at_once(
    api: AskedApi, published: App
) -> None:
    assert (await api.get("/api/ask", concept="pdv.rate", as_of="2026-01-01"))[
        "state"
    ] == "ANSWERED"
    publish(published, line("rl_new", "27"), version="3.0.0", number=3)
    told = await api.get("/api/ask", concept="pdv.rate", as_of="2026-01-01")
    assert (told["release"]["version"], told["answers"][0]["value"]) == ("3.0.0", "27")
    publish(published, line("rl_wrong", "99"), version="4.0.0", number=4, state="ROLLED_BACK")
    told = await api.get("/api/ask", concept="pdv.rate", as_of="2026-01-01")
    assert told["release"]["version"] == "3.0.0"
    asked = await api.get("/api/ask", concept="pdv.rate", as_of="2026-01-01", release="4.0.0")
    assert asked["release"]["state"] == "ROLLED_BACK"


async def test_two_packs_must_be_told_apart(api: AskedApi, published: App) -> None:
    publish(published, line("rl_civic", "7"), pack="civic")
    status, told = await api.refused("/api/ask", ("concept", "pdv.rate"))
    assert (status, told["detail"]) == (400, "There are releases of civic and regulatory.")
    asked = await api.get("/api/ask", concept="pdv.rate", as_of="2026-01-01", pack="civic")
    assert asked["answers"][0]["value"] == "7"


async def test_many_questions_at_a_time_get_their_own_answers(api: AskedApi) -> None:
    days = [f"20{year}-06-01" for year in range(10, 40)]
    told = await asyncio.gather(*(api.get("/api/ask", concept="pdv.rate", as_of=d) for d in days))
    assert [entry["as_of"] for entry in told] == days
    assert {entry["state"] for entry in told[2:]} == {"ANSWERED"}
    assert {entry["state"] for entry in told[:2]} == {"NONE"}


async def test_without_a_release_there_is_nothing_to_ask(empty: App) -> None:
    async with asking(empty) as api:
        status, told = await api.refused("/api/ask", ("concept", "pdv.rate"))
    assert (status, told["detail"]) == (404, "No release yet.")
