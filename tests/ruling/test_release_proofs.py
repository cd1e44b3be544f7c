"""Checking a release: whatever was altered is found, in the store and in a folder given away."""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from assay.app import App
from assay.app.composition import init_home
from assay.app.release_files import ExportFormat, export_release
from assay.app.release_proofs import verify_folder, verify_stored_release
from assay.app.releases import find_release
from assay.errors import InvalidInput
from assay.model.hashes import canonical_json, content_hash
from assay.ruling.release.manifest import read_manifest, serialize_manifest, sort_lines
from assay.ruling.release.proof import ReleaseProof
from assay.settings import Settings
from assay.store import guards, truth
from tests.conftest import quick_settings
from tests.ruling.publishing import Press, opened
from tests.ruling.release_builders import ALL, BOOKS, RATE, THRESHOLD

MakeApp = Callable[..., App]


@pytest.fixture
def desk(make_app: MakeApp, home: Path) -> Press:
    press = opened(make_app, quick_settings(home))
    press.store(*ALL)
    press.publish()
    return press


@dataclass(frozen=True)
class Given:
    """A release as somebody else gets it."""

    folder: Path
    manifest_hash: str


@pytest.fixture(scope="module")
def given_away(tmp_path_factory: pytest.TempPathFactory) -> Given:
    """Made once; its home is gone by the time that anybody checks it."""
    home = tmp_path_factory.mktemp("press") / "home"
    folder = tmp_path_factory.mktemp("given") / "away"
    made: list[App] = []

    def make(settings: Settings, **parts: Any) -> App:
        init_home(settings)
        made.append(App(settings, **parts))
        made[0].migrate()
        return made[0]

    press = opened(make, quick_settings(home))
    press.store(*ALL)
    press.publish()
    release = find_release(press.app)
    export_release(press.app, release, ExportFormat.BUNDLE, folder)
    press.app.close()
    shutil.rmtree(home)
    return Given(folder, release.manifest_hash)


@pytest.fixture
def bundle(given_away: Given, tmp_path: Path) -> Path:
    return shutil.copytree(given_away.folder, tmp_path / "bundle")


async def checked(press: Press, *, deep: bool = False) -> ReleaseProof:
    return await verify_stored_release(press.app, find_release(press.app), deep=deep)


def tamper(press: Press, statement: sa.Executable) -> None:
    with press.app.engine.begin() as connection:
        guards.lift_guards(connection)
        connection.execute(statement)


async def test_a_sound_release_has_no_fault(make_app: MakeApp, settings: Settings) -> None:
    press = opened(make_app, settings)
    press.store(*ALL)
    press.publish()
    proof = await checked(press)
    assert (proof.faults, proof.notes) == ([], [])
    assert (proof.version, proof.rules, proof.quotes, proof.documents) == ("1.0.0", 4, 6, 6)
    tamper(press, sa.update(truth.audit_log).where(truth.audit_log.c.seq == 2).values(actor="x"))
    assert (await checked(press)).faults == [
        f"audit log: entry 2 was altered: release_published of {find_release(press.app).release_id}"
    ]


async def test_reading_the_evidence_anew_gives_the_cited_text(desk: Press) -> None:
    assert (await checked(desk, deep=True)).faults == []


@pytest.mark.parametrize("kind", ["evidence", "manifest"])
@pytest.mark.parametrize("how", ["altered", "gone"])
async def test_altered_and_lost_bytes_are_found(desk: Press, kind: str, how: str) -> None:
    release = find_release(desk.app)
    ground = RATE.grounds()[0]
    assert ground.evidence
    name = release.manifest_hash if kind == "manifest" else ground.evidence.content_hash
    file = desk.app.blobs.path(name)
    file.chmod(0o644)
    if how == "gone":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes().replace(b"25 %", b"26 %").replace(b"ana", b"eve"))
    proof = await checked(desk)
    assert any(name in fault and how in fault for fault in proof.faults), proof.faults


ROWS = {
    "the row of the release has a different content hash":
        sa.update(truth.release).values(content_hash="0" * 64),
    "the audit log has a different content hash":
        sa.update(truth.release).values(content_hash="0" * 64),
    "the row of the release has a different version":
        sa.update(truth.release).values(version="1.0.9"),
    "the audit log has no entry with the hash":
        sa.update(truth.release).values(audit_hash="1" * 64),
    "is only in the rows or only in the manifest": sa.delete(truth.released_rule).where(
        truth.released_rule.c.rule_id == RATE.rule_id),
    "its row has a different value from the release": sa.update(truth.rule).where(
        truth.rule.c.rule_id == RATE.rule_id).values(value="52"),
    "no row has its quote from gazette": sa.update(truth.source_pointer).where(
        truth.source_pointer.c.rule_id == RATE.rule_id).values(quote="The rate is 25 %."),
    "the audit log has no entry for this release": sa.delete(truth.audit_log),
    "the log ends at entry": sa.update(truth.audit_head).values(seq=99),
}  # fmt: skip


