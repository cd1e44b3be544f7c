"""Reference strings: the references of a paper, or a text with one on each line."""

from assay.packs.literature.parsed import ParsedList, ReferenceCollector
from assay.packs.literature.references import (
    find_reference_section,
    parse_reference_text,
    split_references,
)


def parse_bibliography(text: str, most: int) -> ParsedList:
    """The references of a text: of its section of references, if it has one."""
    collector = ReferenceCollector(most)
    start, end = find_reference_section(text) or (0, len(text))
    for begin, finish in split_references(text[start:end]):
        if collector.is_full:
            collector.leave_out(1)
            continue
        reference = parse_reference_text(text[start + begin : start + finish])
        if reference.title or reference.ids or (reference.authors and reference.year):
            place = {"start": start + begin, "end": start + finish}
            collector.add(reference.model_copy(update=place))
        else:
            collector.note(
                start + begin, "A reference has no title, no id, and no author with a year."
            )
    return collector.finish()
