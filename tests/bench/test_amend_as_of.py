"""The bench of asking as of a day: everyone gives the same answers."""

from bench.amend_as_of import measure_as_of


def test_all_contenders_answer_alike() -> None:
    found = measure_as_of(acts=4, versions=5, questions=100)
    assert set(found) == {"Assay", "SQLite, table of periods", "amendments applied again"}
