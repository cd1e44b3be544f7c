"""A source's folder: read whole, or refused with the file and the field."""

from pathlib import Path

import pytest

from assay.errors import InvalidInput
from assay.sources.folders import find_example_failures, load_folder, slug_of
from assay.sources.folders.plain_yaml import MOST_BYTES, read_yaml
from assay.sources.policy import FetchPolicy
from tests.sources.folders import ADAPTER, EXPECTED, SOURCE, write_folder


def refused(folder: Path, policy: FetchPolicy | None = None) -> str:
    with pytest.raises(InvalidInput) as caught:
        load_folder(folder, policy)
    return str(caught.value)


def test_a_folder_becomes_a_source_and_its_endpoints(tmp_path: Path) -> None:
    folder = load_folder(write_folder(tmp_path))
    assert folder.slug == "town-gazette"
    assert (folder.source.name, folder.source.hierarchy) == ("The town's gazette", 3)
    (endpoint,) = folder.endpoints
    assert endpoint.endpoint_id == "town-gazette/sitemap"
    assert endpoint.source_slug == "town-gazette"
    assert (endpoint.strategy, endpoint.frequency) == ("SITEMAP_XML", "DAILY")
    assert endpoint.options == {"include": ["/acts/*"]}
    assert endpoint.expected_yield == {"min_items": 1}
    assert not folder.functions
    assert not folder.describes_documents
    assert [example.file for example in folder.examples] == ["sitemap.xml"]


def test_expectations_may_stand_in_the_description(tmp_path: Path) -> None:
    lines = "".join(f"  {line}\n" for line in EXPECTED.splitlines())
    folder = write_folder(tmp_path, source=f"{SOURCE}expected:\n{lines}", expected=None)
    assert len(load_folder(folder).examples) == 1
    both = write_folder(tmp_path, "both", source=f"{SOURCE}expected:\n{lines}")
    assert "but expected.yml exists" in refused(both)


def test_an_adapter_is_looked_at_and_not_run(tmp_path: Path) -> None:
    text = f"raise SystemExit('it ran')\n\n{ADAPTER}"
    assert load_folder(write_folder(tmp_path, adapter=text)).functions == {
        "list_items",
        "describe_document",
    }


def test_a_name_is_made_of_the_folders(tmp_path: Path) -> None:
    assert load_folder(write_folder(tmp_path, "town_gazette")).slug == "town-gazette"
    for wrong in ("Town", "a--b", "-a", "a b", "č", "x" * 61):
        with pytest.raises(InvalidInput, match="not a valid source name"):
            slug_of(tmp_path / wrong)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("SITEMAP_XML", "SITEMAPS", "'endpoints.sitemap.strategy': 'SITEMAPS' is not known."),
        ("SITEMAP_XML", "ADAPTER", "ADAPTER needs an adapter.py with a function 'list_items'"),
        ("hierarchy: 3", "hierarchy: 9", "'hierarchy' cannot be read: input should be less than"),
        ("hierarchy: 3", "rank: 3", "there is no field 'rank'. Known fields: name, base_url"),
        ("    options:", "    option:", "no field 'endpoints.sitemap.option'. Known fields: url"),
        ("name: The", "title: The", "'name' is missing"),
        ("{include:", "{includes:", "'endpoints.sitemap.options': there is no field"),
        ("{include: [/acts/*]}", "{shape: JSON_API}", "'shape' is for PAGINATION"),
        ("{min_items: 1}", "{min_itmes: 1}", "'endpoints.sitemap.expected_yield': "),
        ("{min_items: 1}", "{min_items: few}", "'endpoints.sitemap.expected_yield.min_items'"),
        ("{min_items: 1}", "{per_days: 900}", "per_days must be 1 to"),
        ("https://gazette.example.org/sitemap.xml", "gazette/sitemap.xml", "is not an http addr"),
        ("https://gazette.example.org/sitemap.xml", "https://a:b@gazette.example.org/", "password"),
        ("https://gazette.example.org/sitemap.xml", "http://127.0.0.1/x", "a loopback address"),
        ("https://gazette.example.org/sitemap.xml", "https://other.example.net/", "'hosts'"),
        ("base_url: https://gazette.example.org/", "base_url: ftp://x.test/", "'base_url': "),
        ("SITEMAP_XML", "DATE_FILTERED", "is filtered by date, but has no placeholder for one"),
        ("  sitemap:", "  Site Map:", "is not a valid endpoint name"),
        ("    expected_yield", "    frequency: HOURLY\n    expected_yield", "sitemap.frequency"),
        ("endpoints:", "hierarchy: 4\nendpoints:", "'hierarchy' appears twice"),
        ("name: The town's gazette", "name: [a", "is not YAML"),
        ("name: The town's gazette", "name: &a x\nabout: *a", "it has a reference (*)"),
        ("name: The town's gazette", "name: !!python/name:os.system x", "is not YAML"),
        ("name: The town's gazette", "name: The gazette\n7: x", "the name 7 is not text"),
    ],
)  # fmt: skip
def test_a_description_that_is_wrong_is_refused_with_its_place(
    tmp_path: Path, old: str, new: str, told: str
) -> None:
    assert old in SOURCE
    folder = write_folder(tmp_path, source=SOURCE.replace(old, new))
    said = refused(folder)
    assert told in said
    assert str(folder / "source.yml") in said


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("- file: sitemap.xml", "- file: other.xml", "examples/other.xml is missing"),
        ("- file: sitemap.xml", "- file: ../source.yml", "the name of a file in examples/"),
        (
            "endpoint: sitemap",
            "endpoint: feed",
            "there is no endpoint 'feed'. Known endpoints: sitemap.",
        ),
        ("endpoint: sitemap", "endpoints: sitemap", "there is no field 'endpoints'"),
        ("  endpoint: sitemap\n", "", "are for a page of an endpoint"),
        ("url: https://gazette.example.org/sitemap.xml", "url: sitemap", "'url': "),
        ("items:", "described: {}\n  items:", "'described' is for a document"),
        ("- file", "file", "is not YAML"),
    ],
)  # fmt: skip
def test_expectations_that_are_wrong_are_refused_with_their_place(
    tmp_path: Path, old: str, new: str, told: str
) -> None:
    assert old in EXPECTED
    folder = write_folder(tmp_path, expected=EXPECTED.replace(old, new))
    said = refused(folder)
    assert told in said
    assert str(folder / "expected.yml") in said


