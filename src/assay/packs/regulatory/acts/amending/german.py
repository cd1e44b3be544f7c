"""Read German amending acts ("Änderungsgesetze")."""

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
    insert_provision,
    insert_words,
    renumber,
    replace_provision,
    replace_words,
    set_context,
)
from assay.packs.regulatory.acts.shapes import ProvisionKind

Q = QUOTE
_CITATION = CitingStyle(
    token=re.compile(
        r"(?:(?P<section>§§?)|(?P<article>\bArtikels?)|(?P<annex>\bAnlagen?)"
        r"|(?P<para>\bAbs(?:atz(?:es)?|ätzen?|\.))|(?P<sentence>\bS(?:atz(?:es)?|ätzen?))"
        r"|(?P<number_>\bNummern?|\bNr\.)|(?P<letter>\bBuchstaben?)"
        r"|(?P<double>\bDoppelbuchstaben?)|(?P<triple>\bDreifachbuchstaben?))\s*"
        r"(?P<numbers>(?:\d+[a-z]*|[a-z]{1,3})\b(?:(?:\s*,\s*|\s+(?:und|oder|bis|"
        r"sowie)\s+)(?:die\s+)?"
        r"(?:\d+[a-z]*|[a-z]{1,3}(?=[\s,:.]|$))(?!\s*(?:Abs|Satz|Nummer|Buchst)))*)"
    ),
    make={
        "section": lambda n: article(n, ProvisionKind.SECTION),
        "article": article,
        "annex": lambda n: article(n, ProvisionKind.ANNEX),
        "para": paragraph,
        "sentence": sentence,
        "number_": point,
        "letter": lambda n: point(n, 1),
        "double": lambda n: point(n, 2),
        "triple": lambda n: point(n, 3),
    },
    number=re.compile(
        r"(?<![\w])(?P<number>\d+[a-z]*|(?!(?:und|bis|die|der|das|des|dem|den|in|"
        r"im|zu|am|an)\b)[a-z]{1,3})(?!\w)"
    ),
    through=re.compile(r"\bbis\b"),
    filler=re.compile(
        r"\b(?:[Ii]n|[Dd]er|[Dd]ie|[Dd]as|[Dd]em|[Dd]en|[Dd]es|[Nn]eue[rn]?|und|sowie|[Ii]m)\b",
        re.I,
    ),
    of=re.compile(r"\b(?:des|der|zu|zum)\b"),
)
_NOUN = re.compile(
    r"(?:\b(?:die|der|das|den|dem|des|ein|eine)\s+)?\b(?:Wörtern?|Wort(?:e[ns]?|"
    r"s)?|Angaben?|Zahl(?:en|wort)?|"
    r"Betrags?|Betrag(?:es)|Beträgen?|Bezeichnung(?:en)?|Datum|Datumsangabe|Prozentsatz|Jahreszahl|"
    rf"Textstelle|Satzteil|Klammerzusatz|Wortlaut)\s+(?:von\s+)?(?={Q})|(?:\b(?:die|"
    rf"der|das|den|dem)\s+)(?={Q})",
    re.IGNORECASE,
)
_INSTRUMENT = re.compile(
    r"(?:\b(?:Das|Die|Der|des|der|dem|Dem)\s+|^)(?P<act>(?:\w+(?:te|ten)\s+Buch(?:es)?\s+)?"
    r"(?:[A-ZÄÖÜ][\w-]*-\s+und\s+)?[A-ZÄÖÜ][\w-]*"
    r"(?:(?:[Gg]esetz(?:es|buch(?:e?s)?)?|ordnung|buch(?:e?s)?|satzung)\b|"
    r"(?<=\bG)esetz(?:es)?\b(?=\s+(?:für|über|zum|zur)\b))(?:\s+\d{4})?"
    r"(?:\s+(?:für|über|zum|zur)(?:\s+[\w-]+){1,8}?(?=\s+(?:vom\s+\d|(?:wird|werden)\b)))?"
    r"(?:\s+[A-ZÄÖÜ]\w+(?=\s+vom\b))?(?:\s+–[^–]*–)?)"
    r"(?:\s+in\s+der\s+(?:im\s+Bundesgesetzblatt|Fassung)\b.*?|\s+vom\s+\d.*?|,.*?|)"
    r"(?=,?\s+(?:wird|werden)\b)"
)
_HEADING = re.compile(
    r"\b(?:[Ii]n\s+)?(?:[Dd]ie|[Dd]er)\s+(?:Überschrift|Bezeichnung)\b(?:\s+(?:des|der|zu|von)\b)?"
)
_OPENING = re.compile(
    r"\b(?:[Ii]n\s+)?(?:[Dd]em|[Dd]er|[Dd]as|[Ii]m)\s+(?:Satzteil|Wortlaut|Text)"
    r"\s+vor\s+(?:der\s+)?(?:Nummer|Buchstabe)\s+\w+\b|"
    r"\b(?:im|der)\s+(?:einleitenden|einleitende)\s+Satzteil\b",
    re.I,
)
_VERB = r"(?:wird|werden)"
_LOOKS = re.compile(
    r"\b(?:wird|werden|wird\s+wie|erhält|erhalten|entfällt|entfallen|tritt|treten)\b.*"
    r"(?:ersetzt|gefasst|gefaßt|eingefügt|angefügt|gestrichen|aufgehoben|geändert|vorangestellt|"
    rf"Fassung|bisherige|an\s+die\s+Stelle|entfäll)|\bAn\s+die\s+Stelle\b|\b[Bb]isherig"
    rf"e|{Q}[^{Q}\n]*\bersetzt\b"
)


