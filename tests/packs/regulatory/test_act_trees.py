"""An act's tree has the paths its numbering or its markup gives, and every word has its place."""

import pytest

from assay.packs.regulatory.acts.shapes import Act
from assay.packs.regulatory.acts.trees import read_act
from assay.reading.documents import read_document
from assay.sdk.reading import decode_bytes

CROATIAN = """ZAKON O POREZU
I. OPĆE ODREDBE
Predmet Zakona
Članak 1.
(1) Ovim se Zakonom uređuje porez.
(2) Porez je prihod:
1. državnog proračuna i
a) središnjeg,
b) lokalnog,
2. drugih.
II. OPOREZIVANJE
1. Predmet oporezivanja
Članak 2.
Predmet oporezivanja je isporuka.
Isporuka je:
– dobara,
– usluga.
Iznimka vrijedi od 1. siječnja 2026.
Članak 2.a
Novi članak.
PRILOG I.
Popis
1. Kruh
"""
GERMAN = """---
Title: Beispielgesetz
---

# Beispielgesetz

## Erster Abschnitt - Allgemeines

### § 1 Steuerbare Umsätze

(1) Der Steuer unterliegen Umsätze bis zum
1\\. Januar 2020:

1.  die Lieferungen, die ein Unternehmer im
    Inland ausführt, wenn

    a)  sie entgeltlich sind oder

    b)  § 3 gilt;

1a. die Einfuhr.

Satz 1 gilt entsprechend.

(1a) § 2 Absatz 1 bleibt unberührt.

### § 2 (weggefallen)

## Zweiter Abschnitt - Schluss

### § 2a

Ohne Absatz.

### Anlage 1 (zu § 1)

1.  Brot
"""
EUROPEAN = """HAVE ADOPTED THIS REGULATION:
Chapter 1
General provisions
Article 1
Subject matter
1. This Regulation applies to:
(a) goods;
(b) to (g) none;
(h) services, namely:
(i) transport;
(ii) storage.
The first subparagraph is without prejudice to Article 2.
2. Member States shall inform the Commission.
Article 2
Definitions
For the purposes of this Regulation:
(1) ‘goods’ means goods;
(2) ‘services’ means services.
ANNEX I
List of goods
"""
AMERICAN = """§ 1003.1 Authority.
§ 1003.2 Definitions.
§ 1003.1 Authority.
(a) Authority. This part is issued by the Bureau.
(b) Purpose. (1) This part implements the Act:
(i) To help determine;
(A) One case; and
(1) A deep case.
(ii) To assist.
(2) Neither is intended.
(c)-(g) [Reserved]
(h) Another.
(i) One more, see § 1003.2(a).
(j) The last.
§ 1003.2 Definitions.
In this part:
"""
BRITISH = """Citation
1.—(1) These Regulations may be cited as the Example Regulations 2020.
(2) They come into force on 1st May 2020.
Amendment of the Order
2. In the Order—
(a) after paragraph 3 insert—
“(4) Farms are exempt.”;
(b) omit paragraph 5.
"""
AKN = """<akomaNtoso><act><body><chapter><num>1</num><heading>Allgemeines</heading>
<article><num>§ 1</num><heading>Zweck</heading>
<paragraph><num>(1)</num><list><intro><p>Es gilt:</p></intro>
<point><num>1.</num><content><p>eins,</p></content></point>
<point><num>2.</num><content><p>zwei.</p></content></point></list>
<wrapUp><p>Satz 1 gilt.</p></wrapUp></paragraph></article>
<article><num>§ 2</num><heading>Änderung</heading><paragraph><content>
<p>Es wird eingefügt: <quotedStructure><paragraph><num>(9)</num><content><p>Neu.</p></content>
</paragraph></quotedStructure></p></content></paragraph></article>
</chapter></body></act></akomaNtoso>"""
CLML = """<Legislation><Primary><Body>
<P1group><Title>Citation</Title><P1><Pnumber>1</Pnumber><P1para>
<P2><Pnumber>1</Pnumber><P2para><Text>These Regulations may be cited.</Text></P2para></P2>
<P2><Pnumber>2</Pnumber><P2para><Text>They apply to—</Text>
<P3><Pnumber>a</Pnumber><P3para><Text>England.</Text></P3para></P3></P2para></P2>
</P1para></P1></P1group></Body><Schedules><Schedule><Number>SCHEDULE 1</Number><TitleBlock>
<Title>Forms</Title></TitleBlock><ScheduleBody><P1><Pnumber>1</Pnumber><P1para>
<Text>A form.</Text></P1para></P1></ScheduleBody></Schedule></Schedules></Primary></Legislation>"""
FORMEX = """<ACT><TITLE><TI><P>Regulation</P></TI></TITLE><ENACTING.TERMS>
<ARTICLE IDENTIFIER="001"><TI.ART>Article 1</TI.ART><STI.ART>Scope</STI.ART>
<PARAG IDENTIFIER="001.001"><NO.PARAG>1.</NO.PARAG><ALINEA><P>It applies to:</P>
<LIST TYPE="alpha"><ITEM><NP><NO.P>(a)</NO.P><TXT>goods;</TXT></NP></ITEM>
<ITEM><NP><NO.P>(b)</NO.P><TXT>services.</TXT></NP></ITEM></LIST></ALINEA></PARAG></ARTICLE>
</ENACTING.TERMS></ACT>"""
CFR = """<CFRDOC><PART><CONTENTS><SECTNO>1003.1</SECTNO><SUBJECT>Authority.</SUBJECT></CONTENTS>
<AUTH><HD>Authority:</HD><P>12 U.S.C. 2803.</P></AUTH>
<SECTION><SECTNO>§ 1003.1</SECTNO><SUBJECT>Authority.</SUBJECT><P>(a) Issued.</P>
<P>(b) <E T="03">Purpose.</E> (1) First.</P><CITA>[76 FR 78468]</CITA></SECTION></PART></CFRDOC>"""


