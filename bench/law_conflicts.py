"""`python -m bench.law_conflicts --mirrors DIR`: what real acts of four countries do to each other.

Whole acts are drawn at random from public repositories and run through the whole spine. Beside
them, a second publisher shows some of these acts with one figure changed: contradictions that must
be found. Only figures are changed whose concept has one value at a time; of the others, such as
fines and deadlines, an act may state many in the same words. Every conflict, every edge and every
rule that ended is listed with its quotes, for a person to judge; only the planted ones are judged
by the bench. What ended without a question is counted, and should be nothing. Acts belong to the
part `tuning` of `bench.law_sample`, because whoever judges what is listed reads them.
"""

import argparse
import asyncio
import random
import re
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa

from assay.app import App
from assay.app.composition import init_home
from assay.app.tools import build_tools
from assay.model.records import Endpoint, Source
from assay.model.rules import RuleStatus
from assay.packs.regulatory.extractor.reader import load_facts_with_extractor
from assay.ruling.convergence import has_one_value
from assay.ruling.facts.gates import AcceptedFact
from assay.settings import Settings, load_settings
from assay.store import tables as t
from assay.store import truth
from assay.store.upserts import upsert_records
from bench.law_sample import POOLS, ActPool, ExtractedAct, extract_acts, list_acts, read_raw
from bench.report import Report, print_report
from bench.towns import run_home

_SIZES: Final = {"us": (6_000, 300_000)}
_SIZE: Final = (15_000, 300_000)
"""How large a drawn act may be. A file of the United States is a section, not an act."""
_TOPS: Final = {"us": "gov"}
_FIGURE: Final = re.compile(r"(?<![\w(*.,])\d+(?:[.,   ]\d+)*(?![\w)*])")


@dataclass(frozen=True, slots=True)
class Plant:
    """An act with another figure, as a second publisher shows it."""

    act: str
    jurisdiction: str
    was: str
    becomes: str
    quote: str
    changed: str
    """The quote with the other figure."""
    text: str


def make_plant(act: ExtractedAct, fact: AcceptedFact) -> Plant | None:
    """An act with one figure of a fact changed."""
    text = act.passage.reading.text
    found = [
        each
        for each in _FIGURE.finditer(text, fact.start, fact.end)
        if _read_digits(each.group()) == _read_digits(fact.proposed.value)
    ]
    becomes = _change(found[0].group()) if len(found) == 1 else ""
    if not becomes or becomes in fact.quote:
        return None
    first, last = found[0].span()
    return Plant(
        act.path,
        act.passage.jurisdiction,
        found[0].group(),
        becomes,
        _flatten(fact.quote),
        _flatten(f"{text[fact.start : first]}{becomes}{text[last : fact.end]}"),
        f"{text[:first]}{becomes}{text[last:]}",
    )


def _flatten(text: str) -> str:
    return " ".join(text.split())


def _read_digits(figure: str) -> str:
    """The digits of a figure, without decimals that are zero."""
    return re.sub(r"\D", "", re.sub(r"[.,]0{1,2}$", "", figure))


def _change(figure: str) -> str:
    """Another figure that is printed alike."""
    first = int(figure[0])
    return f"{first - 1 if first == 9 else first + 1}{figure[1:]}"


async def collect(
    mirrors: Path, count: int, plants: int, seed: int
) -> tuple[dict[str, list[str]], list[Plant]]:
    """The texts of acts of each country, and copies of some that contradict them."""
    tools = build_tools(Settings())
    acts: dict[str, list[str]] = {}
    planted: list[Plant] = []
    try:
        for place, pool in enumerate(POOLS):
            chance = random.Random(f"{seed}/{pool.jurisdiction}")
            paths = _draw_paths(pool, mirrors, count, chance)
            extracted = await extract_acts(pool, mirrors, paths, tools)
            acts[pool.jurisdiction] = [
                read_raw(pool, mirrors, each.path).decode("utf-8", "replace") for each in extracted
            ]
            wanted = plants // len(POOLS) + (place < plants % len(POOLS))
            planted += _draw_plants(extracted, wanted, chance)
    finally:
        await tools.close()
    return acts, planted


