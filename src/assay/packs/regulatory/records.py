"""What the pack stores about acts and their amendments."""

from assay.sdk.records import Merge, Record


class ActText(
    Record,
    table="law_texts",
    key=("evidence_id",),
    indexes=(("act_key",),),
    merge=Merge.NEW,
    of_evidence="evidence_id",
):
    """A stored text of an act."""

    evidence_id: str
    doc_id: str
    source_slug: str
    act_key: str
    """Made from its title; amending acts name it in other cases. See `acts.naming`."""
    title: str


class ActAmendment(
    Record,
    table="law_amendments",
    key=("evidence_id", "act_key"),
    indexes=(("act_key",),),
    merge=Merge.NEW,
    of_evidence="evidence_id",
):
    """A stored text with instructions that change an act."""

    evidence_id: str
    act_key: str
    doc_id: str
    source_slug: str
    act_name: str
    """As the amending act gives it."""


class AmendmentAnswer(Record, table="law_answers", key=("request_id",), merge=Merge.NEW):
    """What a person said about an instruction that could not be applied, or about a page that
    changed without a note."""

    request_id: str
    answer: str
