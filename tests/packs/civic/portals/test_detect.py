"""Which vendor a city uses, from an address or a page."""

import pytest

from assay.packs.civic.portals.detect import Detected, detect_vendor

CITY = "https://www.elmford.example/meetings"


@pytest.mark.parametrize(
    ("url", "vendor", "site"),
    [
        ("https://elmford.legistar.com/Calendar.aspx", "legistar", "elmford"),
        ("https://webapi.legistar.com/v1/Elmford/Events?$top=1", "legistar", "elmford"),
        ("https://elmford.legistar1.com/elmford/attachments/a.pdf", "legistar", "elmford"),
        (
            "https://legistar.council.elmford.example/Calendar.aspx",
            "legistar",
            "https://legistar.council.elmford.example",
        ),
        ("https://elmford.primegov.com/public/portal", "primegov", "elmford"),
        ("https://elmford.granicus.com/ViewPublisher.php?view_id=2", "granicus", "elmford"),
        ("https://elmfordoh.portal.civicclerk.com/event/3", "civicclerk", "elmfordoh"),
        ("https://elmfordoh.api.civicclerk.com/v1/Events", "civicclerk", "elmfordoh"),
        ("https://elmfordoh.civicclerk.com/Web/Home.aspx", "civicclerk", "elmfordoh"),
        ("https://elmford.novusagenda.com/agendapublic/", "novusagenda", "elmford"),
        ("http://elmfordoh.iqm2.com/Citizens/Default.aspx", "iqm2", "elmfordoh"),
        ("https://pub-elmford.escribemeetings.com/?Year=2026", "escribe", "elmford"),
        ("https://elmford.civicweb.net/Portal/MeetingTypeList.aspx", "civicweb", "elmford"),
        ("https://elmford-oh.municodemeetings.com/", "municode", "elmford-oh"),
        ("https://meetings.municode.com/PublishPage?cid=ELMOH&ppid=1&p=1", "municode", "ELMOH"),
        ("https://meetings.municode.com/adaHtmlDocument/index?cc=elmoh&me=7", "municode", "ELMOH"),
        (
            "https://mccmeetings.blob.core.usgovcloudapi.net/elmoh-pubu/MEET-Agenda-1.pdf",
            "municode",
            "ELMOH",
        ),
        ("https://go.boarddocs.com/OH/elmford/Board.nsf/Public", "boarddocs", "oh/elmford"),
        ("https://oh-elmford.civicplus.com/AgendaCenter", "civicplus", "oh-elmford"),
        (
            "http://www.elmford.example/agendacenter/Council-2",
            "civicplus",
            "http://www.elmford.example",
        ),
        ("ELMFORD.legistar.com", "legistar", "elmford"),
        ("//elmford.primegov.com/portal", "primegov", "elmford"),
    ],
)
def test_an_address_names_the_vendor(url: str, vendor: str, site: str) -> None:
    found = detect_vendor(url)
    assert found is not None
    assert (found.vendor, found.site) == (vendor, site)


@pytest.mark.parametrize(
    "url",
    [
        "https://www.elmford.example/agendas",
        "https://support.granicus.com/s/",
        "https://www.legistar.com/",
        "https://webapi.legistar.com/Home",
        "https://library.municode.com/oh/elmford",
        "https://meetings.municode.com/subscribe",
        "https://go.boarddocs.com/login",
        "https://notlegistar.com/Calendar.aspx",
        "https://oh-elmford.civicplus.com/CivicAlerts",
        "mailto:clerk@elmford.legistar.com",
        "javascript:void(0)",
        "http://[broken",
        "",
    ],
)
def test_another_address_names_none(url: str) -> None:
    assert detect_vendor(url) is None


