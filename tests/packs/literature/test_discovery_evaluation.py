"""The figures on real lists: they may only get better."""

from pathlib import Path

import pytest

from assay.packs.literature.evaluation.discovery import (
    evaluate_lists,
    evaluate_strings,
    measure_file,
)
from tests.packs.literature.samples import find_samples, needs_samples


def test_a_list_is_measured_against_a_plain_search(tmp_path: Path) -> None:
    path = tmp_path / "README.md"
    path.write_text(
        "- [Boats of wax](https://arxiv.org/abs/2101.00001)\n"
        "- Boats of tin [doi](https://doi.org/10.1000/tin)\n"
        "See https://arxiv.org/abs/2199.00001.\n",
        encoding="utf-8",
    )
    figures = measure_file(path)
    assert figures["references"] == 2
    assert figures["ids by plain search"] == 2
    assert figures["recall of ids"] == 1.0
    assert figures["precision of ids"] == 1.0


def test_a_file_that_is_no_list_has_no_figures(tmp_path: Path) -> None:
    path = tmp_path / "photo.png"
    path.write_bytes(b"\x89PNG\0\0")
    assert measure_file(path) == {"kind": None}
    assert evaluate_lists(tmp_path) == {}


@needs_samples
def test_the_figures_on_the_samples_hold() -> None:
    folder = find_samples()
    assert folder is not None
    figures = evaluate_lists(folder)
    for name in ("awesome_computer_vision_README.md", "awesome_diffusion_models_README.md"):
        assert figures[name]["recall of references"] >= 0.98
        assert figures[name]["precision of references"] >= 0.98
        assert figures[name]["recall of ids by hand"] == 1.0
        assert figures[name]["precision of ids by hand"] == 1.0
    assert figures["awesome_3dgs_README.md"]["references"] == 0
    assert figures["awesome_3dgs_papers.yaml"]["recall of records"] >= 0.99
    assert figures["awesome_diffusion_models_db.json"]["recall of records"] >= 0.99
    assert figures["awesome_diffusion_models_db.json"]["titles that agree"] >= 0.99


@needs_samples
@pytest.mark.parametrize(
    ("field", "precision", "recall"),
    [("title", 0.8, 0.75), ("authors", 0.9, 0.85), ("year", 0.95, 0.95), ("venue", 0.65, 0.55)],
)
def test_reference_strings_that_were_held_out_are_read(
    field: str, precision: float, recall: float
) -> None:
    folder = find_samples()
    assert folder is not None
    figures = evaluate_strings(folder / "anystyle_core.xml", is_held_out=True)
    assert figures[field]["precision"] >= precision
    assert figures[field]["recall"] >= recall
