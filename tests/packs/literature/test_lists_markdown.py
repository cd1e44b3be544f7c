"""Lists in Markdown: the shapes in which their authors write entries. All entries are invented."""

import pytest

from assay.packs.literature.ids import fold_title
from assay.packs.literature.listed import ListedReference, ListKind
from assay.packs.literature.lists import decode_list, detect_kind, parse_list
from tests.packs.literature.samples import needs_samples, read_sample


def read(text: str) -> list[ListedReference]:
    return list(parse_list(text.encode(), ListKind.AWESOME).references)


ARXIV = "https://arxiv.org/abs/2312.07559v2"
BADGE = "https://img.shields.io"


@pytest.mark.parametrize(
    "entry",
    [
        f"- [On the Drift of Paper Boats]({ARXIV})",
        f"* **On the Drift of Paper Boats**, Ada Reed, CVPR 2023. [[paper]]({ARXIV})",
        '1. Ada Reed, Bo Lind. "On the Drift of Paper Boats." arXiv:2312.07559v2 (2023).',
        "- On the Drift of Paper Boats [[pdf](http://arxiv.org/pdf/2312.07559v2)]"
        " [[code](https://github.com/a/b)]",
        f"- **[Boats]** On the Drift of Paper Boats [[paper]({ARXIV})]",
        f'- **Boats**: "On the Drift of Paper Boats", ICCV, 2023. [[Paper]({ARXIV})]',
        f"- `[Reed et al. CVPR23]` On the Drift of Paper Boats. CVPR, 2023. [[paper]]({ARXIV})",
        f"<li><a href='{ARXIV}'>On the Drift of Paper Boats</a></li>",
        f"- On the Drift of Paper Boats\n  - Paper: {ARXIV}\n  - Code: https://github.com/a/b",
        f"**On the Drift of Paper Boats**\n\n- arxiv: <{ARXIV}>\n- github: https://github.com/a/b",
        f"### On the Drift of Paper Boats\n[Paper]({ARXIV}) | [Code](https://github.com/a/b)",
        "**On the Drift of Paper Boats** \\\n*Ada Reed, Bo Lind* \\\n"
        f"arXiv 2023. [[Paper]({ARXIV})] \\\n4 Feb 2023",
        f"| Title | Venue |\n|---|---|\n| ![Star]({BADGE}/github/stars/a/b) <br> "
        f"[**On the Drift of Paper Boats**]({ARXIV}) <br> | CVPR |",
        "| Paper | Link |\n| :- | -: |\n"
        f"| 1) **On the Drift of Paper Boats** - moves boats | [Paper]({ARXIV}) |",
        f"- [On the Drift of Paper Boats][boats]\n\n[boats]: {ARXIV}",
        "- On the Drift of Paper Boats "
        f"[![arXiv]({BADGE}/badge/arXiv-2312.07559v2-b31b1b.svg)]({ARXIV})",
    ],
)
def test_one_entry_in_any_shape_is_one_reference(entry: str) -> None:
    [reference] = read(f"# Boats\n\n{entry}\n")
    assert reference.title == "On the Drift of Paper Boats"
    assert reference.ids == ("arxiv:2312.07559",)
    assert reference.version == 2
    assert all("github.com" in url for url in reference.urls)


def test_authors_year_venue_and_section_are_read_where_they_are_certain() -> None:
    [first, second] = read(
        "## Small craft\n"
        "- [Boats of Wax](https://arxiv.org/abs/2101.00001)"
        " - Ada Reed, Bo van Lind and Cy Mo, NeurIPS 2021\n"
        "- **Boats of Tin.** ICML 2019. [paper](https://doi.org/10.1000/TIN)\n\n"
        "    *Ada Reed, Bo Lind.*\n"
    )
    assert first.authors == ("Ada Reed", "Bo van Lind", "Cy Mo")
    assert (first.year, first.venue, first.section) == (2021, "NeurIPS", "Small craft")
    assert second.authors == ("Ada Reed", "Bo Lind")
    assert (second.year, second.venue, second.ids) == (2019, "ICML", ("doi:10.1000/tin",))


def test_two_works_in_one_entry_are_two_references() -> None:
    found = read(
        "- [Boats of Wax and Tin](https://arxiv.org/abs/2101.00001), extended in "
        "[Ships of Wax and Tin](https://arxiv.org/abs/2201.00002)\n"
    )
    assert [(each.title, each.ids) for each in found] == [
        ("Boats of Wax and Tin", ("arxiv:2101.00001",)),
        ("Ships of Wax and Tin", ("arxiv:2201.00002",)),
    ]


def test_an_arxiv_id_and_a_doi_of_one_entry_belong_to_one_work() -> None:
    [found] = read(
        "- Boats of Wax and Tin [arXiv](https://arxiv.org/abs/2101.00001) "
        "[DOI](https://doi.org/10.1000/wax)\n"
    )
    assert found.ids == ("arxiv:2101.00001", "doi:10.1000/wax")