def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace("WIRD", _VERB).replace("QQ", Q) + r"[.;:,]?$")


_REPLACE_WORDS = _compile(
    r"^(?P<cite>[^QQ]*?)\s*\bWIRD (?P<each>jeweils )?(?P<pairs>QQ (?:jeweils )?durch QQ"
    r"(?:(?:, | und | sowie | sowie WIRD | und WIRD )QQ (?:jeweils )?durch QQ)*) ersetzt(?: und)?"
)
_SWAP_WORDS = _compile(
    r"^(?:In (?P<cite>[^QQ]*?) )?(?P<pairs>QQ WIRD (?P<each>jeweils )?durch QQ ersetzt)"
)
_ADD_WORDS = _compile(
    r"^(?:In (?P<cite>[^QQ]*?) )?(?P<side>[Nn]ach|[Vv]or) QQ WIRD (?P<each>jeweils )?"
    r"(?P<comma>ein Komma und )?QQ (?:eingefügt|angefügt)"
)
_DROP_WORDS = _compile(
    r"^(?:In (?P<cite>[^QQ]*?) )?(?P<list>QQ(?:(?:, | und | sowie )QQ)*) WIRD "
    r"(?P<each>jeweils )?gestrichen"
)
_DELETE_WORDS = _compile(
    r"^(?P<cite>[^QQ]*?)\s*\bWIRD (?P<each>jeweils )?(?P<list>QQ(?:(?:, | und "
    r"| sowie )QQ)*) gestrichen"
)
_INSERT_WORDS = _compile(
    r"^(?P<cite>[^QQ]*?)\s*\bWIRD (?P<each>jeweils )?(?P<side>nach|hinter|vor)"
    r" QQ (?P<each2>jeweils )?"
    r"(?P<comma>ein Komma und )?QQ (?:eingefügt|angefügt)"
)
_REPLACE = _compile(
    r"^(?P<cite>[^QQ]*?)\s*\b(?:WIRD (?:jeweils )?wie folgt (?:neu )?gefa(?:ss|ß)"
    r"t|(?:erhält|erhalten) folgende Fassung):? QQ"
)
_REPLACE_SENTENCE = _compile(
    r"^(?P<cite>[^QQ]*?\bSatz \d+) WIRD durch (?:den |die )?folgenden? (?:Satz|Sätze) ersetzt:? QQ"
)
_INSERT = _compile(
    r"^(?P<side>Nach|Vor) (?P<cite>[^QQ]*?) WIRD (?:der |die |das )?folgende[rsnm]? "
    r"(?P<new>.*?) eingefügt:? QQ"
)
_APPEND = _compile(
    r"^(?:(?:Dem |Der |Den )?(?P<cite>[^QQ]*?) WIRD (?:der |die )?[Ff]olgende[rsnm]? "
    r"(?P<new>.*?)|(?:Es WIRD )?(?:Die |Der |Das )?[Ff]olgende[rsnm]? (?P<new2>.*?)(?: WIRD)?) "
    r"angefügt:? QQ"
)
_DELETE = _compile(
    r"^(?P<cite>[^QQ]*?)\s*\b(?:WIRD (?:jeweils )?(?:ersatzlos )?(?:aufgehoben|gestrichen)"
    r"|entfällt|entfallen)"
)
_RENUMBER = _compile(
    r"^(?:Der |Die |Das )?[Bb]isherigen? (?P<cite>[^QQ]*?) WIRD (?:der |die |das "
    r"|zu |zum )?(?P<new>(?:§|Abs|Satz|Sätze|Nummer|Buchst|Artikel|Doppelb)[^,]*?)"
    r"(?P<more> und(?: WIRD)? wie folgt (?:geändert|gefasst:? QQ))?"
)
_CONTEXT = _compile(r"^(?P<cite>[^QQ]*?)\s*\bWIRD wie folgt geändert")
_IN = _compile(r"^In (?P<cite>[^QQ]*?):")