def _draw_paths(pool: ActPool, mirrors: Path, count: int, chance: random.Random) -> list[str]:
    paths = sorted(list_acts(pool, mirrors, "tuning"))
    chance.shuffle(paths)
    low, high = _SIZES.get(pool.jurisdiction, _SIZE)
    found: list[str] = []
    for path in paths:
        if len(found) == count:
            break
        if low <= len(read_raw(pool, mirrors, path)) <= high:
            found.append(path)
    return found


def _draw_plants(
    extracted: Sequence[ExtractedAct], wanted: int, chance: random.Random
) -> list[Plant]:
    """One figure of each of some acts."""
    pack = load_facts_with_extractor()
    found: list[Plant] = []
    for act in chance.sample(extracted, len(extracted)):
        facts = [each for each in act.facts if has_one_value(each.proposed.concept, pack)]
        for fact in chance.sample(facts, len(facts)):
            if len(found) < wanted and (plant := make_plant(act, fact)) is not None:
                found.append(plant)
                break
    return found


@contextmanager
def _site(pages: Mapping[str, str]) -> Iterator[str]:
    """Pages on loopback; every host is the same server."""

    class Site(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            body = pages.get(self.path, "User-agent: *\nAllow: /\n").encode()
            self.send_response(200)
            kind = "application/xml" if self.path.endswith(".xml") else "text/plain; charset=utf-8"
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def measure(acts: Mapping[str, Sequence[str]], plants: Sequence[Plant]) -> dict[str, Any]:
    """Run acts and plants through the spine, and list what came of it."""
    texts = {("acts", country): list(texts) for country, texts in acts.items()}
    for plant in plants:
        texts.setdefault(("copies", plant.jurisdiction), []).append(plant.text)
    pages: dict[str, str] = {}
    watched: list[Source | Endpoint] = []
    hosts = []
    for (publisher, country), documents in texts.items():
        host = f"{publisher}.bench.{_TOPS.get(country, country)}"
        slug = f"{publisher}_{country}"
        hosts.append(host)
        watched += _watch(slug, host)
        links = []
        for number, text in enumerate(documents):
            pages[f"/{slug}/{number}.md"] = text
            links.append(f"<url><loc>http://{host}/{slug}/{number}.md</loc></url>")
        schema = "http://www.sitemaps.org/schemas/sitemap/0.9"
        pages[f"/{slug}.xml"] = f'<urlset xmlns="{schema}">{"".join(links)}</urlset>'
    with _site(pages) as base, tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        settings = load_settings(home=home, env={})
        init_home(settings)
        with App(settings) as app:
            app.migrate()
            with app.engine.begin() as connection:
                upsert_records(connection, watched)
            lines = "\n".join(f'"{host}" = "{base}"' for host in hosts)
            config = home / "assay.toml"
            config.write_text(f"{config.read_text()}\n[hosts]\n{lines}\n")
            cost = run_home(home, None)
            with app.engine.connect() as connection:
                return {**cost, **_list_results(connection, plants)}


def _watch(slug: str, host: str) -> list[Source | Endpoint]:
    source = Source(
        source_slug=slug, name="", base_url=f"http://{host}", packs=["regulatory"], hierarchy=1
    )
    endpoint = Endpoint(
        endpoint_id=f"{slug}/sitemap", source_slug=slug, strategy="SITEMAP_XML",
        url=f"http://{host}/{slug}.xml",
    )  # fmt: skip
    return [source, endpoint]


def _list_results(connection: sa.Connection, plants: Sequence[Plant]) -> dict[str, Any]:
    rules = {row.rule_id: row for row in connection.execute(sa.select(truth.rule))}
    quotes: dict[str, list[dict[str, str]]] = {}
    for row in connection.execute(sa.select(truth.source_pointer)):
        words = {
            "source": row.source_slug,
            "article": row.article,
            "quote": _flatten(row.quote),
        }
        quotes.setdefault(row.rule_id, []).append(words)

    def show(rule_id: str) -> dict[str, Any]:
        rule = rules[rule_id]
        period = f"{rule.effective_from or ''}..{rule.effective_until or ''}"
        return {
            "value": f"{rule.value} {rule.unit}".strip(),
            "period": period,
            "words": quotes.get(rule_id, [])[:3],
        }

    sides: dict[str, list[str]] = {}
    for row in connection.execute(
        sa.select(truth.conflict_side).where(truth.conflict_side.c.holds)
    ):
        sides.setdefault(row.conflict_id, []).append(row.rule_id)
    conflicts = [
        {
            "concept": row.concept,
            "when": row.applies_when,
            "state": row.state,
            "sides": [show(rule_id) for rule_id in sorted(sides[row.conflict_id])],
        }
        for row in connection.execute(sa.select(truth.conflict))
        if row.conflict_id in sides
    ]
    edges = [
        {"kind": row.kind, "from": show(row.from_rule), "to": show(row.to_rule)}
        for row in connection.execute(sa.select(truth.rule_edge).where(truth.rule_edge.c.holds))
    ]
    over = (RuleStatus.DEPRECATED, RuleStatus.REJECTED)
    ended = [
        {"concept": rule.concept, "reason": rule.status_reason, **show(rule.rule_id)}
        for rule in rules.values()
        if rule.status in over
    ]
    fact_ends = connection.execute(sa.select(truth.fact_end)).all()
    found = [_is_found(plant, conflicts) for plant in plants]
    return {
        "documents": _count(connection, t.evidence),
        "rules": len(rules),
        "planted": len(plants),
        "planted_found": sum(found),
        "conflicts": len(conflicts),
        "conflicts_not_planted": sum(not _is_planted(each) for each in conflicts),
        "edges": len(edges),
        "rules_ended_without_a_question": len(ended),
        "facts_ended_without_a_question": sum(row.holds and not row.doubt for row in fact_ends),
        "facts_in_doubt": sum(row.holds and bool(row.doubt) for row in fact_ends),
        "planted_contradictions": [
            {**{k: v for k, v in asdict(plant).items() if k != "text"}, "found": is_found}
            for plant, is_found in zip(plants, found, strict=True)
        ],
        "conflicts_found": conflicts,
        "edges_found": edges,
        "rules_ended": ended,
    }


def _is_planted(conflict: Mapping[str, Any]) -> bool:
    return any(
        words["source"].startswith("copies")
        for side in conflict["sides"]
        for words in side["words"]
    )


def _is_found(plant: Plant, conflicts: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a conflict has the changed figure on one side, and the act's words on another."""
    both = {plant.quote, plant.changed}
    return any(
        both <= {words["quote"] for side in each["sides"] for words in side["words"]}
        for each in conflicts
    )


def _count(connection: sa.Connection, table: sa.Table) -> int:
    return int(connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mirrors", type=Path, required=True, help="folder with the clones")
    parser.add_argument("--acts", type=int, default=12, help="acts of each country")
    parser.add_argument("--plants", type=int, default=16, help="contradictions to plant")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    acts, plants = asyncio.run(collect(given.mirrors, given.acts, given.plants, given.seed))
    found = measure(acts, plants)
    report = Report(
        name="contradictions planted in real acts that became a conflict",
        unit="%",
        better="higher",
        ours=round(100 * found["planted_found"] / max(1, len(plants)), 1),
        detail={"acts": {country: len(texts) for country, texts in acts.items()}, **found},
    )
    print_report(report, given.json)


if __name__ == "__main__":
    main()