def list_paths(act: Act) -> list[str]:
    return [one.path for one in act.provisions]


def read_file(markup: str) -> Act:
    data = markup.encode()
    reading = read_document(data)
    return read_act("e", reading.text, decode_bytes(data).text, reading.segments)


def check_places(act: Act, text: str) -> None:
    for one in act.provisions:
        for words in (one.heading, one.opening, one.closing):
            copied = (text[s.start : s.end] if s.source else " " for s in words.spans)
            assert "".join(copied) == words.text


@pytest.mark.parametrize("text", [CROATIAN, GERMAN, EUROPEAN, AMERICAN, BRITISH])
def test_every_word_keeps_its_place_in_the_text(text: str) -> None:
    act = read_act("e", text)
    assert act.provisions
    check_places(act, text)


def test_croatian_acts_count_paragraphs_without_numbers_and_print_titles_above() -> None:
    act = read_act("e", CROATIAN)
    assert list_paths(act) == [
        "preamble",
        "art_1",
        "art_1__para_1",
        "art_1__para_2",
        "art_1__para_2__point_1",
        "art_1__para_2__point_1__point_a",
        "art_1__para_2__point_1__point_b",
        "art_1__para_2__point_2",
        "art_2",
        "art_2__para_1",
        "art_2__para_2",
        "art_2__para_2__point_1",
        "art_2__para_2__point_2",
        "art_2__para_3",
        "art_2a",
        "art_2a__para_1",
        "annex_i",
        "annex_i__para_1",
    ]
    assert act.by_path()["art_1"].heading.text == "Predmet Zakona"
    assert act.by_path()["art_2__para_3"].opening.text.endswith("1. siječnja 2026.")


def test_markdown_headings_and_indents_give_the_tree_of_a_german_act() -> None:
    act = read_act("e", GERMAN)
    assert list_paths(act)[1:] == [
        "sec_1",
        "sec_1__para_1",
        "sec_1__para_1__point_1",
        "sec_1__para_1__point_1__point_a",
        "sec_1__para_1__point_1__point_b",
        "sec_1__para_1__point_1a",
        "sec_1__para_1a",
        "sec_2",
        "sec_2a",
        "sec_2a__para_1",
        "annex_1",
        "annex_1__point_1",
    ]
    found = act.by_path()
    assert found["sec_1"].heading.text == "Steuerbare Umsätze"
    assert found["sec_1__para_1"].closing.text == "Satz 1 gilt entsprechend."
    point = found["sec_1__para_1__point_1"].opening.text
    assert point == "die Lieferungen, die ein Unternehmer im Inland ausführt, wenn"


def test_european_paragraphs_contain_points_and_chapters_belong_to_no_article() -> None:
    act = read_act("e", EUROPEAN)
    assert list_paths(act) == [
        "preamble",
        "art_1",
        "art_1__para_1",
        "art_1__para_1__point_a",
        "art_1__para_1__point_b",
        "art_1__para_1__point_h",
        "art_1__para_1__point_h__point_i",
        "art_1__para_1__point_h__point_ii",
        "art_1__para_2",
        "art_2",
        "art_2__point_1",
        "art_2__point_2",
        "annex_i",
    ]
    assert act.by_path()["art_1__para_1"].closing.text.startswith("The first subparagraph")
    assert act.by_path()["annex_i"].heading.text == "List of goods"


def test_american_sections_nest_letters_digits_and_roman_numerals() -> None:
    act = read_act("e", AMERICAN)
    assert list_paths(act)[1:] == [
        "sec_1003.1",
        "sec_1003.1__para_a",
        "sec_1003.1__para_b",
        "sec_1003.1__para_b__point_1",
        "sec_1003.1__para_b__point_1__point_i",
        "sec_1003.1__para_b__point_1__point_i__point_A",
        "sec_1003.1__para_b__point_1__point_i__point_A__point_1",
        "sec_1003.1__para_b__point_1__point_ii",
        "sec_1003.1__para_b__point_2",
        "sec_1003.1__para_c",
        "sec_1003.1__para_h",
        "sec_1003.1__para_i",
        "sec_1003.1__para_j",
        "sec_1003.2",
    ]
    assert act.by_path()["sec_1003.1__para_b"].heading.text == "Purpose."


