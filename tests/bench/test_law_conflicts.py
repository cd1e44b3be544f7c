"""A figure that is changed in a copy of an act becomes a conflict, and nothing else does."""

from bench.law_conflicts import make_plant, measure
from bench.law_sample import ExtractedAct

from assay.packs.regulatory.extractor.reader import load_facts_with_extractor
from assay.ruling.facts.extraction import extract_facts
from assay.ruling.facts.proposals import Passage
from assay.sdk.reading import ContentClass, Reading

ACT = """# Milk Levy Act 2010

1. The rate of the milk levy is 5 per cent of the price.

2. The milk levy applies to a dairy whose annual turnover exceeds EUR 60,000.

3. The records of the milk levy shall be kept for 6 years.
"""


def read_milk_act() -> ExtractedAct:
    reading = Reading(content_class=ContentClass.HTML, text=ACT, title="Milk Levy Act 2010")
    passage = Passage(reading=reading, language="en", jurisdiction="ie")
    return ExtractedAct(
        "milk.md", passage, extract_facts(passage, load_facts_with_extractor()).accepted
    )


def test_one_figure_of_an_act_is_changed() -> None:
    act = read_milk_act()
    rate = next(each for each in act.facts if each.proposed.value_type == "percentage")
    plant = make_plant(act, rate)
    assert plant is not None
    assert (plant.was, plant.becomes, plant.jurisdiction) == ("5", "6", "ie")
    assert plant.text == ACT.replace("5 per cent", "6 per cent")
    assert plant.changed == plant.quote.replace("5 per cent", "6 per cent")


def test_a_planted_contradiction_is_the_only_conflict() -> None:
    act = read_milk_act()
    rate = next(each for each in act.facts if each.proposed.value_type == "percentage")
    plant = make_plant(act, rate)
    assert plant is not None
    found = measure({"ie": [ACT]}, [plant])
    assert found["documents"] == 2
    assert (found["planted_found"], found["conflicts"], found["conflicts_not_planted"]) == (1, 1, 0)
    assert (found["edges"], found["rules_ended_without_a_question"]) == (0, 0)
