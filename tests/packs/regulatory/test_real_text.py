"""Real text that nobody here wrote: every fact stands where it says, and nothing breaks."""

from pathlib import Path

import pytest

from assay.app.installed_packs import load_facts_of
from assay.reading.documents import read_document
from assay.reading.language import identify_language
from assay.ruling.facts.extraction import extract_facts
from assay.ruling.facts.gates import is_value_in_quote
from assay.ruling.facts.proposals import Passage

SAMPLES = Path(__file__).parents[4] / "shared" / "samples" / "regulatory"
LEGAL = {
    "cfr_annual_2012_t12_p1003.xml": 20,
    "cfr_annual_2012_t12_p1006.xml": 10,
    "eregs_27cfr447_v2014-06778.json": 10,
    "eu_formex_32024R0903_main.fmx.xml": 20,
    "eu_html_32024R0903.html": 20,
    "fr_fulltext_2013-27337.xml": 3,
    "fr_fulltext_2014-21847.xml": 5,
    "uk_clml_uksi_2020_1326_made.xml": 3,
    "uk_clml_uksi-2014-448-contents.xml": 0,
    "uk_clml_ukpga-1995-50-s1-2009-10-01.xml": 0,
    "eu_com_2025_11.html": 0,
    "federalregister_document_2026-13726.json": 0,
    "nn_act_2018_42_805.jsonld": 0,
}
"""Files, and the least number of facts that must be found in them."""


@pytest.mark.parametrize("name", sorted(LEGAL))
def test_facts_of_real_text_slice_back_to_their_quotes(name: str) -> None:
    file = SAMPLES / name
    if not file.is_file():
        pytest.skip("the samples of real payloads are not beside the project")
    reading = read_document(file.read_bytes())
    found = extract_facts(
        Passage(reading=reading, language=identify_language(reading.text).code),
        load_facts_of("regulatory"),
    )
    assert len(found.accepted) >= LEGAL[name]
    for fact in found.accepted:
        assert reading.text[fact.start : fact.end] == fact.quote
        said = fact.proposed
        if said.value_type != "text":
            assert is_value_in_quote(said.value, said.value_type, said.unit, fact.quote)
    coverage = found.coverage
    assert 0 <= coverage.covered <= coverage.relevant <= coverage.sentences
