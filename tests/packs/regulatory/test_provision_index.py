"""What surrounds a place of an act: its provision, the lists it is in, the sentences before it."""

from assay.model.content import ContentClass
from assay.packs.regulatory.extractor.provisions import ProvisionIndex
from assay.reading.result import Reading


def index_text(text: str, language: str) -> ProvisionIndex:
    """The provisions of a text."""
    return ProvisionIndex(Reading(content_class=ContentClass.TEXT, text=text), language)


def test_earlier_sentences_are_those_of_the_same_paragraph() -> None:
    text = (
        "Članak 3.\n\n"
        "(1) Obrt se upisuje u registar.\n\n"
        "(2) Ured može odbiti upis. Odluka se objavljuje. U tom slučaju rok je\n"
        "osam dana. Protiv odluke nema žalbe.\n"
    )
    index = index_text(text, "hr")
    assert index.list_earlier_sentences(text.index("Obrt")) == ()
    assert index.list_earlier_sentences(text.index("osam")) == (
        "Ured može odbiti upis.",
        "Odluka se objavljuje.",
    )
    assert index.list_earlier_sentences(text.index("Protiv"))[-1] == (
        "U tom slučaju rok je osam dana."
    )


def test_a_list_precedes_the_words_after_it() -> None:
    text = (
        "### § 4 Antrag\n\n"
        "(1) Der Antrag ist abzulehnen, wenn\n\n"
        "1.  er unvollständig ist oder\n\n"
        "2.  die Frist versäumt wurde.\n\n"
        "In diesen Fällen gilt eine Sperre von drei Monaten.\n"
    )
    index = index_text(text, "de")
    assert index.list_earlier_sentences(text.index("drei")) == (
        "Der Antrag ist abzulehnen, wenn",
        "er unvollständig ist oder",
        "die Frist versäumt wurde.",
    )
