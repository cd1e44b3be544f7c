"""Creates a new source's folder: a description to fill in, an example, and a test that fails until
both are filled in."""

import tempfile
from enum import StrEnum
from pathlib import Path

from assay.errors import InvalidInput, from_os_error
from assay.sources.folders import load_folder, slug_of
from assay.sources.folders.definition import EXPECTED_FILE, SOURCE_FILE
from assay.sources.folders.expectations import EXAMPLES

_SITE = "https://www.example.org"


class SourceKind(StrEnum):
    """How a source lists its documents."""

    SITEMAP = "sitemap"
    FEED = "feed"
    LISTING = "listing"
    JSON = "json"


_ADDRESSES = {
    SourceKind.SITEMAP: "/sitemap.xml",
    SourceKind.FEED: "/feed.xml",
    SourceKind.LISTING: "/acts/",
    SourceKind.JSON: "/api/acts?year=2026",
}
_ENDPOINTS = {
    SourceKind.SITEMAP: """\
    strategy: SITEMAP_XML
    options:
      include: [/acts/*]         # only addresses like these
""",
    SourceKind.FEED: """\
    strategy: RSS_FEED
""",
    SourceKind.LISTING: """\
    strategy: HTML_LIST
    options:
      within: main               # the part of the page that counts
      item: li                   # one entry
      date: time@datetime
""",
    SourceKind.JSON: """\
    strategy: JSON_API
    options:
      items: results             # the path to the list
      url: link
      title: title
      date: published
""",
}
_SAVED = {
    SourceKind.SITEMAP: (
        "sitemap.xml",
        """\
<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://www.example.org/</loc></url>
<url><loc>https://www.example.org/acts/1</loc><lastmod>2026-01-31</lastmod></url>
</urlset>
""",
    ),
    SourceKind.FEED: (
        "feed.xml",
        """\
<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0"><channel><title>Acts</title><link>https://www.example.org/</link>
<item><title>An act</title><link>https://www.example.org/acts/1</link>
<pubDate>Sat, 31 Jan 2026 08:00:00 GMT</pubDate></item>
</channel></rss>
""",
    ),
    SourceKind.LISTING: (
        "listing.html",
        """\
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Acts</title></head>
<body><nav><a href="/">Home</a></nav><main><ul>
<li><time datetime="2026-01-31">31 January</time> <a href="/acts/1">An act</a></li>
</ul></main></body></html>
""",
    ),
    SourceKind.JSON: (
        "acts.json",
        """\
{"results": [
  {"link": "https://www.example.org/acts/1", "title": "An act", "published": "2026-01-31"}
]}
""",
    ),
}
_DESCRIPTION = """\
# A source. 'assay sources check' tests it on its examples, 'assay sources add' watches it.
name: {name}
base_url: {site}/
hierarchy: 7                     # its rank among sources: 1 is the highest, 7 the lowest
endpoints:
  {kind}:
    url: {url}
    frequency: DAILY
{endpoint}"""
_EXPECTATION = """\
# The expected result for each file in examples/. First save a real response of the site there, then
# run 'assay sources check' to see what it yields, and write down the correct result.
- file: {file}
  url: {url}
  endpoint: {kind}
  items:                         # - {{url: ..., title: ..., published: ...}}
"""
_TEST = '''\
"""The examples of {slug} give what {expected} says."""

from pathlib import Path

from assay.sources.folders import find_example_failures


def test_the_examples_are_read_as_expected() -> None:
    assert find_example_failures(Path(__file__).parent) == []
'''


def write_source_folder(name: str, parent: Path, kind: SourceKind) -> Path:
    """Create the folder of a new source; existing files are never touched."""
    slug = slug_of(Path(name))
    target = parent / name
    if Path(name).name != name:
        raise InvalidInput(f"{name!r} is a path, not a name.", advice="Use --folder for the path.")
    if target.exists():
        raise InvalidInput(
            f"{target} already exists.", advice="Choose another name, or remove it first."
        )
    file, example = _SAVED[kind]
    texts = {
        SOURCE_FILE: _DESCRIPTION.format(
            name=name,
            site=_SITE,
            kind=kind.value,
            url=_SITE + _ADDRESSES[kind],
            endpoint=_ENDPOINTS[kind],
        ),
        EXPECTED_FILE: _EXPECTATION.format(
            file=file, kind=kind.value, url=_SITE + _ADDRESSES[kind]
        ),
        f"{EXAMPLES}/{file}": example,
        f"test_{slug.replace('-', '_')}.py": _TEST.format(slug=slug, expected=EXPECTED_FILE),
    }
    try:
        parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=parent, prefix=".new-") as made:
            fresh = Path(made) / name
            (fresh / EXAMPLES).mkdir(parents=True)
            for place, text in texts.items():
                (fresh / place).write_text(text, encoding="utf-8")
            load_folder(fresh)
            fresh.rename(target)
    except OSError as error:
        raise from_os_error(error, f"writing {target}") from error
    return target
