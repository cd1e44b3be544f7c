"""The facts of an act through the versions of its page, without a store."""

from typing import Any

from bench.law_history_facts import list_law

from assay.packs.regulatory.acts.amendment_steps import list_steps
from assay.packs.regulatory.acts.law_changes import LawChanges, LawText
from assay.packs.regulatory.acts.naming import make_act_key, make_version_id
from assay.packs.regulatory.acts.version_days import DatedVersion, date_versions
from assay.packs.regulatory.acts.versions import work_out_versions
from assay.packs.regulatory.extractor.reader import load_facts_with_extractor
from assay.sdk.facts import Passage
from assay.sdk.reading import ContentClass, Reading

TITLE = "Zakon o turističkoj pristojbi"
RATE = "Turistička pristojba plaća se po stopi od {} % od iznosa računa za smještaj."
KEEP = "Iznajmljivač čuva račune najmanje 7 godina od isteka godine na koju se odnose."
FINE = "Novčanom kaznom od 1.000,00 eura kaznit će se iznajmljivač koji ne plati pristojbu."
FORCE = "Ovaj Zakon stupa na snagu 1. siječnja 2023."
FROM = "Pročišćeni tekst na snazi od 1. {} 2024."
FACTS = load_facts_with_extractor()


def version(first_seen: str, *articles: str, note: str = "") -> DatedVersion:
    numbered = [f"Članak {n}.\n{text}\n" for n, text in enumerate((*articles, FORCE), 1)]
    text = "\n".join((TITLE, note, *numbered))
    reading = Reading(content_class=ContentClass.HTML, text=text, title=TITLE)
    return DatedVersion(first_seen, Passage(reading=reading, language="hr"), first_seen)


def follow(*versions: DatedVersion, answers: dict[str, str] | None = None) -> LawChanges:
    dated = date_versions(list(versions))
    return work_out_versions(dated, (), "key", FACTS, answers or {})


def list_days(versions: list[DatedVersion], changes: LawChanges) -> set[tuple[str, str, str]]:
    """Value, first and last day of everything but the entry into force."""
    own = {one.source: one.list_facts(FACTS) for one in versions}
    law = list_law(versions, own, changes)
    return {(m[2], start, end) for m, start, end in law if "entry_into_force" not in m[0]}


def test_a_corrected_spelling_changes_nothing() -> None:
    wrong = RATE.format(5).replace("smještaj", "smjestaj")
    changes = follow(
        version("2024-01-10", wrong, KEEP), version("2024-02-10", RATE.format(5), KEEP)
    )
    assert changes == LawChanges()


def test_what_a_repealed_provision_said_ends() -> None:
    versions = [
        version("2024-01-10", RATE.format(5), FINE),
        version("2024-02-10", RATE.format(5), "(Brisan)", note=FROM.format("srpnja")),
    ]
    assert list_days(versions, follow(*versions)) == {
        ("5", "2023-01-01", ""),
        ("1000", "2023-01-01", "2024-07-01"),
    }


def test_every_version_keeps_its_period() -> None:
    notes = ("", FROM.format("srpnja"), FROM.format("rujna"))
    versions = [
        version(f"2024-0{month}-10", RATE.format(rate), KEEP, note=note)
        for month, rate, note in zip((1, 2, 3), (5, 6, 8), notes, strict=True)
    ]
    assert list_days(versions, follow(*versions)) == {
        ("5", "2023-01-01", "2024-07-01"),
        ("6", "2024-07-01", "2024-09-01"),
        ("8", "2024-09-01", ""),
        ("7", "2023-01-01", ""),
    }


def test_a_provision_that_moved_keeps_its_period() -> None:
    versions = [
        version("2024-01-10", RATE.format(5), KEEP),
        version("2024-02-10", RATE.format(5), FINE, KEEP, note=FROM.format("srpnja")),
    ]
    assert list_days(versions, follow(*versions)) == {
        ("5", "2023-01-01", ""),
        ("7", "2023-01-01", ""),
        ("1000", "2024-07-01", ""),
    }


