"""Read Croatian amending acts ("Zakon o izmjenama i dopunama Zakona …")."""

import re

from assay.packs.regulatory.acts.amending.citations import CitingStyle
from assay.packs.regulatory.acts.amending.clauses import QUOTE, Drafting
from assay.packs.regulatory.acts.amending.fragments import NumberingStyle
from assay.packs.regulatory.acts.amending.paths import article, paragraph, point, sentence
from assay.packs.regulatory.acts.amending.quoted import QuotedTradition
from assay.packs.regulatory.acts.amending.statements import (
    Grammar,
    append_provision,
    delete_provision,
    delete_words,
    insert_at_edge,
    insert_provision,
    insert_words,
    renumber,
    replace_provision,
    replace_words,
    set_context,
)
from assay.packs.regulatory.acts.shapes import ProvisionKind

Q = QUOTE
_ORDINAL = r"prv\w+|drug\w+|treć\w+|četvrt\w+|pet\w+|posljednj\w+|zadnj\w+"
_ORDINALS = (("prv", "1"), ("drug", "2"), ("treć", "3"), ("četvrt", "4"), ("pet", "5"))
_NUMBER = r"\d+\.?[a-z]?(?!\w)\.?|[a-z]\)"


def _count(word: str) -> str:
    return next((number for stem, number in _ORDINALS if word.startswith(stem)), word)


_CITATION = CitingStyle(
    token=re.compile(
        rf"(?:(?P<article>\bčlan(?:ak|k\w+|c\w+))|(?P<para>\bstav(?:ak|k\w+|c\w+))"
        rf"|(?P<point>\btočk\w+)|(?P<sub>\bpodtočk\w+)|(?P<dash>\balinej\w+)|(?P<annex>\b[P"
        rf"p]rilog\w*)"
        rf"|(?P<ordinal>(?=\b(?:{_ORDINAL})\s+rečenic)))\s*"
        rf"(?P<numbers>(?:{_NUMBER}|(?:{_ORDINAL})(?=\s+rečenic)|(?-i:[IVX]+\b)\.?)"
        rf"(?:(?:\s*,\s*|\s+(?:i|te|do|ili)\s+|\s*[–-]\s*)(?:{_NUMBER})(?!\s*(?:stav|točk|član)))*)"
        rf"(?:\s+rečenic\w*)?",
        re.IGNORECASE,
    ),
    make={
        "ordinal": lambda n: sentence(_count(n.lower())),
        "article": article,
        "annex": lambda n: article(n, ProvisionKind.ANNEX),
        "para": paragraph,
        "sub": lambda n: point(n, 1),
        "dash": lambda n: point(n, 2),
        "point": point,
    },
    number=re.compile(
        rf"(?P<number>(?:{_ORDINAL})|\d+\.?(?:[a-z]\b)?|(?<!\w)[a-z](?=\))|(?-i:[IVX]+\b))(?!\w)",
        re.IGNORECASE,
    ),
    through=re.compile(r"\bdo\b|[–-]"),
    filler=re.compile(
        r"\b(?:[Uu]|i|te|ovoga|ovog|[Zz]akona|[Nn]ovi|nov\w+|a|tekst\w*)\b", re.IGNORECASE
    ),
    of=re.compile(r"(?!)"),
)
_NOUN = re.compile(
    rf"\b(?:riječ(?:i|ima|ju|i)?|rije[čc]i|broj(?:em|evi|evima|ke|kom|ka)?|iznos(?:om|"
    rf"i|ima)?|brojk\w+|postot\w+|stop\w+|"
    rf"datum(?:om)?|tekst(?:om)?|nazivom?|naziv|oznak\w+|kratic\w+|interpunkcijsk\w+\s+"
    rf"\w+)\s*:?\s*(?:od\s+)?(?={Q})",
    re.IGNORECASE,
)


def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace("QQ", Q) + r"\s*[.;:,]?$", re.IGNORECASE)


