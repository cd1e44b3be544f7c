"""English words: those that are never names, how names begin, and how words are split."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay.sdk.reading import list_month_names

_WORD = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\w+(?:[-–'’&/.]\w+)*|[^\w\s]")
_CAMEL = re.compile(r"[A-ZÀ-Þ]+(?![a-zß-ÿ])|[A-ZÀ-Þ]?[a-zß-ÿ]+|\d+(?:st|nd|rd|th)?|[^\W\d_]+")
_POSSESSIVE = ("'s", "’s")


@dataclass(frozen=True, slots=True)
class SentenceWord:
    """A word, a number or a mark: `text[start:end] == form`."""

    start: int
    end: int
    form: str
    low: str

    @property
    def is_name_like(self) -> bool:
        """Whether it begins with a capital."""
        return self.form[0].isupper()

    @property
    def is_word(self) -> bool:
        """Whether it is more than a punctuation mark."""
        return self.form[0].isalnum()


def split_words(text: str, start: int, end: int) -> list[SentenceWord]:
    """Split a stretch into words; a possessive ending is a separate word."""
    found: list[SentenceWord] = []
    for match in _WORD.finditer(text, start, end):
        form, at = match[0], match.start()
        if len(form) > 2 and form.endswith(_POSSESSIVE):
            cut = at + len(form) - 2
            found.append(SentenceWord(at, cut, form[:-2], form[:-2].casefold()))
            found.append(SentenceWord(cut, match.end(), form[-2:], "'s"))
        else:
            found.append(SentenceWord(at, match.end(), form, form.casefold()))
    return found


def split_label(label: str) -> tuple[str, ...]:
    """Split a label into lower-case words, also at camel case and underscores."""
    return tuple(match[0].casefold() for match in _CAMEL.finditer(label.replace("_", " ")))


def read_word_list(words: str) -> frozenset[str]:
    """Read a list of words."""
    return frozenset(words.split())


STOP = read_word_list(
    """
    a about above after again against all along also although among an and another any are around
    as at away back be because been before being below between both but by came can could did do
    does doing down during each either even ever every few finally first following for former from
    further had has have having he her here hers him his how however i if in instead into is it
    its itself just last later like many may me meanwhile might more most moreover much must my
    near nearly neither never no nor not now of off often on once one only onto or originally
    other our out over own per perhaps she should since so some soon still such than that the
    their them then there these they this those though three through throughout thus to together
    too two under unlike until up upon us very was we were what when where whereas whether which
    while who whom whose why will with within without would yet you your according additionally
    currently furthermore several despite due recently previously initially today early late based
    born located directed founded published released written produced known called named situated
    built designed created formed developed composed established including both
    """
)
"""Words that are not names when they begin a sentence with a capital."""

CONNECTORS = read_word_list(
    """
    of the de la le les von van der den del della di da do dos das du y i zu zum af av al el bin
    ibn & for on to in and a an at
    """
)
"""Lower-case words that may be inside a name."""
TIGHT = read_word_list(
    """
    de la le les von van der den del della di da dos das du zu af av al el bin ibn & of the
    """
)
"""Those that join two parts of a name wherever they are."""

PREPOSITIONS = read_word_list(
    """
    by in at of from for with on to into near under after before as about between including since
    during until over within through
    """
)
BE = read_word_list("is was are were be been being 's becomes became remains")
DETERMINERS = read_word_list("a an the its his her their this that these one")
PRONOUNS = read_word_list("he she it they him her his its their them who which whose")
PERSONAL = read_word_list("he she him her his")
RELATIVE = read_word_list("who which whose that where")
ENDERS = read_word_list(
    """
    jr sr st dr mr mrs ms inc ltd co no vol prof rev gen lt col sgt mt ft corp bros vs
    """
)
"""Short forms whose full stop does not end a name."""

BODIES = read_word_list(
    """
    award awards prize medal front center centre institute society association movement party
    committee council campaign ministry department school college academy museum board office
    foundation fund organization organisation agency commission bank league union
    """
)
"""Words after which `for`, `and`, `on` continue a name: `Academy Award for Best Picture`."""
LEADING_ON = read_word_list("for and on of the")
FORMS = read_word_list("inc inc. ltd ltd. llc jr jr. sr sr.")
"""What belongs to a name even after a comma."""

BEFORE_NAMES = read_word_list("at asteroid of and the is planet by flight called named")
"""Words after which a number may begin a name."""

DEMONYM_ENDS = (
    "ese",
    "ish",
    "ian",
    "ean",
    "can",
    "ench",
    "utch",
    "erman",
    "greek",
    "swiss",
    "aeli",
    "iraqi",
)

WITH_ARTICLE = read_word_list(
    """
    airport river party university college school institute museum church bridge tower hall
    association society league company corporation department ministry army navy war battle
    festival prize award championship cup games station railway mountains islands sea ocean lake
    desert council committee commission union front bank hotel stadium arena center centre palace
    castle memorial monument aerodrome
    """
)
"""Last words of names that are used with an article that is not part of the name."""

BODY_WORDS = (
    BODIES
    | WITH_ARTICLE
    | read_word_list(
        """
    studios studio pictures films productions entertainment records press books publishing
    publishers media group inc inc. ltd ltd. corp. co. fc club united city team airlines systems
    software games technologies industries network television radio labs laboratories observatory
    county district province state republic kingdom empire
    """
    )
)
"""Words that show a name to be an organization or a place, not a person."""

OFFICES = read_word_list(
    """
    president minister king queen prince princess duke duchess earl count bishop archbishop governor
    mayor secretary chancellor director member members house order siege treaty republic kingdom
    state states city town province lord lady director head chief hall history book books songs
    """
)
"""Words after which `of` continues a title or a name."""

TITLES = read_word_list(
    """
    general admiral captain colonel major lieutenant sergeant corporal commander marshal brigadier
    commodore vice rear private president chancellor senator governor mayor professor minister
    """
)
"""What a person is, right before the name."""

MONTHS = frozenset(name.casefold() for name in list_month_names("en"))
DAYS = read_word_list("monday tuesday wednesday thursday friday saturday sunday")

VALUE_WORDS = read_word_list(
    """
    date year number integer float double decimal string time day length height size amount text
    quantity literal boolean count url identifier
    """
)
"""Names of classes that represent plain values, in ontologies without datatypes."""

_ROLES = ("er", "or", "ist", "ian", "ress", "man", "woman", "naut")
_NO_ROLES = read_word_list(
    """
    river tower computer theater center chapter order paper power newspaper member number letter
    water border quarter corner character remainder winter summer matter computer cluster crater
    harbor motor reactor sector factor floor german roman human border manor minor major
    """
)


def is_role(noun: str) -> bool:
    """Whether a noun is a person's role: `director`, `novelist`."""
    return len(noun) > 4 and noun.endswith(_ROLES) and noun not in _NO_ROLES


