"""No dependency comes unnoticed, and none with a copyleft licence unnamed."""

from pathlib import Path

from assay.cli.dependencies import find_licence, list_dependencies, read_pins

ROOT = Path(__file__).parents[2]


def test_every_pinned_dependency_is_listed_as_it_is_pinned() -> None:
    listed = {each.name: (each.versions, each.use) for each in list_dependencies()}
    again = "Run 'python -m assay.cli.dependencies requirements' and 'make docs'."
    assert listed == read_pins(ROOT / "requirements"), again


def test_a_new_dependency_is_noticed(tmp_path: Path) -> None:
    for file in ("base.txt", "all.txt", "dev.txt"):
        text = (ROOT / "requirements" / file).read_text(encoding="utf-8")
        (tmp_path / file).write_text(f"left-pad==1.0 \\\n    --hash=sha256:0\n{text}", "utf-8")
    new = set(read_pins(tmp_path)) - {each.name for each in list_dependencies()}
    assert new == {"left-pad"}


def test_licences_are_those_of_the_installed_distributions() -> None:
    listed = {each.name: each.licence for each in list_dependencies()}
    installed = {name: stated for name in listed if (stated := find_licence(name))}
    assert {name: listed[name] for name in installed} == installed
    assert listed["psycopg"] == "LGPL-3.0-only"


def test_the_notices_name_every_copyleft_licence() -> None:
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    for each in list_dependencies():
        line = f"- {each.name} {each.versions}: {each.licence} "
        assert (line in notice) is each.is_copyleft
