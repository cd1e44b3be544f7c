"""The words that tell what a figure means, in Croatian, English and German."""

import re
from collections.abc import Mapping


def cue(pattern: str) -> re.Pattern[str]:
    """A pattern of whole words; a blank in it stands for one to three."""
    return re.compile(
        rf"(?<!\w)(?:{pattern.strip()})(?!\w)".replace("\n", "").replace(" ", r"\s{1,3}"),
        re.IGNORECASE,
    )


INTEREST = cue(
    r"(?:zatezn\w{1,3} )?(?<!na\s)(?<!osnovi\s)(?<!iz\s)kamat\w{1,4}|(?:default "
    r"|late[- ]payment )?interest(?: rates?)?"
    r"(?= at| of| on| shall| is| rate| per| a year|\s*,| accru| due)|bears? interest"
    r"|rate of interest"
    r"|\w{0,16}zins(?:en|es|satz|sätze|sätzen)?"
)
PENALTY = cue(
    r"(?:novčan\w{1,3} )?kazn\w{1,3}|kaznit će|kažnjava\w{0,3}|globa|globe|globom"
    r"|(?:civil |administrative |criminal |monetary )?(?:penalty|penalties)|fines?|fined"
    r"|geldbuße\w{0,2}|bußgeld\w{0,3}|geldstrafe\w?|ordnungsgeld\w{0,2}|zwangsgeld\w{0,2}"
)
REDUCTION = cue(
    r"(?:umanj|smanj)\w{2,6}(?: se)?(?: \w{1,20}){0,3} za|umanjuj\w{1,2}|umanjenje\w{0,2} od"
    r"|popust\w{0,3}"
    r"|(?:tax )?credit of|discount|rabatt\w{0,2}"
    r"|(?:is|are|be|shall be) reduced(?: \w{1,14}){0,3} by|reduction of|reduces? \w{1,12} by"
    r"|rebate of"
    r"|(?:ermäßigt|vermindert|verringert|mindert"
    r"|reduziert)(?: \w{1,20}){0,2} sich(?: \w{1,20}){0,3} um"
    r"|(?:ermäßigung|minderung|abschlag|nachlass) von|wird um"
)
SURCHARGE = cue(
    r"dodatn\w{1,3} stop\w{1,4}|uveća\w{1,3}(?: se)? za|poveća\w{1,3}(?: se)? za|prirez\w{0,2}"
    r"|surcharges?|increased by|additional (?:rate|tax|duty)|supplement of"
    r"|\w{0,12}zuschl[aä]g\w{0,3}|erhöht sich um"
)
REDUCED = cue(
    r"(?:snižen|niž|povlašten|međustop)\w{1,3}(?: porezn\w{1,3}| pdv)?(?: stop\w{1,4})?"
    r"|(?:super[- ])?(?:reduced|lower|preferential)(?: \w{1,14}){0,2} rates?|reduced"
    r"|ermäßigt\w{0,2}(?: \w{0,20}s[aä]tz\w{0,3})?"
)
RATE = cue(
    r"(?:opć\w{1,3} |porezn\w{1,3} |jedinstven\w{1,3} )*stop\w{1,4}|(?:tax |standard "
    r"|basic )?rates?"
    r"|\w{0,20}s[aä]tz(?:es|e|en)?|oporezuje se|obračunava se(?: \w{1,20}){0,3} po"
    r"|taxed at|levied at|charged at|besteuert|(?:tax|duty|levy|contribution) of"
    r"|oporezuju se(?: po)?"
)
BASE = cue(
    r"(?:porezn\w{1,3} )?osnovic\w{1,4}|(?:tax|taxable|assessment|contribution) bas(?:e|is)"
    r"|\w{0,16}bemessungsgrundlage\w?"
)
ALLOWANCE = cue(
    r"(?:osnovn\w{1,3} |osobn\w{1,3} )+odbi(?:tak|tk\w{1,3})|neoporeziv\w{1,3} (?:iznos|dio)\w{0,2}"
    r"|porezn\w{1,3} olakšic\w{1,4}|(?:\w{1,12} )?allowances?|tax-free amount|standard deduction"
    r"|personal deduction|\w{0,16}freibetr[aä]g\w{0,3}"
)
LEVY = cue(
    r"doprinos\w{0,3}|porez\w{0,3}|trošarin\w{1,4}|tax|duty|levy|contributions?|\w{0,20}steuer"
    r"|\w{0,20}abgabe"
    r"|\w{0,20}beitr[aä]g\w{0,3}|pillars?|withheld"
)
FEE = cue(
    r"(?:upravn\w{1,3} |sudsk\w{1,3} )?pristojb\w{1,4}|naknad\w{1,4}|takse?|(?:\w{1,14} )?fees?"
    r"|charges?|costs?|stoji|kostet|\w{0,20}gebühr(?:en)?|entgelt\w{0,3}"
)
AMOUNT = cue(
    r"iznos(?:a|u|om|ima)?|predujam|predujm\w{1,3}|akontacij\w{1,3}|paušal\w{0,5}|obrok\w{0,2}"
    r"|amounts?|advances?|instal+ments?|lump sums?|sum of|\w{0,12}beträge?n?|betrag\w{0,3}"
    r"|\w{0,12}betrags?|vorauszahlung\w{0,2}|pauschale\w?|abschlagszahlung\w{0,2}|plaća se|plaćaju"
    r"|plaća|shall pay|must pay|pays|payable|to pay|levied|zahlt|zahlen|entrichtet|erhoben|cijena"
    r"|price|doprinos\w{0,3}|porez\w{0,3}|tax|levy|duty|\w{0,20}steuer|\w{0,20}abgabe|taxe|kurtaxe"
    r"|trošarin\w{1,4}|contribution|subvencij\w{1,3}|potpor\w{1,3}|grant|beihilfe"
)
LIMITS: Mapping[str, re.Pattern[str]] = {
    # Each at the end of what stands before a figure. The first that fits tells.
    name: re.compile(
        rf"(?<!\w)(?:{pattern})(?:\s{{1,3}}(?:od|iznos(?:a|u)?(?:\sod)?|ukupno|the\s(?:amount"
        rf"|sum)\sof"
        r"|visine|iznosa\sod||an\samount\sof|a\stotal\sof|the\sequivalent\sof|von"
        r"|den\sbetrag\svon|insgesamt|prag(?:\sod)?"
        r"|the\sthreshold\sof|a\sthreshold\sof|total))?\s{0,3}(?:\()?$".replace(" ", r"\s{1,3}"),
        re.IGNORECASE,
    )
    for name, pattern in {
        "lte": r"ne prelaz\w{1,3}|nij?e? prešl[aoi]|ne premašuj\w|najviše(?: do)?|do najviše|do"
        r"|n(?:ot|o|or) more than|(?:does|do|did|shall|may|must|will|can)(?: not|not) exceed"
        r"|not exceeding"
        r"|limited to|capped at|ograničen\w? na|begrenzt auf|not to exceed|not in excess of|up to"
        r"|at most|maximum(?: of)?|bis zu|bis|höchstens"
        r"|nicht mehr als|maximal|not(?: be)? greater than|ne viš\w{1,2} od|ne već\w{1,2} od",
        "gte": r"najmanje|barem|ne manj\w{1,3} od|at least|not less than|no less than"
        r"|not fewer than"
        r"|minimum(?: of)?|mindestens|wenigstens|nicht weniger als|ab|od najmanje",
        "gt": r"(?:prelaz\w{1,3}|prešl[aoie]|prijeđ\w{1,2}|premaš\w{1,5}|nadmaš\w{1,4}|prelaskom)"
        r"|(?:već|viš)\w{1,2} od|iznad|preko|exceed(?:s|ed|ing)?|more than|greater than|over|above"
        r"|in excess of|higher than|mehr als|über|höher als|von über",
        "lt": r"(?:manj|niž)\w{1,3} od|ispod|less than|below|under|fewer than|lower than"
        r"|smaller than"
        r"|weniger als|unter|geringer als|niedriger als|nicht",
    }.items()
}
# `bis zu einer jährlichen Bemessungsgrundlage von`, `do ukupnog iznosa od`.
FAR_LIMITS: Mapping[str, re.Pattern[str]] = {
    name: re.compile(
        rf"(?<!\w)(?:{words})(?:\s[^\W\d_]{{2,28}}){{1,4}}\s(?:von|of|od)\s{{0,3}}$", re.IGNORECASE
    )
    for name, words in {
        "lte": r"bis\szu|bis|up\sto|do|najviše",
        "gt": r"über|iznad|above|preko|mehr\sals",
        "lt": r"unter|ispod|below",
    }.items()
}
LIMIT_AFTER = re.compile(
    r"\s{0,3}(?:(?:im|pro|je|jährlich|monatlich|kalenderjahr|jahr|vorjahr|monat)\s{0,3}){0,3}"
    r"(?P<no>nicht\s{1,3})?(?:übersteig\w{0,3}|überstieg\w{0,2}|überschreite\w?|überschritten)"
    r"|\s{0,3}(?P<more>ili više|i već\w|i viš\w|or more|oder mehr|and above|and over)"
    r"|\s{0,3}(?P<less>ili manje|or less)",
    re.IGNORECASE,
)
THRESHOLD = cue(
    r"maksimum\w{0,2}|höchstgrenze|prag\w{0,3}|pragov\w{1,3}|cenzus\w{0,2}|thresholds?"
    r"|schwelle\w{0,2}|schwellenwert\w{0,2}|limit"
    r"|granic\w{1,3}|\w{0,16}grenze|freigrenze"
)
TURNOVER = cue(
    r"isporuk\w{0,3}|isporuka|promet\w{0,2}|supplies|turnover|sales|umsätze?n?"
    r"|\w{0,10}umsatz\w{0,2}"
)
INCOME = cue(
    r"primi(?:ci|tak|tk\w{1,3}|cima|tci\w{0,2})|primitaka|prihod\w{0,3}|dohod\w{0,3}|receipts"
    r"|income"
    r"|revenues?|earnings|einnahmen|einkünfte\w?|einkommen\w?"
)
OF_AMOUNT = cue(
    r"osnovic\w{1,3}|vrijednost\w{0,2}|iznos\w{0,2}|base|value|amounts?|assets"
    r"|\w{0,12}betr[aä]g\w{0,2}"
    r"|\w{0,16}grundlage|wert\w{0,2}|cijen\w{1,2}|price|plaće?|salary"
)

