"""Sentences that report something rather than rule it: history, plans, news, cases, denials."""

import re

_PAST = re.compile(
    r"\b(?:iznosi(?:la|o|lo|le|li)|(?:stop\w{1,2}|kazn\w{1,2}|prag|rok|iznos|pristojb\w|naknad\w)\s"
    r"(?:je\s)?bi(?:la|o|lo|le|li)|bi(?:la|o|lo)\sje\s\d{1,9}|dosadašnj\w{1,3}|prijašnj\w{1,3}"
    r"|nekadašnj\w{1,3}|(?:ranij|prethodn)\w{1,3}\s(?:stop|propis|zakon|iznos|pristojb)\w{0,4}"
    r"|više\s(?:se\s)?ne\s(?:vrijedi|primjenjuje|plaća)|oporeziva(?:o|la|lo|li)|plaća(?:o|la"
    r"|lo)\sse"
    r"|se\s(?:plaća|primjenjiva|obračunava)(?:o|la|lo)|(?:primjenjiva|vrijedi)(?:la|o|lo)\s(?:se"
    r"|je)"
    r"|obavil[aie]|utvrdil[aie]|izrečen[oa]\s(?:je|su)|(?:naplaćen|prikupljen)[oa]\sje"
    r"|(?:the\s)?(?:former|old|earlier|previous|prior)\s(?:rate|rule|law|threshold|limit|fee"
    r"|version"
    r"|allowance|amount)s?|previously|formerly|used\sto\s(?:be|pay)|no\slonger\s(?:applies|apply)"
    r"|(?:was|were|stood\sat)\s(?:only\s|then\s|still\s|set\sat\s|at\s)?(?:EUR\s?|USD\s?|GBP\s?|€"
    r"|\$|£)?\d{1,9}"
    r"|(?:was|were)\sdue\s(?:on|by|before)"
    r"|(?:was|were|been)\scollected|betrug(?:en)?|lag(?:en)?|galt(?:en)?|waren?\ses|war\s\d{1,9}"
    r"|nicht\smehr\s(?:gültig"
    r"|in\skraft)"
    r"|(?:bisherig|früher|ehemalig|alt)e[rnms]?\s\w{0,12}(?:satz|betrag|gebühr|regelung|recht"
    r"|grenze)"
    r"|wurden?\b.{0,60}\b(?:eingenommen|vereinnahmt))\b",
    re.IGNORECASE,
)
_SUBORDINATE = re.compile(
    r"\b(?:ako|ukoliko|kad|kada|čij\w{1,3}|koj\w{1,3}|tko|što|dok|jer|osim|if|where|whose"
    r"|which|that"
    r"|who|when|unless|(?:until|after|before)(?!\s\d)|because|whether|by\swhich|wenn|sofern"
    r"|soweit|falls"
    r"|wer|deren"
    r"|dessen|als|nachdem|sobald|obwohl|dass|weil|ob|so\sweit)\b|,\s(?:der|die|das|dem|den"
    r"|in\sdem)\b",
    re.IGNORECASE,
)
_WHEN = frozenset({"when", "until", "after", "before", "kad", "kada", "als", "nachdem"})
_REACH = 90
_PRESENT = re.compile(
    r"\b(?:iznosi|iznose|primjenjuj\w{1,2}|plaća(?:ju)?|vrijedi|sada|odsad|is|are|applies|apply|now"
    r"|shall|currently|beträgt|betragen|gilt|gelten|nunmehr|jetzt|nun)\b",
    re.IGNORECASE,
)
_MAYBE = re.compile(
    r"\b(?:(?:prema\s)?(?:prijedlog|nacrt)\w{0,2}\s(?:zakon|pravilnik|uredb|odluk|izmjen"
    r"|proračun)\w{0,3}"
    r"|prema\s(?:prijedlogu|nacrtu)|predlaž\w{1,2}|predložen\w\s(?:je\s)?(?:stop|iznos|prag"
    r"|poveć)\w{0,5}"
    r"|(?:iznosi|bi|plaća|mijenja|vrijedi|poveća|smanji|rasl|pal)(?:la|o|lo|a)\sbi"
    r"|bi\s(?:se\s)?(?:iznosi|bi"
    r"|plati|plaća|mijenja|vrijedi|poveća|smanji|primjenjiva|stupi)(?:la|o|lo|le|li)|bi\strebal[aoi]"
    r"|razmatraj?u?|mogl[aoi]\sbi|planira(?:ju|mo)?\s(?:se\s)?(?:poveć|smanj|uves|sniž|podi)\w{0,6}"
    r"|would\s(?:be|rise|fall|amount|apply|increase|decrease|become|go)|(?:might|could)\s(?:be"
    r"|rise|fall)"
    r"|proposals?\s(?:for|to|by|of)|under\s(?:the|a)\sproposal|(?:commission|government|ministry"
    r"|minister|bill|council)\s(?:has\s)?propose[sd]"
    r"|proposed\s(?:rate|tax|increase|change|act|law|rule)s?|draft\s(?:law|act|bill|regulation"
    r"|budget|rules?)"
    r"|is\sconsidering"
    r"|(?:plans?|intends?|is\sexpected|are\sexpected)\sto|under\sdiscussion|suppose|assum(?:e"
    r"|ing)\s(?:that|you|a)"
    r"|hypothetical\w{0,2}|(?:gesetz|referenten)?entwurf\w{0,2}|laut\svorschlag"
    r"|vorgeschlagen\w{0,2}"
    r"|geplante?[rnms]?\s(?:erhöhung|senkung|satz|steuersatz|änderung)|künftig\ssoll(?:en)?"
    r"|soll(?:en)?\s(?:künftig|ab"
    r"|auf)"
    r"|(?:würde|könnte)n?\b.{0,60}\b(?:betragen|steigen|sinken|gelten|liegen|erhöht|gesenkt"
    r"|werden))\b",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"\b(?:rek(?:ao|la)\sje|izjavi(?:o|la)|izvijesti(?:o|la)|najavi(?:o|la)|napomenu(?:o|la)"
    r"|istaknu(?:o|la)"
    r"|podsjeti(?:o|la)|poruči(?:o|la)|kaza(?:o|la)|prema\sriječima|mediji\s(?:prenose|javljaju)"
    r"|prema\sanketi"
    r"|u\sanketi|(?:he|she|minister|director|spokes\w{3,6}|official)s?\s(?:said|stated|announced"
    r"|recalled|told)"
    r"|(?:said|stated|announced|recalled)\sthat|told\sreporters|has\sannounced"
    r"|according\sto\s(?:a|the)\s"
    r"(?:survey|minister|newspaper|spokes\w{3,6})|in\sa\ssurvey|respondents|newspaper|(?:rose"
    r"|fell|grew|growing"
    r"|dropped)\sby|compared\s(?:with|to)\s(?:last|the\sprevious)|analysts?|forecast\w{0,3}|sagte"
    r"|erklärte"
    r"|kündigte|laut\sumfrage|zufolge|(?:stieg|sank|wuchs)(?:en)?\sum|berichtete\w?|ökonomen"
    r"|porast\w{0,2}\s(?:od|za)|porasl[aoi]|pa(?:o|la|lo)\s(?:je|su)\sza"
    r"|u\sodnosu\sna\sprošl\w{1,3}"
    r"|pita(?:ju|mo)|je\sli\s(?:točno|istina)|asked\sus|made\sup\s\d{1,3}|of\s(?:taxpayers"
    r"|respondents)|slučajeva"
    r"|last\syear\s?[,;.]|im\svorjahr\s(?:waren|wurden)"
    r"|hat\b.{0,30}\b(?:gesagt|erklärt|angekündigt))\b",
    re.IGNORECASE,
)
_NARRATED = re.compile(
    # A finite verb in the past tense in a main clause: laws rule in the present.
    r"\b(?:(?:je|su|sam|smo)\s(?:\w{1,20}\s){0,2}(?!(?:pravil|tijel|djel|vozil|načel|plovil|cijel"
    r"|mal|selo|dio|udio|svojstv|predmet|ostal|mjeril|glasil)\w{0,2}\b)\w{2,16}(?:la|lo|li|le"
    r"|ao|io|eo|uo)"
    r"|(?!(?:pravil|tijel|djel|vozil|načel|plovil|cijel|mal|mjeril|ostal|škol)\w{0,2}\b)\w{3,16}"
    r"(?:la|lo|ao|io)\s(?:je|su)"
    r"|(?:obavljen|naplaćen|izdan|prikupljen|uplaćen|isplaćen|zaprimljen|podnesen|izrečen|proveden"
    r"|uveden|osuđen|proglašen|kažnjen|povećan|smanjen|donesen)[aeiou]?\s(?:\w{1,12}\s)?(?:je|su)"
    r"|(?:je|su)\s(?:\w{1,12}\s)?(?:naplaćen|prikupljen|izrečen|uveden|osuđen|proglašen"
    r"|kažnjen)[aeiou]?"
    r"|nekoć|nekad|danas\sviše\sne|svojedobno|prošl[aeiou]\w?\s(?:godin|mjesec|tjed)\w{1,2}"
    r"|jučer|lani"
    r"|(?:was|were|had\sbeen|have\sbeen|has\sbeen)\s(?:\w{2,12}ly\s)?(?:fined|charged|assessed"
    r"|ordered|convicted|raised|cut|lowered|increased|reduced|introduced|collected|imposed|taxed"
    r"|awarded|sentenced|paid|spent)"
    r"|(?:rose|fell|grew|dropped|climbed|cost|earned|reached|totalled|totaled)"
    r"\s(?:from|to|the|by|by\sover|its|our)"
    r"|(?:we|they|it|office|authority|authorities|inspectors)\s(?:collected|imposed|closed|issued"
    r"|received|spent|paid|processed|welcomed|found)"
    r"|(?:has|have|treasury|government|scheme)\s(?:already\s)?raised|did\snot\sadopt"
    r"|(?<!be\s)(?<!is\s)(?<!are\s)(?<!been\s)(?<!tax\s)(?<!duty\s)(?<!fee\s)(?<!and\s)(?<!or\s)"
    r"(?:paid|assessed|voted|agreed|settled|fined|awarded|ordered)\s(?:a|an|the|its|their|to|more)"
    r"|(?:last|this\spast)\s(?:week|month|summer|year)|yesterday"
    r"|(?:in|im|seit|since)\s(?:jahre?\s)?1[5-9]\d\d"
    r"|(?:musste|setzte|zahlte|erhielt|verhängte|stieg|sank|verurteilte|forderte|beschloss|kostete"
    r"|wurde|nahm|senkte|erhöhte|führte|hob)(?:n|en)?"
    r"|(?:ist|sind|hat|haben)\b[^,;]{0,60}\b(?:gestiegen|gesunken|verurteilt\sworden|eingenommen"
    r"|verhängt|gezahlt)(?:\sworden)?|im\s(?:berichtsjahr|vergangenen\s\w{3,10})|gestern|damals"
    r"|einst)\b",
    re.IGNORECASE,
)
_VOICED = re.compile(
    # Demands, doubts and forecasts are not law.
    r"\b(?:sindikat\w{0,3}|oporb\w{1,3}|zastupnik\w{0,2}|zastupnic\w{1,2}|analitičar\w{0,3}"
    r"|stručnjaci|ekonomisti|vijećni\w{1,4}|kritičari|udruge\straže|netočn[ao]\sje|nije\s(?:točno"
    r"|istina)|tvrd(?:i|e|nj\w{1,2})|traž(?:e|imo)\s(?:poveć|smanj|uvođ|ukid)\w{1,6}|zalaž\w{1,2}"
    r"|najavljuj\w{1,3}|očekuj\w{1,3}\s(?:da|se\sda)|procjenjuj\w{1,2}|plan(?:om)?\sproračuna"
    r"|proračun\w{0,2}\s(?:\w{1,12}\s){0,3}(?:predviđ\w{1,3}|planir\w{1,3})"
    r"|planira\w{0,2}\s(?:se\s)?prihod\w{0,2}"
    r"|opposition|critics|economists|councillors?|campaigners|trade\sunions|lobby\w{0,5}"
    r"|we\spropose|(?:our|my|the\sgovernment's)\sintention|(?:moved|urged|argued|suggested|hopes?"
    r"|demanded|proposes?)\sthat|calls?\sfor|called\sfor|critics\ssay|experts\ssay|some\ssay"
    r"|(?:rund|etwa|knapp|about|nearly|almost|oko|gotovo)\s\d{1,3}(?:[.,]\d)?\s?(?:%|prozent"
    r"|percent"
    r"|per\scent|posto)\s(?:der|of|svih|\w{4,12}a)"
    r"|it\sis\s(?:not\strue|a\smyth|false)|our\s(?:effective|net|gross|group|annual)|net\sprofit"
    r"|shareholders|quarter(?:ly)?\sresults"
    r"|(?:die|der)\sopposition|partei(?:en)?\s\w{4,12}|abgeordnete[rnm]?"
    r"|gewerkschaft(?:en)?\s(?:ford|verlang)\w{2,4}"
    r"|kritiker|ökonomen|experten\s(?:\w{4,12}\s)?(?:rechnen|erwarten|fordern)|regte\w?\s(?:an|\w)"
    r"|(?:fordert|fordern|verlangt|verlangen|erwägt|erwägen|plant|planen)\s(?:\w{1,16}\s){0,3}"
    r"(?:spitzen|höher|niedriger|erhöhung|senkung|steuer|abschaffung|\w{0,12}satz)\w{0,12}"
    r"|(?:initiativ|antrag|plan|vorschlag|konzept|programm)\w{0,8}\ssieht\s(?:\w{1,16}\s){0,4}?vor"
    r"|sieht\s(?:der|das|ein)\s\w{0,10}(?:antrag|plan|vorschlag|entwurf)|es\sstimmt\snicht"
    r"|volksinitiative"
    r"|(?:will|wollen|möchte)\b[^,;.]{0,60}\b(?:senken|erhöhen|anheben|abschaffen|einführen"
    r"|verdoppeln))\b",
    re.IGNORECASE,
)
_CASE = re.compile(
    # What a court or office decided about one party binds only that party.
    r"\b(?:jučer|yesterday|gestern|last\sweek|više\sne\spostoji|no\slonger\sexists?|abgeschafft"
    r"|was\sabolished|sud\sje|(?:the\s)?(?:court|tribunal)\s(?:held|found|ruled|dismissed"
    r"|allowed|ordered)"
    r"|(?:das|der)\s\w{0,10}(?:gericht|gerichtshof)\s(?:hat|hob|wies|entschied|gab))\b"
    r"|\b(?:tužitelj\w{0,3}|tuženik\w{0,2}|okrivljeni\w{1,3}|optuženi\w{1,3}|žalitelj\w{0,2}"
    r"|the\s(?:appellants?|claimants?|plaintiffs?|defendants?|respondents?)|mr\.?|mrs\.?"
    r"|(?:der|die)\s(?:kläger|klägerin|beklagte|angeklagte|beschwerdeführer|antragsteller)"
    r"(?:in|n)?|das\sfinanzamt)\b"
    r".{0,160}?\b(?:(?:je|su)\s(?:\w{1,16}\s){0,6}(?:utvrđen|osuđen|proglašen|naložen|izrečen)"
    r"[aeio]?|(?:osuđen|proglašen)[ai]?|was|were|had|setzte|wurde|erhielt|hatte|forderte|zahlte)\b",
    re.IGNORECASE,
)
_NO_HISTORY = re.compile(
    r"\b(?:zamjenjuj\w+|replaced|substituted|ersetzt|umjesto|instead of|mijenja\w* (?:se )?u)\b",
    re.IGNORECASE,
)
_GAVE = re.compile(r"(?<!\w)gave\s(?:the|a|an)\s\w{3,20}\sas\s", re.IGNORECASE)
"""`which gave the threshold as £85,000`: what another text said."""
_ENACTING = re.compile(
    r"\W*(?:na\s+temelju|temeljem|pursuant\s+to|having\s+regard|auf\s*grund|in\s+exercise)\b",
    re.IGNORECASE,
)
"""`Na temelju članka 4. … Sabor je donio`: how an act begins."""
_NEGATED = re.compile(
    r"\b(?:ne\s+(?:primjenjuj|plaća|plati|iznosi|odnosi|vrijedi|obračuna|napla|ubir|duguj|određuj"
    r"|utvrđuj|podlije|zaračuna|smij[eu]\s(?:se\s)?napla)\w{0,4}"
    r"|nij?[es]u?\s+(?:propisan|utvrđen|dužn|dužan|obvez)\w{0,3}"
    r"|(?:shall|does|do|is|are|may|must|will|can|need|has|have)(?:\s?not|n't|n’t)\s+(?:to\s+)?"
    r"(?:be\s+)?(?:appl|charg|levi|levy|subject|liable|required|pay|impos|collect|owe|due|payable"
    r"|obliged)\w{0,4}"
    r"|no\s+(?:\w{2,16}\s){0,3}?(?:fee|charge|tax|duty|levy|penalty|interest|surcharge)s?"
    r"(?:\s(?:of|at)\b[^,;.]{0,30})?\s(?:is|are|shall|may|will|applies|apply)"
    r"|(?:gilt|gelten)\s+(?:\w{1,20}\s){0,4}?nicht|findet\s+keine\s+anwendung"
    r"|nicht\s+(?:anzuwenden|erhoben|zu\szahlen|zu\sentrichten|geschuldet|fällig|festzusetzen"
    r"|festgesetzt|verlangt|berechnet|anfallen|an)"
    r"|kein(?:e[rnms]?)?\s(?:\w{2,20}\s)?\w{0,20}(?:gebühr|steuer|abgabe|beitr[aä]g|zuschl[aä]g"
    r"|zins|entgelt|kosten|taxe|strafe|bu[sß]{1,2}e)\w{0,3})",
    re.IGNORECASE,
)


