"""The sites of the portals bench: Assay finds on each what was put there."""

from datetime import date
from http.client import HTTPConnection

import pytest
from bench.civic_portals import PEER_HOSTS, crawl_site
from bench.civic_portals_sites import LocalPortal, is_in_window, make_portals, serve

TODAY = date(2026, 6, 15)
PORTALS, MEETINGS = make_portals(TODAY)
THERE = [meeting for meeting in MEETINGS if is_in_window(meeting.starts.date(), TODAY)]


@pytest.mark.parametrize("portal", PORTALS, ids=lambda portal: portal.vendor)
def test_every_meeting_and_item_of_a_local_site_is_found(portal: LocalPortal) -> None:
    found = crawl_site(portal.vendor, portal.settings, portal.site, TODAY)
    assert (found.meetings, found.items) == (len(THERE), sum(len(m.items) for m in THERE))
    assert found.documents > 0


def test_the_host_of_a_request_says_which_site_answers() -> None:
    sites = {".primegov.com": next(p.site for p in PORTALS if p.vendor == "primegov")}
    with serve(sites) as server:
        connection = HTTPConnection(server.url.removeprefix("http://"))
        statuses = []
        for host in (PEER_HOSTS["primegov"], "elsewhere.example"):
            path = "/api/meeting/search?from=06/01/2026&to=06/30/2026"
            connection.request("GET", path, headers={"Host": host})
            response = connection.getresponse()
            statuses.append(response.status)
            response.read()
        connection.close()
    assert statuses == [200, 502]
