"""The words that show what a time or a date means, in Croatian, English and German."""

import re
from collections.abc import Mapping

from assay.packs.regulatory.extractor.cues import compile_cue

_OF = r"(?:(?:\s+[^\W\d_]{1,16}){0,7}\s+(?:od|of|von|than|als))?"
"""`within a further period of`, `u naknadnom roku od`, `innerhalb einer Frist von`."""
_LIMITED = (
    r"(?:\s+(?:najviše|najkasnije|the|first|next|following|same|derselben|dieser|einer?|eines|der"
    r"|den|ersten|nächsten"
    r"|zumindest|längstens|jeweils|jedoch|aber|allerdings|innerhalb|binnen|at\s+most|no\s+more\s+than|not\s+more\s+than|von|od|do|a|nach))"
    r"{0,3}"
)
WITHIN = re.compile(
    rf"(?<!\w)(?:u\s+(?:[^\W\d_]{{3,16}}\s+)?roku|unutar|kroz|at\s+the\s+latest|najkasnije|within"
    rf"|inside|(?:no"
    rf"|not)\s+later"
    rf"\s+than"
    rf"|innerhalb|binnen|innert|längstens|spätestens|längstens\s+binnen"
    rf"|in\s+(?:einer\s+)?frist|mit\s+einer\s+frist|vor\s+ablauf|prije\s+isteka"
    rf"|before\s+the\s+(?:end"
    rf"|expiry|expiration)|(?:on\s+or\s+before|by|no\s+later\s+than)\s+the\s+(?:day|date)\s+(?:that"
    rf"|which)\s+(?:is|falls)"
    rf"|(?:you|they|we|taxpayers?|employers?)\s+have(?:\s+up\s+to)?|sie\s+haben|imate|imaju|ima)"
    rf"{_OF}{_LIMITED}\s{{0,3}}$"
    r"|(?<!\w)(?:rok\w{0,3}|\w{0,20}frist|time(?:\s+limit)?"
    r"|period\s+(?:for|allowed)|deadline)(?:\s+[^\W\d_]{1,20})"
    r"{0,6}\s+(?:je|iznosi|traje|od|do|od\s+najmanje|ne\s+smije\s+biti\s+kraći\s+od|beträgt"
    r"|beläuft\s+sich\s+auf|von"
    r"|is|of|shall\s+be|must\s+not\s+exceed|läuft)\s{0,3}$",
    re.IGNORECASE,
)
"""Directly before a stretch of time."""
_HOUR = (
    r"(?:\s+(?:midnight|noon|the\s+close\s+of\s+business|close\s+of\s+business|24|ponoći)\s+(?:on"
    r"|of"
    r"|uhr|sata))?"
)
BY = re.compile(
    r"(?<!\w)(?:(?:najkasnije\s+)?do(?:\s+uključivo|\s+najkasnije|\s+dana)?|zaključno\s+(?:s|sa|do)"
    r"|prije|najkasnije(?:\s+prije|\s+dana)?"
    rf"|by(?:{_HOUR}|\s+no\s+later\s+than|\s+the\s+end\s+of)?(?:\s+the)?"
    rf"|until(?:\s+the)?|(?:no|not)\s+later\s+than(?:{_HOUR}|\s+the\s+end\s+of)?(?:\s+the)?"
    rf"|on\s+or\s+before(?:\s+the)?|before(?:\s+the)?|prior\s+to|jeweils\s+(?:zum|am"
    rf"|bis(?:\s+zum)?)"
    r"|(?:spätestens\s+)?bis(?:\s+(?:zum|spätestens(?:\s+(?:am|zum))?|einschließlich|längstens"
    r"|jeweils"
    r"(?:\s+zum)?|zu|inklusive))?"
    r"|(?:spätestens|längstens)(?:\s+(?:am|zum|bis(?:\s+zum)?|mit|jeweils\s+(?:am|zum)))?"
    r"|vor\s+dem|each\s+\w{1,10}\s+by)\s{0,3}$",
    re.IGNORECASE,
)
"""Directly before the day by which something must be done."""
ENDS_BEFORE = re.compile(
    r"(?<!\w)(?:prije|(?<!or\s)before|prior\s+to|vor\s+dem)(?:\s+(?:the|dana))?\s{0,3}$",
    re.IGNORECASE,
)
"""Directly before the first day that no longer counts: `vor dem 1. Januar 2007`."""
ON = re.compile(
    r"(?<!\w)(?:am|zum|je(?:weils)?\s+am|on|on\s+the|each\s+year\s+on|dana|svakog|svake\s+godine"
    r")\s{0,3}$|:\s{0,3}$",
    re.IGNORECASE,
)
FROM = re.compile(
    r"(?<!\w)(?:(?:počevši\s+|počev\s+)?od(?:\s+dana)?|s\s+danom|nakon|from(?:\s+and\s+including)?"
    r"|as\s+(?:of|from)|with\s+effect\s+(?:from|on)|beginning\s+on|starting\s+(?:on|from)"
    r"|on\s+or\s+after|on\s+and\s+after|since|effective(?:\s+from|\s+on)?"
    r"|commencing\s+(?:on|from)?|(?:beginnend\s+)?(?:ab|mit)(?:\s+dem)?|mit\s+wirkung\s+(?:vom|ab"
    r"|zum)|per|vom|seit(?:\s+dem)?)\s{0,3}$",
    re.IGNORECASE,
)
DUE = compile_cue(
    r"dospijeva\w{0,2}|due(?: on| and payable)?|payable|fällig\w{0,2}|prvi put|erstmals"
    r"|for the first time"
)
FORCE = compile_cue(
    r"stupa\w{0,2} na snagu|na snagu stupa\w{0,2}|(?:je|su) na snazi|(?:is|are) in force from"
    r"|stupit će na snagu|(?:shall |will )?(?:enters?|comes?"
    r"|brought) into (?:force"
    r"|operation|effect)|(?:shall |will )?takes? effect|(?<!to\s)ha(?:ve|s) effect"
    r"|(?:is|are|becomes?|shall be|shall become) effective|(?:shall )?commences?"
    r"|poč(?:inje|inju|eti će|et će) (?:važiti|vrijediti)"
    r"|tritt|treten|(?:wird|werden)\b.{0,80}\bwirksam|in kraft gesetzt|proizvod\w{1,2} učin\w{1,3}"
)
EFFECTIVE = re.compile(
    r"^\W*(?:effective(?:\s+date)?(?:\s+(?:on|from|as\s+of))?|inkrafttreten|stupanje\s+na\s+snagu"
    r"|datum\s+stupanja\s+na\s+snagu|gültig\s+ab|commencement)\s{0,3}:?\s{1,3}$",
    re.IGNORECASE,
)
"""`Effective November 21, 2013.`, as the Federal Register writes it."""
APPLIES_FROM = compile_cue(
    r"(?:se )?primjenjuj\w{1,2}(?: se)?|(?:se rabi|rabi se|koristi se)|holds? good|(?:počinje"
    r"|počinju) se primjenjivati|primjenjivat će se|shall apply"
    r"|applies"
    r"|apply|(?:is|are|be|becomes?) applicable|gilt|gelten|anzuwenden|anwendung|anwendbar|vrijedi"
    r"|vrijede"
)
REPEAL = compile_cue(
    r"presta(?:je|ju|t će) (?:važiti|vrijediti)|stavlja\w{0,2} se (?:izvan|van) snage|(?:is|are"
    r"|shall be"
    r"|hereby) (?:hereby )?(?:repealed|revoked|rescinded)|ceases? to (?:have effect|apply"
    r"|be in force)"
    r"|shall cease to|expires?|lapses?|außer kraft|wird aufgehoben|werden aufgehoben|aufgehoben"
    r"|gubi snagu|gubi važnost|briše se|brišu se|ukida se|ukidaju se|gestrichen|verlier(?:t"
    r"|en)\b.{0,60}\bg(?:eltung"
    r"|ültigkeit)|fällt\b.{0,60}\bdahin|entfällt"
)
KEEP = compile_cue(
    r"čuva\w{0,3}|čuvanj\w{1,2}|pohranj\w{1,5}|pohran[aeiu]|arhivira\w{0,3}|ke(?:ep|eps|pt)"
    r"|retain\w{0,3}"
    r"|retention|hold on to|remain on|(?:za)?drž(?:i|e|ati|ite|ava)|preserv\w{1,3}|maintain\w{0,3}"
    r"|archiv(?:e|es|ed|ing)|stor(?:e|ed|es)|hold records"
    r"|\w{0,10}aufbewahr\w{1,6}|aufzubewahren|\w{0,12}aufbewahrungs\w{2,8}|archivier\w{1,3}"
    r"|\w{0,2}verwahr\w{1,3}|aufheben|aufzuheben|heb(?:t|en)\b.{0,80}\bauf|ins archiv"
    r"|speicher[nt]|gespeichert|vorzuhalten"
)
LASTING = compile_cue(
    r"razdoblj\w{1,2}(?: od| do)?|u trajanju (?:od|do)|traje|traju|trajati|vrijedi|važi"
    r"|valjan\w{0,2}"
    r"|na (?:rok|vrijeme|razdoblje)(?: od| do)?|najduže|najdulje|(?:period|term|duration"
    r"|validity)s? of"
    r"|valid(?:ity)?(?: for| is)?|remains? (?:valid|in force)(?: for)?|for (?:the (?:first|next)"
    r"|up to"
    r"|at least|a maximum of|no more than|not more than|no longer than|a further)"
    r"|lasts?|runs? for|endures? for|may be used for|periods? (?:is|are)(?: of)?|extension of"
    r"|lapses? after|expires? after|laufzeit:?|\w{0,16}dauer(?: beträgt)?|ograničen\w? (?:je )?na"
    r"|auf (?:höchstens|längstens)|obvezuje|für die dauer von|auf die dauer von|dauert"
    r"|gültig\w{0,2}|höchstdauer"
    r"|für (?:die (?:ersten|nächsten|folgenden)|längstens|höchstens|mindestens|jeweils|weitere)"
    r"|zeitraum\w{0,3}(?: von)?|geltungsdauer|gilt|gelten|verlängert sich um|veže|vezuje"
    r"|zastarijeva\w?|zastar\w{1,2}|verjähr\w{1,8}|becomes? (?:statute|time)-barred"
    r"|limitation period"
    r"|u (?:sljedeć|idu[ćc]|naredn|prv)\w{1,3}|in (?:the|their|its|your|his) (?:following|next"
    r"|first)"
    r"|in den (?:folgenden|ersten)"
    r"|svake|svakih|every|alle|extended by|produž\w{1,4} za|odgod\w{1,4}(?: najviše)?(?: za)?"
    r"|godišnji odmor|otkazni rok|notice period|kündigungsfrist|festsetzungsfrist|verjährungsfrist"
    r"|gewährleistungsfrist|bindungsfrist|sperrfrist|haltefrist"
)
"""How long something applies or lasts."""
# Of two at the same place, the first counts.
DEADLINES: Mapping[str, re.Pattern[str]] = {
    "appeal_deadline": compile_cue(
        r"žalb\w{1,3}|žaliti|prigovor\w{0,4}|tužb\w{1,2}|pravn\w{1,2} lijek\w{0,2}"
        r"|upravn\w{1,2} spor\w{0,2}"
        r"|appeal\w{0,3}|objections?|object|contest\w{0,3}|challeng\w{1,3}|judicial review"
        r"|petition|complaints?|ask for a (?:review|hearing)|tribunal"
        r"|protest|request for (?:a )?(?:review|hearing|reconsideration|a hearing)|request (?:a"
        r"|an) (?:review"
        r"|hearing)"
        r"|dispute\w?|einspruch\w{0,8}|einsprache\w{0,7}|beschwerde\w{0,7}|widerspruch\w{0,8}"
        r"|klage\w{0,6}"
        r"|rechtsmittel\w{0,7}|rechtsbehelf\w{0,6}|berufung\w{0,6}|rekurs\w{0,6}"
        r"|vorlageantrag\w{0,2}"
        r"|rügen?|vorstellung|anfecht\w{1,4}|angefochten"
    ),
    "refund_deadline": compile_cue(
        r"povrat\w{0,2}|vraća\w{0,2}|vratit\w{0,2}|refund\w{0,4}|repaid|repay\w{0,4}"
        r"|reimburs\w{1,5}"
        r"|\w{0,10}erstatt\w{1,16}|\w{0,8}rückzahl\w{1,5}|zurückgezahlt|zurückzuzahlen|zurückzahlen"
        r"|vergütung\w{0,2}|auszuzahlen"
    ),
    "registration_deadline": compile_cue(
        r"upis\w{0,6}|upisati|registrira\w{0,3}|registracij\w{1,2}|prijaviti|prijavljuj\w{1,4}"
        r"|prijavi (?:se|početak|promjen\w)"
        r"|evidentira\w{0,3}"
        r"|(?:shall|must|to|may|not|be|is|are|and|or|who|you) register(?:ed)?|registers (?:you|the"
        r"|with)|(?:for|of) registration|registration (?:shall|must|is|within)|enrol\w{0,4}"
        r"|take out a licen[cs]e|to be registered"
        r"|notif\w{1,5}\b.{0,40}\bliab\w{3,5}|promjen\w{1,3}|odjav\w{1,3}|change of (?:address"
        r"|name)"
        r"|anzumelden|angemeldet|sich\b.{0,60}\banmelden|anmelden|abzumelden|abmelden"
        r"|eintrag\w{0,4}"
        r"|einzutragen|registrier\w{1,4}|meld(?:et|en) sich|steuerlichen erfassung"
    ),
    "payment_deadline": compile_cue(
        r"plaća\w{0,4}|plati\w{0,3}|plać\w{2,4}|uplać\w{1,5}|uplat\w{1,5}|podmir\w{1,4}"
        r"|dospije\w{1,4}"
        r"|namir\w{1,4}|isplati\w{0,2}|isplać\w{1,4}"
        r"|pa(?:y|ys|id|yable|yment|yments)|remit\w{0,7}|account for|doznač\w{1,4}|polaže|naplatu"
        r"|anzuzahlen|settle\w{0,4}|deposit(?:s|ed)?|due"
        r"|instal+ments?"
        r"|discharg\w{1,3}"
        r"|\w{0,4}zahl\w{1,7}|(?:zu )?entricht\w{1,3}|abzuführen|abgeführt|abführen"
        r"|begleich\w{1,2}|beglichen|fällig\w{0,4}|überweis\w{1,3}|einzuzahlen"
        r"|\w{0,14}zahlungsfrist\w{0,2}|zahlungsziel\w?|zu leisten"
    ),
    "filing_deadline": compile_cue(
        r"prijav\w{1,4}|podnos\w{1,4}|podnijeti|podnes\w{1,4}|podnošenj\w{1,2}"
        r"|preda(?:je|ju|ti|jete|t|n\w{0,2})|predaj\w"
        r"|obračun\w{0,2}|izvješ\w{1,5}|obrasc\w{1,3}|obrazac|zaprima\w{0,2}|zahtjev\w{0,2}"
        r"|očitova\w{1,5}"
        r"|dostav\w{1,5}\b.{0,40}\b(?:podat|izvješ|evidencij|popis|obra)\w{1,4}"
        r"|(?:poda[tc]|evidencij|popis)\w{1,4}\b.{0,80}\bdostav\w{1,5}"
        r"|fil(?:e|es|ed|ing)|submi(?:t|ts|tted|tting|ssion)|lodg(?:e|ed|ing)|returns?|reports?"
        r"|reported"
        r"|reporting|declar\w{1,7}|applications?(?! of (?:this|the|these|th|Art|section"
        r"|paragraph))|apply(?= (?:for|to|on|in|within|by|at))|claim(?:s|ed)?|accepted"
        r"|disclos\w{1,4}"
        r"|statements?"
        r"|deliver\w{0,3}\b.{0,40}\baccounts"
        r"|anmeldung\w{0,2}|anmeldefrist\w{0,2}|\w{0,12}erklärung\w{0,2}|erklären|einzureichen"
        r"|eingereicht"
        r"|einreich\w{1,4}|anzuzeigen|anzeigen?|angezeigt"
        r"|abzugeben"
        r"|abgegeben|abgabefrist\w{0,2}|abgibt|vorzulegen"
        r"|vorliegen"
        r"|eingehen|eingegangen|entgegengenommen|\w{0,14}antr[aä]g\w{0,2}|beantrag\w{1,3}"
        r"|voranmeldung\w{0,2}|zu melden|meld(?:en|ung|ungen|et)|gemeldet|\w{0,10}nachweis\w{0,2}"
    ),
    "deadline": compile_cue(
        r"obra[đd]uj\w{1,2}|odluč\w{1,5}|donosi\w{0,2}|donijeti|donese|izda(?:je|ju|ti|t)"
        r"|predoč\w{1,4}|rješava\w{0,2}|riješi\w{0,2}"
        r"|obavijest\w{1,4}|obavješ\w{1,5}|objav\w{1,5}|uspostav\w{1,5}|otkloni\w{0,2}"
        r"|usklad\w{1,4}|odgovor\w{1,4}"
        r"|notif\w{1,7}|inform\w{0,5}|respond\w{0,3}|repl(?:y|ies)|deci(?:de|des|ded)"
        r"|issu(?:e|es|ed)|communicat\w{1,3}"
        r"|publish\w{0,3}|compl(?:y|ies|ied)|adopt\w{0,3}|ma(?:ke|kes|de)\b.{0,60}\bavailable"
        r"|record(?:ed|s)?|post(?:ed)?|restor\w{1,3}|tell|acknowledge\w?|remed(?:y|ied)"
        r"|determin\w{1,5}|transpos\w{1,4}|review\w{0,3}|correct\w{0,3}"
        r"|giv(?:e|es|en|ing)(?: \w{1,12}){0,3} notice|lay|laid|mak(?:e|es|ing) (?:an? "
        r"|the )?(?:decision|determination|order|direction|regulations)|carr(?:y|ied) out"
        r"|conduct(?:ed)?"
        r"|commence[sd]?|appoint(?:ed)?|mak(?:e|es|ing)(?: \w{1,12}){0,2} representations"
        r"|entscheid\w{1,3}|entschieden|mitteil\w{1,4}|mitzuteilen"
        r"|unterricht\w{1,3}|vorleg\w{1,3}|nachzukommen"
        r"|nachzureichen|bekannt\w{1,6}|nachzuweisen|zu berichtigen|erteil\w{1,2}|auszustellen"
        r"|beheben"
        r"|veröffentlich\w{1,3}|umzusetzen|erlassen"
    ),
}
HANDING = compile_cue(
    r"dostav\w{1,5}|dojav\w{1,5}|šalj\w{1,4}|forward\w{0,3}|poslati|provid\w{1,4}|deliver\w{0,4}"
    r"|transmit\w{0,4}|furnish\w{0,3}"
    r"|sends?|sent"
    r"|give[ns]?"
    r"|mail\w{0,3}|übermittel\w{0,2}|zu übermitteln|übersend\w{1,3}|zu stellen|gestellt|serv(?:e"
    r"|ed)"
)
"""Verbs that say nothing about what is handed over."""
AUTHORITY = compile_cue(
    r"(?:porezn|carinsk)\w{1,3} uprav\w{1,2}|nadležn\w{1,3}|ministarstv\w{1,2}|registr\w{1,2}"
    r"|zavod\w{0,2}"
    r"|agencij\w{1,2}|općin\w{1,2}|tax (?:office|authority|authorities|administration)"
    r"|commissioners?"
    r"|revenue|hmrc|irs|registrar|department|secretary|authorit(?:y|ies)|\w{0,8}finanzamt\w{0,2}"
    r"|\w{0,10}behörden?|gemeinde|zollamt|steuerverwaltung|einzugsstelle|krankenkasse"
)
"""The recipients of what is filed."""
BOUND = compile_cue(
    r"dužn[aieou]|dužan|obvez(?:an|n[aieou])|mora|moraju|moraju se|treba|trebaju|soll(?:en|te|ten)?"
    r"|shall|must"
    r"|(?:has|have"
    r"|needs?|is|are) to|(?:is|are) (?:required|obliged|obligated)|muss|müssen|verpflichtet"
    r"|(?:hat|haben|ist|sind)\b.{0,240}?\b(?:zu [a-zäöüß]{3,20}en"
    r"|(?!anzusehen)[a-zäöüß]{2,10}zu[a-zäöüß]{3,16}en)"
)
"""Somebody has to do something."""
NO_MORE_AFTER = re.compile(
    r"(?<!\w)(?:(?:shall|may|must|will|can)\snot|cannot)\sbe\s(?:accepted|made|brought|instituted|entertained|lodged)"
    r"\safter\sthe\s(?:end|expiry|expiration)\sof\s(?:(?:the|a)\speriod\sof\s)?$",
    re.IGNORECASE,
)
"""`shall not be accepted after the end of the period of 28 days`: until then it has to be done."""
