"""Snapshots: lists of ids for other programs, made from the corpus and replaced as a whole.

`tierA_arxiv.txt`, `tierA_dois.txt` and `tierA_urls.txt` name the works of the lists of tier A, and
so on for each tier. `seeds_*.txt` name the works of all tiers whose text is still missing: they are
what another program would start with. A work is in one of the three files, by the id that names
it; aliases are in none.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final
from urllib.parse import quote

from assay.packs.literature.records import ReferenceList
from assay.packs.literature.works import Work, load_works
from assay.sdk.files import replace_snapshot
from assay.sdk.services import Services

_ENDINGS: Final = ("arxiv", "dois", "urls")
_SEEDS: Final = "seeds"
_WAITING: Final = frozenset({"discovered", "ready", "blocked"})
_TIER_FILE: Final = re.compile(r"(tier[A-Za-z0-9-]+)_(?:arxiv|dois|urls)\.txt")


def write_snapshots(services: Services, folder: Path) -> list[Path]:
    """Write the snapshots of the whole corpus; a file whose content is the same stays untouched."""
    tiers = {each.tier for each in services.read_records(ReferenceList)}
    return replace_snapshots(list_snapshots(load_works(services), tiers), folder)


def list_snapshots(works: Iterable[Work], tiers: Iterable[str] = ()) -> dict[str, list[str]]:
    """The lines of each snapshot, sorted. A tier without works has empty files."""
    names = [_SEEDS, *(_name_tier(tier) for tier in tiers)]
    lines: dict[str, set[str]] = defaultdict(set)
    for name in names:
        for ending in _ENDINGS:
            lines[f"{name}_{ending}.txt"] = set()
    for work in works:
        ending, line = _choose_line(work)
        if not line:
            continue
        for tier in work.tiers:
            lines[f"{_name_tier(tier)}_{ending}.txt"].add(line)
        if work.state in _WAITING and not work.has_text:
            lines[f"{_SEEDS}_{ending}.txt"].add(line)
    return {name: sorted(found) for name, found in sorted(lines.items())}


def replace_snapshots(snapshots: Mapping[str, list[str]], folder: Path) -> list[Path]:
    """Replace the files whose content changed, and empty those of tiers that are gone."""
    gone = (path.name for path in folder.glob("tier*_*.txt") if _TIER_FILE.fullmatch(path.name))
    wanted = {name: snapshots.get(name, []) for name in {*gone, *snapshots}}
    paths = []
    for name, lines in sorted(wanted.items()):
        path, content = folder / name, "".join(f"{line}\n" for line in lines).encode()
        if not path.is_file() or path.read_bytes() != content:
            replace_snapshot(path, [content])
        paths.append(path)
    return paths


def _choose_line(work: Work) -> tuple[str, str]:
    scheme, _, name = work.doc_id.partition(":")
    if scheme in ("arxiv", "doi"):
        return ("arxiv" if scheme == "arxiv" else "dois"), _write_line(name)
    url = next((u for u in (work.url, work.pdf_url) if re.match(r"https?://", u)), "")
    return "urls", _write_line(url)


def _write_line(text: str) -> str:
    # One id a line, whatever a list contained.
    encoded = text.encode("utf-8", "replace").decode()
    return re.sub(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]", lambda m: quote(m[0]), encoded)


def _name_tier(tier: str) -> str:
    return f"tier{re.sub(r'[^A-Za-z0-9-]', '-', tier)}"
