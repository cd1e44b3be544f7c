"""Asking, rules over time, and releases, as pages."""

from datetime import date

from playwright.async_api import Browser

from assay.app import App
from assay.app.principals import Role
from assay.console.forms import TOKEN_COOKIE
from assay.console.timelines import build_timeline
from tests.console.conftest import WatchedPage, open_console, serving_console
from tests.server.stored import OLD, publish


def test_an_answer_shows_the_value_with_its_words(published: App) -> None:
    page = open_console(published).get("/ask", params={"q": "VAT rate", "as_of": "2026-01-01"}).text
    assert '<p class="figure">25 %</p>' in page and "/rules/rl_general" in page
    assert "/releases/regulatory/2.0.0" in page
    # The other rule needs to know more about the case, and the form asks for just that.
    assert 'name="field.' in page and "/rules/rl_books" in page


def test_what_is_known_about_the_case_is_part_of_the_address(published: App) -> None:
    query = {"q": "VAT rate", "as_of": "2026-01-01", "field.activity": "books"}
    page = open_console(published).get("/ask", params=query).text
    assert '<p class="figure">5 %</p>' in page and 'value="books"' in page


def test_an_earlier_day_has_another_answer(published: App) -> None:
    page = open_console(published).get("/ask", params={"q": "VAT rate", "as_of": "2015-06-01"}).text
    assert '<p class="figure">23 %</p>' in page


def test_what_nobody_knows_leads_to_what_is_known(published: App) -> None:
    answer = open_console(published).get("/ask", params={"q": "VAT rat"})
    assert "No released rule is about" in answer.text
    assert '<a href="/ask?q=pdv.rate' in answer.text


def test_an_invalid_date_is_explained(published: App) -> None:
    answer = open_console(published).get("/ask", params={"q": "VAT rate", "as_of": "yesterday"})
    assert answer.status_code == 400 and "is not a valid date" in answer.text


def test_concepts_are_found_by_their_other_names(published: App) -> None:
    console = open_console(published)
    assert "pdv.rate" in console.get("/rules", params={"q": "STOPA pdv"}).text
    assert "No concept has that name." in console.get("/rules", params={"q": "zzz"}).text


def test_the_rules_of_a_concept_change_with_the_day(published: App) -> None:
    console = open_console(published)
    now = console.get("/concepts/pdv.rate", params={"on": "2026-01-01"}).text
    before = console.get("/concepts/pdv.rate", params={"on": "2015-06-01"}).text
    in_force = [page.split("<h2>In force on")[1].split("<h2>All")[0] for page in (now, before)]
    assert "rl_old" not in in_force[0] and "rl_old" in in_force[1]
    assert "<svg" in now and 'type="range"' in now


def test_a_rule_shows_what_it_supersedes_and_where_it_was_released(published: App) -> None:
    page = open_console(published).get("/rules/rl_general").text
    assert "supersedes" in page and "/rules/rl_old" in page
    assert "/releases/regulatory/2.0.0" in page


def test_any_two_releases_can_be_compared(published: App) -> None:
    publish(published, OLD, version="3.0.0", number=3)
    page = open_console(published).get("/releases/regulatory/3.0.0", params={"against": "2.0.0"})
    removed = page.text.split("<h3>Removed</h3>")[1]
    assert "rl_books" in removed and "rl_old" not in removed


def test_a_damaged_release_is_shown_as_such(published: App) -> None:
    page = open_console(published).get("/releases/regulatory/2.0.0/proof").text
    # The fixture stores a release without the evidence that it names.
    assert "The release does not hold" in page


def test_a_manifest_is_only_downloaded(published: App) -> None:
    answer = open_console(published).get("/releases/regulatory/1.0.0/manifest.jsonl")
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert b'"version":"1.0.0"' in answer.content.replace(b" ", b"")


def test_only_an_operator_with_the_version_and_a_reason_rolls_back(published: App) -> None:
    place = "/releases/regulatory/2.0.0"
    console = open_console(published)
    console.get("/releases")
    token = console.cookies[TOKEN_COOKIE]
    reader = open_console(published, "ivo", Role.READER)
    reader.cookies.set(TOKEN_COOKIE, token)
    right = {"confirm": "2.0.0", "note": "wrong rate", "token": token}

    assert reader.post(f"{place}/rollback", data=right).status_code == 403
    assert console.post(f"{place}/rollback", data=right | {"token": "other"}).status_code == 403
    for wrong in ({"confirm": "2.0"}, {"note": " "}):
        console.post(f"{place}/rollback", data=right | wrong)
        assert "rolled back" not in console.get("/releases").text
    answer = console.post(f"{place}/rollback", data=right)
    assert answer.status_code == 303
    assert "Rolled back 2.0.0" in console.get(answer.headers["Location"]).text
    assert "rolled back" in console.get("/releases").text


def test_the_timeline_covers_all_dates_and_marks_the_day() -> None:
    rule = {"rule_id": "a", "display": "1 %", "period": "", "status": "APPROVED"}
    rules: list[dict[str, str | None]] = [
        {**rule, "effective_from": "2001-05-01", "effective_until": "2010-01-01"},
        {**rule, "effective_from": None, "effective_until": None},
    ]
    drawn = build_timeline(rules, date(2026, 1, 1), date(2005, 1, 1))
    assert drawn is not None
    assert (drawn.first, drawn.last) == (date(2001, 1, 1), date(2027, 1, 1))
    first, whole = drawn.bars
    assert whole.width > first.width and whole.open_start and whole.open_end
    assert drawn.marker is not None and first.x < drawn.marker < first.x + first.width
    assert build_timeline(rules[1:], date(2026, 1, 1)) is None


async def test_the_slider_moves_through_time_in_a_browser(published: App, browser: Browser) -> None:
    async with serving_console(published) as url:
        watched = WatchedPage(await browser.new_page())
        page = watched.page
        await page.goto(f"{url}/concepts/pdv.rate?on=2026-01-01")
        assert await page.locator("#in-force >> text=rl_old").count() == 0
        slider = page.locator("input.days")
        async with page.expect_response(lambda r: "on=2012" in r.url):
            await slider.focus()
            await page.keyboard.press("Home")
            for _ in range(3):
                await page.keyboard.press("ArrowRight")
        await page.locator("#in-force h2").wait_for()
        assert (await page.locator("#in-force h2").inner_text()).startswith("In force on 2012-01")
        assert await page.locator("#in-force li", has_text="23 %").count() == 1
        assert watched.complaints == []


async def test_a_question_can_be_asked_on_a_phone(published: App, browser: Browser) -> None:
    async with serving_console(published) as url:
        watched = WatchedPage(await browser.new_page(viewport={"width": 360, "height": 740}))
        page = watched.page
        await page.goto(f"{url}/ask")
        await page.get_by_label("What do you want to know?").fill("VAT rate")
        await page.get_by_role("button", name="Ask").click()
        await page.locator("article.value .figure").first.wait_for()
        assert await page.evaluate("document.documentElement.scrollWidth") <= 360
        assert watched.complaints == []