@pytest.mark.parametrize("fault", ROWS)
async def test_altered_rows_are_found(desk: Press, fault: str) -> None:
    tamper(desk, ROWS[fault])
    proof = await checked(desk)
    assert any(fault in found for found in proof.faults), proof.faults


async def test_another_manifest_is_found_though_all_hashes_fit(desk: Press) -> None:
    """Somebody writes a new manifest with a false value, and the rows that belong to it."""
    manifest = read_manifest(desk.app.blobs.get(find_release(desk.app).manifest_hash))
    lines = [{**line, "value": "52"} if line["value"] == "25" else line for line in manifest.rules]
    forged = serialize_manifest(manifest.pack, manifest.version, None, sort_lines(lines))
    header = json.loads(forged.splitlines()[0])
    tamper(
        desk,
        sa.update(truth.release).values(
            manifest_hash=desk.app.blobs.put(forged), content_hash=header["content_hash"]
        ),
    )
    proof = await checked(desk)
    assert any("'52 %' was not found in its quote" in fault for fault in proof.faults)
    assert "the audit log has a different manifest hash" in proof.faults


async def test_a_rule_that_no_longer_stands_is_told_and_no_fault(desk: Press) -> None:
    desk.change(THRESHOLD, status="DEPRECATED")
    proof = await checked(desk)
    assert proof.ok
    assert proof.notes == [
        f"pdv.threshold ({THRESHOLD.rule_id}) is now DEPRECATED; the next release leaves it out"
    ]
    desk.publish()
    old = await verify_stored_release(desk.app, desk.releases()[0])
    assert (old.ok, old.notes) == (True, ["release 1.0.0 is not the current one"])


async def test_evidence_that_reads_otherwise_today_is_found(desk: Press) -> None:
    """The text is exchanged for one of which the evidence knows nothing."""
    manifest = read_manifest(desk.app.blobs.get(find_release(desk.app).manifest_hash))
    words = "We say: The rate of value added tax is 25 %."
    other = desk.app.blobs.put(words.encode())
    lines = [
        {**line, "sources": [{**s, "artifact_hash": other, "start": 8, "end": len(words)}
                             for s in line["sources"]]}
        if line["value"] == "25" else line
        for line in manifest.rules
    ]  # fmt: skip
    forged = serialize_manifest(manifest.pack, manifest.version, None, sort_lines(lines))
    values = {"manifest_hash": desk.app.blobs.put(forged)}
    tamper(desk, sa.update(truth.release).values(values))
    shallow, deep = await checked(desk), await checked(desk, deep=True)
    new = set(deep.faults) - set(shallow.faults)
    assert {fault.partition(" ")[2] for fault in new} == {
        "gives a different text from the cited one"
    }


async def test_a_bundle_is_checked_by_itself(bundle: Path, given_away: Given, home: Path) -> None:
    kept = given_away.manifest_hash
    assert (bundle / "manifest.sha256").read_text() == f"{kept}  manifest.jsonl\n"
    assert "## 1.0.0" in (bundle / "CHANGELOG.md").read_text()
    for folder in ("evidence", "texts"):
        for file in (bundle / folder).iterdir():
            assert content_hash(file.read_bytes()) == file.name
    proof = await verify_folder(bundle, expected=kept, settings=quick_settings(home))
    assert (proof.faults, proof.rules, proof.quotes) == ([], 4, 6)


def rewritten(bundle: Path, **changed: object) -> None:
    """A manifest with another first rule, all of its hashes made to fit."""
    data = (bundle / "manifest.jsonl").read_bytes()
    manifest = read_manifest(data)
    first, *rest = manifest.rules
    lines = sort_lines([{**first, **changed}, *rest])
    forged = serialize_manifest(manifest.pack, manifest.version, None, lines)
    (bundle / "manifest.jsonl").write_bytes(forged)
    (bundle / "manifest.sha256").write_text(f"{content_hash(forged)}  manifest.jsonl\n")


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"value": "52"}, "was not found in its quote"),
        ({"approved_by": None}, "no person approved it"),
        ({"sources": []}, "it cites no source"),
        ({"authority": "GUIDANCE"}, "none of its sources has the authority GUIDANCE"),
        ({"applies_when": {"op": "sometimes"}}, "its condition is not valid"),
        ({"label": None}, "has no valid label"),
    ],
)
async def test_a_forged_bundle_is_found(
    bundle: Path, changed: dict[str, object], fault: str
) -> None:
    kept = content_hash((bundle / "manifest.jsonl").read_bytes())
    rewritten(bundle, **changed)
    proof = await verify_folder(bundle, expected=kept)
    assert any(fault in found for found in proof.faults), proof.faults
    assert any("this is a different release" in found for found in proof.faults)