def test_british_sections_are_found_by_their_numbers_alone() -> None:
    act = read_act("e", BRITISH)
    assert list_paths(act) == [
        "sec_1",
        "sec_1__para_1",
        "sec_1__para_2",
        "sec_2",
        "sec_2__point_a",
        "sec_2__point_b",
    ]
    assert act.by_path()["sec_2"].heading.text == "Amendment of the Order"
    assert "Farms are exempt" in act.by_path()["sec_2__point_a"].opening.text


def test_quoted_provisions_of_another_act_are_not_provisions_of_this_one() -> None:
    text = "Članak 1.\nČlanak 5. glasi:\n»Članak 5.\n(1) Novo.\n(2) Drugo.«.\nČlanak 2.\nKraj.\n"
    act = read_act("e", text)
    assert list_paths(act) == ["art_1", "art_1__para_1", "art_2", "art_2__para_1"]
    assert "(2) Drugo" in act.by_path()["art_1__para_1"].opening.text


@pytest.mark.parametrize(
    ("markup", "paths"),
    [
        (
            AKN,
            [
                *("sec_1", "sec_1__para_1", "sec_1__para_1__point_1", "sec_1__para_1__point_2"),
                *("sec_2", "sec_2__para_1"),
            ],
        ),
        (
            CLML,
            [
                *("sec_1", "sec_1__para_1", "sec_1__para_2", "sec_1__para_2__point_a"),
                *("annex_1", "annex_1__para_1"),
            ],
        ),
        (FORMEX, ["art_1", "art_1__para_1", "art_1__para_1__point_a", "art_1__para_1__point_b"]),
        (
            CFR,
            [
                *("sec_1003.1", "sec_1003.1__para_a", "sec_1003.1__para_b"),
                "sec_1003.1__para_b__point_1",
            ],
        ),
    ],
)
def test_markup_names_the_provisions(markup: str, paths: list[str]) -> None:
    act = read_file(markup)
    assert [path for path in list_paths(act) if path != "preamble"] == paths
    check_places(act, read_document(markup.encode()).text)


def test_headings_and_closing_words_come_from_the_markup() -> None:
    found = read_file(AKN).by_path()
    assert found["sec_1"].heading.text == "Zweck"
    assert found["sec_1__para_1"].closing.text == "Satz 1 gilt."
    assert read_file(CLML).by_path()["sec_1"].heading.text == "Citation"


def test_numbers_without_end_stay_shallow() -> None:
    text = "§ 1.2 Title.\n" + "(a) x:\n(1) y:\n(i) z:\n(A) w:\n" * 200
    act = read_act("e", text)
    assert max(path.count("__") for path in list_paths(act)) <= 8
    assert len(set(list_paths(act))) == len(act.provisions) > 500


CONSOLIDATED = """<CONS.ACT><CONS.DOC><ARTICLE><TI.ART>Article 1</TI.ART>
<PARAG><NO.PARAG>1.</NO.PARAG><ALINEA>Of the Council<NOTE><P>OJ L 1.</P></NOTE>. The rate is
<?CLG.MDFO ID="O1" IDREF="C1" ACTION="DELETED" LEVEL="TEXT"?>at least <?CLG.MDFC ID="C1"
IDREF="O1"?>15 %.</ALINEA><ALINEA>Second.</ALINEA></PARAG>
<?CLG.MDFO ID="O2" IDREF="C2" ACTION="DELETED" LEVEL="STRUCTURE"?><PARAG><NO.PARAG>2.</NO.PARAG>
<ALINEA>Gone 5 %.</ALINEA></PARAG><?CLG.MDFC ID="C2" IDREF="O2"?></ARTICLE></CONS.DOC>
<CONS.ANNEX><TITLE><TI><P>ANNEX II</P></TI></TITLE><CONTENTS><LIST><ITEM><NP><NO.P>(1)</NO.P>
<TXT>Water;</TXT></NP></ITEM></LIST></CONTENTS></CONS.ANNEX></CONS.ACT>"""


def test_a_consolidated_act_has_neither_what_was_deleted_nor_footnotes() -> None:
    """The publisher keeps deleted provisions in its file, between processing instructions."""
    act = read_file(CONSOLIDATED)
    assert list_paths(act) == ["art_1", "art_1__para_1", "annex_ii", "annex_ii__point_1"]
    words = act.by_path()["art_1__para_1"].opening.text
    assert words == "Of the Council. The rate is 15 %.\nSecond."
