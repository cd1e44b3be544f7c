"""The pack's part of the demo: an invented country, a cautious reviewer, and three questions."""

from datetime import date, timedelta
from pathlib import Path

from assay.packs.regulatory import CORPUS
from assay.packs.regulatory.demo.country import LAST_DAY, PACK, Country, load_publishers
from assay.sdk.demo import Demo, DemoQuestion, DemoReviewer, RuleCase

_LOWEST_RANK = 5
"""The lowest rank at which a single source is enough for the reviewer."""
_DAY = date(2026, 6, 30)
"""The last day before an amendment of day 2 enters into force."""


def doubt_lone_portals(case: RuleCase) -> str | None:
    """The reviewer does not trust a portal or a newspaper without a second source."""
    ranks = [case.sources[p.source_slug].hierarchy for p in case.pointers]
    if min(ranks, default=_LOWEST_RANK + 1) <= _LOWEST_RANK:
        return None
    names = sorted({case.sources[p.source_slug].name for p in case.pointers})
    return f"only {' and '.join(names)} says so" if names else "no document says so any more"


REVIEWER = DemoReviewer("Ana (demo reviewer)", doubt_lone_portals)
QUESTIONS = (
    DemoQuestion("pdv.rate", _DAY),
    DemoQuestion("pdv.threshold", _DAY),
    DemoQuestion("pdv.threshold", _DAY + timedelta(days=1)),
)


def build_country_demo(documents: frozenset[str] | None = None) -> Demo:
    """Build the demo of the whole country, or only of the named documents."""
    return Demo(
        sources=tuple(publisher.source for publisher in load_publishers()),
        endpoints=tuple(publisher.endpoint for publisher in load_publishers()),
        pages=lambda day: Country(day, documents).build_pages(),
        last_day=LAST_DAY,
        reviewer=REVIEWER,
        questions=QUESTIONS,
        remarks=("T0 (rates, deadlines, penalties) and T1 (thresholds, bases) wait for a person.",),
        try_next=(f"extract {_shorten(CORPUS / 'seen' / 'pdv-zakon.html')} --pack {PACK}",),
    )


def _shorten(path: Path) -> Path:
    """The path relative to here, if that is shorter."""
    try:
        return path.relative_to(Path.cwd())
    except ValueError:
        return path
