"""civic-scraper and python-legistar-scraper on the sites of the civic bench.

Reads one JSON object: the address of the local server, and tasks. Every request of a peer goes to
that server, whatever host it names; the peers' own code is as installed. Answers with one object
for each task: the meetings, documents and items found, or the error that ended it.
"""

import datetime
import json
import logging
import sys
import tempfile
import traceback
from urllib.parse import urlsplit

import requests.adapters
import urllib3
from civic_scraper.base.cache import Cache
from civic_scraper.platforms import CivicPlusSite, GranicusSite, LegistarSite, PrimeGovSite
from legistar.events import LegistarAPIEventScraper, LegistarEventsScraper

TIMEZONE = "America/New_York"


class Requests:
    """Sends what any session asks for to the local server, with the host it was meant for."""

    def __init__(self, server):
        self.server = server
        self.count = 0

    def install(self):
        send = requests.adapters.HTTPAdapter.send

        def send_to_server(adapter, request, **options):
            self.count += 1
            meant = request.url
            parts = urlsplit(meant)
            request.headers["Host"] = parts.netloc
            request.url = self.server + meant.partition(parts.netloc)[2]
            options["proxies"] = {}
            response = send(adapter, request, **options)
            response.url = request.url = meant
            del request.headers["Host"]
            return response

        requests.adapters.HTTPAdapter.send = send_to_server


def scrape_assets(task, cache):
    """What civic-scraper finds at a vendor: assets, each with its meeting."""
    first, last, host = task["first"], task["last"], task["host"]
    if task["vendor"] == "legistar":
        site = LegistarSite(f"https://{host}/Calendar.aspx", cache=cache, timezone=TIMEZONE)
        return site.scrape(first, last, asset_list=task["columns"])
    if task["vendor"] == "civicplus":
        return CivicPlusSite(f"https://{host}/AgendaCenter", cache=cache).scrape(first, last)
    if task["vendor"] == "primegov":
        days = [datetime.date.fromisoformat(day).strftime("%m/%d/%Y") for day in (first, last)]
        return PrimeGovSite(f"https://{host}/", cache=cache).scrape(*days)
    # Its class for Granicus reads the feed of IQM2's calendar, as the sites in its tests show.
    feed = f"https://{host}/Services/RSS.aspx?Feed=Calendar"
    found = GranicusSite(feed, cache=cache).scrape(download=False)
    return [asset for asset in found if first <= str(asset.meeting_date)[:10] <= last]


def scrape_civic(task):
    with tempfile.TemporaryDirectory() as folder:
        assets = list(scrape_assets(task, Cache(folder)))
    meetings = {(str(a.meeting_date)[:10], a.committee_name, a.meeting_id) for a in assets}
    # All entries of a feed have the feed's own address: there is no document among them.
    urls = {asset.url for asset in assets if "RSS.aspx" not in asset.url}
    return {"meetings": len(meetings), "documents": len(urls), "items": 0}


def scrape_legistar(task):
    if task["api"]:
        return scrape_legistar_api(task)
    host = task["host"]
    scraper = LegistarEventsScraper(requests_per_minute=0)
    scraper.BASE_URL = f"https://{host}"
    scraper.EVENTSPAGE = f"https://{host}/Calendar.aspx"
    scraper.TIMEZONE = TIMEZONE
    meetings, urls = set(), set()
    for event, _ in scraper.events(follow_links=False, since=int(task["first"][:4])):
        if task["first"] <= scraper.toDate(event["Meeting Date"]) <= task["last"]:
            meetings.add(event["iCalendar"]["url"])
            links = (event.get(column) for column in task["columns"])
            urls |= {link["url"] for link in links if isinstance(link, dict)}
    return {"meetings": len(meetings), "documents": len(urls), "items": 0}


def scrape_legistar_api(task):
    class CityEvents(LegistarAPIEventScraper):
        BASE_URL = f"https://webapi.legistar.com/v1/{task['host'].split('.')[0]}"
        WEB_URL = f"https://{task['host']}"
        EVENTSPAGE = f"https://{task['host']}/Calendar.aspx"
        TIMEZONE = "America/New_York"

    scraper = CityEvents(requests_per_minute=0)
    meetings, urls, items = set(), set(), 0
    since = datetime.datetime.fromisoformat(task["first"])
    for event, _ in scraper.events(since_datetime=since):
        if not task["first"] <= event["EventDate"][:10] <= task["last"]:
            continue
        meetings.add(event["EventId"])
        urls |= {event["EventAgendaFile"], event["EventMinutesFile"]} - {None}
        for item in scraper.agenda(event):
            # A heading has neither a number nor a matter.
            items += bool(item.get("EventItemAgendaNumber") or item.get("EventItemMatterId"))
            for paper in item.get("EventItemMatterAttachments") or ():
                urls.add(paper["MatterAttachmentHyperlink"])
    return {"meetings": len(meetings), "documents": len(urls), "items": items}


def main():
    logging.disable(logging.CRITICAL)
    urllib3.disable_warnings()
    asked = json.load(sys.stdin)
    made = Requests(asked["server"])
    made.install()
    answers = []
    for task in asked["tasks"]:
        made.count = 0
        scrape = scrape_civic if task["peer"] == "civic-scraper" else scrape_legistar
        try:
            found = scrape(task)
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{where.filename.rpartition('site-packages/')[2]}:{where.lineno}"
            found = {"error": f"{type(error).__name__}: {error} ({place})"}
        answers.append({**task, **found, "requests": made.count})
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
