"""Creates a new source's folder: one that was looked at is complete; a template has a description
to fill in, an example, and a test that fails until both are filled in."""

import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from assay.errors import ContentTooLarge, InvalidInput, from_os_error
from assay.settings import Settings
from assay.sources.addresses import parse_address
from assay.sources.folders import load_folder, slug_of
from assay.sources.folders.definition import EXPECTED_FILE, SOURCE_FILE
from assay.sources.folders.expectations import EXAMPLES, MOST_EXAMPLE_BYTES
from assay.sources.folders.plain_yaml import MOST_BYTES
from assay.sources.listing.builder import clean_title

if TYPE_CHECKING:
    from assay.app.source_proposals import TriedListing

_SITE = "https://www.example.org"


class SourceKind(StrEnum):
    """How a source lists its documents."""

    SITEMAP = "sitemap"
    FEED = "feed"
    LISTING = "listing"
    JSON = "json"


STRATEGY_OF = {
    SourceKind.SITEMAP: "SITEMAP_XML",
    SourceKind.FEED: "RSS_FEED",
    SourceKind.LISTING: "HTML_LIST",
    SourceKind.JSON: "JSON_API",
}
LOWEST_RANK = 7
_GZIP = b"\x1f\x8b"
_MOST_WRITTEN = 500
"""A longer listing is only counted."""
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
{pack}hierarchy: 7                     # its rank among sources: 1 is the highest, 7 the lowest
endpoints:
  {kind}:
    url: {url}
    frequency: DAILY
{endpoint}"""
_HEAD_LINE = """\
# A source. 'assay sources check' tests it on its examples, 'assay sources add' watches it.
# hierarchy is its rank among sources: 1 is the highest, 7 the lowest.
"""
_EXPECTED_LINE = """\
# What each file in examples/ gives. Correct what is wrong here, then change the options in
# source.yml until 'assay sources check' agrees.
"""
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


def write_source_folder(name: str, parent: Path, kind: SourceKind, pack: str | None = None) -> Path:
    """Create the folder of a new source to fill in; existing files are never touched."""
    file, example = _SAVED[kind]
    described = _DESCRIPTION.format(
        name=name,
        site=_SITE,
        pack="" if pack is None else f"pack: {pack}\n",
        kind=kind.value,
        url=_SITE + _ADDRESSES[kind],
        endpoint=_ENDPOINTS[kind],
    )
    expected = _EXPECTATION.format(file=file, kind=kind.value, url=_SITE + _ADDRESSES[kind])
    target = find_free_folder(name, parent)
    with _write_safely(target) as fresh:
        _write_files(fresh, described, expected, {file: example.encode()})
        load_folder(fresh)
    return target


def write_proposed_folder(
    settings: Settings, tried: "TriedListing", name: str, parent: Path, pack: str
) -> Path:
    """Create the folder of a source that was looked at, with the page as its example.

    The folder is checked as `assay sources check` does it before it appears.
    """
    # Imported here, because reading listings takes longer to import than writing a template.
    from assay.app.source_folders import check_folders

    kind = next(kind for kind, strategy in STRATEGY_OF.items() if strategy == tried.strategy)
    packed = kind is SourceKind.SITEMAP and tried.body.startswith(_GZIP)
    file = _SAVED[kind][0] + (".gz" if packed else "")
    if len(tried.body) > MOST_EXAMPLE_BYTES:
        raise ContentTooLarge(
            f"{tried.url} has more than {MOST_EXAMPLE_BYTES:,} bytes, which no example may have.",
            advice="Begin with --kind and without a URL, and save a smaller page as the example.",
        )
    target = find_free_folder(name, parent)
    with _write_safely(target) as fresh:
        described = _HEAD_LINE + _dump_yaml(_describe_source(tried, kind, name, pack))
        expected = _EXPECTED_LINE + _dump_yaml(_expect_listing(tried, kind, file))
        if len(expected) > MOST_BYTES:
            expected = _EXPECTED_LINE + _dump_yaml(_expect_listing(tried, kind, file, counted=True))
        _write_files(fresh, described, expected, {file: tried.body})
        (checked,) = check_folders(settings, [fresh])
        if checked.failures:
            raise InvalidInput(
                f"What was found at {tried.url} cannot be written down: {checked.failures[0]}",
                advice="Nothing was written. Begin with --kind and without a URL.",
            )
    return target


def _describe_source(
    tried: "TriedListing", kind: SourceKind, name: str, pack: str
) -> dict[str, Any]:
    options = tried.options.model_dump(mode="json", exclude_unset=True)
    endpoint: dict[str, Any] = {
        "url": tried.url,
        "strategy": tried.strategy,
        "frequency": "DAILY",
        **({"options": options} if options else {}),
    }
    return {
        "name": clean_title(tried.name) or name,
        "base_url": f"{parse_address(tried.url).origin}/",
        "pack": pack,
        "hierarchy": LOWEST_RANK,
        "endpoints": {kind.value: endpoint},
    }


def _expect_listing(
    tried: "TriedListing", kind: SourceKind, file: str, *, counted: bool = False
) -> list[dict[str, Any]]:
    listing = tried.trial.listing
    items = [
        {
            field: value
            for field in ("url", "title", "published", "changed")
            if (value := getattr(item, field)) is not None and value.isprintable()
        }
        for item in listing.items
    ]
    expected: dict[str, Any] = {"file": file, "url": tried.url, "endpoint": kind.value}
    expected["items"] = len(items) if counted or len(items) > _MOST_WRITTEN else items
    if listing.parts and len(listing.parts) <= _MOST_WRITTEN:
        expected["parts"] = [part.url for part in listing.parts]
    return [expected]


def _dump_yaml(value: Any) -> str:
    return str(yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=100))


def find_free_folder(name: str, parent: Path) -> Path:
    """The folder that a new source of this name gets; one that exists is refused."""
    slug_of(Path(name))
    target = parent / name
    if Path(name).name != name:
        raise InvalidInput(f"{name!r} is a path, not a name.", advice="Use --folder for the path.")
    if target.exists():
        raise InvalidInput(
            f"{target} already exists.", advice="Choose another name, or remove it first."
        )
    return target


def name_after(url: str) -> str:
    """A source's name from its host: `www.gazette.example.org` is `gazette-example-org`."""
    host = parse_address(url).host.removeprefix("www.")
    return "-".join(re.findall(r"[a-z0-9]+", host.lower()))[:60].strip("-")


@contextmanager
def _write_safely(target: Path) -> Iterator[Path]:
    """A folder to write into, which becomes the target if nothing fails."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".new-") as made:
            fresh = Path(made) / target.name
            fresh.mkdir()
            yield fresh
            fresh.rename(target)
    except OSError as error:
        raise from_os_error(error, f"writing {target}") from error


def _write_files(fresh: Path, described: str, expected: str, examples: Mapping[str, bytes]) -> None:
    slug = slug_of(fresh)
    (fresh / EXAMPLES).mkdir()
    for name, body in examples.items():
        (fresh / EXAMPLES / name).write_bytes(body)
    test = _TEST.format(slug=slug, expected=EXPECTED_FILE)
    texts = {
        SOURCE_FILE: described,
        EXPECTED_FILE: expected,
        f"test_{slug.replace('-', '_')}.py": test,
    }
    for name, text in texts.items():
        (fresh / name).write_text(text, encoding="utf-8")
