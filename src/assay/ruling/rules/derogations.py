"""Words with which a provision says that it takes precedence over another one, and over which."""

import re
from dataclasses import dataclass

_SAYS_SO = re.compile(
    r"\b(?:notwithstanding|(?:by\s+way\s+of\s+)?derogat(?:ion|ing)\s+from|abweichend\s+von"
    r"|iznimno\s+od|odstupajući\s+od|u\s+odstupanju\s+od)\s+(?:the\s+provisions\s+of\s+|odred\w+\s+)?",
    re.IGNORECASE,
)
_NUMBER = r"\d+[a-zčćđšž]?\b"
_ARTICLE = re.compile(
    rf"(?:articles?|art\.|artikels?|artikel|§|sections?|član\w*|čl\.)\s*(?P<number>{_NUMBER})\.?"
    rf"(?P<inside>\({_NUMBER}\))?\s*",
    re.IGNORECASE,
)
_PARAGRAPHS = re.compile(
    rf"(?:paragraphs?|subsections?|abs(?:atz|ätzen|\.)|stav\w*|st\.)\s*"
    rf"(?P<numbers>\(?{_NUMBER}\)?\.?(?:\s*(?:,|and|or|und|oder|i|ili|te)\s*\(?{_NUMBER}\)?\.?)*)\s*",
    re.IGNORECASE,
)
_OF_ARTICLE = re.compile(r"of\s+(?=article|section|this\b)", re.IGNORECASE)
_OTHER_ACT = re.compile(
    r"(?:of|to|des|der|zu|zum)\s+(?!this\b|dieses\b|dieser\b)|[A-ZČĆĐŠŽÄÖÜ]|bis\b|do\b|through\b"
    r"|and\b|und\b|i\b|or\b|oder\b|ili\b|satz\b|rečenic\w*|sentence\b"
)
"""What follows a provision that is named otherwise: another act's, a row, or a part that has no
place of its own."""


@dataclass(frozen=True, slots=True)
class DerogatedProvision:
    """An article, or one of its paragraphs."""

    article: str
    paragraph: str = ""


def find_derogations(words: str, article: str) -> list[DerogatedProvision]:
    """The provisions of the same act over which words say that they take precedence.

    `article` is the number of the words' own article, which "paragraph 1" belongs to. What is
    named in a way that leaves a doubt is left out.
    """
    return [
        named
        for found in _SAYS_SO.finditer(words)
        for named in _read_provisions(words, found.end(), article)
    ]


def _read_provisions(words: str, at: int, article: str) -> list[DerogatedProvision]:
    paragraphs: list[str] = []
    first = _ARTICLE.match(words, at)
    if first is not None:
        article, at = first["number"], first.end()
        paragraphs = re.findall(_NUMBER, first["inside"] or "")
    if not paragraphs and (listed := _PARAGRAPHS.match(words, at)):
        paragraphs, at = re.findall(_NUMBER, listed["numbers"]), listed.end()
        of_article = _OF_ARTICLE.match(words, at)
        named = _ARTICLE.match(words, of_article.end()) if of_article and first is None else None
        if named is not None:
            article, at = named["number"], named.end()
    is_named = first is not None or bool(paragraphs)
    if not is_named or not article or _OTHER_ACT.match(words, at):
        return []
    return [DerogatedProvision(article, each) for each in paragraphs or [""]]
