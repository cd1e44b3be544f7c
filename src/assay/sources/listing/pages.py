"""Items on HTML pages: lists of links, and the rows of tables."""

from collections.abc import Iterator, Sequence

from assay.errors import ContentBroken
from assay.model.markup import decode_markup
from assay.sources.listing.builder import ListingBuilder, clean_title
from assay.sources.listing.dates import parse_date
from assay.sources.listing.markup import (
    Node,
    WorkBudget,
    parse_page,
    select_nodes,
    select_text,
    split_selector,
)
from assay.sources.listing.options import Column, Columns, ListingOptions
from assay.sources.listing.wrong_content import (
    describe_body,
    find_plain_refusal,
    find_refusal,
    is_html,
    wrong_body_error,
)

LINKS = "a[href], area[href]"
_NO_PAGES = ("mailto:", "tel:", "javascript:", "data:", "#", "sms:", "about:")
_LAYOUT = "The page's layout may have changed: compare it with the endpoint's description."
_WIDEST = 1000


def parse_listing_page(
    body: bytes, gathering: ListingBuilder, *, work: WorkBudget | None = None
) -> Node:
    """The tree of a page, which must be a page and not a refusal."""
    text = decode_markup(body)
    start = text.lstrip("\ufeff \t\r\n")
    if not is_html(start) and ("<a " not in start.lower() or start.startswith("<?xml")):
        raise wrong_body_error(body, "an HTML page", gathering.base_url)
    if find_plain_refusal(text):
        raise wrong_body_error(body, "a listing", gathering.base_url)
    root = parse_page(body, work=work)
    if root is None:
        raise wrong_body_error(body, "an HTML page", gathering.base_url)
    return root


def read_list(body: bytes, gathering: ListingBuilder) -> tuple[Node, int]:
    """Read the links of a page, within its entries if the description names them; count those."""
    options = gathering.options
    root = parse_listing_page(body, gathering)
    matched = 0
    for region in _find_regions(root, body, gathering):
        if options.item is None:
            matched += _add_links(region, gathering)
            continue
        for entry in region.find_all(options.item):
            matched += 1
            read_entry(entry, gathering)
    _check_emptiness(body, root, matched, gathering)
    return root, matched


def read_table(body: bytes, gathering: ListingBuilder) -> tuple[Node, int]:
    """Read the links in the rows of a page's tables, by column if named; count the rows."""
    root = parse_listing_page(body, gathering)
    options = gathering.options
    columns = options.columns or Columns()
    names = [column for column in _list_columns(columns) if isinstance(column, str)]
    rows, fitting = 0, 0
    heads: list[list[str]] = []
    for region in _find_regions(root, body, gathering):
        wanted = set(region.find_all(options.item)) if options.item else None
        for table in region.find_all("table"):
            head, body_rows = _read_rows(table)
            places = _locate_columns(head, names)
            if places is None:
                heads.append(head)
                continue
            fitting += 1
            for row in body_rows:
                if wanted is None or row in wanted:
                    rows += _read_row(row, columns, places, gathering)
    if names and not fitting:
        raise ContentBroken(
            f"No table at {gathering.base_url} has all the columns {', '.join(names)};"
            f" {_describe_nearest(heads, names)}.",
            advice=_LAYOUT,
        )
    _check_emptiness(body, root, rows, gathering)
    return root, rows


def read_entry(entry: Node, gathering: ListingBuilder) -> None:
    """Read the links of one entry, with the entry's title and date."""
    options = gathering.options
    title = select_text(entry, options.title) if options.title else None
    published = _find_date(entry, options)
    for node, address in _iter_links(entry, options):
        own = title if options.title else find_link_title(node)
        gathering.add(address, clean_title(own), published)


def find_link_title(node: Node) -> str | None:
    """The words of a link; those of its image or tooltip if it has none."""
    words = node.read_text() or node.get("aria-label") or node.get("title")
    if not words:
        picture = node.find_first("img[alt]")
        words = picture.get("alt") if picture else None
    return words


def _find_regions(root: Node, body: bytes, gathering: ListingBuilder) -> list[Node]:
    within = gathering.options.within
    if within is None:
        return [root]
    found = root.find_all(within)
    if not found:
        raise ContentBroken(
            f"Nothing is at {within!r} in {describe_body(body)} from {gathering.base_url}.",
            advice=_LAYOUT,
        )
    return found


def _add_links(region: Node, gathering: ListingBuilder) -> int:
    count = 0
    for node, address in _iter_links(region, gathering.options):
        count += 1
        gathering.add(address, clean_title(find_link_title(node)))
    return count