@pytest.mark.parametrize(
    ("adapter", "told"),
    [
        ("def list_items(:", "is not valid Python"),
        ("x = 1\n", "has neither a function 'list_items' nor one 'describe_document'"),
        (
            "def describe_document(data):\n    return {}\n",
            "write it as 'def describe_document(data, url)'",
        ),
        (
            "async def list_items(data, url):\n    return []\n",
            "write it as 'def list_items(data, url)'",
        ),
        (f"{ADAPTER}\n\ndef other():\n    pass\n", "has a function 'other'"),
    ],
    ids=["broken", "empty", "one-argument", "async", "another"],
)  # fmt: skip
def test_an_adapter_that_is_wrong_is_refused(tmp_path: Path, adapter: str, told: str) -> None:
    folder = write_folder(tmp_path, adapter=adapter)
    said = refused(folder)
    assert told in said
    assert str(folder / "adapter.py") in said


def test_what_is_missing_or_too_much_is_told(tmp_path: Path) -> None:
    assert "There is no folder" in refused(tmp_path / "nowhere")
    assert "source.yml is missing" in refused(write_folder(tmp_path, "a", source=None))
    assert "must be a mapping" in refused(write_folder(tmp_path, "b", source="- x\n"))
    misspelt = write_folder(tmp_path, "c")
    (misspelt / "adaptor.py").write_text(ADAPTER, encoding="utf-8")
    assert "has adaptor.py, which is not part of a source" in refused(misspelt)
    assert "the same url" in refused(
        write_folder(tmp_path, "d", source=SOURCE + SOURCE.partition("endpoints:\n")[2]
                     .replace("  sitemap:", "  again:"))
    )  # fmt: skip
    large = write_folder(tmp_path, "e", source=SOURCE + "#" * MOST_BYTES)
    assert "is larger than" in refused(large)


def test_hosts_that_may_not_be_asked_are_refused(tmp_path: Path) -> None:
    folder = write_folder(tmp_path)
    policy = FetchPolicy(blocked_hosts=("*.example.org",))
    assert "is on a blocked host" in refused(folder, policy)
    here = write_folder(tmp_path, "here", source=SOURCE.replace("gazette.example.org", "127.0.0.1"))
    assert "loopback" in refused(here)
    assert load_folder(here, FetchPolicy(allow_private=True)).slug == "here"


def test_other_hosts_of_a_source_are_named(tmp_path: Path) -> None:
    moved = SOURCE.replace(
        "https://gazette.example.org/sitemap", "https://data.example.net/sitemap"
    )
    named = moved.replace("hierarchy: 3", "hosts: [data.example.net]")
    folder = load_folder(write_folder(tmp_path, source=named))
    assert folder.endpoints[0].url == "https://data.example.net/sitemap.xml"


def test_yaml_that_grows_or_nests_without_end_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.yml"
    file.write_text("a: &a [x, x]\nb: [*a, *a]\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="reference"):
        read_yaml(file)
    file.write_text("[" * 50_000, encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"nested too deep|is not YAML"):
        read_yaml(file)
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match="is not YAML"):
        read_yaml(file)


def test_a_git_repository_is_an_endpoint_without_examples(tmp_path: Path) -> None:
    described = """
name: Laws
base_url: https://git.example.org/
endpoints:
  history:
    url: {url}
    strategy: GIT_HISTORY
    options: {{path: "laws/**", since: {since}}}
"""
    folder = tmp_path / "laws"
    folder.mkdir()
    for url in ("https://git.example.org/laws.git", "/srv/laws"):
        (folder / "source.yml").write_text(described.format(url=url, since=2015))
        (endpoint,) = load_folder(folder).endpoints
        assert endpoint.options == {"path": ["laws/**"], "since": "2015-01-01"}
        assert find_example_failures(folder) == []
    for url in ("ssh://git@git.example.org/laws.git", "file:///srv/laws", "https://other.org/x"):
        (folder / "source.yml").write_text(described.format(url=url, since=2015))
        with pytest.raises(InvalidInput, match=r"endpoints\.history\.url"):
            load_folder(folder)
    (folder / "source.yml").write_text(described.format(url="/srv/laws", since="soon"))
    with pytest.raises(InvalidInput, match="is not a valid date"):
        load_folder(folder)
