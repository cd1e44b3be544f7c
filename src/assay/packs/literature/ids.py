"""Ids of works, in one spelling each."""

import re

_NEW_ARXIV = r"\d{4}\.\d{4,5}"
_OLD_ARXIV = r"[a-z][a-z-]+(?:\.[A-Z]{2})?/\d{7}"
_ARXIV = re.compile(
    rf"(?:.*?arxiv(?:\.org/(?:abs|pdf|html)/+|[:.]\s*))?({_NEW_ARXIV}|{_OLD_ARXIV})"
    r"(?:v(\d{1,3}))?(?:\.pdf)?/?",
    re.IGNORECASE,
)
_DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:\s*)?(10\.\d{4,9}/\S+)", re.IGNORECASE)
_ARXIV_DOI = "10.48550/arxiv."


def parse_arxiv_id(text: str) -> tuple[str, int | None] | None:
    """The arXiv id without its version, and the version; None if the text is not one."""
    match = _ARXIV.fullmatch(text.strip())
    if match is None:
        return None
    return match[1].lower(), int(match[2]) if match[2] else None


def parse_doi(text: str) -> str | None:
    """A DOI, case-folded; None if the text is not one, or stands for an arXiv paper."""
    match = _DOI.fullmatch(text.strip())
    if match is None:
        return None
    doi = match[1].casefold()
    return None if doi.startswith(_ARXIV_DOI) else doi


def parse_pmid(text: str) -> str | None:
    """The digits of a PubMed id or of its address."""
    match = re.fullmatch(
        r"(?:https?://(?:www\.)?(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed)/|"
        r"pmid:\s*)?0*(\d{1,9})/?",
        text.strip(),
        re.IGNORECASE,
    )
    return match[1] if match else None


def id_of_url(url: str) -> str | None:
    """The id that an address stands for."""
    if "arxiv" in url.lower() and (found := parse_arxiv_id(url)):
        return f"arxiv:{found[0]}"
    doi = parse_doi(url) if "doi.org/" in url.lower() else None
    return f"doi:{doi}" if doi else None