def test_an_address_may_name_further_settings() -> None:
    view = detect_vendor("https://elmford.granicus.com/ViewPublisher.php?view_id=2")
    assert view is not None
    assert view.settings == {"site": "elmford", "views": (2,)}
    page = detect_vendor("https://meetings.municode.com/PublishPage/index?cid=ELM&ppid=5d-1e&p=1")
    assert page is not None
    assert page.settings == {"site": "ELM", "page": "5d-1e"}
    plain = detect_vendor("https://meetings.municode.com/PublishPage/index?cid=ELM&ppid=0")
    assert plain is not None
    assert plain.settings == {"site": "ELM"}


def test_links_with_and_without_options_are_of_one_site() -> None:
    page = b"""<a href="https://elmford.granicus.com/boards/w/1">Boards</a>
      <a href="https://elmford.granicus.com/boards/w/2">Boards</a>
      <a href="https://elmford.granicus.com/ViewPublisher.php?view_id=3">Videos</a>"""
    assert detect_vendor(CITY, page) == Detected("granicus", "elmford", (("views", (3,)),))


def test_a_site_of_its_own_counts_more_than_a_code() -> None:
    page = b"""<a href="https://meetings.municode.com/adaHtmlDocument/index?cc=ELM&me=1">1</a>
      <a href="https://mccmeetingspublic.blob.core.usgovcloudapi.net/elm-meet-1/a.pdf">2</a>
      <a href="https://elmford-oh.municodemeetings.com/bc-council">Council</a>"""
    assert detect_vendor(CITY, page) == Detected("municode", "elmford-oh")


def test_the_address_counts_more_than_the_page() -> None:
    page = b'<a href="https://elmford.granicus.com/a">1</a>'
    assert detect_vendor("https://elmford.legistar.com/", page) == Detected("legistar", "elmford")


def test_the_most_frequent_vendor_of_a_page_wins() -> None:
    page = b"""<a href="//elmford.granicus.com/MediaPlayer.php?clip_id=1">Video</a>
      <a href="https://elmford.legistar.com/Calendar.aspx">Calendar</a>
      <a href="https://elmford.legistar.com/My Documents.aspx">Documents</a>
      <a href="https://county.legistar.com/Calendar.aspx">County</a>"""
    assert detect_vendor(CITY, page) == Detected("legistar", "elmford")


def test_a_frame_counts_like_a_link() -> None:
    frame = b'<iframe src="https://elmford.portal.civicclerk.com"></iframe>'
    link = b'<a href="https://elmford.portal.civicclerk.com/event/1">Next</a>'
    other = b'<a href="https://elmford.granicus.com/1">x</a>'
    assert detect_vendor(CITY, frame + link + other) == Detected("civicclerk", "elmford")


@pytest.mark.parametrize(
    "markup",
    [
        "<frame src='http://elmford.iqm2.com/Citizens'>",
        "<object data='https://elmford.iqm2.com/Citizens'></object>",
        "<meta http-equiv=refresh content='0; url=https://elmford.iqm2.com/Citizens'>",
        "<button onclick=\"window.open('https://elmford.iqm2.com/Citizens')\">Open</button>",
        "<select><option value='https://elmford.iqm2.com/Citizens'>x</option></select>",
        "<div data-src='//elmford.iqm2.com/Citizens'></div>",
    ],
)
def test_vendors_are_found_in_all_kinds_of_references(markup: str) -> None:
    assert detect_vendor(CITY, markup.encode()) == Detected("iqm2", "elmford")


def test_a_relative_link_to_an_agenda_center() -> None:
    found = detect_vendor(CITY, b'<nav><a href="/AgendaCenter">Agendas</a></nav>')
    assert found == Detected("civicplus", "https://www.elmford.example")


def test_a_tie_is_ambiguous() -> None:
    page = b"""<a href="https://elmford.granicus.com/1">Video</a>
      <a href="https://elmford.novusagenda.com/agendapublic">Agendas</a>"""
    found = detect_vendor(CITY, page)
    assert found is not None
    assert found.is_ambiguous
    named = {found.vendor, *(other.vendor for other in found.others)}
    assert named == {"granicus", "novusagenda"}


def test_a_page_without_vendors() -> None:
    assert detect_vendor(CITY, b"<a href='/news'>News</a>") is None
