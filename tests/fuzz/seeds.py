"""What the fuzzer starts from: the kept corpus, the documents of other tests, and real samples."""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.fuzz.amendments import TRADITIONS, write_case
from tests.reading import making
from tests.reading.making import DELETED, IN_TABLE, ROW_END, Sheet, Words, line, p, r, text

TESTS = Path(__file__).parents[1]
CORPUS = Path(__file__).parent / "corpus"
FOUND = Path(__file__).parent / "found"
SHORTEST = 8
PROVISIONS = {
    "hr": "Zakon o porezu\nČlanak 1.\n(1) Porez iznosi 25 %. Stopa je 13 % za knjige.\n"
    "(2) Porez plaća:\n1. kupac,\n2. prodavatelj.\nČlanak 2.\nRok je 30 dana.\n",
    "de": "§ 12 Steuersätze\n(1) Die Steuer beträgt 19 Prozent. Sie ermäßigt sich für:\n"
    "1. Bücher,\n2. Wasser.\n(2) Das Wort alt gilt.\n§ 13 Frist\nDie Frist beträgt zwei Monate.\n",
    "uk": "5 Rate of tax\n(1) The rate of tax is 20 per cent.\n(2) In this section old means—\n"
    "(a) a book, or\n(b) water.\n6 Penalties\nA person is liable to a fine of £500.\n",
    "us": "§ 10.3 Rates.\n(a) General. The rate is 5 percent.\n(b) Exceptions. (1) Books.\n"
    "(2) Water.\n§ 10.4 Time.\nThe return is due in 30 days.\n",
    "eu": "Article 1\n1. The rate is 15 %.\nMember States may set a lower rate.\n2. It is reduced "
    "for:\n(a) books;\n(b) water.\nArticle 2\nThe duty is EUR 134000 a year.\n",
}  # fmt: skip


def list_corpus(kind: str) -> Iterator[bytes]:
    """The inputs that are kept for a kind."""
    for folder in (CORPUS / kind, FOUND / kind):
        for file in sorted(folder.iterdir()) if folder.is_dir() else ():
            yield file.read_bytes()


def harvest(*patterns: str) -> Iterator[bytes]:
    """The texts and bytes that tests have written out, in files that match."""
    for pattern in patterns:
        for file in sorted(TESTS.glob(pattern)):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                value = node.value if isinstance(node, ast.Constant) else None
                if isinstance(value, str | bytes) and len(value) >= SHORTEST:
                    yield value.encode("utf-8", "replace") if isinstance(value, str) else value


def list_samples(folder: Path | None, *patterns: str) -> Iterator[bytes]:
    """Real documents from a folder outside the repository, if one was named."""
    for pattern in patterns if folder is not None else ():
        assert folder is not None
        for file in sorted(folder.rglob(pattern)):
            yield file.read_bytes()


def list_pdfs() -> Iterable[bytes]:
    box = line(100, 600, 400, 600) + line(100, 560, 400, 560) + line(100, 600, 100, 560)
    return (
        making.pdf(making.prose(1, 4), info=b"<</Title(x)>>"),
        making.pdf(making.scan()),
        making.pdf(
            Sheet(text("Table", "a b") + box + line(400, 600, 400, 560) + line(250, 600, 250, 560))
        ),
        making.pdf(
            Sheet(text("Struck"), notes=[b"<</Type/Annot/Subtype/StrikeOut/Rect[50 740 100 760]>>"])
        ),
        making.encrypted_pdf(""),
        making.encrypted_pdf("secret"),
    )


def list_word_documents() -> Iterable[bytes]:
    table = f"<w:tbl><w:tr><w:tc>{p(r('x'))}</w:tc><w:tc>{p(r('y'))}</w:tc></w:tr></w:tbl>"
    struck = p(
        f"<w:del>{r('z', tag='delText')}</w:del>", f"<w:ins>{r('n')}</w:ins>", r("b", "<w:strike/>")
    )
    return (
        making.docx(p(r("Članak 1.")) + table + struck),
        making.docx(p(r("a"), properties='<w:pStyle w:val="H"/>'),
                    styles='<w:style w:styleId="H"><w:rPr><w:strike/></w:rPr></w:style>',
                    footnotes=f'<w:footnote w:id="1">{p(r("note"))}</w:footnote>'),
        making.odt("<text:h>H</text:h><text:p>a<text:span>b</text:span><text:s text:c='3'/>"
                   "</text:p><table:table><table:table-row><table:table-cell><text:p>c</text:p>"
                   "</table:table-cell></table:table-row></table:table>"),
        b"{\\rtf1\\ansi\\ansicpg1250{\\fonttbl{\\f0\\fcharset238 A;}}\\f0 H\\'e8\\u268?{\\strike x}"
        b"\\par\\trowd\\intbl a\\cell b\\cell\\row\\pard{\\footnote n}\\page end}",
        making.doc(Words("The rate is "), Words("20", DELETED),
                   Words("Kruh\x07", paragraph=IN_TABLE),
                   Words("\x07", paragraph=IN_TABLE + ROW_END), Words("end\r")),
        making.doc(Words("Old text\r"), wide=False),
    )  # fmt: skip


def list_sheets() -> Iterable[bytes]:
    cell = '<table:table-cell office:value-type="string"><text:p>x</text:p></table:table-cell>'
    return (
        making.xlsx({"A": [["x", 1, 2.5, True]] * 3, "B": [["y"]]}),
        making.xlsx({"Rates": [["Good", "Rate"], ["Bread", 0.05]], "H": [["no"]]}, hidden=["H"]),
        making.ods(f"<table:table-row>{cell}{cell}</table:table-row>"),
        making.compound({"Workbook": b"\x09\x08\x10\x00\x00\x06\x05\x00" + bytes(60)}),
        b'Good,Rate\r\nBread,5 %\r\n"Wine, red",25 %\r\n',
        b'Good;Rate\n"two\nlines";13\n',
    )


def list_archives() -> Iterable[bytes]:
    return (
        making.packed({"a.txt": "text", "b/c.xml": "<x/>" * 200}),
        making.packed({}),
        making.compound({"WordDocument": b"x" * 600}),
        *list_word_documents(),
        *list_sheets(),
    )


def list_amendments() -> Iterator[bytes]:
    """Every text of the tests of amendments, in every tradition, with an act to change."""
    texts = [
        found.decode()
        for found in harvest("packs/regulatory/acts/test_amending_*.py")
        if len(found) > 30
    ]
    for tradition in TRADITIONS:
        for amending in texts:
            yield write_case(tradition, PROVISIONS[tradition], amending)
