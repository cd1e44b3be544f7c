"""Find how a page leads to the next one of its listing."""

import re
from collections.abc import Sequence
from itertools import pairwise
from urllib.parse import parse_qs, urlsplit

from assay.sources.listing.markup import Node, select_nodes
from assay.sources.proposals.outline import OutlineLink, is_name, list_all_links

_RELATED = ("a[rel~=next]", "link[rel~=next]")
_NEXT_TEXT = re.compile(
    r"^(?:go to )?(?:next(?: page)?|older(?: posts| entries)?|weiter|nächste(?: seite)?|"
    r"sljedeć[ae](?: stranica)?|suivante?|siguiente|successiva|volgende|další|następna)?"
    r"\s*(?:[›»>→]{1,2})?$",
    re.IGNORECASE,
)
_NEXT_NAME = re.compile(r"(?:^|[-_])next(?:$|[-_])", re.IGNORECASE)
_NEXT_ICON = re.compile(r"^[›»>→]{1,2}$")


def find_next_options(root: Node, base_url: str) -> dict[str, object]:
    """The options that lead to the next page; none if there is no next page."""
    links = [link for link in list_all_links(root, base_url) if _is_here(link.url, base_url)]
    known = {link.node: link for link in links}
    for rule in _RELATED:
        if root.find_first(f"{rule}[href]"):
            return {"next": rule}
    for link in links:
        if found := _find_next_rule(root, link, known):
            return {"next": found}
    return _find_page_numbers(links)


def _is_here(url: str, base_url: str) -> bool:
    parts, own = urlsplit(url), urlsplit(base_url)
    return parts.hostname == own.hostname and url.partition("#")[0] != base_url


def _find_next_rule(root: Node, link: OutlineLink, known: dict[Node, OutlineLink]) -> str | None:
    """A selector for this link, if it says that it leads to the next page."""
    labels = [link.text, link.node.get("aria-label") or "", link.node.get("title") or ""]
    named = [name for name in link.node.words if _NEXT_NAME.search(name) and is_name(name)]
    says_so = any(label and _NEXT_TEXT.match(label.strip()) for label in labels)
    if not named and not says_so:
        return None
    words = link.text.strip("\"'() ")
    rules = [f"a.{name}" for name in named]
    rules += ["li.next a", ".next a", ".pagination-next a", ".pager__item--next a", ".pager-next a"]
    if words and words.isprintable():
        rules.append(f'a:contains("{words}")')
    return next((rule for rule in rules if _leads_to(root, rule, link, known)), None)


def _leads_to(root: Node, rule: str, link: OutlineLink, known: dict[Node, OutlineLink]) -> bool:
    """Whether the first match is this link."""
    first = next((node for node, _ in select_nodes(root, rule)), None)
    return first in known and known[first].url == link.url


def _find_page_numbers(links: Sequence[OutlineLink]) -> dict[str, object]:
    """The query field that counts pages, from links such as `2` to `?page=2`."""
    found: dict[str, dict[int, int]] = {}
    for link in links:
        if not (link.text.isascii() and link.text.isdigit() and 1 < int(link.text[:6]) < 10_000):
            continue
        for name, values in parse_qs(urlsplit(link.url).query).items():
            if len(values) == 1 and values[0].isascii() and values[0].isdigit():
                found.setdefault(name, {})[int(link.text)] = int(values[0][:12])
    for name, pages in found.items():
        numbers = sorted(pages)
        steps = {pages[n] - pages[m] for m, n in pairwise(numbers) if n == m + 1}
        step = steps.pop() if len(steps) == 1 else 1
        first = pages[numbers[0]] - step * (numbers[0] - 1)
        alone = len(numbers) == 1 and first not in (0, 1)
        if (
            step > 0
            and first >= 0
            and not alone
            and all(v == first + step * (n - 1) for n, v in pages.items())
        ):
            return {
                "page_param": name,
                **({"first_page": first} if first != 1 else {}),
                **({"page_step": step} if step != 1 else {}),
            }
    return {}
