"""`assay read`: any file or address, without a store."""

import json
from pathlib import Path

import pytest

from assay.demo import serve_in_thread
from tests.cli.calls import call
from tests.gazette.world import World
from tests.spine.scans import write_scan

ACT = """<html><head><title>Zakon o porezu</title></head><body><nav><a href="/">Početna</a></nav>
<main><h1>Zakon o porezu na dohodak</h1><p>Članak 1. Stopa poreza iznosi 24 %, a osnovica se
utvrđuje prema članku 3. ovoga Zakona.</p><p>Članak 2. Porezni obveznik dužan je podnijeti prijavu
do 20. dana u mjesecu za prethodni mjesec. Prag iznosi {threshold} eura godišnje.</p>
<p>Članak 3. Novčana kazna od 1.000 do 5.000 eura izriče se za prekršaj iz članka 2. ovoga
Zakona.</p><p>Članak 4. Porezna uprava provodi nadzor nad obračunom i plaćanjem poreza te donosi
rješenje u roku od 30 dana od dana primitka uredne prijave, a protiv rješenja može se izjaviti žalba
nadležnom ministarstvu u roku od 15 dana. Žalba ne odgađa izvršenje rješenja, osim ako zakonom nije
drukčije propisano. Ovaj Zakon stupa na snagu osmoga dana od dana objave.</p></main></body>
</html>"""


@pytest.fixture
def act(tmp_path: Path) -> Path:
    file = tmp_path / "act.html"
    file.write_text(ACT.format(threshold="40.000"), encoding="utf-8")
    return file


def test_a_person_sees_class_language_score_and_route(home: Path, act: Path) -> None:
    told = call(home, "read", str(act), "--pack", "regulatory")
    assert told.exit_code == 0
    for words in ("HTML", "hr", "LEGISLATION", "EXTRACT_LOCAL: score", "Stopa poreza iznosi 24 %"):
        assert words in told.stdout
    assert "Početna" not in told.stdout
    assert not home.exists()


def test_a_machine_gets_everything(home: Path, act: Path) -> None:
    (found,) = json.loads(call(home, "read", str(act), "--pack", "regulatory", "--json").stdout)
    assert (found["class"], found["language"], found["title"]) == ("HTML", "hr", "Zakon o porezu")
    assert found["scout"]["doc_type"] == "LEGISLATION"
    assert found["route"]["decision"] == "EXTRACT_LOCAL"
    source = act.read_text(encoding="utf-8")
    for start, end, from_, to, place in found["segments"]:
        assert place == ""
        assert found["text"][start:end].split()[0] in source[from_:to]


def test_near_copies_and_versions_are_told(home: Path, act: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved.html"
    moved.write_text(ACT.format(threshold="40.000").replace("<nav>", "<nav>Kontakt"), "utf-8")
    raised = tmp_path / "raised.html"
    raised.write_text(ACT.format(threshold="60.000"), "utf-8")
    found = json.loads(call(home, "read", str(act), str(moved), str(raised), "--json").stdout)
    assert [entry["route"]["decision"] for entry in found] == [
        "EXTRACT_LOCAL", "SKIP", "EXTRACT_LOCAL",
    ]  # fmt: skip
    assert found[1]["scout"]["duplicate_of"] == str(act)
    assert found[2]["scout"]["version_of"] in (str(act), str(moved))


def test_what_cannot_be_read_is_said_and_the_rest_is_read(
    home: Path, act: Path, tmp_path: Path
) -> None:
    picture = tmp_path / "picture.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    told = call(home, "read", str(tmp_path / "none.pdf"), str(picture), str(act), "--json")
    assert told.exit_code == 3
    missing, refused, read = json.loads(told.stdout)
    assert "No such file" in missing["error"]["message"]
    assert refused["error"]["code"] == "content_unsupported"
    assert "PNG" in refused["error"]["message"]
    assert read["class"] == "HTML"


def test_an_address_is_fetched_only_where_it_is_allowed(home: Path) -> None:
    world = World(documents=20)
    path = next(path for path in world.build_pages() if path.endswith(".html"))
    with serve_in_thread(world) as server:
        url = f"{server.base_url}{path}"
        refused = call(home, "read", url)
        assert refused.exit_code == 3
        assert "private" in refused.stdout or "loopback" in refused.stdout
        told = call(home, "read", url, "--json", env={"ASSAY_FETCH_ALLOW_PRIVATE": "127.0.0.0/8"})
    assert told.exit_code == 0
    assert json.loads(told.stdout)[0]["class"] == "HTML"


def test_a_scan_is_read_page_by_page(home: Path, tmp_path: Path) -> None:
    file = write_scan(tmp_path / "scan.pdf")
    told = call(home, "read", str(file), "--text")
    assert told.exit_code == 0
    assert "2 scanned pages at" in told.stdout
    assert "--- page 2 ---" in told.stdout
    assert "The rate of value added tax is 25 %." in told.stdout
    unread = json.loads(call(home, "read", str(file), "--no-ocr", "--json").stdout)[0]
    assert (unread["class"], unread["route"]["decision"]) == ("PDF_SCANNED", "OCR")


def test_long_work_tells_how_far_it_is(home: Path, act: Path) -> None:
    told = call(home, "read", *([str(act)] * 20))
    assert "10 of 20 read" in told.stderr
    assert "20 of 20 read" in told.stderr
