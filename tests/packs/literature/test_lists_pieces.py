"""A list that is read in pieces has the same references, at the same places, as in one go."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.packs.literature.listed import ListedReference, ListKind, PiecePlace
from assay.packs.literature.lists import decode_list, parse_list, pieces
from assay.packs.literature.lists.pieces import read_piece, skip_piece
from assay.sdk.errors import ContentTooLarge

WINDOW = 2_000
NUMBERS = range(1, 60)
TITLES = {number: f"On boats of wäx and tin, part {number}" for number in NUMBERS}


def name_paper(number: int) -> str:
    return f"2301.{number:05}"


def write_markdown() -> str:
    shapes = (
        "- [{}](https://arxiv.org/abs/{})\n",
        "* **{}**, [[pdf](http://arxiv.org/pdf/{}v2.pdf)]\n",
        "- {}\n  - Paper: https://arxiv.org/abs/{}\n  - Code: https://github.com/boats/wax\n",
        "\n**{}**\n\n- [arXiv](https://arxiv.org/abs/{})\n- [Code](https://github.com/a/b)\n\n",
        "\n### {}\n[pdf](https://arxiv.org/pdf/{})\n\n*Ana Kovač, Ben Okri*\n\n",
        "<!-- hidden\n- [No](https://arxiv.org/abs/2302.00001)\n--> \n- [{}][{}]\n",
        "```\n- [No](https://arxiv.org/abs/2302.00002)\n```\n- [{}](https://arxiv.org/abs/{})\n",
    )
    lines = ["# Boats\n\n"]
    for number, title in TITLES.items():
        if number % 20 == 0:
            lines.append(f"\n## Papers on harbours, volume {number}\n\n")
        lines.append(shapes[number % len(shapes)].format(title, name_paper(number)))
    lines.append("\n| Title | Link |\n|---|---|\n")
    lines += [f"| {title} | [pdf](https://doi.org/10.1000/{n}) |\n" for n, title in TITLES.items()]
    lines += [f"\n[{name_paper(n)}]: https://arxiv.org/abs/{name_paper(n)}" for n in TITLES]
    return "".join(lines)


def write_bibtex() -> str:
    entries = [
        f"@inproceedings{{k{n}, title = {{{title}}}, journal = jow, crossref = {{book{n % 3}}},\n"
        f"  note = {{arXiv:{name_paper(n)}}}}}\n"
        for n, title in TITLES.items()
    ]
    books = [
        f"@proceedings{{book{n}, booktitle = {{Boats {n}}}, year = 200{n}}}\n" for n in range(3)
    ]
    return "".join([*entries, '@string{jow = "Journal of Wax"}\n', *books])


def write_csv() -> str:
    rows = io.StringIO()
    writer = csv.writer(rows)
    writer.writerow(["Key", "Title", "Url", "Abstract Note"])
    for n, title in TITLES.items():
        writer.writerow([n, title, f"https://arxiv.org/abs/{name_paper(n)}", 'Two\nlines, "so"'])
    return rows.getvalue()


def list_records() -> list[dict[str, str]]:
    return [
        {"type": "article", "title": title, "URL": f"https://arxiv.org/abs/{name_paper(n)}"}
        for n, title in TITLES.items()
    ]


RIS = "".join(
    f"TY  - JOUR\nTI  - {title}\nUR  - https://arxiv.org/abs/{name_paper(n)}\nER  - \n\n"
    for n, title in TITLES.items()
)
LISTS = {
    "markdown": (ListKind.AWESOME, write_markdown()),
    "one long line": (ListKind.AWESOME, "".join(f"<li>{row}" for row in RIS.splitlines())),
    "bibtex": (ListKind.BIBTEX, write_bibtex()),
    "ris": (ListKind.RIS, RIS),
    "csv": (ListKind.CSV, write_csv()),
    "json lines": (ListKind.AWESOME, "\n".join(map(json.dumps, list_records()))),
    "csl": (ListKind.CSL, json.dumps(list_records(), ensure_ascii=False, indent=1)),
    "library": (ListKind.CSL, json.dumps({"title": "Boats", "items": list_records()})),
}


def walk(
    file: Path, kind: ListKind, size: int = WINDOW
) -> Iterator[tuple[PiecePlace, list[bytes]]]:
    at: PiecePlace | None = PiecePlace()
    while at is not None:
        piece = read_piece(file, kind, at, size)
        yield at, piece.parts
        assert piece.following is None or piece.following.start > at.start
        at = piece.following


def read_in_pieces(file: Path, kind: ListKind, size: int = WINDOW) -> list[ListedReference]:
    found = []
    for at, parts in walk(file, kind, size):
        for line in b"".join(parts).splitlines():
            reference = ListedReference.model_validate_json(line)
            place = {"start": reference.start + at.place, "end": reference.end + at.place}
            found.append(reference.model_copy(update=place))
    return found


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("name", LISTS)
def test_the_references_of_all_pieces_are_those_of_the_whole(
    name: str, encoding: str, tmp_path: Path
) -> None:
    kind, text = LISTS[name]
    file = tmp_path / "list"
    file.write_bytes(text.encode(encoding, "replace"))
    whole = parse_list(file.read_bytes(), kind).references
    assert len(whole) >= len(NUMBERS)
    assert len(list(walk(file, kind))) > 3
    assert read_in_pieces(file, kind) == list(whole)


def test_places_are_exact_among_wrong_bytes(tmp_path: Path) -> None:
    file = tmp_path / "list.md"
    lines = [
        f"- [{title}](https://arxiv.org/abs/{name_paper(n)})".encode()
        + (b" \xff\xe2\x82 \xc3\n" if n % 20 == 0 else b"\n")
        for n, title in TITLES.items()
    ]
    file.write_bytes("Übergroße Größen überall, äöüß äöüß\n\n".encode() * 20 + b"".join(lines))
    text = decode_list(file.read_bytes())
    found = read_in_pieces(file, ListKind.AWESOME)
    assert len(found) == len(TITLES) and "\ufffd" in text
    assert all(TITLES[n] in text[each.start : each.end] for n, each in enumerate(found, 1))


SHAPES = st.sampled_from(
    [
        "- [Boats that float on {0}](https://arxiv.org/abs/2301.{0:05})\n",
        "  - [Paper](https://arxiv.org/abs/2301.{0:05})\n",
        "- Boats that float on {0}\n",
        "- Code: https://github.com/boats/{0}\n",
        "Boats of wax and tin {0}, Ana Kovač and Ben Okri, 2021\n",
        "\n\n",
        "## The harbours of the north {0}\n",
        "### [Boats of glass {0}](https://arxiv.org/abs/2302.{0:05})\n",
        "| [Boats of ice {0}](https://arxiv.org/abs/2303.{0:05}) | 2021 |\n",
        "| Title | Year |\n|---|---|\n",
        "Harbours\n--------\n",
        "<!-- {0}\n\n-->\n",
        "```\n[x](https://arxiv.org/abs/2304.{0:05})\n```\n",
        "*Ana Kovač, Ben Okri*\n",
        "[{0}]: https://arxiv.org/abs/2305.{0:05}\n",
        "- [Boats of straw and of words][{0}]\n",
        "<li>Boats of sand <a href='https://arxiv.org/abs/2306.{0:05}'>pdf</a>\n",
    ]
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(SHAPES, min_size=60, max_size=150), st.integers(1_500, 3_000))
def test_any_list_in_markdown_is_the_same_in_pieces(
    tmp_path: Path, shapes: list[str], size: int
) -> None:
    file = tmp_path / "list.md"
    file.write_text("".join(shape.format(n) for n, shape in enumerate(shapes, 1)), "utf-8")
    whole = parse_list(file.read_bytes(), ListKind.AWESOME).references
    assert read_in_pieces(file, ListKind.AWESOME, size) == list(whole)


@pytest.mark.parametrize("name", ["ris", "csv", "csl", "bibtex"])
def test_after_an_insertion_at_the_top_most_pieces_are_the_same(name: str, tmp_path: Path) -> None:
    kind, text = LISTS[name]
    file = tmp_path / "list"
    file.write_text(text * 4, "utf-8")
    before = [part for _, parts in walk(file, kind, 4 * WINDOW) for part in parts]
    first = text.splitlines(keepends=True)[1] * 2
    file.write_text(text[: len(text) // 50] + first + text[len(text) // 50 :] + text * 3, "utf-8")
    after = [part for _, parts in walk(file, kind, 4 * WINDOW) for part in parts]
    assert len(set(after) - set(before)) < len(after) / 2


def test_a_list_that_cannot_be_divided_is_read_as_a_whole(tmp_path: Path) -> None:
    file = tmp_path / "list.yaml"
    file.write_text("".join(f"- title: Boats {n}\n  doi: 10.1000/{n}\n" for n in range(200)))
    [(_, parts)] = walk(file, ListKind.AWESOME, 500)
    assert b"".join(parts).count(b"\n") == 200


def test_more_definitions_than_every_piece_can_know_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "_MOST_SHARED", 1_000)
    file = tmp_path / "list.md"
    file.write_text(write_markdown(), "utf-8")
    with pytest.raises(ContentTooLarge, match="Divide the file"):
        read_piece(file, ListKind.AWESOME, PiecePlace(), WINDOW)


@pytest.mark.parametrize("name", ["markdown", "bibtex", "ris", "csv", "json lines"])
def test_after_a_piece_that_cannot_be_read_the_others_are_read(name: str, tmp_path: Path) -> None:
    kind, text = LISTS[name]
    file = tmp_path / "list"
    file.write_text(text, "utf-8")
    places = [at for at, _ in walk(file, kind)]
    at = skip_piece(file, places[1], WINDOW)
    found = 0
    while at is not None:
        piece = read_piece(file, kind, at, WINDOW)
        found, at = found + piece.count, piece.following
    whole = parse_list(file.read_bytes(), kind).references
    assert len(whole) * 0.6 < found < len(whole)
    assert skip_piece(file, places[-1], WINDOW) is None


def test_what_follows_a_gap_in_a_json_array_is_not_guessed(tmp_path: Path) -> None:
    kind, text = LISTS["csl"]
    file = tmp_path / "list"
    file.write_text(text, "utf-8")
    second = next(at for at, _ in walk(file, kind) if at.start)
    assert skip_piece(file, second, WINDOW) is None
