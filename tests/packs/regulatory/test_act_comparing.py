"""Two versions of an act are compared provision by provision, whatever moved around them."""

from datetime import date

from assay.packs.regulatory.acts.comparing import ChangeKind, compare_acts, list_periods
from assay.packs.regulatory.acts.shapes import Act
from assay.packs.regulatory.acts.trees import read_act

FIRST = """### § 1 Steuersatz

(1) Die Steuer beträgt 16 Prozent der Bemessungsgrundlage.

(2) Die Steuer ermäßigt sich auf sieben Prozent für Bücher.

(3) Das Nähere regelt eine Verordnung der Bundesregierung.

### § 2 Frist

Die Erklärung ist binnen zehn Tagen abzugeben.

### § 3 Schluss

Dieses Gesetz tritt am Tag nach der Verkündung in Kraft.
"""
SECOND = (
    FIRST.replace("16 Prozent", "19 Prozent")
    .replace("(3) Das", "(3) Für Hotels gilt Absatz 2 ohne Ausnahme.\n\n(4) Das")
    .replace("### § 3", "### § 2a Neu\n\nGanz neue Vorschrift über Kleinunternehmer.\n\n### § 3")
)
THIRD = SECOND.replace(
    "### § 2 Frist\n\nDie Erklärung ist binnen zehn Tagen abzugeben.", "### § 2 (weggefallen)"
)
Kinds = dict[str, ChangeKind]


def find_changes(earlier: Act, later: Act) -> Kinds:
    return {
        change.path: change.kind
        for change in compare_acts(earlier, later)
        if change.kind is not ChangeKind.UNCHANGED
    }


def test_an_inserted_section_leaves_its_neighbours_unchanged() -> None:
    changes = find_changes(read_act("a", FIRST), read_act("b", SECOND))
    assert changes == {
        "sec_1__para_1": ChangeKind.CHANGED,
        "sec_1__para_3": ChangeKind.INSERTED,
        "sec_1__para_4": ChangeKind.MOVED,
        "sec_2a": ChangeKind.INSERTED,
        "sec_2a__para_1": ChangeKind.INSERTED,
    }


def test_the_same_act_wrapped_anew_is_unchanged() -> None:
    wrapped = FIRST.replace("16 Prozent der", "16 Prozent\nder")
    assert find_changes(read_act("a", FIRST), read_act("b", wrapped)) == {}


def test_a_note_of_repeal_and_a_missing_section_are_both_repeals() -> None:
    noted = find_changes(read_act("b", SECOND), read_act("c", THIRD))
    assert noted == {"sec_2": ChangeKind.REPEALED, "sec_2__para_1": ChangeKind.REPEALED}
    removed = THIRD.replace("### § 2 (weggefallen)\n\n", "")
    assert find_changes(read_act("c", THIRD), read_act("d", removed)) == {}
    assert find_changes(read_act("b", SECOND), read_act("d", removed)) == noted


def test_a_renumbered_section_moves_with_all_its_parts() -> None:
    later = FIRST.replace("### § 1 ", "### § 7 ")
    changes = compare_acts(read_act("a", FIRST), read_act("b", later))
    moved = {c.before.path: c.path for c in changes if c.kind is ChangeKind.MOVED and c.before}
    assert moved == {
        "sec_1": "sec_7",
        **{f"sec_1__para_{n}": f"sec_7__para_{n}" for n in (1, 2, 3)},
    }


def test_a_paragraph_that_moved_and_changed_a_word_is_followed() -> None:
    later = FIRST.replace("(3) Das Nähere", "(3) Für Hotels gilt nichts davon.\n\n(4) Das Weitere")
    changes = compare_acts(read_act("a", FIRST), read_act("b", later))
    moved = [c for c in changes if c.kind is ChangeKind.MOVED]
    assert [(c.before.path, c.path, c.has_new_words) for c in moved if c.before] == [
        ("sec_1__para_3", "sec_1__para_4", True)
    ]


def test_each_wording_has_the_period_in_which_the_page_showed_it() -> None:
    days = date(2020, 1, 1), date(2021, 7, 1), date(2023, 1, 1)
    texts = FIRST, SECOND, THIRD
    versions = [(day, read_act(str(day), text)) for day, text in zip(days, texts, strict=True)]
    periods = list_periods(versions)
    found = [
        (p.provision.path, p.start, p.end, p.came_about, p.moved_from)
        for p in periods
        if p.provision.path in ("sec_1__para_1", "sec_1__para_4", "sec_2", "sec_3")
    ]
    assert found == [
        ("sec_1__para_1", days[0], days[1], ChangeKind.INSERTED, ""),
        ("sec_1__para_1", days[1], None, ChangeKind.CHANGED, ""),
        ("sec_1__para_4", days[1], None, ChangeKind.MOVED, "sec_1__para_3"),
        ("sec_2", days[0], days[2], ChangeKind.INSERTED, ""),
        ("sec_3", days[0], None, ChangeKind.INSERTED, ""),
    ]


def test_the_earlier_wording_keeps_its_own_source() -> None:
    versions = [
        (date(2020, 1, 1), read_act("old", FIRST)),
        (date(2021, 1, 1), read_act("new", SECOND)),
    ]
    first, second = (
        p.provision.opening for p in list_periods(versions) if p.provision.path == "sec_1__para_1"
    )
    assert first.text.startswith("Die Steuer beträgt 16") and first.spans[0].source == "old"
    assert second.text.startswith("Die Steuer beträgt 19") and second.spans[0].source == "new"
