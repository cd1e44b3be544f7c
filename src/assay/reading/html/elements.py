"""What the elements of HTML mean to a reader."""

import re
from typing import Final

_VOID_WORDS = """
area base basefont bgsound br col embed frame hr img input keygen link meta param source track
wbr"""
VOID: Final = frozenset(_VOID_WORDS.split())
_BLOCK_WORDS = """
address article aside blockquote body caption center dd details dialog dir div dl dt fieldset
figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu
nav ol optgroup option p pre search section summary table tbody td tfoot th thead tr ul xmp
listing plaintext"""
BLOCK: Final = frozenset(_BLOCK_WORDS.split())
_UNSEEN_WORDS = """
audio canvas datalist map noscript object select svg template video"""
UNSEEN: Final = frozenset(_UNSEEN_WORDS.split())
"""Elements whose content is not part of the page's text."""
UNSEEN_RAW: Final = frozenset({"script", "style", "textarea", "iframe", "noframes", "noembed"})
HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
VERBATIM: Final = frozenset({"pre", "listing", "plaintext", "xmp"})
CELLS: Final = frozenset({"td", "th"})

_RUN: Final = {"p", "b", "i", "a", "em", "strong", "span", "font", "u"}
IMPLIED_END: Final = {
    "li": frozenset({"li", *_RUN}),
    "dt": frozenset({"dt", "dd", *_RUN}),
    "dd": frozenset({"dt", "dd", *_RUN}),
    "td": frozenset({"td", "th", *_RUN}),
    "th": frozenset({"td", "th", *_RUN}),
    "tr": frozenset({"td", "th", "tr", *_RUN}),
    "tbody": frozenset({"td", "th", "tr", "tbody", "thead", "tfoot", *_RUN}),
    "tfoot": frozenset({"td", "th", "tr", "tbody", "thead", "tfoot", *_RUN}),
    "p": frozenset({"p"}),
}
"""Which open elements an opening tag closes, as long as they are the innermost ones."""

FURNITURE: Final = frozenset({"nav", "footer", "aside", "menu", "search"})
_FURNITURE_ROLES_WORDS = """
navigation banner contentinfo complementary search menu menubar toolbar alertdialog dialog
tablist"""
FURNITURE_ROLES: Final = frozenset(_FURNITURE_ROLES_WORDS.split())
FURNITURE_NAMES: Final = re.compile(
    r"(?:^|[\s_-])(?:"
    r"nav(?:bar|igation)?|menu|footer|sidebar|breadcrumbs?|cookies?|consent|gdpr|banner|skip|"
    r"share|sharing|social|newsletter|subscribe|subscription|related|recommend(?:ed|ations?)?|"
    r"comments?|disqus|pagination|pager|paginator|toolbar|popup|popover|popout|modal|overlay|"
    r"advert(?:isement)?s?|ads?|sponsor(?:ed)?|promo|login|masthead|search(?:form|box|bar)?|tags|"
    r"widget|print-only|sr-only|visually-hidden|screen-reader-text|offscreen|outbrain|taboola"
    r")(?:$|[\s_-])",
    re.IGNORECASE,
)
_ZONES_WORDS = """
article aside body center dd details dialog div dl fieldset figure footer form header html li main
menu nav ol p search section table td th tr ul"""
ZONES: Final = frozenset(_ZONES_WORDS.split())
"""Elements that form a part of a page."""
