"""The provisions of its own act that a sentence names, and those that except what it says."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from assay.packs.regulatory.acts.amending.paths import expand_range
from assay.packs.regulatory.acts.shapes import Provision

_NUMBER = (
    r"(?:\d{1,4}(?:\.\d{1,4})?[a-zA-Z]{0,2}\b(?![-–]\d)\.?|[a-zčćđšž]\)"
    r"|(?<=Buchstabe\s)[a-z]{1,2}\b)"
)
_CHAIN = rf"(?:(?:{_NUMBER})?(?:\([a-zA-Z0-9]{{1,5}}\)){{1,5}}|{_NUMBER})"
_NOUNS = {
    "article": r"(?:[Čč]lan(?:ak|k\w{1,3}|aka|ci|cima)|[Čč]l\.|Artikel[ns]?|Art\.|[Aa]rticles?"
    r"|[Ss]ections?|[Rr]egulations?)(?=\s)|§{1,2}",
    "paragraph": r"(?:[Ss]tav(?:ak|k\w{1,3}|aka|ci|cima)|st\.|Abs(?:atz(?:es)?|ätzen?|\.)"
    r"|[Ss]ub-?sections?)(?=\s)",
    "part": r"(?:[Pp]od)?[Tt]očk\w{1,3}(?=\s)"
    r"|(?:Nummern?|Nr\.|Buchst(?:aben?|\.)|[Ss]ub-?paragraphs?|[Pp]aragraphs?|[Cc]lauses?"
    r"|[Pp]oints?|t\.)(?=\s)",
}
_TOKEN = re.compile(
    r"(?<![\w(])(?:"
    + "|".join(f"(?P<{name}>{noun})" for name, noun in _NOUNS.items())
    + rf")\s?(?P<numbers>{_CHAIN}"
    r"(?:(?:,\s?|\s(?:i|ili|te|do|und|oder|bis|sowie|and|or|to|through)\s)"
    rf"{_CHAIN}){{0,6}})(?:\s(?:Satz|Sätze)\s\d{{1,2}}\b)?"
)
_STEP = re.compile(r"\w+(?:\.\d+)?")
_ONE = re.compile(_CHAIN)
_THROUGH = re.compile(r"\s(?:do|bis|to|through)\s")
_CONNECTS = re.compile(r"[\s,]{0,2}|\s(?:of|in|des|der|iz)\s(?:the\s)?")
_OF_OTHER = re.compile(
    r"[\s,]{1,2}(?:(?:of|to)\s(?!this\s|that\s(?:article|section|subsection|paragraph)|the\sfollowing)"
    r"|(?:toga|tog|istoga|navedenog\w?)\s|(?:des|der)\s(?-i:[A-ZÄÖÜ])"
    r"|(?-i:Zakon|Uredb|Pravilnik|Direktiv|Odluk|Ustav|Konvencij|Ugovor|Statut|Općeg|Kaznen)"
    r"|(?:der\s)?(?:Richtlinie|Verordnung\s\()|(?-i:[A-ZÄÖÜ]\w{0,9}[A-Z]\b))",
    re.IGNORECASE,
)
"""What follows a citation of another act: `Zakona o …`, `of the Act of 1997`, `des Gesetzes`."""
_EXCEPTS = re.compile(
    r"\W{0,3}(?:\(?\d{1,2}[a-z]?[.)]\s)?(?:"
    r"(?:iznimno|izuzetno|odstupajući)\sod\s(?:odredb\w{1,3}\s)?stav\w{1,3}\s(?P<hr>[\d., ido]+)"
    r"|(?:odredb\w{1,3}\s)?stav\w{1,3}\s(?P<hr_not>[\d., ido]+?)\.?\s(?:\w+\s){0,3}?"
    r"ne\s(?:primjenjuj|odnos|vrijed)"
    r"|(?:abweichend\svon|ungeachtet\sde[rs])\s(?:absatz|absatzes|absätzen?)\s"
    r"(?P<de>\d[\da-z, undbiso]*)"
    r"|(?:die\s)?(?:absatz|absätze)\s(?P<de_not>\d[\da-z, undbiso]*?)(?:\ssatz\s\d)?\s"
    r"(?:gilt|gelten|ist|sind|findet|finden)\s(?:\w+\s){0,2}?(?:nicht|keine)"
    r"|(?:notwithstanding|despite|nothing\sin)\ssubsections?\s"
    r"(?P<en>[\w()\s,]+?)(?=,|\sshall|\sand\ssection)"
    r"|subsections?\s(?P<en_not>\(\w{1,4}\)(?:[\s,andor]{0,6}\(\w{1,4}\)){0,4})"
    r"\s(?:do|does|shall)\snot\sapply)",
    re.IGNORECASE,
)
"""How a paragraph begins that excepts another one of its article."""

_OF_OFFENCE = re.compile(
    r"(?<!\w)(?:Ordnungswidrigkeit\w{0,2}|prekršaj\w{0,3}\siz\sov\w{2,3}\sčlanka"
    r"|offence(?:\sunder\sthis\s(?:section|article|regulation)|(?=\s(?:is|shall\sbe)\sliable)))(?!\w)"
)
_IS_OFFENCE = re.compile(
    r"(?<!\w)(?:ordnungswidrig(?:\s\w+){0,8}\shandelt|(?:commits|guilty\sof|is)\san\soffence"
    r"|kaznit\sće\sse)(?!\w)",
    re.IGNORECASE,
)
"""`Ordnungswidrig handelt, wer …`: a paragraph that says what the fine of a later one is for."""


@dataclass(frozen=True, slots=True)
class _Mention:
    """The numbers of an article, of paragraphs in it, and of parts of these; each may be empty."""

    article: tuple[str, ...] = ()
    has_sign: bool = False
    paragraphs: tuple[tuple[str, ...], ...] = ()
    parts: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class ReferenceResolver:
    """Finds the provisions of one act that its sentences name."""

    by_path: Mapping[str, Provision]
    children: Mapping[str, Sequence[Provision]]
    quoted: Collection[str] = ()
    """The paths of what the act quotes: its articles are those of another act."""
    _excepted: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def list_referred(self, path: str, words: str, *, with_articles: bool = True) -> list[str]:
        """The paths of what words in a provision name, in their order, except its own."""
        found: list[str] = []
        for mention in _list_mentions(words):
            if mention.article and (path in self.quoted or not with_articles):
                continue
            for one in self._resolve(path, mention):
                inside = path == one or path.startswith(f"{one}__") or one.startswith(f"{path}__")
                if not inside and one not in found:
                    found.append(one)
        if _OF_OFFENCE.search(words):
            known = [one.partition("__point_")[0] for one in found]
            found += [one for one in self._list_offences(path) if one not in known]
        return found

    def _list_offences(self, path: str) -> Iterator[str]:
        """The earlier paragraphs of an article that say what is an offence."""
        for each in self.children.get(path.split("__")[0], ()):
            if path == each.path or path.startswith(f"{each.path}__"):
                return
            if _IS_OFFENCE.search(each.opening.text):
                yield each.path

    def list_exceptions(self, path: str) -> tuple[str, ...]:
        """The paths of later paragraphs of an article that except the one a provision is in."""
        steps = path.split("__")
        if len(steps) < 2:
            return ()
        own = "__".join(steps[:2])
        if own not in self._excepted:
            number = _number_of(own)
            self._excepted[own] = tuple(
                each.path
                for each in self.children.get(steps[0], ())
                if each.path != own and number in _list_excepted(each.opening.text)
            )
        return self._excepted[own]

    def _resolve(self, path: str, mention: _Mention) -> Iterator[str]:
        top = path.split("__")[0]
        if mention.article:
            top = self._find_article(mention) or ""
        if top not in self.by_path:
            return
        whole = self._descend(top, mention.article[1:])
        bases = [whole] if whole else []
        if mention.paragraphs:
            bases = [
                one
                for base in bases
                for chain in mention.paragraphs
                if (one := self._descend(base, chain))
            ]
        if not mention.parts:
            yield from bases
            return
        for chain in mention.parts:
            if mention.article or mention.paragraphs:
                yield from filter(None, (self._descend(base, chain) for base in bases))
            elif one := self._find_near(path, chain):
                yield one

    def _find_article(self, mention: _Mention) -> str | None:
        for kind in ("sec", "art") if mention.has_sign else ("art", "sec"):
            if (path := f"{kind}_{mention.article[0]}") in self.by_path:
                return path
        return None

    def _descend(self, base: str, chain: Sequence[str]) -> str | None:
        for number in chain:
            children = self.children.get(base, ())
            named = [one for one in children if _number_of(one.path) == number]
            found = next((one.path for one in named if one.number), None)
            found = found or next((one.path for one in named), None)
            if found is None and len(children) == 1 and not children[0].number:
                # An only paragraph without a number is not counted in citations.
                return self._descend(children[0].path, chain)
            if found is None:
                return None
            base = found
        return base

    def _find_near(self, path: str, chain: Sequence[str]) -> str | None:
        """A point beside a provision, or beside one that it is part of."""
        while path := path.rpartition("__")[0]:
            if found := self._descend(path, chain):
                return found
        return None


def _number_of(path: str) -> str:
    return path.rpartition("__")[2].partition("_")[2].partition("_")[0]


def _list_mentions(words: str) -> Iterator[_Mention]:
    """The citations within the own act; those of other acts are left out."""
    tokens = list(_TOKEN.finditer(words))
    group: list[re.Match[str]] = []
    for token, following in pairwise((*tokens, None)):
        assert token is not None
        group.append(token)
        between = words[token.end() : following.start()] if following else " . "
        if following and _CONNECTS.fullmatch(between) and _fits(group, following):
            continue
        if not _OF_OTHER.match(words, token.end()):
            yield from _make_mentions(group)
        group = []


def _fits(group: Sequence[re.Match[str]], following: re.Match[str]) -> bool:
    """Whether a noun names another step of the same citation, such as an article and its points."""
    name = _name_of(following)
    return name == "part" or all(_name_of(one) != name for one in group)


def _name_of(token: re.Match[str]) -> str:
    return next(name for name in _NOUNS if token[name])


def _make_mentions(group: Sequence[re.Match[str]]) -> Iterator[_Mention]:
    articles: list[tuple[str, ...]] = [()]
    paragraphs: list[tuple[str, ...]] = []
    parts: list[tuple[str, ...]] = []
    has_sign = False
    for token in group:
        chains = _list_numbers(token)
        name = _name_of(token)
        if name == "article":
            articles, has_sign = chains, "§" in token["article"]
        elif name == "paragraph":
            paragraphs = chains
        else:
            parts = [(*outer, *inner) for outer in parts or [()] for inner in chains]
    for article in articles:
        yield _Mention(article, has_sign, tuple(paragraphs), tuple(parts))


def _list_numbers(token: re.Match[str]) -> list[tuple[str, ...]]:
    """The numbers behind a noun, each with those in brackets behind it."""
    found: list[tuple[str, ...]] = []
    words, reached = token.string, token.start("numbers")
    for match in _ONE.finditer(words, reached, token.end("numbers")):
        chain = tuple(_STEP.findall(match[0]))
        row = None
        if (
            found
            and len(chain) == len(found[-1]) == 1
            and _THROUGH.fullmatch(words, reached, match.start())
        ):
            row = expand_range(found[-1][0], chain[0])
        found += [(each,) for each in row[1:]] if row else [chain]
        reached = match.end()
    return found


def _list_excepted(words: str) -> set[str]:
    """The numbers of the paragraphs that a paragraph excepts, by how it begins."""
    match = _EXCEPTS.match(words)
    if match is None:
        return set()
    named = next(each for each in match.groups() if each)
    numbers = re.findall(r"\d{1,2}[a-z]?|(?<=\()\w{1,4}(?=\))", named)
    found = set(numbers)
    for first, last in pairwise(numbers):
        if re.search(rf"{first}\.?\)?\s(?:do|bis|to)\s\(?{last}", named):
            found |= set(expand_range(first, last) or ())
    return found
