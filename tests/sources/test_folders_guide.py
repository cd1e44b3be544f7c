"""The source of the guide works as the guide says."""

import re
from dataclasses import fields
from pathlib import Path

from assay.sources.folders import DocumentDescription, find_example_failures, load_folder
from assay.sources.folders.definition import _EndpointEntry, _SourceEntry
from assay.sources.folders.expectations import SourceExample

GUIDE = Path(__file__).parents[2] / "docs" / "how-to" / "add-a-source.md"
LISTING = """\
<!DOCTYPE html><html lang="en"><body><nav><a href="/">Home</a></nav><main><ul>
<li><time datetime="2026-11-04">4</time> <a href="/acts/12.html">Order on chimney sweeping</a></li>
<li><time datetime="2026-11-05">5</time> <a href="/acts/11.html">Order on market days</a></li>
</ul></main></body></html>
"""
ACT = """\
<!DOCTYPE html><html lang="en"><body><h1>Order on chimney sweeping</h1>
<p class="number">No. 12/2026</p><p class="signed">Signed on 3 November 2026</p></body></html>
"""


def test_the_source_of_the_guide_is_read_as_it_says(tmp_path: Path) -> None:
    text = GUIDE.read_text(encoding="utf-8")
    source, expected, described = re.findall(r"^```yaml\n(.*?)^```$", text, re.M | re.S)
    (adapter,) = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
    folder = tmp_path / "town-gazette"
    (folder / "examples").mkdir(parents=True)
    for name, content in {
        "source.yml": source,
        "expected.yml": expected + described,
        "adapter.py": adapter,
        "examples/listing.html": LISTING,
        "examples/act.html": ACT,
    }.items():
        (folder / name).write_text(content, encoding="utf-8")
    assert load_folder(folder).describes_documents
    assert find_example_failures(folder) == []


def test_every_field_of_a_source_is_in_the_guide() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    told = [field.name for field in fields(DocumentDescription)]
    declared = [
        *_SourceEntry.model_fields,
        *_EndpointEntry.model_fields,
        *SourceExample.model_fields,
    ]
    assert [name for name in (*declared, *told) if f"`{name}`" not in text] == []