def test_a_child_with_the_citation_belongs_to_its_parent() -> None:
    [found] = read(
        "* Wax [[Paper]](http://arxiv.org/pdf/2101.00001)\n"
        "  * Ada Reed, Bo Lind, Cy Mo, Boats of Wax and Tin, arXiv:2101.00001\n"
    )
    assert found.title == "Boats of Wax and Tin"
    assert found.authors == ("Ada Reed", "Bo Lind", "Cy Mo")


def test_code_courses_and_lists_are_not_references() -> None:
    assert (
        read(
            "# Awesome boats\n[![Awesome](https://awesome.re/badge.svg)](https://awesome.re)\n"
            "- [Contents](#contents)\n"
            "## Software\n- [A Library for Paper Boats](https://github.com/a/b) - Ada Reed 2019\n"
            "## Courses\n- [How to Fold a Boat](https://a.edu/course) - Ada Reed (A University)\n"
            "- [Lecture 1: folding a boat](https://a.edu/lecture1.pdf)\n"
            "## Datasets\n- [The Big Set of Boats](https://boats.org/data)\n"
            "## Citation\n```bibtex\n@misc{a, title={T}, url={https://arxiv.org/abs/2101.00001}}\n```\n"
            "<!-- [An Old Paper on Boats](https://arxiv.org/abs/2101.00002) -->\n"
        )
        == []
    )


def test_an_entry_without_an_address_needs_more_than_a_title() -> None:
    found = read(
        "## Papers\n"
        '- Ada Reed and Bo Lind, "Boats in Shallow Water", Journal of Boats, vol. 3, 2004.\n'
        "- Boats in general\n"
        "- Ask Ada about boats in 2004\n"
        "## Software\n"
        "- A. Reed, B. Lind. Folding boats by hand. ICCV 2011\n"
    )
    assert [each.title for each in found] == ["Boats in Shallow Water", "Folding boats by hand"]
    assert [each.year for each in found] == [2004, 2011]


def test_markdown_that_looks_like_yaml_is_read_as_markdown() -> None:
    text = "# Boats\n- Paper: [Boats of wax](https://arxiv.org/abs/2101.00001)\n- Code: none\n"
    [found] = read(text)
    assert (found.title, found.ids) == ("Boats of wax", ("arxiv:2101.00001",))
    front = "---\ntitle: My boats\n---\n- [Boats of tin](https://arxiv.org/abs/2101.00002)\n"
    assert [each.title for each in read(front)] == ["Boats of tin"]


def test_a_database_with_one_record_on_each_line_is_read() -> None:
    lines = (
        '{"title": "Boats of wax", "doi": "10.1000/wax"}\n{"title": "B", "arxiv": "2101.00001"}\n'
    )
    assert [each.ids for each in read(lines)] == [("doi:10.1000/wax",), ("arxiv:2101.00001",)]


def test_a_title_has_no_control_characters_or_markup() -> None:
    [found] = read(
        "- [A\u202e **bold**\x07 &amp; _quiet_ <i>boat</i>](https://arxiv.org/abs/2101.00001)\n"
    )
    assert found.title == "A bold & quiet boat"


def test_references_beyond_the_limit_are_counted() -> None:
    text = "".join(
        f"- [Boats, part {n} of many](https://arxiv.org/abs/2101.{n:05})\n" for n in range(9)
    )
    parsed = parse_list(text.encode(), ListKind.AWESOME, most=4)
    assert len(parsed.references) == 4
    assert parsed.left_out == 5


def test_the_place_of_a_reference_is_that_of_its_entry() -> None:
    text = (
        "# Größe\n\n- [Boats of Wax](https://arxiv.org/abs/2101.00001)\n"
        "- [Boats of Tin](https://arxiv.org/abs/2101.00002) x\n"
    )
    parsed = parse_list(b"\xef\xbb\xbf" + text.encode(), ListKind.AWESOME)
    decoded = decode_list(b"\xef\xbb\xbf" + text.encode())
    assert [decoded[each.start : each.end] for each in parsed.references] == text.splitlines()[2:]


@needs_samples
def test_the_real_lists_are_read_as_counted_by_hand() -> None:
    vision = parse_list(read_sample("awesome_computer_vision_README.md"), ListKind.AWESOME)
    assert {"isbn:9780136085928", "doi:10.1007/978-0-387-31439-6"} <= {
        name for each in vision.references for name in each.ids
    }
    titles = {fold_title(each.title) for each in vision.references}
    assert "freak fast retina keypoint" in titles
    assert not any(title.startswith("awesome") for title in titles)
    splats = read_sample("awesome_3dgs_README.md")
    assert detect_kind("README.md", "", splats) is ListKind.AWESOME
    assert parse_list(splats, ListKind.AWESOME).references == ()


@needs_samples
def test_each_database_gives_its_records() -> None:
    splats = parse_list(read_sample("awesome_3dgs_papers.yaml"), ListKind.AWESOME)
    assert len(splats.references) == 504
    assert sum(bool(each.ids) for each in splats.references) == 500
    assert splats.references[0].authors == ("Joohyun Kwon", "Hanbyel Cho", "Junmo Kim")
    data = read_sample("awesome_diffusion_models_db.json")
    models = parse_list(data, ListKind.AWESOME)
    assert len(models.references) == 869
    text = decode_list(data)
    assert all(text[each.start] == "{" and text[each.end - 1] == "}" for each in models.references)
