"""A digest is made of other people's words, and stays a digest whatever they are."""

import re

import pytest

from assay.packs.civic.dossiers import DocumentLink
from assay.packs.civic.outputs.digest import (
    CitedSentence,
    CityDigest,
    Digest,
    ItemDigest,
    MeetingDigest,
)
from assay.packs.civic.outputs.digest_html import render_html
from assay.packs.civic.outputs.digest_markdown import render_markdown
from tests.payloads import CONTROLS, MARKUP, find_obeyed


def digest_of(words: str) -> Digest:
    link = DocumentLink(words, f"https://a.example/{words}")
    sentence = CitedSentence(words, (link, DocumentLink(words, words)))
    item = ItemDigest(
        item_id="i", matter_id=None, matter_file=words, number=words, title=words, topics=(words,),
        outcome=words, motions=(sentence,), votes=(("yes", (words,)),), summary=(sentence,),
        documents=(link,),
    )  # fmt: skip
    meeting = MeetingDigest(
        meeting_id="m", title=words, body=words, starts="2026-01-01T10:00", status="", change=words,
        location=words, page=link.url, video=words, attending=(("Where", words),),
        attending_source=link, summary=(sentence,), items=(item,), motions=(sentence,),
        documents=(link,),
    )  # fmt: skip
    return Digest("2026-01-01", None, [CityDigest("b", words, decided=[meeting])])


@pytest.mark.parametrize("payload", [*CONTROLS.values(), *MARKUP.values()])
def test_a_digest_carries_no_payload(payload: str) -> None:
    plain = digest_of("words")
    markdown, page = render_markdown(digest_of(payload)), render_html(digest_of(payload))
    assert find_obeyed(markdown) == find_obeyed(page) == []
    # The same lines with the same structure, and the same elements.
    shape = re.compile(r"^\s*(?:#+|-|\*\*)", re.MULTILINE)
    assert shape.findall(markdown) == shape.findall(render_markdown(plain))
    tags = re.compile(r"<(/?[a-z0-9]+)")
    assert tags.findall(page) == tags.findall(render_html(plain))
    # Between angle brackets, an address has no structure.
    outside = re.sub(r"\(<[^<>]*>\)", "", markdown)
    assert re.search(r"(?<!\\)\]\(", outside) is None
