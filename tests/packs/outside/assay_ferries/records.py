"""A notice, and how it is stored."""

from typing import Annotated

from assay.sdk.records import Merge, Record


class FerryNotice(
    Record, table="ferry_notices", key=("notice_id",), indexes=(("line",), ("state",))
):
    """What one document says of one ferry line."""

    notice_id: str
    doc_id: str
    evidence_id: str
    line: str
    status: Annotated[str, Merge.NEW]
    """`runs`, `cancelled`, or `unclear` until a person says so."""
    quote: str
    state: Annotated[str, Merge.NEW] = "READ"
    """READ, ASKED or GRADED."""