_GRAMMAR = Grammar(
    citation=_CITATION,
    wordings=(
        (_REPLACE_WORDS, replace_words),
        (_SWAP_WORDS, replace_words),
        (_ADD_WORDS, insert_words),
        (_DROP_WORDS, delete_words),
        (_DELETE_WORDS, delete_words),
        (_INSERT_WORDS, insert_words),
        (_REPLACE, replace_provision),
        (_REPLACE_SENTENCE, replace_provision),
        (_INSERT, insert_provision),
        (_APPEND, append_provision),
        (_RENUMBER, renumber),
        (_DELETE, delete_provision),
        (_CONTEXT, set_context),
        (_IN, set_context),
    ),
    looks=_LOOKS,
    ignored=re.compile(r"\btritt\b.*\bin\s+Kraft\b|\baußer\s+Kraft\b"),
    noun=_NOUN,
    heading=_HEADING,
    opening=_OPENING,
    instrument=_INSTRUMENT,
    sentence_noun=re.compile(r"(?:neue[rn]? )?(?:Satz|Sätze)(?: \d+)?"),
    before=frozenset({"vor"}),
    joint=re.compile(r" und (?=(?:wird|werden) )"),
)

GERMAN = QuotedTradition(
    marks={"„": "“", "»": "«"},
    drafting=Drafting(
        heading=re.compile(
            r"(?m)^[ \t]*Artikel[ \t]+\d+[a-z]?"
            r"(?:[ \t]+(?:(?!wird|werden|tritt)\S+(?:[ \t]+|$)){1,20})?$"
        ),
        enumerator=re.compile(
            r"[ \t]*(?P<number>\d+[a-z]?(?=\.)|[a-z]{1,3}(?=\)))[.)](?:[ \t]+|$)"
        ),
        sentence=re.compile(
            r"(?<=[a-z“«]\.)\s+(?=(?:In|Nach|Dem|Der|Die|Das|Folgende|Vor|Es|§)\b)"
        ),
    ),
    article_line=re.compile(
        r"(?m)(?:^[ \t]*|(?<=[„»]))§[ \t]*(?P<number>\d+[a-z]*)[ \t]*\n?(?P<heading>(?![ "
        r"\t]*\()[^\n]{0,160}?)[ \t]*(?=\n|$)"
    ),
    style=NumberingStyle(
        re.compile(r"(?:\((\d+[a-z]*)\)|(\d+[a-z]*)\.|([a-z]{1,3})\))\s+"),
        "()",
        counts_unnumbered=True,
    ),
    grammar=_GRAMMAR,
)
