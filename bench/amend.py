"""Amendments per second on generated acts: parse an amending act and apply it.

    python -m bench.amend [--articles N] [--eregs CHECKOUT --eregs-libraries FOLDER] [--json]

The bare minimum beside it is `str.replace` over the whole act's text, which knows no provisions: it
changes the same words everywhere and checks nothing. The eRegs parser, if given, only parses the
instructions (in the style of the Federal Register); it applies nothing. What it costs to ask for
the law of a day is measured by `bench.amend_as_of`.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from assay.packs.regulatory.acts.amending import Tradition, apply_operations, parse_amendments
from assay.packs.regulatory.acts.shapes import Act, Operation, Provision, copy_words
from bench.amend_as_of import measure_as_of
from bench.report import Report, print_report

_PEER = Path(__file__).parent / "law_peers" / "eregs.py"
_LINES: dict[Tradition, tuple[str, str]] = {
    "hr": (
        "Članak 1.\n",
        "U članku {n}. stavku 1. riječi: »stopa {n} %« zamjenjuju se riječima: »stopa {m} %«.\n",
    ),
    "de": (
        "Artikel 1\nDas Steuergesetz wird wie folgt geändert:\n",
        "{n}. In § {n} Absatz 1 werden die Wörter „stopa {n} %“ durch die Wörter "
        "„stopa {m} %“ ersetzt.\n",
    ),
    "uk": (
        "The Tax Act 1994 is amended as follows.\n",
        "({n}) In section {n}(1), for “stopa {n} %” substitute “stopa {m} %”.\n",
    ),
    "eu": (
        "Article 1\nRegulation (EU) 2020/1 is amended as follows:\n",
        "({n}) in Article {n}(1), the words ‘stopa {n} %’ are replaced by the words "
        "‘stopa {m} %’;\n",
    ),
    "us": (
        "PART 10—TAX\n",
        "■ {n}. Section 10.{n} is amended by revising paragraph (a) to read as follows:\n"
        "§ 10.{n} Heading.\n(a) Stopa {m} %.\n* * * * *\n",
    ),
}


def make_act(articles: int, tradition: Tradition) -> Act:
    """Articles of three paragraphs, as long as those of a tax act."""
    filler = "Porezni obveznik obračunava i plaća porez u skladu s odredbama ovoga Zakona. " * 3
    provisions: list[Provision] = []
    for n in range(1, articles + 1):
        article = f"sec_10.{n}" if tradition == "us" else f"art_{n}"
        provisions.append(Provision(article, f"Članak {n}."))
        for place in range(1, 4):
            number = "abc"[place - 1] if tradition == "us" else str(place)
            text = f"{filler}Primjenjuje se stopa {n} % u slučaju {place}. {filler}"
            words = copy_words("act", text, 0, len(text))
            provisions.append(Provision(f"{article}__para_{number}", f"({number})", opening=words))
    return Act(tuple(provisions))


def make_amendments(articles: int, tradition: Tradition) -> str:
    lead, line = _LINES[tradition]
    return lead + "".join(line.format(n=n, m=n + 1) for n in range(1, articles + 1))


def measure_ours(articles: int, tradition: Tradition) -> float:
    """Amendments parsed and applied per second of CPU."""
    act, text = make_act(articles, tradition), make_amendments(articles, tradition)
    started = time.process_time()
    operations = [
        each for each in parse_amendments("a", text, tradition) if isinstance(each, Operation)
    ]
    _, applied, deferred = apply_operations(act, operations)
    seconds = time.process_time() - started
    if len(applied) != articles or deferred:
        raise RuntimeError(f"only {len(applied)} of {articles} amendments were applied")
    return articles / seconds


def measure_bare(articles: int) -> float:
    """Replacements per second over the whole act as one string."""
    text = "\n".join(each.opening.text for each in make_act(articles, "hr").provisions)
    started = time.process_time()
    for n in range(1, articles + 1):
        text = text.replace(f"stopa {n} %", f"stopa {n + 1} %", 1)
    return articles / (time.process_time() - started)


def measure_eregs(articles: int, checkout: Path, libraries: Path) -> float:
    """Instructions that the eRegs parser reads per second of CPU; it applies nothing."""
    lines = make_amendments(articles, "us").splitlines()
    instructions = [line.removeprefix("■").strip() for line in lines if line.startswith("■")]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, (libraries, checkout))),
        "DJANGO_SETTINGS_MODULE": "regparser.web.settings.base",
    }
    done = subprocess.run(
        [sys.executable, str(_PEER)],
        input=json.dumps([{"part": "10", "instructions": instructions}]),
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return articles / float(json.loads(done.stdout)["seconds"])


def best_of(measure: Callable[[], float], rounds: int = 3) -> float:
    return max(measure() for _ in range(rounds))


def _divide(as_of: Mapping[str, float], peer: str) -> float:
    """How many questions are answered in the time in which a peer answers one."""
    return next(cost for name, cost in as_of.items() if name.startswith(peer)) / as_of["Assay"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--articles", type=int, default=1000)
    parser.add_argument("--acts", type=int, default=1000)
    parser.add_argument("--versions", type=int, default=50)
    parser.add_argument("--eregs", type=Path, help="eregs/regulations-parser")
    parser.add_argument("--eregs-libraries", type=Path, help="folder with its libraries")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    count = arguments.articles
    by_tradition = {
        tradition: round(best_of(partial(measure_ours, count, tradition))) for tradition in _LINES
    }
    peers = {"str.replace over the whole act": round(best_of(lambda: measure_bare(count)))}
    if arguments.eregs and arguments.eregs_libraries:
        peers["eRegs parser (parses only)"] = round(
            best_of(lambda: measure_eregs(count, arguments.eregs, arguments.eregs_libraries))
        )
    acts, versions = arguments.acts, arguments.versions
    as_of = measure_as_of(acts, versions)
    report = Report(
        name=f"amendments parsed and applied to an act of {count} articles",
        unit="amendments/s of CPU",
        better="higher",
        ours=min(by_tradition.values()),
        peers=peers,
        detail={
            "by tradition": by_tradition,
            f"as of a day, {acts:,} acts of {versions} versions, µs per question": as_of,
            "questions per second against SQLite": round(_divide(as_of, "SQLite"), 4),
            "questions per second against applying again": round(_divide(as_of, "amendm"), 2),
        },
    )
    print_report(report, arguments.json)


if __name__ == "__main__":
    main()