def test_only_figures_that_changed_without_a_note_are_a_question() -> None:
    old, new = version("2024-01-10", RATE.format(5)), version("2024-02-10", RATE.format(6))
    (asked,) = follow(old, new).unexplained
    assert [figures for _, *figures in asked.figures] == [["5 %", "6 %"]]
    noted = version("2024-02-10", RATE.format(6), note="Izmijenjen Zakonom br. 12/24")
    assert follow(old, noted).unexplained == []
    assert follow(old, version("2024-02-10", RATE.format(5), FINE)).unexplained == []


def test_a_corrected_figure_has_the_period_of_the_one_it_corrects() -> None:
    versions = [
        version("2024-01-10", RATE.format(5)),
        version("2024-02-10", RATE.format(6), note=FROM.format("srpnja")),
        version("2024-03-10", RATE.format(8), note=FROM.format("srpnja")),
    ]
    changes = follow(*versions, answers={make_version_id("2024-03-10", "key"): "correction"})
    assert list_days(versions, changes) == {
        ("5", "2023-01-01", "2024-07-01"),
        ("8", "2024-07-01", ""),
    }


def test_a_figure_that_was_changed_before_it_applied_never_held() -> None:
    versions = [
        version("2024-01-10", RATE.format(5)),
        version("2024-02-10", RATE.format(6), note=FROM.format("srpnja")),
        version("2024-03-10", RATE.format(8), note=FROM.format("srpnja")),
    ]
    assert list_days(versions, follow(*versions)) == {
        ("5", "2023-01-01", "2024-07-01"),
        ("8", "2024-07-01", ""),
    }


class StoredText:
    """A text that need not be stored."""

    def __init__(self, *lines: str) -> None:
        self._text = "\n".join(lines)

    def load_passage(self) -> Passage:
        title = self._text.partition("\n")[0]
        reading = Reading(content_class=ContentClass.HTML, text=self._text, title=title)
        return Passage(reading=reading, language="hr")


def test_an_amendment_counts_although_the_page_lags_behind() -> None:
    stored: Any = StoredText(
        "Zakon o izmjenama Zakona o turističkoj pristojbi", "Članak 1.",
        "U Zakonu o turističkoj pristojbi (»Službeni list«, br. 8/24) u članku 1. "
        "riječi »5 %« zamjenjuju se riječima »6 %«.",
        "Članak 2.", "Ovaj Zakon stupa na snagu 1. srpnja 2024.",
    )  # fmt: skip
    versions = [
        version("2024-01-10", RATE.format(5), KEEP),
        version("2024-08-10", RATE.format(5), KEEP, FINE),
    ]
    key = make_act_key(TITLE)
    steps = list_steps([LawText("change", stored)], key, {})
    changes = work_out_versions(date_versions(versions), steps, key, FACTS, {})
    assert list_days(versions, changes) == {
        ("5", "2023-01-01", "2024-07-01"),
        ("6", "2024-07-01", ""),
        ("7", "2023-01-01", ""),
        ("1000", "2024-08-10", ""),
    }


def test_an_article_that_begins_in_parts_leaves_the_day_of_its_instructions_open() -> None:
    lines = (
        "Zakon o izmjenama Zakona o turističkoj pristojbi", "Članak 1.",
        "U Zakonu o turističkoj pristojbi u članku 1. riječi »5 %« zamjenjuju se riječima »6 %«.",
        "Članak 2.", "Ovaj Zakon stupa na snagu 1. srpnja 2024.{}",
    )  # fmt: skip
    staged = ", osim članka 1. stavka 1. koji stupa na snagu 1. siječnja 2026."
    for more, day in (("", "2024-07-01"), (staged, None)):
        stored: Any = StoredText(*lines[:-1], lines[-1].format(more))
        (step,) = list_steps([LawText("change", stored)], make_act_key(TITLE), {})
        assert step.day == day