def is_reported(text: str) -> bool:
    """Whether a sentence reports what may be or was said, rather than what applies."""
    return any(form.search(text) for form in (_MAYBE, _TOLD, _VOICED, _CASE))


def is_past(text: str) -> bool:
    """Whether words say what applied in the past."""
    if _NO_HISTORY.search(text) or _ENACTING.match(text):
        return False
    return _GAVE.search(text) is not None or any(
        _is_in_main_clause(text, match)
        for form in (_PAST, _NARRATED)
        for match in form.finditer(text)
    )


def _is_in_main_clause(text: str, match: re.Match[str]) -> bool:
    """A condition may well refer to the past or deny something: `whose turnover was 50.000`."""
    opened = _SUBORDINATE.search(text, max(0, match.start() - _REACH), match.start())
    if opened is None:
        return True
    # "When introduced in 1973, the tax was 10 %": what follows the comma is the main clause.
    timed = opened.start() == 0 and opened[0].lower() in _WHEN
    return timed and "," in text[opened.end() : match.start()]


def is_present(text: str) -> bool:
    """Whether words of a sentence about the past say what applies now."""
    return _PRESENT.search(text) is not None


def is_negated(text: str) -> bool:
    """Whether the main verb of a clause says that something does not apply."""
    return any(_is_in_main_clause(text, match) for match in _NEGATED.finditer(text))
