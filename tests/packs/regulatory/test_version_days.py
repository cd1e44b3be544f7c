"""From when a version of a page counts, and the wordings of its provisions over time."""

import pytest

from assay.packs.regulatory.acts.provision_history import (
    ProvisionVersion,
    list_provision_versions,
    select_provision,
)
from assay.packs.regulatory.acts.version_days import DatedVersion, date_versions
from assay.packs.regulatory.commands import describe_period
from assay.sdk.facts import Passage
from assay.sdk.reading import ContentClass, Reading

BODY = "§ 1\nDer Steuersatz beträgt {rate} Prozent.\n§ 2\nDie Steuer ist jährlich zu zahlen.\n"


def version(head: str, first_seen: str, body: str = BODY.format(rate=5)) -> DatedVersion:
    language = "en" if "Act" in head else "hr" if "Zakon" in head else "de"
    reading = Reading(content_class=ContentClass.HTML, text=f"{head}\n{body}", title=None)
    return DatedVersion(first_seen, Passage(reading=reading, language=language), first_seen)


def follow(earlier: str, later: str, body: str = BODY.format(rate=6)) -> DatedVersion:
    pair = [version(earlier, "2026-01-15"), version(later, "2026-03-20", body)]
    return date_versions(pair)[1]


@pytest.mark.parametrize(
    ("earlier", "later", "day"),
    [
        ("Gesetz X", "Gesetz X\ngültig ab 1. Februar 2026", "2026-02-01"),
        ("Gesetz X", "Gesetz X\nGeändert durch Gesetz vom 12.12.2025 mWv 1.2.2026", "2026-02-01"),
        ("Gesetz X\nStand: 1.1.2025", "Gesetz X\nStand: 1. Februar 2026", "2026-02-01"),
        ("Gesetz X", "Gesetz X\nin der ab dem 1. Juli 2026 geltenden Fassung", "2026-07-01"),
        ("The X Act", "The X Act\nas amended on 1 February 2026", "2026-02-01"),
        ("Zakon o X", "Zakon o X\npročišćeni tekst zakona\nna snazi od 01.02.2026.", "2026-02-01"),
    ],
)
def test_a_version_says_from_when_it_applies(earlier: str, later: str, day: str) -> None:
    found = follow(earlier, later)
    assert (found.day.day, found.day.since) == (day, "")
    assert found.day.quote is not None
    quoted = found.passage.reading.text[found.day.quote.start : found.day.quote.end]
    assert quoted in later


@pytest.mark.parametrize(
    ("later", "is_noted"),
    [
        ("Gesetz X", False),
        ("Gesetz X\nStand: 20. März 2026", False),
        ("Gesetz X\nZuletzt geändert durch Gesetz vom 12.12.2025", True),
        ("Gesetz X\ngültig ab 1.2.2026, § 2 gültig ab 1.3.2026", True),
    ],
    ids=["nothing", "the day of printing", "an amendment without a day", "two days"],
)
def test_otherwise_it_changed_between_two_retrievals(later: str, is_noted: bool) -> None:
    found = follow("Gesetz X", later).day
    assert (found.day, found.since, found.is_noted) == ("2026-03-20", "2026-01-16", is_noted)


def test_what_a_provision_says_about_other_acts_is_not_about_the_version() -> None:
    body = BODY.format(rate=6) + "§ 3\nDas Gesetz Y, zuletzt geändert mWv 1.2.2026, gilt weiter.\n"
    found = follow("Gesetz X", "Gesetz X", body).day
    assert (found.since, found.is_noted) == ("2026-01-16", False)


def list_wordings(*heads: tuple[str, str, int]) -> list[ProvisionVersion]:
    versions = [version(head, seen, BODY.format(rate=rate)) for head, seen, rate in heads]
    return list(list_provision_versions(date_versions(versions)))


def test_only_a_provision_that_changed_has_two_wordings() -> None:
    found = list_wordings(("Gesetz X", "2026-01-15", 5), ("Gesetz X", "2026-03-20", 6))
    old, new = select_provision(found, "sec_1__para_1") or select_provision(found, "sec_1")
    assert (old.start, old.until, old.until_since) == ("", "2026-03-20", "2026-01-16")
    assert (new.start, new.start_since, new.until) == ("2026-03-20", "2026-01-16", "")
    assert all(one.start == one.until == "" for one in select_provision(found, "sec_2"))
    assert "between 2026-01-16 and 2026-03-20" in describe_period(new)


@pytest.mark.parametrize(
    ("day", "rates"),
    [("2026-01-15", {"5": True}), ("2026-02-01", {"5": False, "6": False}),
     ("2026-03-20", {"6": True})],
)  # fmt: skip
def test_a_day_between_two_retrievals_has_two_uncertain_wordings(
    day: str, rates: dict[str, bool]
) -> None:
    found = list_wordings(("Gesetz X", "2026-01-15", 5), ("Gesetz X", "2026-03-20", 6))
    chosen = [one for one in select_provision(found, day=day) if "Steuersatz" in one.text]
    shown = {one.text.split("beträgt ")[1][0]: one.is_certain_on(day) for one in chosen}
    assert shown == rates
