"""The words that show what a figure means, in Croatian, English and German."""

import re
from collections.abc import Mapping


def compile_cue(pattern: str) -> re.Pattern[str]:
    """Compile a pattern of whole words; a blank in it stands for one to three."""
    return re.compile(
        rf"(?<!\w)(?:{pattern.strip()})(?!\w)".replace("\n", "").replace(" ", r"\s{1,3}"),
        re.IGNORECASE,
    )


INTEREST = compile_cue(
    r"(?:zatezn\w{1,3} )?(?<!\sna\s)(?<!osnovi\s)(?<!iz\s)kamat\w{1,4}|(?:default "
    r"|late[- ]payment )?interest(?: rates?)?"
    r"(?= at| of| on| shall| is| rate| per| a year| for| equal|\s*,| accru| due| charged)"
    r"|bears? interest|rate of interest|interest (?:is|shall be) (?:charged|payable|levied)"
    r"|\w{0,16}zins(?:en|es|satz|sätze|sätzen|e)?"
)
PENALTY = compile_cue(
    r"(?:novčan\w{1,3} )?kazn\w{1,3}|kaznit će|kažnj(?:ava|en)\w{0,3}|globa|globe|globom|globu"
    r"|prijet(?:i|nj\w{1,2})|upravn\w{1,2} mjer\w{1,2}|geahndet|verwarnt|\w{0,4}bußgeldrahmen"
    r"|ordnungswidrigkeiten"
    r"|(?:civil |administrative |criminal |monetary |fixed |daily )*(?:penalty|penalties)"
    r"|fines?(?![- ](?:cut|art|grain))|fined|forfeit\w{0,4}"
    r"|\w{0,12}bu(?:ß|ss)en?|\w{0,10}(?:bu(?:ß|ss)|ordnungs|zwangs|verwarnungs|straf)geld\w{0,3}"
    r"|\w{0,12}strafen?|bestraft"
)
REDUCTION = compile_cue(
    r"(?:umanj|smanj)\w{2,6}(?: se)?(?: [\w,]{1,20}){0,7} za|umanjuj\w{1,2}|umanjenje\w{0,2} od"
    r"|niž\w{1,2} za|popust\w{0,3}|priznat\w{0,2} izdat\w{1,4}"
    r"|priznaj\w{1,2}(?: se)?(?: \w{1,14}){0,3} izda[ct]\w{1,3}"
    r"|izda[ct]\w{1,3}(?: se)? priznaj\w{1,2}|priznaj\w{1,2} se kao(?: \w{1,12})? izda\w{1,4}"
    r"|(?:tax )?credit of|discount|rabatt\w{0,2}|skonto|relief (?:is worth|of|at)"
    r"|cut by|knock off|(?:is|are|be|shall be)(?: \w{1,14}){0,2} reduced(?: \w{1,14}){0,6} by"
    r"|reduction of"
    r"|reduces? \w{1,12} by|rebate of|goes down by|(?:falls|decreases?|decreased|lowered)"
    r"(?: \w{1,12}){0,3} by|deduct(?:ed|ion|s)?(?: \w{1,14}){0,3} of|, reduced by"
    r"|(?:ermäßigt|vermindert|verringert|mindert|reduziert|senkt|kürzt)"
    r"(?: \w{1,20}){0,2} sich(?: [\w.,]{1,20}){0,8} um"
    r"|(?:ermäßig|verminder|verringer|minder|reduzier|senk"
    r"|kürz)\w{1,3} sich(?: [\w.,]{1,20}){0,8} um"
    r"|(?:ermäßigung|minderung|abschlag|nachlass|kürzung)(?: \w{1,20}){0,4} (?:von|um)"
    r"|wird(?: [\w.,]{1,20}){0,5} um(?= \d[\d.,  ]{0,12}(?:[^\W\d]\w{0,9}|%|€)?"
    r"(?: [\w.]{1,20}){0,4} (?:ermäßigt|vermindert|verringert|gemindert|reduziert|gekürzt|gesenkt))"
    r"|um(?= \d[\d.,  ]{0,12}(?:Prozent|v\. ?H\.|%) (?:ermäßigt|vermindert|reduziert)\w{1,2})"
)
SURCHARGE = compile_cue(
    r"dodatn\w{1,3} (?:stop|doprinos|porez|pristojb)\w{0,4}"
    r"|(?:uveća|poveća)\w{1,5}(?: se)?(?: \w{1,16}){0,4} za|prirez\w{0,2}"
    r"|aufschl[aä]g\w{0,3}|dodatak (?:od|u)|surcharges?|increased(?: \w{1,14}){0,4} by"
    r"|additional (?:tax|duty)"
    r"|pay an additional|premium (?:of|is)|(?:we|will|shall) add"
    r"|supplement of|(?:late )?loading of"
    r"|\w{0,18}zuschl[aä]g\w{0,3}|(?:erhöht|erhöhen) sich(?: [\w.,]{1,20}){0,8} um|aufgeld\w{0,2}"
)
REDUCED = compile_cue(
    r"(?:snižen|povlašten|međustop)\w{1,3}(?! za| od)(?: porezn\w{1,3}| pdv)?(?: stop\w{1,4})?"
    r"|niž\w{1,3}(?: porezn\w{1,3}| pdv)? stop\w{1,4}"
    r"|(?:super[- ])?(?:reduced|lower|preferential)(?: \w{1,14}){0,2} rates?|reduced"
    r"|(?:ermäßigt\w{0,2}|(?:reduziert|vermindert)\w{1,2})(?: \w{0,20}s[aä]tz\w{0,3})?"
)
RATE = compile_cue(
    r"(?:opć\w{1,3} |porezn\w{1,3} |jedinstven\w{1,3} )*stop\w{1,4}|(?:tax |standard "
    r"|basic )?rates?"
    r"|\w{0,20}s[aä]tz(?:es|e|en)?|oporezuje se|obračunava se(?: \w{1,20}){0,3} po"
    r"|(?:taxed|levied|charged|imposed|calculated|charge) at|besteuert|\w{0,16}(?:mess"
    r"|hebe)\w{0,6}zahl"
    r"|(?:tax|duty|levy|contribution|vat) (?:of|at)|charge percentage"
    r"|oporezuju se(?: po)?|(?:porez\w{0,3}|doprinos\w{0,3}) od"
    r"|\w{0,20}(?:steuer|abgabe|beitrag|beitrags) (?:von|in höhe von)"
)
BASE = compile_cue(
    r"(?:porezn\w{1,3} )?osnovic\w{1,4}"
    r"|(?:tax|taxable|assessment|contribution|on a|monthly|minimum|maximum) bas(?:e|is)"
    r"|\w{0,16}bemessungsgrundlage\w?|\w{0,10}bemessungsgrenze\w?|\w{0,10}beitragsgrundlage\w?"
)
ALLOWANCE = compile_cue(
    r"(?:osnovn\w{1,3} |osobn\w{1,3} )+odbi(?:tak|tk\w{1,3})|neoporeziv\w{1,3} (?:iznos|dio)\w{0,2}"
    r"|porezn\w{1,3} olakšic\w{1,4}|(?:\w{1,12} )?allowances?|tax-free amount"
    r"|standard deduction|(?:can|may) deduct"
    r"|personal (?:deduction|exemption)|(?:annual )?exempt(?:ion)? amount|nil[- ]rate band"
    r"|\w{0,16}(?:freibetr[aä]g|pauschbetr[aä]g|absetzbetr[aä]g)\w{0,3}|freibetrag"
    r"|steuerfrei bleib(?:t|en)|bleib(?:t|en) steuerfrei"
)
LEVY = compile_cue(
    r"doprinos\w{0,3}|porez\w{0,3}|trošarin\w{1,4}|prirez\w{0,2}|pristojb\w{1,3}|naknad\w{1,3}"
    r"|tax(?:es)?|dut(?:y|ies)|lev(?:y|ies)|excise|vat|contributions?|royalt(?:y|ies)"
    r"|\w{0,20}steuern?|\w{0,20}abgaben?|\w{0,20}umlagen?|\w{0,16}taxen?"
    r"|\w{0,20}beitr[aä]g\w{0,3}|pillars?|withheld|withholding"
)
FEE = compile_cue(
    r"(?:upravn\w{1,3} |sudsk\w{1,3} )?pristojb\w{1,4}|takse?"
    r"|naknad\w{1,4}(?! plaće| štete| troškova| za rad| za vrijeme"
    r"| (?:za|zbog) (?:bolovanj|nezaposlen|porod|rod))"
    r"|naplaćuje(?: se)?|članarin\w{1,3}|trošk(?:ovi|ove|ova|ovima)|trošak"
    r"|accompanied by|(?:\w{1,14} )?fees?|charges?(?! at)|costs? of"
    r"|\w{0,24}gebühr(?:en)?|(?!\w{0,8}(?:arbeits|versicherungs|leistungs)entgelt)\w{0,12}entgelt\w{0,3}|\w{0,12}kostenersatz\w{0,2}"
    r"|\w{0,10}pauschalgebühr"
    r"|eingabengebühr|verwaltungskosten"
)
AMOUNT = compile_cue(
    r"iznos(?:a|u|om|ima)?|predujam|predujm\w{1,3}|akontacij\w{1,3}|paušal\w{0,5}|obrok\w{0,2}"
    r"|amounts?|advances?|instal+ments?|lump sums?|sum of|\w{0,12}beträge?n?|betrag\w{0,3}"
    r"|\w{0,12}betrags?|vorauszahlung\w{0,2}|pauschale\w?|abschlagszahlung\w{0,2}|plaća se|plaćaju"
    r"|plaća|payments? of|shall pay|must pay|pays|payable|to pay|levied|zahlt|zahlen"
    r"|entrichtet|erhoben|cijena"
    r"|price|doprinos\w{0,3}|porez\w{0,3}|tax|levy|duty|\w{0,20}steuer|\w{0,20}abgabe|taxe|kurtaxe"
    r"|trošarin\w{1,4}|contribution|\w{0,20}beitr[aä]ge?n?|dues|subvencij\w{1,3}|potpor\w{1,3}"
    r"|grant|beihilfe"
)
LIMITS: Mapping[str, re.Pattern[str]] = {
    # Each matches at the end of the words before a figure. The first that fits decides.
    name: re.compile(
        rf"(?<!\w)(?:{pattern})(?:\s{{1,3}}(?:od|iznos(?:a|u)?(?:\sod)?|ukupno|the\s(?:amount"
        rf"|sum)\sof"
        r"|visine|iznosa\sod||an\samount\sof|a\stotal\sof|the\sequivalent\sof|von"
        r"|den\sbetrag\svon|insgesamt|prag(?:\sod)?"
        r"|the\sthreshold\sof|a\sthreshold\sof|total|at\sany\s(?:one\s)?time))?\s{0,3}(?:\()?$".replace(
            " ", r"\s{1,3}"
        ),
        re.IGNORECASE,
    )
    for name, pattern in {
        "lte": r"ne (?:prelaz\w{1,3}|premašuj\w)(?: viš\w{1,2} od)?|nij?e? prešl[aoi]"
        r"|najviše(?: do)?|do najviše|do"
        r"|n(?:ot|o|or) more than|(?:does|do|did|shall|may|must|will|can)(?: not|not) exceed"
        r"|not exceeding|subject to a maximum(?: of)?|(?:to|at) a maximum(?: of)?"
        r"|the (?:first|next)|na prvih|limited to|capped at|ograničen\w? na|begrenzt auf"
        r"|not to exceed|not in excess of|up to"
        r"|at most|maximum(?: of)?|bis zu|bis|höchstens"
        r"|(?:ali|a|no) ne(?: i)?|but not|aber nicht"
        r"|nicht mehr als|maximal|not(?: be)? greater than|ne viš\w{1,2} od|ne već\w{1,2} od",
        "gte": r"najmanje|barem|ne (?:može biti |smije biti )?(?:manj|niž)\w{1,3} od|at least"
        r"|not(?: be)? (?:less|lower|smaller) than|no (?:less|lower) than"
        r"|nicht (?:geringer|niedriger) als|nicht unter"
        r"|not fewer than"
        r"|minimum(?: of)?|mindestens|wenigstens|nicht weniger als|ab|od najmanje",
        "gt": r"(?:prelaz\w{1,3}|prešl[aoie]|prijeđ\w{1,2}|premaš\w{1,5}|nadmaš\w{1,4}|prelaskom)"
        r"|(?:već|viš)\w{1,2} od|iznad|preko|exceed(?:s|ed|ing)?|more than|greater than|over"
        r"|above|tops?|goes over|turned over more than"
        r"|in excess of|higher than|mehr als|über|höher als|von über|oberhalb von"
        r"|vrednij\w{1,2} od",
        "lt": r"(?:manj|niž)\w{1,3} od|ispod|less than|below|under|fewer than|lower than"
        r"|smaller than"
        r"|weniger als|unter|geringer als|niedriger als|unterhalb von|ne dose[gž]\w{1,3}|nicht",
    }.items()
}
# `bis zu einer jährlichen Bemessungsgrundlage von`, `do ukupnog iznosa od`.
FAR_LIMITS: Mapping[str, re.Pattern[str]] = {
    name: re.compile(
        rf"(?<!\w)(?:{words})(?:\s[^\W\d_][\w-]{{0,28}}){{1,4}}\s(?:von|of|od)"
        r"(?:\s(?:insgesamt|ukupno|altogether|zusammen))?\s{0,3}$",
        re.IGNORECASE,
    )
    for name, words in {
        "lte": r"bis\szu|bis|up\sto|do|najviše",
        "gte": r"ab\seine[mr]",
        "gt": r"über|iznad|above|preko|mehr\sals",
        "lt": r"unter|ispod|below",
    }.items()
}
LIMIT_AFTER = re.compile(
    r"\s{0,3}(?:(?:im|pro|je|jährlich|monatlich|kalenderjahr|jahr|vorjahr|monat)\s{0,3}){0,3}"
    r"(?P<no>nicht\s{1,3})?(?:übersteig\w{0,3}|überstieg\w{0,2}|überschreite\w?|überschritten)"
    r"|\s{0,3}(?P<under>nicht\s{1,3}erreich\w{1,2}|unterschreite\w?)"
    r"|\s{0,3}(?P<reached>erreich(?:t|en))"
    r"|\s{0,3}(?P<more>ili više|i već\w|i viš\w|or more|(?:oder|und) mehr|oder darüber"
    r"|and above|and over)"
    r"|\s{0,3}(?P<less>ili manje|or less|(?:oder|und) weniger|oder darunter)",
    re.IGNORECASE,
)
INVERTED = re.compile(
    r"(?:^|[.;,]\s)(?:übersteig|überschreit|prelaz)\w{1,3}\s[^.;]{0,100}?(?P<no>\snicht)?\s{0,3}$",
    re.IGNORECASE,
)
"""`Übersteigen die Einnahmen nicht …`: a condition that begins with its verb."""
STRICT = re.compile(
    r"(?<!\w)(?:najmanje|najviše|barem|ne\s(?:više|manje)\sod|nicht\s(?:mehr|weniger)\sals"
    r"|never\s(?:less|more)\sthan|at\sleast|at\smost"
    r"|not?\s(?:more|less)\sthan"
    r"|not\sexceeding|not\sbe\s(?:less|more|lower|higher)\sthan|(?:minimum|maximum)(?:\sof)?"
    r"|not\sto\sexceed|mindestens|höchstens"
    r"|maximal|wenigstens)(?:\s(?:aber|jedoch|however|pak|ali|od|um|by))?\s{0,3}$",
    re.IGNORECASE,
)
"""Words that set the minimum or maximum of what is due, or a limit of something else."""
PAID = compile_cue(
    r"plaća\w{0,4}|uplaćuj\w{1,2}|zaračunava\w{0,3}|duguj\w{1,2}|sudjeluj\w{1,2}"
    r"|izdvaja\w{0,2}|pripada\w{0,2}"
    r"|odvaja\w{0,2}|snosi|prilaže|pribraja|tereti|jest|pays?|payable|owes?|asks?|must pay"
    r"|berechne[nt]|verrechne[nt]|fallen|fällt|anzusetzen|angesetzt|festgesetzt|verlangt"
    r"|kassiert|erhebt"
    r"|zu tragen|schulde[nt]|vorgesehen|zahl(?:t|en)|entrichte[nt]|anfallen|kostet|kosten"
    r"|stoji|zu leisten"
    r"|zu entrichten|zu zahlen|costs?"
)
"""Verbs of paying, whatever is paid."""
LESS = re.compile(
    r"\s{0,3}(?:less|off|back|cheaper|manje|niže|popusta|weniger|günstiger|rabatt|nachlass"
    r"|(?:zu\s)?erlassen"
    r"|ermäßigung)(?!\w)(?!\s(?:than|od|als|the|any|an?|such)(?!\w))",
    re.IGNORECASE,
)
"""What follows a figure by which something is lower."""
MORE = re.compile(
    r"\s{0,3}(?:(?:per|a)\s\w{3,8}\s)?(?:extra|on\stop|(?:is|are|will\sbe|shall\sbe)\sadded"
    r"|više|mehr|skuplje|teurer"
    r"|zusätzlich|hinzu)(?!\w)(?!\s(?:than|od|als))",
    re.IGNORECASE,
)
EXTRA = re.compile(
    r"(?<!\w)(?:an\s(?:extra|additional)|a\sfurther|(?:we|will|shall)\sadd|dodatnih|još|zusätzlich"
    r"|weitere|aufschlag\svon|aufpreis\svon)\s{1,3}$",
    re.IGNORECASE,
)
DUE_VERB = compile_cue(
    r"iznos[ei]|je|su|plaća\w{0,2}|plati\w{0,3}|uplaćuj\w{1,2}|naplaćuj\w{1,2}|obračunava\w{0,2}"
    r"|utvrđuj\w{1,2}|određuj\w{1,2}|propisuj\w{1,2}|zaračunava\w{0,2}|primjenjuj\w{1,2}"
    r"|is|are|shall be|be|amounts? to|pays?|paid|payable|charged?|levied|imposed|applies|apply"
    r"|set at|attracts?|bears?|carries|owes?|leads? to|rises? to"
    r"|climbs? to|falls? to"
    r"|fixed at|costs?|equals?|equal to|comes? to"
    r"|beträgt|betragen|zahl\w{1,3}|zu zahlen|entricht\w{1,3}|erhoben|berechnet|erhebt|festgesetzt"
    r"|kostet|kosten|beläuft|belaufen|macht|schuldet|festgelegt|gilt|gelten|fällt|fallen|liegt"
    r"|steigt|sinkt|erhöht|raste|povećava\w{0,2}|smanjuj\w{1,2}"
)
"""Verbs that link a levy to its amount."""
THRESHOLD = compile_cue(
    r"maksimum\w{0,2}|höchstgrenze|prag\w{0,3}|pragov\w{1,3}|cenzus\w{0,2}|thresholds?"
    r"|\w{0,20}schwelle\w{0,2}|\w{0,20}schwellenwert\w{0,2}|(?:registration |turnover "
    r"|income )?limits?|limitation of"
    r"|granic\w{1,3}|\w{0,20}grenzen?|freigrenze|\w{0,16}höchstbetr[aä]g\w{0,3}"
)
TURNOVER = compile_cue(
    r"isporuk\w{0,3}|isporuka|promet\w{0,2}|supplies|turnover|sales|umsätze?n?"
    r"|\w{0,16}umsatz\w{0,8}"
)
INCOME = compile_cue(
    r"primi(?:ci|tak|tk\w{1,3}|cima|tci\w{0,2})|primitaka|prihod\w{0,3}|dohod\w{0,3}|receipts"
    r"|income|incomes|profits?|zarad\w{1,2}|dobit\w{0,2}|najamnin\w{1,2}|zakupnin\w{1,2}"
    r"|mirovin\w{1,2}"
    r"|revenues?|earnings|wages|\w{0,12}einnahmen|\w{0,12}einkünfte\w?|\w{0,10}einkommen\w?"
    r"|gewinn\w{0,3}"
    r"|arbeitslohn|\w{0,8}erträge?n?"
)
OF_AMOUNT = compile_cue(
    r"osnovic\w{1,3}|vrijednost\w{0,2}|iznos\w{0,2}|base|value|amounts?|assets|consideration"
    r"|estate|kapital\w{0,2}|capital|\w{0,8}kapital"
    r"|\w{0,12}betr[aä]g\w{0,2}|račun\w{0,2}|aktiv\w{1,2}|invoice|bilanzsumme|bargeld\w{0,10}"
    r"|\w{0,16}grundlage|\w{0,12}werte?\w{0,2}|cijen\w{1,2}|price|plaće?|salary|kaufpreis\w{0,2}"
)

