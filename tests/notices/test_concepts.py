"""A watch on a concept reports new rules and releases, with the old rule and quotes."""

from collections.abc import Callable

import pytest

from assay.app import App
from assay.app.releases import create_release
from assay.app.watches import WatchRequest, add_watch
from assay.errors import InvalidInput, NotFound
from assay.model.rules import Concept
from assay.settings import Settings
from assay.store import tables as t
from assay.store import truth
from tests.notices.conftest import ME, Newsroom
from tests.notices.mail_server import MailServer
from tests.ruling.publishing import Press
from tests.ruling.release_builders import PACK, RATE, THRESHOLD
from tests.spine.sites import act, sitemap


def test_a_changed_rate_is_reported_with_both_rules_and_their_quotes(law_desk: Newsroom) -> None:
    site = law_desk.watch
    site.show("/sitemap.xml", sitemap("/act.html"))
    site.show("/act.html", act(rate=25, words=1))
    law_desk.run()
    (rule,) = [r for r in site.rows(truth.rule) if r["value"] == "25"]
    law_desk.add(concept=rule["concept"])
    law_desk.next_day()
    site.show("/act.html", act(rate=23, words=1))
    law_desk.run()
    (mail,) = law_desk.mail.mails
    assert mail["Subject"].startswith(f"New rule: {rule['concept']}")
    text = law_desk.mail.text()
    now, before = text.index("now: 23 %"), text.index("before: 25 %")
    assert now < before and "[needs review]" in text
    assert (text.count("now: "), text.count("before: ")) == (1, 1)
    assert '"The tax rate is 23 % from 1 January 2026' in text and "gazette" in text
    assert rule["rule_id"] in text


def test_a_concept_is_watched_under_any_of_its_names(law_desk: Newsroom) -> None:
    law_desk.watch.store(
        *(
            Concept(
                concept=f"{where}:pdv.{predicate}", pack="regulatory", domain="tax",
                subject="pdv", predicate=predicate, tier="T1", label=f"PDV: {predicate}",
            )
            for where, predicate in (("hr", "rate"), ("hr", "threshold"), ("at", "rate"))
        )
    )  # fmt: skip
    assert law_desk.add(concept="VAT threshold").concept == "hr:pdv.threshold"
    named = law_desk.add(concept="hr:pdv.rate")
    assert law_desk.add(concept="hr: stopa PDV-a").watch_id == named.watch_id
    with pytest.raises(InvalidInput, match=r"'VAT rate' may mean at:pdv\.rate or hr:pdv\.rate"):
        law_desk.add(concept="VAT rate")
    with pytest.raises(NotFound, match="There is no concept 'berth fee'"):
        law_desk.add(concept="berth fee")


def test_a_release_of_a_watched_concept_is_reported_once(
    make_app: Callable[..., App], settings: Settings, mail: MailServer
) -> None:
    press = Press(make_app(settings.model_copy(update=mail.settings)))
    press.store(RATE, THRESHOLD)
    add_watch(press.app, WatchRequest(concept=RATE.concept, channels=(ME,)))
    made = create_release(press.app, PACK, by="iva")
    assert made.release is not None
    (subject,) = mail.subjects()
    assert subject == f"Released rule: {RATE.concept} in release 1.0.0"
    assert "[released]" in mail.text()
    (run,) = press.rows(t.run)
    assert run["state"] == "sealed"
