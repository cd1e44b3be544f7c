"""The replay reads notices and compiled parts and compares the two ways to a version."""

from pathlib import Path

import pytest
from bench.amend import make_act, make_amendments
from bench.law_replay import measure_naming, replay, summarise
from bench.law_replay_differences import Verdict, judge_difference, squeeze_sources
from bench.law_replay_eu import ConsolidatedVersion, is_about, is_whole
from bench.law_replay_us import Step, list_steps

from assay.packs.regulatory.acts.amending import Tradition, apply_operations, parse_amendments
from assay.packs.regulatory.acts.shapes import Act, Operation, Provision, Words

NOTICE = """<RULE><REGTEXT TITLE="12" PART="1005"><AMDPAR>2. Section 1005.3 is amended by revising
paragraph (b) and adding paragraph (c) to read as follows:</AMDPAR><SECTION>
<SECTNO>§ 1005.3</SECTNO><SUBJECT>Coverage.</SUBJECT><STARS/>
<P>(b) <E T="03">Exclusions.</E> New words.</P><P>(c) Added.</P></SECTION></REGTEXT></RULE>"""
PART = """<regulation xmlns="eregs"><section label="1005-3" sectionNum="3">
<subject>§ 1005.3 Coverage.</subject>
<paragraph label="1005-3-a" marker="(a)"><content>General.</content></paragraph>
<paragraph label="1005-3-b" marker="(b)"><title>Exclusions.</title><content>{b}</content>
</paragraph>
{c}</section></regulation>"""
ADDED = '<paragraph label="1005-3-c" marker="(c)"><content>Added.</content></paragraph>'


def write(folder: Path, final: str) -> tuple[Path, Path]:
    notices, compiled = folder / "notices", folder / "compiled"
    day = notices / "documents/full_text/xml/2013/05/22"
    for each in (day, compiled / "regulation/1005", compiled / "notice/1005"):
        each.mkdir(parents=True)
    (day / "2013-10604.xml").write_text(NOTICE, encoding="utf-8")
    parts = compiled / "regulation/1005"
    (parts / "2012-1.xml").write_text(PART.format(b="Old words.", c=""), encoding="utf-8")
    (parts / "2013-10604.xml").write_text(PART.format(b=final, c=ADDED), encoding="utf-8")
    change = '<notice><changeset leftDocumentNumber="2012-1"/></notice>'
    (compiled / "notice/1005/2013-10604.xml").write_text(change, encoding="utf-8")
    return notices, compiled


def test_a_notice_leads_to_the_next_version(tmp_path: Path) -> None:
    (step,) = list_steps(*write(tmp_path, "New words."))
    outcome = replay(step)
    assert (outcome.applied, outcome.deferred, outcome.unclear, outcome.wrong) == (2, 0, 0, [])
    assert (outcome.changed, outcome.changed_equal, outcome.equal) == (2, 2, 4)
    assert measure_naming([outcome], [outcome.named])[0] == 100


def test_a_provision_that_differs_from_the_official_text_is_counted(tmp_path: Path) -> None:
    (step,) = list_steps(*write(tmp_path, "Other words that nobody enacted."))
    outcome = replay(step)
    assert outcome.wrong == ["sec_1005.3__para_b"]
    assert summarise([outcome])["applied but different from the official text"] == 1


BEFORE = "The fee is due on the first working day of every month."
NEW = "The fee of 5 euros is due on the last working day of every month."


