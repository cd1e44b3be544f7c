"""What the pack stores about acts and their amendments."""

from assay.sdk.records import Merge, Record


class ActText(
    Record,
    table="law_texts",
    key=("evidence_id",),
    indexes=(("act_key",), ("doc_id",)),
    merge=Merge.NEW,
    of_evidence="evidence_id",
):
    """A stored text of an act."""

    evidence_id: str
    doc_id: str
    source_slug: str
    act_key: str
    """Its number, or its title; and the town that made it. See `acts.naming`."""
    title: str


class ActAmendment(
    Record,
    table="law_amendments",
    key=("evidence_id", "act_key"),
    indexes=(("act_key",), ("doc_id",)),
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


class AmendingAct(
    Record,
    table="law_amending_acts",
    key=("evidence_id",),
    indexes=(("act_key",), ("doc_id",)),
    merge=Merge.NEW,
    of_evidence="evidence_id",
):
    """A stored text that only amends other acts. A later act may amend it in turn."""

    evidence_id: str
    doc_id: str
    source_slug: str
    act_key: str


class ActState(Record, table="law_states", key=("subject",), merge=Merge.NEW, canonical=False):
    """What was worked out about an act the last time, so that the next time can take back what no
    longer follows from the texts."""

    subject: str
    facts: list[str]
    """All facts that were ever stated; those that no longer follow have ended."""
    ends: list[str]
    """Fact and evidence of each end that holds."""


class AmendmentAnswer(Record, table="law_answers", key=("request_id",), merge=Merge.NEW):
    """What a person said about an instruction that could not be applied, or about a page that
    changed without a note."""

    request_id: str
    answer: str
