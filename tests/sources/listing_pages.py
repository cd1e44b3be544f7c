"""Small pages of invented sites that list documents, each built in its own way."""

MENU = """\
<header class="site-header"><nav><ul>
<li><a href="/">Home</a></li><li><a href="/about">About the town and its people</a></li>
<li><a href="/news">All the news of the last year</a></li><li><a href="/contact">Contact</a></li>
</ul></nav></header>
"""
FOOTER = '<footer><ul><li><a href="/imprint">Imprint</a></li><li><a href="/rss">RSS</a></li></ul>\
</footer>'


def page(body: str, *, head: str = "", title: str = "Town gazette") -> bytes:
    """A page with a menu, this body and a footer."""
    top = f'<!DOCTYPE html><html lang="en"><head><title>{title}</title>{head}</head><body>'
    return f"{top}{MENU}{body}{FOOTER}</body></html>".encode()


LIST = page("""\
<main id="content"><h1>Acts</h1><ul class="acts">
<li class="act odd"><span class="when">31.01.2026.</span>
 <a href="/acts/12.html">Order on chimney sweeping</a>
 <a class="tag" href="/tags/fire">Fire</a></li>
<li class="act even"><span class="when">05.02.2026.</span>
 <a href="/acts/13.html">Order on market days</a> <a class="tag" href="/tags/trade">Trade</a></li>
<li class="act odd"><span class="when">06.02.2026.</span>
 <a href="/acts/14.html">Order on fire brigades</a> <a class="tag" href="/tags/fire">Fire</a></li>
</ul><div class="pages"><a href="/acts/">1</a> <a href="/acts/?page=1">2</a>
<a href="/acts/?page=2">3</a></div></main>
""")
ARTICLES = page("""\
<div class="wrap has-sidebar"><div class="posts">
<article class="post-101 post"><header><h2><a href="/2026/ferries">Ferries run again</a></h2>
 <time datetime="2026-03-01T08:00:00+01:00">yesterday</time></header>
 <p>They do. <a class="more" href="/2026/ferries">Read more</a></p></article>
<article class="post-99 post"><header><h2><a href="/2026/fees">New fees for berths</a></h2>
 <time datetime="2026-02-20">last week</time></header>
 <p>They rise. <a class="more" href="/2026/fees">Read more</a></p></article>
</div><aside><ul><li><a href="/2020/very-old">A long and very old article about nothing</a></li>
<li><a href="/2019/older">Another long and still older article about nothing</a></li></ul></aside>
<a class="next page-numbers" href="/news/page/2/">Older</a></div>
""")
TABLE = page("""\
<table id="meetings"><thead><tr><th>Body</th><th>Date</th><th>Papers</th><th></th></tr></thead>
<tbody>
<tr class="rgRow"><td>City council</td><td>1/14/2026</td>
 <td><a href="/d/1.pdf">Agenda</a></td><td><a href="/d/1.ics">iCalendar</a></td></tr>
<tr class="rgAltRow"><td>Harbour board</td><td>1/9/2026</td>
 <td><a href="/d/2.pdf">Agenda</a></td><td><a href="/d/2.ics">iCalendar</a></td></tr>
<tr class="rgRow"><td>Planning board</td><td>1/7/2026</td>
 <td><a href="/d/3.pdf">Agenda</a></td><td><a href="/d/3.ics">iCalendar</a></td></tr>
</tbody></table>
""")
YEARS = page("""\
<main><section class="year"><h2>2026</h2><ul>
<li><a href="/notices/9">Notice of 3 March 2026 on parking</a></li>
<li><a href="/notices/8">Notice of 1 March 2026 on dogs</a></li></ul></section>
<section class="year"><h2>2025</h2><ul>
<li><a href="/notices/7">Notice of 24 December 2025 on snow</a></li>
<li><a href="/notices/6">Notice of 1 December 2025 on bells</a></li></ul></section></main>
""")
PAPERS = page("""\
<main><div class="meeting"><b>March 3, 2026</b> <span class="name">Finance Committee</span>
 <a href="/AgendaViewer.php?clip=1">Agenda</a> <a href="/MinutesViewer.php?clip=1">Minutes</a>
 <a href="/MediaPlayer.php?clip=1">Video</a></div>
<div class="meeting"><b>March 1, 2026</b> <span class="name">Board of Directors</span>
 <a href="/AgendaViewer.php?clip=2">Agenda</a> <a href="/MinutesViewer.php?clip=2">Minutes</a>
 <a href="/MediaPlayer.php?clip=2">Video</a></div></main>
""")
UNCLEAR = page("""\
<main><ul><li>03/04/2026 <a href="/a/1">Order on the first thing</a></li>
<li>05/04/2026 <a href="/a/2">Order on the second thing</a></li></ul></main>
""")
PLAIN = page("<main><p>There is nothing to see here.</p></main>")
FEED_LINK = '<link rel="alternate" type="application/rss+xml" title="Acts" href="/feed.xml">\
<link rel="alternate" type="application/rss+xml" title="Comments" href="/comments.xml">'
FEED = b"""\
<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0"><channel><title>Acts of the town</title><link>http://127.0.0.1/</link>
<item><title>Order on chimney sweeping</title><link>/acts/12.html</link>
<pubDate>Sat, 31 Jan 2026 08:00:00 GMT</pubDate></item></channel></rss>
"""
SITEMAP = b"""\
<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>/acts/12.html</loc><lastmod>2026-01-31</lastmod></url>
<url><loc>/acts/13.html</loc><lastmod>2026-02-05</lastmod></url></urlset>
"""
ANSWER = b"""\
{"count": 2, "facets": [{"name": "year"}], "results": [
 {"id": 7, "image_url": "https://cdn.example.org/7.png", "title": "Order on dogs",
  "meta": {"html_url": "https://www.gazette.example/acts/7"}, "published_on": "2026-01-31"},
 {"id": 8, "image_url": "https://cdn.example.org/8.png", "title": "Order on cats",
  "meta": {"html_url": "https://www.gazette.example/acts/8"}, "published_on": "2026-02-01"}]}
"""
