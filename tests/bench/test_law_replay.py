"""The replay reads notices and compiled parts and compares the two ways to a version."""

from pathlib import Path

import pytest
from bench.amend import make_act, make_amendments
from bench.law_replay import measure_naming, replay, summarise
from bench.law_replay_us import list_steps

from assay.packs.regulatory.acts.amending import Tradition, apply_operations, parse_amendments
from assay.packs.regulatory.acts.shapes import Operation

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