@pytest.mark.parametrize(
    ("ours", "official", "verdict"),
    [
        (NEW, BEFORE, Verdict.GAP),
        (NEW, "", Verdict.GAP),
        (NEW, NEW + " month.", Verdict.GAP),
        (BEFORE, NEW, Verdict.ERROR),
        (NEW.replace("5 euros", "6 euros"), NEW, Verdict.ERROR),
        (NEW.replace("of 5 euros ", ""), NEW, Verdict.ERROR),
        (NEW + " " + BEFORE, NEW, Verdict.ERROR),
        ("", NEW, Verdict.ERROR),
    ],
)
def test_words_of_the_notice_that_the_copy_lacks_are_its_gap(
    ours: str, official: str, verdict: Verdict
) -> None:
    def provide(words: str) -> tuple[Provision, ...]:
        return (Provision("sec_1__para_a", "(a)", opening=Words(words)),) if words else ()

    notice = f"■ 1. Revise paragraph (a):\n(a) {NEW}\n"
    sources = squeeze_sources(notice, Act(provide(BEFORE)), Act(provide(official)))
    assert judge_difference(provide(ours), provide(official), sources) is verdict


def test_words_in_the_wrong_place_are_not_a_gap_of_the_copy() -> None:
    def provide(first: str, second: str) -> tuple[Provision, ...]:
        return (
            Provision("sec_1__para_a", "(a)", opening=Words(first)),
            Provision("sec_1__para_b", "(b)", opening=Words(second)),
        )

    before, ours, official = (
        Act(provide(*each)) for each in ((BEFORE, "Other."), (NEW, "Other."), (BEFORE, NEW))
    )
    sources = squeeze_sources(f"(b) {NEW}\n", before, official)
    assert judge_difference(ours.provisions[:1], official.provisions[:1], sources) is Verdict.ERROR


@pytest.mark.parametrize(("official", "wrong"), [("New.", []), ("Old.", ["art_1__para_1"])])
def test_subparagraphs_are_compared_with_their_paragraph(official: str, wrong: list[str]) -> None:
    def provide(second: str) -> Act:
        words = Words(f"The fee is due in May.\n{second}")
        return Act((Provision("art_1"), Provision("art_1__para_1", "1.", opening=words)))

    text = (
        "Article 1\nRegulation (EU) 2020/1 is amended as follows:\n"
        "(1) in Article 1(1), the second subparagraph is replaced by the following:\n‘New.’;\n"
    )
    step = Step("32020r0001", "a", text, provide("Old."), provide(official), tradition="eu")
    outcome = replay(step)
    assert (outcome.applied, outcome.wrong) == (1, wrong)


@pytest.mark.parametrize("tradition", ["hr", "de", "uk", "eu", "us"])
def test_generated_amendments_are_all_applied(tradition: Tradition) -> None:
    found = parse_amendments("a", make_amendments(20, tradition), tradition)
    act = make_act(20, tradition)
    changed, applied, deferred = apply_operations(
        act, [each for each in found if isinstance(each, Operation)]
    )
    assert (len(found), len(applied), deferred) == (20, 20, [])
    before = {each.path: each.opening.text for each in act.provisions}
    assert sum(each.opening.text != before[each.path] for each in changed.provisions) == 20


@pytest.mark.parametrize(
    ("instrument", "celex", "is_it"),
    [
        ("Implementing Regulation (EU) No 282/2011", "32011r0282", True),
        ("Regulation (EU) 2017/2459", "32017r2459", True),
        ("Directive 77/388/EEC", "31977l0388", True),
        ("Directive (EU) 2017/2459", "32017r2459", False),
        ("", "32017r2459", False),
    ],
)
def test_an_act_of_the_union_is_known_by_its_number(
    instrument: str, celex: str, is_it: bool
) -> None:
    assert is_about(instrument, celex) is is_it


def test_versions_count_if_the_new_acts_lead_to_them_at_once() -> None:
    def version(sequence: int, *acts: str, ended_by: str = "") -> ConsolidatedVersion:
        return ConsolidatedVersion("a", "", b"", sequence, acts, ended_by.split())

    assert is_whole(version(1), [version(2, "b")], ["b"])
    assert not is_whole(version(1), [version(3, "b")], ["b"])
    assert not is_whole(version(1), [version(2, "b", ended_by="b")], ["b"])
    assert not is_whole(version(1), [version(2, "b"), version(3, "b")], ["b"])