DUTY = compile_cue(
    r"dužn[aiou]?|dužan|obvez\w{1,4}|mora|moraju|plaća\w{0,2}|podnosi|podnose|iznosi|iznose"
    r"|primjenjuj\w{1,2}"
    r"|kaznit|kažnjava\w{0,2}|oslobo[đd]en\w?|čuva\w{0,2}|stupa\w{0,2}|prestaj\w{1,2}|obračunava"
    r"|ne smije"
    r"|dostavlja\w{0,2}|vodi|ima pravo|može se|priznaje|umanjuje|određuje se|utvrđuje se"
    r"|zamjenjuj\w{1,2}"
    r"|isplaćuje|podmiruje|vrijedi|razdoblje je|zaprima\w{0,2}|obrađuju|stopa|kamata|rok"
    r"|shall|must|may not|is required|are required|is liable|is exempt|are exempt|is subject"
    r"|applies|apply"
    r"|is replaced|are replaced|is payable|is due|rates?|within|bear interest|threshold|allowance"
    r"|fines?|penalt(?:y|ies)|fees?|exempt|deadline|come into force"
    r"|muss|müssen|ist|sind|hat|haben|beträgt|betragen|gilt|gelten|wird|werden|tritt|treten|darf"
    r"|dürfen|kann"
    r"|fallen"
)
SHARES = (
    ("interest_rate", INTEREST),
    ("penalty", PENALTY),
    ("surcharge", SURCHARGE),
    ("reduced_rate", REDUCED),
    ("rate", RATE),
)
"""What a percentage may be; the first that is named counts."""
