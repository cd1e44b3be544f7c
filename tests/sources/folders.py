"""Folders of sources for tests."""

from pathlib import Path

SOURCE = """\
name: The town's gazette
base_url: https://gazette.example.org/
hierarchy: 3
endpoints:
  sitemap:
    url: https://gazette.example.org/sitemap.xml
    strategy: SITEMAP_XML
    expected_yield: {min_items: 1}
    options: {include: [/acts/*]}
"""
EXPECTED = """\
- file: sitemap.xml
  url: https://gazette.example.org/sitemap.xml
  endpoint: sitemap
  items:
    - {url: https://gazette.example.org/acts/1, changed: 2026-01-31}
"""
SITEMAP = """\
<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://gazette.example.org/</loc></url>
<url><loc>https://gazette.example.org/acts/1</loc><lastmod>2026-01-31</lastmod></url>
</urlset>
"""
ADAPTER = '''\
"""An adapter."""


def list_items(data, url):
    entries = [line.split(" ", 1) for line in data.decode().splitlines()]
    return [{"url": address, "title": title} for address, title in entries]


def describe_document(data, url):
    return {"title": data.decode().splitlines()[0], "published": "2026-01-31"}
'''


def write_folder(parent: Path, name: str = "town-gazette", **files: str | None) -> Path:
    """A folder that is right, but for the files that are given; None leaves one out.

    `adapter` stands for `adapter.py`, `source` and `expected` for the YAML, all else for an
    example of that name with `__` in the place of a dot.
    """
    folder = parent / name
    (folder / "examples").mkdir(parents=True)
    texts: dict[str, str | None] = {"source": SOURCE, "expected": EXPECTED, "sitemap__xml": SITEMAP}
    for key, text in {**texts, **files}.items():
        if text is not None:
            (folder / _PLACES.get(key, f"examples/{key.replace('__', '.')}")).write_text(
                text, encoding="utf-8"
            )
    return folder


_PLACES = {"source": "source.yml", "expected": "expected.yml", "adapter": "adapter.py"}
