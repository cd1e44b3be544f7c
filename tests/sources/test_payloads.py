"""XML documents as trees."""

from assay.sources.folders.payloads import parse_xml


def test_children_by_name_or_all_of_them() -> None:
    root = parse_xml(b"<r xmlns:d='urn:d'><a>1</a><d:b>2</d:b><a>3</a></r>", "https://x", "rows")
    assert [child.read_text() for child in root.find_children("a")] == ["1", "3"]
    assert [child.name for child in root.find_children()] == ["a", "b", "a"]