_REPLACE_WORDS = _compile(
    r"^(?P<cite>.*?)\s*(?P<pairs>QQ,? (?:se )?zamjenjuj[eu](?: se)?:? QQ"
    r"(?:,? (?:i|te|a)?,? ?QQ,? (?:se )?(?:zamjenjuj[eu](?: se)?:? )?QQ)*)(?P<each> "
    r"na svim mjestima)?"
)
_INSERT_WORDS = _compile(
    r"^(?P<cite>.*?)\s*\b(?P<side>iza|poslije|nakon|ispred|prije) QQ,? ?(?:stavlja "
    r"se zarez i )?(?:se )?"
    r"(?:dodaj[eu]|umeć[eu])(?: se)?:? QQ"
)
_EDGE = _compile(
    r"^(?P<cite>.*?)\s*\b(?P<side>na kraju|na početku)(?: rečenice| stavka| "
    r"teksta)?,? (?:se )?dodaj[eu](?: se)?:? QQ"
)
_DELETE_WORDS = _compile(
    r"^(?P<cite>.*?)\s*(?P<list>QQ(?:(?:, | i | te )QQ)*),? (?:se )?briš[eu](?: "
    r"se)?(?P<each> na svim mjestima)?"
)
_REPLACE = _compile(
    r"^(?P<cite>.*?)\s+(?:se )?mijenja(?:ju)?(?: se)? i (?:glas[ie]|sada glasi)\s*:? QQ"
)
_REWORD = _compile(
    r"^(?P<cite>[^QQ]*?)\s*(?P<pairs>QQ,? (?:se )?mijenja(?:ju)?(?: se)? i (?:glas[ie]|sada "
    r"glasi)\s*:? QQ)"
)
_CORRECT = _compile(
    r"^(?P<cite>[^QQ]*?)\s*\bumjesto (?P<pairs>QQ,? treba (?:stajati|pisati|glasiti|biti)\s*:? QQ)"
)
_INSERT = _compile(
    r"^(?P<lead>.*?)\b(?P<side>iza|poslije|nakon|ispred|prije) (?P<cite>(?!QQ)"
    r".*?) dodaj[eu] se (?:(?:nov[ia] |novi )?(?P<new>.*?)) koj[aei] glas[ei]\s*:? "
    r"QQ"
)
_APPEND = _compile(
    r"^(?P<cite>.*?)\s*(?:se )?dodaj[eu](?: se)? (?P<new>.*?) koj[aei] glas[ei]\s*:? QQ"
)
_RENUMBER = _compile(
    r"^(?:(?P<lead>u .*?),? )?dosadašnj[iae]\w* (?P<cite>.*?) postaj[eu] (?P<new>[^,]*?)"
)
_DELETE = _compile(r"^(?P<cite>.*?)\s+(?:se )?(?:briš[eu](?: se)?|prestaj[eu] važiti)")
_SO_THAT = _compile(
    r"^(?P<lead>[^QQ]*?) mijenja(?:ju)? se tako da (?:se )?(?:u )?(?P<cite>[^QQ]*?)\s*"
    r"(?P<pairs>QQ (?:se )?zamjenjuj[eu](?: se)?:? QQ)"
)
_CONTEXT = _compile(r"^(?P<cite>u .*?):")
_HEADING = re.compile(
    r"\b(?:u\s+)?(?:naslov\w*|nazivu?)\s+(?:iznad\s+|ispred\s+)?(?=član)|\bi\s+naslov\w"
    r"*\s+iznad\s+(?:njega|članka)\b",
    re.IGNORECASE,
)
_LOOKS = re.compile(
    rf"\bzamjenjuj[eu]\b|\bmijenja(?:ju)?\s+se\b|\bse\s+mijenja|\bbriš[eu]\b|"
    rf"\bdodaj[eu]\b|\bpostaj[eu]\b|\bprestaj[eu]\s+važiti\b|\bumeć[eu]\b|{Q}[^{Q}\n]*\btreba\b|"
    rf"{Q}[^{Q}\n]*\bglas[i"
    rf"e]\b",
    re.IGNORECASE,
)


_GRAMMAR = Grammar(
    citation=_CITATION,
    wordings=(
        (_SO_THAT, replace_words),
        (_REWORD, replace_words),
        (_CORRECT, replace_words),
        (_REPLACE, replace_provision),
        (_INSERT, insert_provision),
        (_APPEND, append_provision),
        (_INSERT_WORDS, insert_words),
        (_EDGE, insert_at_edge),
        (_REPLACE_WORDS, replace_words),
        (_DELETE_WORDS, delete_words),
        (_RENUMBER, renumber),
        (_DELETE, delete_provision),
        (_CONTEXT, set_context),
    ),
    looks=_LOOKS,
    ignored=re.compile(
        r"\bstupa(?:ju)?\s+na\s+snagu\b|\bobjavit\s+će\s+se\b|\bDanom\s+stupanja\b.*\bpres"
        r"taj\w*\s+važiti\s+(?:Zakon|Pravilnik|Uredba|Odluka)\b"
    ),
    noun=_NOUN,
    heading=_HEADING,
    opening=re.compile(r"\bu\s+uvodnoj\s+rečenici\b|\buvodn\w+\s+rečenic\w+\b", re.IGNORECASE),
    # Without its gazette, the name of an act ends where the quoted words are introduced.
    instrument=re.compile(
        rf"\b(?:U\s+)?(?P<act>(?:Zakon|Pravilnik|Uredb|Odluk|Statut|Naredb|Ustav)"
        rf"\w*(?P<about>\s+(?:o|za)\s+[^({Q}.]*?)?)"
        rf"(?:\s*\([^()]*{Q}[^()]*\)\s*,?|(?(about)\s+(?={_NOUN.pattern})|(?!)))",
    ),
    sentence_noun=re.compile(r"(?:(?:nova|druga|treća)\s+)?rečenica", re.IGNORECASE),
    before=frozenset({"ispred", "prije", "na početku"}),
)

CROATIAN = QuotedTradition(
    marks={"»": "«", "„": "”“", "“": "”"},
    drafting=Drafting(
        heading=re.compile(r"(?m)^[ \t]*(?:#+[ \t]*)?(?:\*\*)?Članak[ \t]+\d+\.(?:\*\*)?[ \t]*$"),
        enumerator=re.compile(
            r"[ \t]*(?:(?P<number>\d+)\.|[–-])[ \t]+(?=[a-zčćšđž„»])(?!\w+\s+\d{4})"
        ),
        sentence=re.compile(
            r"(?<=[.:«”])\s+(?=(?:U|Iza|Dosadašnj\w+|Poslije|Nakon|Ispred|Riječi?|Stav\w+\s+\d"
            r"|Točk\w+\s+\d|Član\w+\s+\d)\b)"
        ),
    ),
    article_line=re.compile(
        r"(?m)(?:^[ \t]*|(?<=[„»“]))Članak[ \t]+(?P<number>\d+\.?[ \t]?[a-z]?)\.?[ "
        r"\t]*(?P<heading>)(?=\n|$)"
    ),
    style=NumberingStyle(
        re.compile(r"(?:\((\d+[a-z]?)\)|(\d+[a-z]?)\.|([a-z])\))\s+"), "()", counts_unnumbered=True
    ),
    grammar=_GRAMMAR,
    flows=True,
    keeps_instrument=True,
)