WITHIN = re.compile(
    r"(?<!\w)(?:u\s+(?:daljnjem\s+)?roku(?:\s+od)?(?:\s+najviše|\s+najkasnije)?|rok(?:u|om|ovi)?"
    r"(?:\s+\w{1,20}){0,4}\s+(?:je|iznosi|od)|najkasnije(?:\s+u\s+roku\s+od|\s+do)?|unutar"
    r"|within(?:\s+a\s+period\s+of|\s+the\s+(?:first|next|following))?|(?:no|not)\s+later\s+than"
    r"|innerhalb(?:\s+von|\s+einer\s+frist\s+von)?|binnen|spätestens(?:\s+nach"
    r"|\s+innerhalb(?:\s+von)?)?"
    r"|(?:\w{0,20}frist|time\s+limit|deadline|period\s+for)(?:\s+\w{1,20}){0,4}\s+(?:von|beträgt"
    r"|is|of"
    r"|shall\s+be)"
    r"|in\s+(?:einer\s+)?frist\s+von|(?:you|they|taxpayers?|we)\s+have|sie\s+haben|imate"
    r"|imaju)\s{0,3}$",
    re.IGNORECASE,
)
BY = re.compile(
    r"(?<!\w)(?:(?:najkasnije\s+)?do(?:\s+kraja)?|zaključno\s+(?:s|do)|prije|najkasnije"
    r"|by(?:\s+the)?"
    r"|until|(?:no|not)\s+later\s+than|on\s+or\s+before(?:\s+the)?|before"
    r"|jeweils\s+(?:zum|am)|(?:spätestens\s+)?bis(?:\s+zum"
    r"|\s+spätestens)?"
    r"|spätestens(?:\s+am|\s+zum)?|by\s+the\s+end\s+of|no\s+later\s+than\s+the"
    r"|not\s+later\s+than\s+the"
    r"|vor\s+dem|each\s+\w{1,10}\s+by)\s{0,3}$",
    re.IGNORECASE,
)
FROM = re.compile(
    r"(?<!\w)(?:(?:počevši\s+|počev\s+)?od(?:\s+dana)?|s\s+danom|nakon|from|as\s+(?:of|from)"
    r"|with\s+effect"
    r"\s+(?:from|on)|beginning\s+on|starting\s+(?:on|from)|on\s+or\s+after|since"
    r"|effective(?:\s+from|\s+on)?"
    r"|commencing\s+(?:on|from)?|(?:beginnend\s+)?ab(?:\s+dem)?|mit\s+wirkung\s+(?:vom|ab|zum)"
    r"|vom|seit(?:\s+dem)?)"
    r"\s{0,3}$",
    re.IGNORECASE,
)
DUE = cue(
    r"dospijeva\w{0,2}|due(?: on| and payable)?|fällig\w{0,2}|prvi put|erstmals|for the first time"
)
FORCE = cue(
    r"stupa\w{0,2} na snagu|stupit će na snagu|(?:shall |will )?(?:enters?|comes?) into (?:force"
    r"|operation"
    r"|effect)|(?:shall |will )?takes? effect|(?:is|are|becomes?|shall be|shall become) effective"
    r"|tritt|treten"
)
EFFECTIVE = re.compile(r"^\W*effective(?:\s+(?:on|from|as\s+of))?\s{1,3}$", re.IGNORECASE)
"""`Effective November 21, 2013.`, as the Federal Register has it."""
APPLIES_FROM = cue(
    r"primjenjuj\w{1,2} se|počinje se primjenjivati|shall apply|applies|apply|gilt|gelten"
    r"|anzuwenden"
    r"|vrijedi|vrijede"
)
REPEAL = cue(
    r"presta(?:je|ju|t će) (?:važiti|vrijediti)|stavlja\w{0,2} se izvan snage|(?:is|are|shall be"
    r"|hereby) "
    r"(?:hereby )?(?:repealed|revoked)|ceases? to (?:have effect|apply|be in force)"
    r"|shall cease to|expires?"
    r"|außer kraft|wird aufgehoben|werden aufgehoben|aufgehoben"
)
KEEP = cue(
    r"čuva\w{0,3}|čuvanj\w{1,2}|pohranj\w{1,5}|ke(?:ep|eps|pt)|retain\w{0,3}|retention"
    r"|preserv\w{1,3}"
    r"|maintain\w{0,3}|\w{0,10}aufbewahr\w{1,6}|aufzubewahren|\w{0,12}aufbewahrungsfrist\w{0,2}"
)
LASTING = cue(
    r"razdoblj\w{1,2}(?: od)?|u trajanju od|traje|traju|vrijedi|važi|valjan\w{0,2}|for a period of"
    r"|period of|periods of|valid for|term of|duration of|für die dauer von|dauert|gültig\w{0,2}"
    r"|zeitraum\w{0,2}(?: von)?|geltungsdauer|validity|lasts?|veže|vezuje|gilt|zastarijeva\w?"
    r"|u sljedeć\w{1,3}|verjähr\w{1,3}"
    r"|for the next|in the following|in den folgenden"
)
# Of two at one place the first counts.
DEADLINES: Mapping[str, re.Pattern[str]] = {
    "appeal_deadline": cue(
        r"žalb\w{1,3}|prigovor\w{0,2}|tužb\w{1,2}|pravni lijek|appeal\w{0,3}|objection\w?"
        r"|contest\w{0,3}"
        r"|request for review|einspruch\w{0,8}|beschwerde\w{0,7}|widerspruch\w{0,8}|klage"
        r"|rechtsmittel\w{0,7}"
        r"|rechtsbehelf\w{0,2}|berufung"
    ),
    "refund_deadline": cue(
        r"povrat\w{0,2}|vraća\w{0,2}|vratiti|refund\w{0,4}|repaid|repay\w{0,4}|reimburs\w{1,5}"
        r"|\w{0,10}erstatt\w{1,6}|rückzahlung\w{0,2}|zurückgezahlt|zurückzuzahlen"
    ),
    "registration_deadline": cue(
        r"upis\w{0,4}|upisati|registr\w{2,9}|prijavi(?:ti|t)? se|prijaviti početak"
        r"|prijavljuj\w{1,2}"
        r"|(?:shall|must|to|may|not|be|is|are|and|or|who) register(?:ed)?|registers (?:you|the"
        r"|with)|(?:for|of) registration|registration (?:shall|must"
        r"|is|within)|promjen\w{1,3}|odjav\w{1,3}|anzumelden|enrol\w{0,4}|sich\b.{0,60}\banmelden"
        r"|anmelden|eintrag\w{0,4}"
        r"|einzutragen|registrier\w{1,4}"
    ),
    "payment_deadline": cue(
        r"plaća\w{0,4}|plati\w{0,3}|uplać\w{1,5}|uplat\w{1,5}|podmir\w{1,4}|dospije\w{1,4}|pa(?:y"
        r"|ys|id|"
        r"yable|yment|yments)|remit\w{0,5}|(?:zu )?(?:be)?zahl\w{1,4}|(?:zu )?entricht\w{1,3}"
        r"|abzuführen"
        r"|abgeführt|fällig\w{0,2}|überweis\w{1,3}|einzuzahlen|zahlungsfrist\w{0,2}|zahlungsziel\w?"
    ),
    "filing_deadline": cue(
        r"prijav\w{1,4}|podnos\w{1,4}|podnijeti|podnes\w{1,4}|podnošenj\w{1,2}|preda(?:je|ju|ti|t"
        r"|n\w{0,2})"
        r"|obračun\w{0,2}|izvješ\w{1,5}|obrasc\w{1,3}|obrazac|zaprima\w{0,2}|zahtjev\w{0,2}"
        r"|fil(?:e|es|ed|ing)"
        r"|submi(?:t|ts|tted|tting|ssion)|lodg(?:e|ed|ing)|returns?|reports?|reported|reporting"
        r"|declar\w{1,7}"
        r"|application\w?|accepted|anmeldung\w{0,2}|anmeldefrist\w{0,2}|\w{0,12}erklärung\w{0,2}"
        r"|erklären|einzureichen"
        r"|eingereicht|einreich\w{1,4}|anzuzeigen|anzeigen|abzugeben|abgegeben|abgabefrist\w{0,2}"
        r"|abgibt"
        r"|vorzulegen|entgegengenommen|antrag\w{0,2}"
        r"|meld(?:en|ung|ungen|et)|gemeldet"
    ),
    "deadline": cue(
        r"obra[đd]uj\w{1,2}|odluč\w{1,5}|donosi\w{0,2}|donijeti|donese|izda(?:je|ju|ti)"
        r"|predoč\w{1,4}"
        r"|obavijest\w{1,4}|obavješ\w{1,5}|objav\w{1,5}|uspostav\w{1,5}|otkloni\w{0,2}"
        r"|uskladi\w{0,2}|odgovor\w{1,4}"
        r"|notif\w{1,7}|inform\w{0,5}|respond\w{0,3}|repl(?:y|ies)|deci(?:de|des|ded|sion)"
        r"|issu(?:e|es|ed)"
        r"|publish\w{0,3}|compl(?:y|ies|ied)|adopt\w{0,3}|ma(?:ke|kes|de)\b.{0,60}\bavailable"
        r"|record(?:ed|s)?|post(?:ed)?|restor\w{1,3}|tell"
        r"|determin\w{1,5}|transpos\w{1,4}|review\w{0,3}|correct\w{0,3}"
        r"|entscheid\w{1,3}|entschieden|mitteil\w{1,4}|mitzuteilen|unterricht\w{1,3}"
        r"|vorleg\w{1,3}"
        r"|nachzureichen|bekannt\w{1,6}|nachzuweisen|zu berichtigen|erteil\w{1,2}"
        r"|veröffentlich\w{1,3}|umzusetzen"
    ),
}
HANDING = cue(
    r"dostav\w{1,5}|provid\w{1,4}|deliver\w{0,4}|transmit\w{0,4}|furnish\w{0,3}|sends?|sent"
    r"|mail\w{0,3}|übermittel\w{0,2}"
    r"|zu übermitteln|übersend\w{1,3}|zu stellen|gestellt"
)
"""Verbs that say nothing of what is handed over."""
DUTY = cue(
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