async def test_a_bundle_with_altered_files_is_found(bundle: Path) -> None:
    evidence = sorted((bundle / "evidence").iterdir())
    texts = sorted((bundle / "texts").iterdir())
    evidence[0].write_bytes(b"altered")
    evidence[1].unlink()
    texts[2].write_bytes(texts[2].read_bytes().replace(b"%", b"$"))
    (bundle / "evidence" / "stranger").write_text("cited by nobody")
    found = (await verify_folder(bundle)).faults
    assert f"evidence {evidence[0].name} was altered" in found
    assert f"evidence/{evidence[1].name} is missing" in found
    assert f"text {texts[2].name} was altered" in found
    assert "evidence/stranger is not cited by any rule" in found


@pytest.mark.parametrize("junk", [b"", b"{}\n", b"no json\n", b"[1]\n", b"\xff\xfe"])
async def test_what_is_no_manifest_is_said_so(bundle: Path, junk: bytes) -> None:
    (bundle / "manifest.jsonl").write_bytes(junk)
    assert not (await verify_folder(bundle)).ok


async def test_a_line_added_in_the_same_way_is_found(bundle: Path) -> None:
    data = (bundle / "manifest.jsonl").read_bytes()
    lines = data.splitlines(keepends=True)
    for forged in (data + lines[1], b"".join([lines[0], *lines[:0:-1]]), data + b"\n"):
        (bundle / "manifest.jsonl").write_bytes(forged)
        (bundle / "manifest.sha256").write_text(content_hash(forged))
        assert not (await verify_folder(bundle)).ok


async def test_a_hash_is_never_made_a_path(bundle: Path) -> None:
    manifest = read_manifest((bundle / "manifest.jsonl").read_bytes())
    source = {**manifest.rules[0]["sources"][0], "evidence_hash": "../CHANGELOG.md"}
    rewritten(bundle, sources=[source])
    found = (await verify_folder(bundle)).faults
    assert any("is not a content hash" in fault for fault in found)


async def test_a_place_is_never_counted_from_the_end(bundle: Path) -> None:
    manifest = read_manifest((bundle / "manifest.jsonl").read_bytes())
    source = manifest.rules[0]["sources"][0]
    length = len((bundle / "texts" / source["artifact_hash"]).read_bytes().decode())
    places = {"start": source["start"] - length, "end": source["end"] - length}
    rewritten(bundle, sources=[{**source, **places}])
    found = (await verify_folder(bundle)).faults
    assert any("its quote was not found in text" in fault for fault in found)


async def test_a_folder_that_is_no_bundle_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"manifest\.jsonl is missing"):
        await verify_folder(tmp_path)


def test_a_bundle_is_the_same_bytes_each_time_and_never_mixed(
    desk: Press, bundle: Path, tmp_path: Path
) -> None:
    other = tmp_path / "deep" / "other"
    export_release(desk.app, find_release(desk.app), ExportFormat.BUNDLE, other)
    assert _files(other) == _files(bundle)
    with pytest.raises(InvalidInput, match="is not an empty folder"):
        export_release(desk.app, find_release(desk.app), ExportFormat.CSV, other)
    assert _files(other) == _files(bundle)
    assert [path.name for path in other.parent.iterdir()] == ["other"]


def test_a_bundle_that_cannot_be_whole_is_not_written(desk: Press, tmp_path: Path) -> None:
    ground = BOOKS.grounds()[0]
    assert ground.evidence
    desk.app.blobs.path(ground.evidence.content_hash).unlink()
    with pytest.raises(Exception, match="are gone"):
        export_release(desk.app, find_release(desk.app), ExportFormat.BUNDLE, tmp_path / "part")
    assert not (tmp_path / "part").exists()
    assert [p.name for p in tmp_path.iterdir() if ".new-" in p.name] == []


def _files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_the_manifest_is_stored_as_it_is_hashed(desk: Press) -> None:
    release = find_release(desk.app)
    manifest = read_manifest(desk.app.blobs.get(release.manifest_hash))
    assert content_hash(canonical_json(list(manifest.rules))) == release.content_hash
