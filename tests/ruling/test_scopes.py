"""What holds only if something is so never becomes what holds always."""

import pytest

from assay.app.installed_packs import load_facts_of
from assay.ruling.facts.extraction import find_scope, limit_to_scope
from assay.ruling.facts.proposals import ProposedFact


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("The rate is 13 % for rooms if the stay is longer than 3 nights.",
         "if the stay is longer than 3 nights"),
        ("Ako obveznik ne plati na vrijeme, kamata je 6 %.", "Ako obveznik ne plati na vrijeme"),
        ("Der Satz beträgt 7 %, sofern die Ware\nverpackt ist.", "sofern die Ware verpackt ist"),
        ("Where the vessel is longer than 12 m, the fee is EUR 40.",
         "Where the vessel is longer than 12 m"),
        ("The fee is EUR 40, unless waived; it is paid yearly.", "unless waived"),
        ("The rate of value added tax shall be 25 %.", None),
        ("The place where the tax of 5 % is paid is the harbour.", None),
        ("Kako bi se rad olakšao, pristojba je 5 EUR.", None),
        ("Makako 5 EUR.", None),
    ],
)  # fmt: skip
def test_the_case_is_found_in_the_words(quote: str, words: str | None) -> None:
    assert find_scope(quote) == words


def claim(quote: str, **more: object) -> ProposedFact:
    told = {"domain": "pdv", "subject": "pdv", "predicate": "rate", "value": "13",
            "value_type": "percentage", "unit": "%", "confidence": 0.9}  # fmt: skip
    return ProposedFact(quote=quote, **{**told, **more})  # type: ignore[arg-type]


def test_a_condition_that_nobody_understood_is_kept_in_its_own_words() -> None:
    pack = load_facts_of("regulatory")
    found = limit_to_scope(claim("The rate is 13 % if the stay is long."), pack)
    assert found.applies_when == {"op": "eq", "field": "scope", "value": "if the stay is long"}


def test_what_was_understood_or_has_no_case_stays_as_it_is() -> None:
    pack = load_facts_of("regulatory")
    books = {"op": "eq", "field": "activity", "value": "books"}
    understood = claim("The rate is 13 % if it is a book.", applies_when=books)
    assert limit_to_scope(understood, pack) is understood
    plain = claim("The rate is 13 %.")
    assert limit_to_scope(plain, pack) is plain