def _iter_links(entry: Node, options: ListingOptions) -> Iterator[tuple[Node, str]]:
    for node, value in select_nodes(entry, options.link or LINKS):
        named = options.link is not None and split_selector(options.link)[1] is not None
        address = value if named else node.get("href")
        if address and address.strip() and not address.strip().lower().startswith(_NO_PAGES):
            yield node, address


def _find_date(entry: Node, options: ListingOptions) -> str | None:
    if options.date:
        return parse_date(select_text(entry, options.date), options.date_formats)
    marked = {moment.get("datetime") for moment in entry.find_all("time[datetime]")}
    return parse_date(marked.pop()) if len(marked) == 1 else None


def _check_emptiness(body: bytes, root: Node, matched: int, gathering: ListingBuilder) -> None:
    """Distinguish an empty list from a page that is not a list."""
    if matched and gathering.entries:
        return
    options = gathering.options
    text = decode_markup(body)
    if options.empty_text is not None:
        seen = " ".join(options.empty_text.split()).casefold()
        if matched or seen in root.read_text(most=None).casefold():
            return
        raise ContentBroken(
            f"There are no entries in {describe_body(body)} from {gathering.base_url},"
            f" and it does not say {options.empty_text!r}.",
            advice=_LAYOUT,
        )
    if find_refusal(text):
        raise wrong_body_error(body, "a listing", gathering.base_url)
    rule = options.item or options.link
    where = f"nothing is at {rule!r}" if rule else "there is no link"
    if matched:
        where = f"none of {matched} entries has a link"
    gathering.notes.append(f"{where} in {describe_body(body)}")


def _list_columns(columns: Columns) -> list[Column]:
    link = columns.link if isinstance(columns.link, tuple) else (columns.link,)
    return [column for column in (*link, columns.title, columns.date) if column is not None]


def _read_rows(table: Node) -> tuple[list[str], list[Node]]:
    """The header words of a table, and its rows; a nested table has its own."""
    own: list[Node] = []
    for child in table.find_children("tr", "thead", "tbody", "tfoot"):
        own.extend([child] if child.tag == "tr" else child.find_children("tr"))
    if not own:
        return [], []
    first = next((row for row in own if any(row.find_children("th"))), own[0])
    return [_fold_text(cell.read_text()) for cell in _expand_cells(first)], own


def _expand_cells(row: Node) -> list[Node]:
    cells: list[Node] = []
    for cell in row.find_children("td", "th"):
        span = (cell.get("colspan") or "1")[:4]
        wide = min(int(span), _WIDEST) if span.isascii() and span.isdigit() else 1
        cells.extend([cell] * max(1, wide))
        if len(cells) >= _WIDEST:
            break
    return cells


def _fold_text(text: str) -> str:
    return " ".join(text.split()).casefold()


def _locate_columns(head: Sequence[str], names: Sequence[str]) -> dict[str, int] | None:
    """Where each named column is; None if the table does not have them all."""
    places = {}
    for name in names:
        wanted = _fold_text(name)
        if wanted not in head:
            return None
        places[name] = head.index(wanted)
    return places


def _describe_nearest(heads: list[list[str]], names: Sequence[str]) -> str:
    """Describe the table that comes closest to having the columns."""
    if not heads:
        return "there is no table"
    best = max(heads, key=lambda head: sum(_fold_text(name) in head for name in names))
    shown = [word[:40] for word in best if word][:20]
    return f"the nearest one has {', '.join(shown)}" if shown else "no table has a header"


def _read_row(
    row: Node, columns: Columns, places: dict[str, int], gathering: ListingBuilder
) -> bool:
    options = gathering.options
    cells = _expand_cells(row)
    if all(find_cell.tag == "th" for find_cell in cells):
        return False
    across = len(cells) > 1 and all(find_cell == cells[0] for find_cell in cells)
    if across and columns.link is not None:
        return False  # A single cell across the whole row is a pager or a heading.

    def find_cell(column: Column | None) -> Node | None:
        at = places[column] if isinstance(column, str) else (column or 0) - 1
        return cells[at] if 0 <= at < len(cells) else None

    dated = find_cell(columns.date)
    published = (
        parse_date(dated.read_text(), options.date_formats) if dated else _find_date(row, options)
    )
    titled = find_cell(columns.title)
    title = (
        titled.read_text() if titled else select_text(row, options.title) if options.title else None
    )
    wanted = columns.link if isinstance(columns.link, tuple) else (columns.link,)
    regions = (
        [row] if columns.link is None else [found for one in wanted if (found := find_cell(one))]
    )
    for region in regions:
        for node, address in _iter_links(region, options):
            gathering.add(address, clean_title(title or find_link_title(node)), published)
    return True
