"""Parts of an amending act that begin on a day of their own."""

import pytest

from assay.packs.regulatory.acts.amending import Tradition
from assay.packs.regulatory.acts.commencement import find_divided_articles, read_divided


@pytest.mark.parametrize(
    ("tradition", "text"),
    [
        ("de", "Artikel 1 Nummer 2 tritt am 1. Januar 2022 in Kraft."),
        ("de", "Artikel 1 Nummer 2 und 3 sowie Artikel 4 treten am 1. Januar 2022 in Kraft."),
        ("eu", "However, point (2) of Article 1 shall apply from 1 January 2022."),
        ("eu", "Article 1(2) shall apply from 1 January 2022."),
        ("eu", "Article 1, points (3) and (4), shall apply from 1 January 2022."),
        ("eu", "with the exception of Article 1, point (4), which shall not apply until that day."),
        ("uk", "These Regulations, except regulation 1(2) which comes into force on 1st May 2020."),
        ("hr", "osim članka 1. stavka 2. koji stupa na snagu 1. siječnja 2022."),
    ],
)
def test_an_article_of_which_a_part_begins_later_is_found(tradition: Tradition, text: str) -> None:
    assert find_divided_articles(text, tradition) == {"1"}


@pytest.mark.parametrize(
    ("tradition", "text"),
    [
        ("de", "Artikel 2 tritt am 1. Januar 2022 in Kraft."),
        ("eu", "in Article 5(2), the rate is replaced.\n\nThis Regulation shall apply from May."),
        ("eu", "Article 7 is replaced:\n‘Article 7(2) shall apply from 1 January 2022.’;"),
        ("hr", "osim članka 2. koji stupa na snagu 1. siječnja 2022."),
    ],
)
def test_whole_articles_and_quoted_text_divide_nothing(tradition: Tradition, text: str) -> None:
    assert find_divided_articles(text, tradition) == set()


def test_an_instruction_is_in_the_article_of_the_amending_act_that_it_is_printed_in() -> None:
    text = (
        "Article 1\n(1) Article 7 is replaced by the following:\n‘Article 7\nNew words.’;\n"
        "(2) Article 9 is deleted.\nArticle 2\nArticle 3 of Regulation (EU) 2020/1 is deleted.\n"
        "Article 3\nArticle 1, point (2), shall not apply until 1 January 2030.\n"
    )
    divided = read_divided(text, "eu")
    assert divided.numbers == {"1"}
    # The tree may have taken the quoted Article 7 for an article of this act.
    assert divided.contains("7", text.index("Article 9"))
    assert not divided.contains("2", text.index("Article 3 of"))