MOST_WORDS = 14
"""A longer run of capitalized words is a headline or noise, and is cut."""
_OPENED_BY = frozenset({"is", "was", "has", "had"})


def find_openings(words: Sequence[SentenceWord]) -> list[int]:
    """Find where a subject may begin: at the start, and after `Directed by X,`."""
    if not words[0].low.endswith(("ed", "en")):
        return [0]
    commas = [at + 1 for at, word in enumerate(words[:-1]) if word.form == ","]
    return [0, *commas[:4]]


def find_opening_name(words: Sequence[SentenceWord]) -> tuple[int, int] | None:
    """Find what a sentence is about, up to its verb: `No Time for Nuts was …`."""
    if not words[0].is_name_like and not words[0].form[0].isdigit():
        return None
    if words[0].low in PREPOSITIONS or words[0].low in MONTHS:
        return None
    capitals = 0
    tight = True
    for at, word in enumerate(words[:MOST_WORDS]):
        if word.is_name_like or word.form[0].isdigit():
            capitals += word.low not in STOP
        elif word.low in _OPENED_BY or word.form == "(":
            return _check_opening(words, at, capitals)
        elif word.low in CONNECTORS:
            tight = tight and word.low in TIGHT
        elif word.form not in ":!?'.&" and word.low != "'s":
            end = _find_kind_end(words, at) if capitals else 0
            if end:
                return _check_opening(words, end, capitals)
            plain = words[0].low == "the" or words[0].low not in STOP
            return _check_opening(words, at, capitals) if tight and plain and capitals > 1 else None
    return None


def _check_opening(
    words: Sequence[SentenceWord], end: int, capitals: int
) -> tuple[int, int] | None:
    last = words[end - 1] if end else words[0]
    whole = last.form in "!?" or last.is_word
    alone = capitals == 1 and words[0].low in STOP
    if not whole or not capitals or alone or (end == 1 and words[end].form != "("):
        return None
    if end < len(words) and is_common(words[end]) and last.low.endswith(DEMONYM_ENDS):
        return None
    return (1, end) if _drops_article(words, end) else (0, end)


def _find_kind_end(words: Sequence[SentenceWord], at: int) -> int:
    """Find where the lower-case words of `The Idaho pocket gopher (…` end; 0: not a name."""
    if words[0].low != "the" and not words[0].form[0].isdigit():
        return 0
    end = at
    while end < len(words) and end - at < 4 and is_common(words[end]):
        end += 1
    return end if _is_topic(words, end) else 0


def find_opening_term(words: Sequence[SentenceWord]) -> int:
    """Find the end of `The great diving beetle (…`, `The potato is a …`; 0: no such term."""
    if words[0].low not in ("the", "a", "an"):
        return 0
    end = 1
    while end < len(words) and end <= 5 and is_common(words[end]):
        end += 1
    return end if end > 1 and _is_topic(words, end) else 0


def _is_topic(words: Sequence[SentenceWord], at: int) -> bool:
    """Whether the words before are the topic of the sentence: `… (`, `… is a`."""
    if at + 1 >= len(words):
        return False
    return words[at].form == "(" or (
        words[at].low in ("is", "was", "are") and words[at + 1].low in ("a", "an", "the", "one")
    )


def _drops_article(words: Sequence[SentenceWord], end: int) -> bool:
    """Whether `The` at the start belongs to the sentence: before a single word or an
    organization's name."""
    if words[0].low != "the":
        return False
    return (
        end == 2
        or words[1].form[0].isdigit()
        or any(word.low in WITH_ARTICLE for word in words[1:end])
    )


def is_common(word: SentenceWord) -> bool:
    """Whether a word is lower-case and meaningful: neither a name nor a function word."""
    return (
        word.form[0].islower() and word.low not in STOP and word.low not in BE and word.low != "'s"
    )
