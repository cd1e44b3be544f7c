"""Case, condition and sentence forms: how law says when something applies, in three languages."""

import re

OPENS = re.compile(
    r"(?<![^\W_])(?:ako|ukoliko|pod\s+uvjetom|uz\s+uvjet|osim|izuzev|s\s+iznimkom"
    r"|u\s+(?:(?!tom|tim|takv|ovom|ovim|oba|svakom)\w{3,16}\s+){0,2}slučaj(?:u|evima)"
    r"|u\s+mjeri\s+u\s+kojoj|iz\s+(?:[^\W\d_]{4,16}\s+)?(?:opravdan|važn|osobit|posebn)\w{1,3}\s+razloga"
    r"|u\s+(?:[^\W\d_]{4,16}\s+)?(?:opravdan|hitn|izvanredn|izuzetn|iznimn)\w{1,3}\s+okolnostima"
    r"|(?<!even\s)(?<!as\s)if(?!\s+any[,;.)])|unless|provided(?=\s+(?:that(?!\s?[:—]\s?[“\"])|always|however)|,|\*,\s+that\s)|except"
    r"|in\s+so\s+far\s+as|to\s+the\s+extent(?=\s+(?:that|the|such|it|they|a|an|any|no)\s)"
    r"|in\s+times?\s+of(?=\s+(?:war|peace|national|emergency)(?!\w))|but\s+only(?=\s+(?:in|upon|after|with|for|on|to|by)\s)|save\s+(?:as|where|that|in)|as\s+long\s+as"
    r"|in\s+the\s+case\s+of|on\s+condition\s+that|in\s+case|with\s+the\s+exception\s+of"
    r"|(?<!is\s)(?<!are\s)(?<!be\s)subject\s+to(?!\s+(?:a|an)\s)|other\s+than|wenn|falls|sofern"
    r"|soweit|solange|außer(?!\s+(?:kraft|ansatz|betracht|acht))|ausgenommen|mit\s+ausnahme"
    r"|es\s+sei\s+denn|vorbehaltlich"
    r"|ungeachtet|unter\s+der\s+voraussetzung|im\s+falle?|für\s+den\s+fall"
    r"|in\s+(?:(?!diese|beid|jede)\w{3,20}\s+){0,2}(?:\w{4,9})?fällen|in\s+the\s+event"
    r"|in\s+(?!that|th[eio]s|such|both|either|each|every|all\s+cases|any\s+particular"
    r"|no\s+case|any\s+case(?!\s+(?:where|in)))(?:\w{2,14}\s+){1,3}(?:cases?"
    r"|circumstances)(?!\s+(?:of|to|specified))(?:\s+(?:where|in\s+which))?"
    r"|(?<!place\s)(?<!places\s)(?<!state\s)(?<!country\s)(?<!area\s)(?<!point\s)where(?!by)"
    r"|(?<!date\s)(?<!day\s)(?<!time\s)(?<!moment\s)(?<!year\s)(?<!from\s)when(?:ever)?"
    r"|(?<!dana\s)(?<!dan\s)(?<!trenutka\s)(?<!od\s)(?<!do\s)kada?)(?![^\W_])"
    r"|(?:^|(?<=[,;:.]\s)|(?<=\sund\s)|(?<=\ssowie\s))\W{0,3}(?:bei|beim|in\s+den\s+in"
    r"|za\s+vrijeme"
    r"|za\s+(?:\w{1,12}\s+)?prekršaj\w{0,3})(?![^\W_])",
    re.IGNORECASE,
)
IDIOM = re.compile(
    r"\s(?:any|applicable|necessary|appropriate|required|possible|so|not|möglich|erforderlich"
    r"|vorhanden|nötig|je\s(?:potrebno|primjenjivo|moguće)|(?:it\s+)?deems?\s\w+)"
    r"(?=\s?[,;.)]|\s?$|\s(?:and|or|und|i)\s)"
    r"|\s(?:vorhanden|zutreffend|möglich|bekannt)(?!\s(?:ist|sind|war|waren|wird|werden))(?!\w)",
    re.IGNORECASE,
)
"""`its representative, if any`: words that limit nothing."""
INVERTED = re.compile(
    r"\W{0,3}(?:\(\d{1,2}[a-z]?\)\s)?(?:(?:Ist|Sind|War|Waren|Wird|Werden|Wurden?|Hat|Haben|Hatten?|Kann|Können|Konnten?"
    r"|Darf|Dürfen|Soll|Sollen|Muss|Müssen|Liegt|Liegen|Besteht|Bestehen|Beträgt|Betragen"
    r"|Erfolgt|Ergibt|Handelt|Übersteigt|Endet|Beginnt|Tritt|Fehlt|Gibt|Stellt|Kommt|Fällt)\s"
    r"|[A-ZÄÖÜ][a-zäöüß]{2,16}(?:t|en)"
    r"\s+(?:der|die|das|den|dem|des|ein\w{0,2}|er|sie|es|sich|im|in|zwischen|mehrere|keine?r?"
    r"|sowohl|dies\w{0,2}|weder|nach|bei|für|auf|von|mehr|ihm|ihr|nicht|nur|vor|mit|aus|jemand"
    r"|jed\w{1,2})\s"
    # "Kommen Aktionäre der Aufforderung nicht nach, so …"
    r"|[A-ZÄÖÜ][a-zäöüß]{2,16}(?:t|en)\s(?=[^.;]{5,500}?,\sso\s[a-zäöüß]{2,18}[dflnsßt]\s)"
    r"|(?:Ne\s)?[^\W\d_]{3,20}\sli\s)"
)
"""A condition that begins with its verb: `Ist der …, so`, `Raskine li potrošač ugovor, …`."""
LI = re.compile(r"\sli\s$")
OPEN_CASE = re.compile(
    r"\W{0,3}(?:Ist|Sind|War|Waren|Wird|Werden|Wurden?|Hat|Haben|Hatten?|Kann|Können|Soll|Sollen|Muss"
    r"|Liegt|Besteht|Beträgt|Erfolgt|Ergibt|Handelt|Übersteigt|Tritt|Stellt|Meldet|Beantragt|Kommt|Fällt)\s"
    r"[^:]{8,600}(?:,|,\sso)\W{0,3}$"
)
"""A condition that a list follows, each point of which is a main clause."""
GERMAN_MAIN = re.compile(
    r",\s{0,3}(?:(?P<so>so|dann)\s(?!dass|daß|weit|lange|fern)|(?:ist|sind|wird|werden|hat|haben|gilt|gelten|kann|können"
    r"|darf|dürfen|muss|muß|müssen|soll|sollen|beträgt|betragen|gehen|stehen|bestehen|erhalten|leisten|unterrichten"
    r"|entrichten|treten|richten|finden|bleiben|teilen|haften|nehmen|geben|tragen|setzen|legen|stellen|zahlen|bedürfen"
    r"|(?!nicht|sonst|selbst|insgesamt|zuletzt|zunächst|mindest|meist|erst|seit|samt|statt|dort|jetzt|bereits|mit|außer"
    r"|fest|acht|gesamt|gesetzt|soweit|sonstige|(?:\w{2,6})?ge\w{3,14}t\s(?:und|oder|worden|wird|werden|hat|ist|sind|haben)\s)"
    r"[a-zäöüß]{3,18}t)\s(?!(?:und|oder|worden|werden|wird|hat|haben|ist|sind|war|waren|zu)\s))"
)
"""Where the main clause begins after a German condition: with `so` or with its verb."""
PHRASE = re.compile(
    r"\W{0,3}(?:bei|beim|im\s+falle?|in\s+(?:\w{1,20}\s+){0,2}(?:\w{4,9})?fällen|in\s+den\s+in"
    r"|u\s+(?:\w{3,16}\s+){0,2}slučaj\w{1,4}"
    r"|in\s+the\s+(?:case|event)|in\s+(?:\w{2,14}\s+){1,3}(?:cases?|circumstances)$|za\s"
    r"|ungeachtet|vorbehaltlich|mit\s+ausnahme|with\s+the\s+exception|s\s+iznimkom"
    r"|iz\s+(?:\w{4,16}\s+){1,2}razloga|u\s+(?:\w{4,16}\s+){1,2}okolnostima)",
    re.IGNORECASE,
)
"""A case without a verb; the verb of its sentence ends it."""
FINITE = re.compile(
    r"\s(?:ist|sind|wird|werden|beträgt|betragen|gilt|gelten|kann|können|darf|dürfen|muss|müssen"
    r"|soll|sollen|hat|haben|se|je|su"
    r"|može|iznosi|kaznit|kažnjava|shall|may|must|will)\s"
    r"|(?<=[a-zäöüß])\s(?!nicht|erst|statt|samt|seit|selbst|meist|gesamt|sonst)[a-zäöüß]{4,14}t\s"
    r"(?=(?:der|die|das|sich|ein|eine|einen)\s)",
    re.IGNORECASE,
)
COPULA = re.compile(r"(?<!that)(?<!which)(?<!who)(?<!it)\s(?:is|are)\s")
SUBORDINATE = re.compile(r"\s(?:where|who|which|that|if)\s")
MODAL = re.compile(r"\s(?:shall|must|duž(?:an|na|no|ni)|mora|moraju)[\s,]", re.IGNORECASE)
"""Verbs of a main clause that a condition rarely contains."""
AUXILIARY = re.compile(
    r"\s(?:shall|may|must|will|duž\w{1,3}\s(?:je|su)|može|mogu)\s", re.IGNORECASE
)
"""The verb after a relative clause that no comma ends."""
OPEN_END = re.compile(
    r"(?<!\w)(?:bei|für|wenn|soweit|ako|za|od|na|if|when|where|for|on|by|of)\W{0,3}$", re.IGNORECASE
)
GOES_ON = re.compile(
    r",\s{0,3}(?:in\s+(?:denen|welchen|which)|bei\s+denen|u\s+kojima|koj\w{1,3}|čij\w{1,3}"
    r"|a\s+(?:na|u|koj)|ali|odnosno|te|ili|i|da|što|za\s+koj\w{1,3}"
    r"|which|who|whose|that|or|and|including|other|as|in\s+accordance|determined|der|die|das|den"
    r"|dem|deren|dessen|welche\w?|oder|und|sowie|dass?|daß|ob|bevor|wenn|soweit|sofern|durch)(?!\w)"
    r"|,\s{0,3}[^\s,\d]{1,30}(?:,|\s(?:und|oder|or|and|i|ili)\s)"
    r"|,\s(?:[^\s,;\d]{1,25}\s){1,5}(?:or|oder|ili)\s",
    re.IGNORECASE,
)
MAIN = re.compile(
    r"(?<!\w)(?:se|je|su|će|duž(?:an|na|ni|no)|ima|imaju|može|mogu|mora|iznosi|iznose|plaća|rok"
    r"|stopa|kazn\w{1,4}|najviše|up\s+to"
    r"|shall|is|are|may|must|will|tax|rate|so|ist|sind|wird|werden|beträgt|betragen|endet|gilt"
    r"|gelten|kann|können|hat|haben|ermäßigt|erhöht)(?!\w)",
    re.IGNORECASE,
)
VERB = re.compile(r",\s{0,3}(?:so|muss|darf|soll|kann|sind|[a-zäöüß]{2,20}(?:t|en|st|ß|rd))\s")
TRAILS = re.compile(
    r",\s{0,3}(?:whichever|s\s+tim|wobei|pri\s+čemu|dok|while|höchstens|a\s+najviše|jedoch"
    r"|a\s+(?:ako|kad|kada|u\s+slučaju)|u\s+protivnom|u\s+suprotnom|inače"
    r"|odnosno\s+novčan)|;",
    re.IGNORECASE,
)
JOINS = re.compile(r"(?<!\w)(?:or|ili|oder|odnosno|bzw\.|and|i|und)[,\s]{0,3}$", re.IGNORECASE)
OFFENCE = re.compile(
    r"(?<!\w)za\s+(?:\w{1,12}\s+)?prekršaj\w{0,3}\s+(?:iz|propisan\w{0,3}|određen\w{0,3}"
    r"|opisan\w{0,3}|u\s+području"
    r"|koj\w{1,3}|s\s+obilježj\w{1,3})(?!\w)(?:\s+(?!novčan|kaznit|može|ne\s|propisati|smije|za\s+počin"
    r"|fizičk|pravn|okrivljen"
    r"|odgovorn)[^\s;]{1,40}){0,40}",
    re.IGNORECASE,
)
OFFENDER = re.compile(
    r"(?:kazni?t\s+će(?:\s+se)?|kažnjava\s+se|će\s+(?:se\s+)?kazniti)[^;]{0,300}?\s(?P<did>(?:koj[iae]|ako)[\s:].*)",
    re.IGNORECASE | re.DOTALL,
)
SUBJECTED = re.compile(
    r"[\W\d]{0,20}(?P<did>[^\W\d].{15,500}?),?\s(?:shall|is|are|may|will"
    r"|commits)(?:,[^,]{0,80},)?\s(?:\w{1,9}\s){0,3}"
    r"(?:subject\s+to|liable|punish\w{1,6}|fined|guilty|penali[sz]ed|imprisoned|forfeit"
    r"|an\s+offence"
    r"|pay|assessed|imposed)",
    re.IGNORECASE | re.DOTALL,
)
AND_MAY = re.compile(r",?\sand\s(?:may|shall|must)\s(?!not\s(?:exceed|be\s(?:less|more)))")
"""Where a sentence goes on with another thing that its subject may do."""
LIABLE = re.compile(
    r"[\W\d]{0,12}(?P<did>(?:An?|Any|Every|Each|The|Where|If)\s.{10,500}?),?\s(?:(?:shall|is|are|will|may)(?:\salso)?\s"
    r"(?:be\s)?(?:guilty|liable|punishable)|commits\san\soffence)(?!\w)(?!\sof\san\soffence\sunder\s(?!this))",
)
"""How the words begin that introduce a list of fines."""
WHOEVER = re.compile(r"\W{0,3}(?P<did>Wer\s.{10,400}?),\s(?:wird|ist|kann|hat|muss)\s", re.DOTALL)
WHO = re.compile(
    # Persons that a relative clause describes.
    r"(?<!\w)(?:(?i:an?|any|each|every|no|the|those|all)\s(?:[^\W\d]{2,15}\s){0,3}"
    r"(?:\([^()]{1,80}\)\s)?(?:who|whose)"
    r"|(?i:persons|individuals|employees|applicants|workers)\s(?:who|whose)"
    r"|(?i:osob|obvezni|poslodav|radni[kc]|zaposleni|korisni|primatelj|građan|potrošač|poduzetni"
    r"|stran[ac]"
    r"|vlasni[kc]|društv|ustanov)\w{0,5}(?:\s[^\W\d]{2,20}){0,2},?\s(?:koj[iae]|čij[iae])"
    r"|(?:(?:Person|Arbeitnehmer|Arbeitgeber|Unternehm|Steuerpflichtig|Versichert|Beschäftigt|Beamt"
    r"|Verbraucher|Körperschaft|Betrieb|Gesellschaft)\w{0,8}|(?:Ein\w{0,2}|Jed\w{1,2}"
    r"|Alle)\s[A-ZÄÖÜ]\w{2,30}),\s(?:der|die|das|deren|dessen|denen)"
    r"|^\W{0,3}(?:(?:Für|Bei|Von|Gegen|An)\s)?(?:[^\W\d][\w-]{1,24}\s){0,4}[A-ZÄÖÜ][\w-]{2,40},"
    r"\s(?:der|die|das|deren|dessen|denen)"
    r"|^\W{0,3}(?:An?|Any|Each|Every|No)\s"
    r"(?:(?!may|shall|must|is|are|to|of|in)[^\W\d][\w’'-]{1,18}\s){1,4}(?:which|that)"
    r"|^\W{0,3}[A-ZČĆĐŠŽ][^\W\d]{2,20}(?:,?\s[^\W\d]{1,20}){0,6},?\s(?:koj[iae]|čij[iae])"
    r"|^Wer)(?!\w)",
)
RELATIVE = re.compile(
    r"(?<!\w)(?:koj(?:i|a|e|u|eg|ega|em|emu|im|ih|ima|om|oj)|čij\w{1,3}|who|whose|whom|which"
    r"|that(?=\s(?:is|are|was|were|has|have|had|does|do|did)\s))(?!\w)"
    r"|,\s(?:an\s|auf\s|bei\s|für\s|in\s|mit\s|nach\s|von\s|zu\s|aus\s|über\s)?"
    r"(?:der|die|das|dem|den|deren|dessen|denen|welche[rmsn]?)\s(?=[^,;]{3,400},|[^,;]{3,400}$)",
)
"""Where a clause begins that says which of a kind is meant."""
AND_ALSO = re.compile(r"(?:(?!\sor\s)[^;,]){0,60}\sand\s(?:(?!\sor\s)[^;,]){0,80}", re.IGNORECASE)
FOR_SO_LONG = re.compile(
    r"(?<=\s)(?:for|during|in|over|within)\s(?:(?:an?|any|each|every|the|such|at|least|more|than|period|of|consecutive"
    r"|preceding|previous|prior|last|calendar|fiscal|taxable|plan|trading|business|one|two|three|four|five|six|twelve|\d{1,3})"
    r"[\s-]){1,6}(?:days?|months?|years?|quarters?|weeks?|period)(?!\w)[^,;.)]{0,80}",
    re.IGNORECASE,
)
PROVISO = re.compile(r":\s\*{0,2}Provided(?!\w)", re.IGNORECASE)
ASKED = re.compile(r"(?<!\w)(?:determin\w{1,3}|decid\w{1,3}|specif\w{1,5}|indicat\w{1,3})\s$")
"""`shall determine which version applies` asks, and describes nothing."""
CAPPED = re.compile(r"\s(?:that|which|who|whose)\s")
GOES_ON_WITH = re.compile(r"(?<=,\s)which(?:\s(?!is|are|was|were|has|have|had)\w{2,14}){1,3}$")
SINCE = re.compile(
    r"\s{0,3}(?:od|nakon|po|prije|računajući|from|after|of|before|following|nach|seit|ab|vom|vor)\s",
    re.IGNORECASE,
)
FRONTED = re.compile(
    r"\W{0,6}(?:\d{1,4}[A-Z]{0,2}\.\W{1,6})?(?:\([a-z0-9]{1,3}\)\s)?(?:Za|Na|Uz|Kod|Protiv|Prilikom|Für|Bei|Beim|Auf|Gegen|An(?=\sde[rmn]|\sdie|\sdas)|For|On|Upon|Against"
    r"|In\s(?:respect\sof|relation\sto|the\scase\sof)|With\srespect\sto|During|Während)\s(?!the\s(?:basis|grounds?|purposes?)"
    r"|Grund\s|temelju\s|purposes?\s|example)",
)
"""How a sentence begins that names first what it is for."""
PUNISHED = re.compile(r",?\s(?:kazni?t\sće(?:\sse)?|kažnjava(?:ju)?\sse)(?!\w)", re.IGNORECASE)
"""`Tko …, kaznit će se`: before these words is who did what."""
FINED_FIRST = re.compile(
    r"\W{0,3}(?:Novčanom|Kaznom|Globom|Za\sprekršaj|Za\steži|Za\slakši)", re.IGNORECASE
)
OPEN_CLAUSE = re.compile(
    r"(?<!\w)(?:if|where|when|who|which|unless|that|ako|koj[iae]|kada?)\W{0,3}$", re.IGNORECASE
)
"""How words end whose clause each item of a list goes on with, in small letters."""
ENDS_OPEN = re.compile(r"(?:if|unless|where|when|except)\W{0,3}", re.IGNORECASE)
"""`It is unlawful to sell it unless`: the points say when, and these words what."""
LEAD_NUMBER = re.compile(r"\W{0,6}(?:\d{1,4}[A-Z]{0,2}\W{1,6})?\((\d{1,3}[A-Z]{0,2})\)")
"""`9.—(1) A person …`: the number of the paragraph that words are in."""
OWN_NUMBER = re.compile(r"\((\d{1,3}[A-Z]{0,2})\)")
EDITORIAL = re.compile(r"https?://|^\W{0,3}(?:NN\W|Fundstelle)")
"""Where a text was published, in a line of its own."""
CERTAIN_CASES = re.compile(
    r"\W{0,3}(?:(?:u|in)\s+(?:\w{3,20}\s+){1,2}(?:slučajevima|okolnostima|fällen|cases|circumstances)"
    r"|iz\s+(?:\w{4,16}\s+){1,2}razloga)",
    re.IGNORECASE,
)
OF_CASES = re.compile(
    r"\s{1,3}(?:iz|kad|kada|u\s+koj|koj|propisan|predviđen|de[rs]|nach|von|,|of|referred|where|in"
    r"|specified|set\sout|described|mentioned|provided|contemplated|·|§)",
    re.IGNORECASE,
)
"""How words go on that say which cases are meant."""
ALSO_IN = re.compile(r"(?<!\w)(?:kao\s+)?i\s{1,3}$", re.IGNORECASE)
IN_CASE = re.compile(r"u\s+(?:\w{3,16}\s+){0,2}slučaj", re.IGNORECASE)
"""`i u slučaju`: a case that is included, while others are not excluded."""
DESCRIBES = re.compile(r",\s{0,3}(?:(?:u|na|za|s|o|po)\s)?(?:koj|čij)\w{1,3}\s", re.IGNORECASE)
HAS_VERB = re.compile(
    r"(?<!\w)(?:je|su|se|nije|nisu|ne|bude|budu|ima|imaju|nema|može|mogu|mora|postoji"
    r"|\w{2,}(?:[ia]o|[aiue]l[aoi]))(?!\w)",
    re.IGNORECASE,
)
GOES_ON_WITH_VERB = re.compile(
    r",\s{0,3}(?:je|su|se|nije|nisu|ne|bude|budu|ima|nema|može|mora)\s", re.IGNORECASE
)
"""`Ako sudac, koji je izrekao kaznu, nije nadležan, …`: the condition goes on with its verb."""
OR_IN = re.compile(r"\s(?:or|ili|oder)\s(?:in|im|u)\s", re.IGNORECASE)
LEADS_ON = re.compile(r"[\w:—–]\s*$")
"""How words end that a list goes on with; after a comma they may be the item before."""
NEW_SUBJECT = re.compile(
    r",\s(?:there|it|he|she|they|the|such|an?|any|no|each|every)\s(?:[^\s,;]{1,20}\s){0,8}?"
    r"(?:shall|must)\s",
    re.IGNORECASE,
)
"""Where an English main clause begins after a condition."""
SEPARATES = re.compile(
    r"(?:,|\s(?:and|or|und|oder|sowie|i|ili|te|odnosno|a)(?=\s))(?:[\s,]{1,3}(?!\d)[^\s,;]{1,14}){0,4}"
    r"[\s,]{0,3}$",
    re.IGNORECASE,
)
"""What is between the condition of one figure and the next figure."""
OF_ITEM = re.compile(
    r"\W{0,8}(?!in\s+general|in\seinem\szeitraum)(?:za|na|u|bei|beim|für|im|in|an|for|on|in\s+the\s+case\s+of|where)\s",
    re.IGNORECASE,
)
OF_SHARE = re.compile(r",?\s{0,3}(?:za|na|u|bei|für|for|on|in\s+the\s+case\s+of)\s", re.IGNORECASE)
COMPARED = re.compile(
    r"(?<!\w)(?:mit|bei|with|of|s|od|čij\w{1,3}|whose|deren|dessen)\s(?:(?!\d)[^\s,;]{1,30}\s){1,6}"
    r"(?:mehr\s+als|weniger\s+als|bis\s+zu|über|unter|höchstens|mindestens|more\s+than|less\s+than"
    r"|not\s+exceeding|exceeding|up\s+to|već\w{1,2}\s+od|manj\w{1,2}\s+od|preko|do|najviše)\s"
    r"\d[\d.,\s\u00a0]{0,14}(?:\s?[^\s,;.\d]{1,12}){0,2}",
    re.IGNORECASE,
)
NOISE = re.compile(r"\\(?=[^\w\s])|\*{1,3}|(?<!\w)F\d{1,4}\[|\]|·|(?<!\S)>(?!\S)")
CITED = re.compile(r"\s?\((?:član\w{1,4}|čl\.|§|Art)[^()]{0,80}\)?$")
"""`(članak 27. stavak 1.)` after an offence: the duty that was not fulfilled."""
LINK = re.compile(r"\[{1,2}([^\[\]]{1,80})\]\(/[^()\s]{1,80}\)")
"""`[section 5 of this title](/us/usc/t5/s5)`, as some texts write citations."""
SPACED = re.compile(r"\s([,;.)])")
MARKER = re.compile(r"^[\s\\(]{0,3}(?:\d{1,3}[a-z]?|[a-z]{1,3})[\\.)]{1,3}\s{1,3}")
_LISTED = (
    r"(?:·+|Absatz(?:es)?|Absätze|Abs\.|Nummern?|Nr\.|Buchstaben?|Satz(?:es)?|Sätze|Halbsatz|\d{1,3}[a-z]?|[a-z]|aa|bb|cc|dd"
    r"|jeweils|auch\sin\sVerbindung\smit)(?![\w·])"
)
REFERRED = re.compile(
    r"\s{1,3}(?:(?:des|der|von|nach|iz|of|under|referred\sto\sin)\s{1,3})?·+"
    rf"(?:(?:,?\s(?:und|oder|and|or|i|ili|sowie|bis)(?:\s(?:des|der|nach))?\s|,\s(?:des\s|der\s)?|\s){_LISTED})*"
)
"""`in den Fällen des § 93`: a case that only a provision describes."""
YEARS = re.compile(
    r"(?:im|in\sden|für\sdas|für\sdie|ab\sdem|in\sdem)\s(?:[A-ZÄÖÜ]?[a-zäöüß]{0,14}j|J)ahre?n?s?\s(?:1[89]|20)\d\d"
    r"(?:(?:\s(?:und|bis|oder)\s|,\s)(?:1[89]|20)\d\d){0,4}(?!\d)"
)
"""The years for which a figure applies."""
TIER = re.compile(
    # Parts of a sum, and ages.
    r"(?<!\w)(?:(?:(?:on|of|for|to)\s+)?(?:so\s+much\s+of(?=\s(?:\S{1,20}\s){0,5}"
    r"(?:income|profits?|gains?|amount|sum|value|pay|remuneration|turnover|price|estate|as\s))|(?:that|the)\s+(?:part|portion"
    r"|(?<=(?:on|of|to)\s\w{3}\s)amount)\s+of|the\s+(?:(?:first|next)(?=\s[£$€\d])|balance(?!\ssheet)"
    r"|remainder|excess))(?!\w)[^;%]{0,160}?(?=,\s(?!but)|;|\.\s|\.$|$)"
    r"|(?:für|auf|von|bei)\s+(?:den|die|dem|der)\s+(?:ersten|weiteren|nächsten"
    r"|(?:\w{1,20}\s){0,2}teil)(?!\w)[^;%]{0,160}?(?=;|\.\s|\.$|$)"
    r"|od\s+dijela\s[^;%]{0,40}?(?:do|od|iznad|preko|između|već\w{1,2}|prelazi)\s[^;%]{0,100}?(?=,\s|;|\.\s|\.$|$)"
    r"|(?:na|za)\s+(?:dio|iznos|(?:\w{4,12}\s)?osnovic\w)\s[^;,%]{0,40}?(?:do|od|iznad|preko"
    r"|između|već\w{1,2}|prelazi)\s[^;%]{0,100}?(?=,\s|;|\.\s|\.$|$)"
    r"|(?:aged|(?:has|have)\s+(?:not\s+)?(?:attained|reached)\s+(?:the\s+age|pensionable)"
    r"|(?:under|over)\s+the\s+age\s+of)\s[^,;]{1,60}"
    r"|koj\w\s(?:je|su|nije|nisu)\s(?:navrši\w{1,3})\s[^,;]{1,60})",
    re.IGNORECASE,
)
"""`on the first £2,000`, `na dio osnovice iznad 50.000,00 eura`: the tier that a rate is for."""
SAME_CASE = re.compile(
    r"[\W\d]{0,8}(?:(?:sie|er)\s+(?:beträgt|betragen|endet|beginnt)|it\s+shall\s+be"
    r"|on[ao]?\s+iznosi|where\s+this\s+is\s+the\s+case)(?!\w)"
    r"|(?:^|.{0,200}?(?<!\w))(?:in\s+(?:diesem\s+falle?|diesen\s+fällen)|u\s+(?:tom|tome|takvom)"
    r"\s+slučaju|u\s+(?:tim|takvim)"
    r"\s+slučajevima|in\s+(?:that|this|such|these|those|the\s+(?:former|latter))\s+(?:a\s+|an\s+)?(?:cases?|events?))(?!\w)",
    re.IGNORECASE,
)
REFERS_BACK = re.compile(
    r"[\W\d]{0,8}(?:(?:er|sie|es|dies\w{0,2}|jene\w?|solche\w?|derartige\w?|hier\w{2,4}|dabei|dafür"
    r"|davon|danach|dann|insoweit|zugleich|gleichzeitig|ferner|außerdem|zudem|zusätzlich|darüber\shinaus|it|he|she|they|this|these|those|any\ssuch|such|the\s(?:said"
    r"|same)|thereupon|taj|ta|to|tu|tim|te(?=\s\w+e\s)|takv\w{1,3}|naveden\w{1,3}|pritom|pri\stome|ist[iao]"
    r"|on|ona|ono|oni)(?!\w)"
    r"|(?:\S{1,25}\s){1,12}?(?:such|diese[rmsn]?|solche[rn]?|tog|toga|tom|toj|te\s\w+e|takv\w{1,3}"
    r"|naveden\w{1,3}|the\ssaid|thereof|dessen|davon|hierfür|that\s(?:notice|period|person|amount|decision"
    r"|order|application|request|case|day|date|payment|certificate|licence|license|claim|report))(?!\w))",
    re.IGNORECASE,
)
"""How a sentence begins that goes on with what the sentence before is about."""
DEFINITE = re.compile(
    r"[\W\d]{0,8}(?:Der|Die|Das|Dem|Den|Des|The)\s(?:[a-zäöüß]{3,20}\s){0,2}([^\W\d_]{5,40})"
)
"""`Der Beschluss …`: something that was named before, if it was."""
OWN_REFERENCE = re.compile(r"(?<!\w)(?:Satz|Sätzen?|Absatz|Absätzen?|gleiche|The)(?!\w)")
"""A sentence that says to what it belongs, other than the sentence before; or an English one."""
OTHERWISE = re.compile(
    r"[\W\d]{0,8}(?:otherwise|in\s+(?:all|any)\s+other\s+cases?|im\s+übrigen|andernfalls|anderenfalls"
    r"|sonst|in\s+allen\s+anderen|in\s+anderen\s+fällen|inače|u\s+protivnom|u\s+(?:svim\s+)?(?:drugim"
    r"|ostalim))(?!\w)",
    re.IGNORECASE,
)
"""How a sentence begins that leaves the case of the one before."""
EXCEPTS = re.compile(
    r"[\W\d]{0,8}(?:(?:dies|das|(?:satz|absatz|nummer)\s\d{1,2}[^.;]{0,60}?)\s(?:gilt|gelten)\s(?:nicht|nur)"
    r"|(?:weitere\s)?voraussetzung\w{0,2}\s[^.;]{0,60}?\s(?:ist|sind)(?!\w)"
    r"|(?:this|that|the\s(?:preceding|foregoing|first|previous)\s\w{4,12}|(?:sub)?(?:section|paragraph|clause)\s\S{1,12})"
    r"\s(?:\w{4,12}\s)?(?:does|shall|do|applies|apply)\s(?:not\s(?:apply|be)|only)"
    r"|(?:naveden\w{1,3}|to|ov\w{1,3}|taj|ta|odredb\w\s\S{1,20}\s\S{1,20})\s[^.;]{0,60}?ne\s(?:vrijedi|primjenjuj\w|odnosi)"
    r"|iznimno)(?!\w)",
    re.IGNORECASE,
)
"""How a sentence begins that limits the one before."""
EXCEPTED = re.compile(
    r"[\W\d]{0,8}(?:Die\s|Der\s)?(?:(?:Absatz|Absätze|Abs\.)\s(?P<paragraphs>\d{1,2}[a-z]?(?:(?:,|\sund|\sbis|\soder)"
    r"\s\d{1,2}[a-z]?){0,5})\s?)?(?:(?:Satz|Sätze)\s(?P<sentences>\d{1,2}(?:(?:,|\sund|\sbis|\soder)\s\d{1,2}){0,4})\s)?"
    r"\s?(?:(?:gilt|gelten)\s(?:[^\s.;,]{2,20}\s){0,2}(?:nicht|nur)|(?:findet|finden)\s(?:keine|nur)"
    r"|(?:ist|sind)\s(?:nicht|nur)\s[^.;]{0,60}anzuwenden)(?!\w)"
)
"""`Satz 1 gilt nicht, wenn …`: which sentence or paragraph a sentence limits."""
OPEN_LIST = re.compile(
    r"(?<!\w)(?:if|where|when|unless|for|of|on|in|by|who|which|that|following|below|namely|ako|kada?|koj[iaeu]"
    r"|za|na|od|u|vrijeme|slučaju|slučajevima|sljedeć\w{1,3}|to|wenn|soweit|sofern|bei|für|von|auf|die|der"
    r"|folgend\w{0,2}|fällen|prekršaj)\W{0,4}$",
    re.IGNORECASE,
)
"""How words end whose list says in which cases they apply."""
DEFINES = re.compile(
    r"(?<!\w)(?:means|bedeutet|znači|hereby\s+amended|is\s+amended|mijenja\s+se)(?!\w)",
    re.IGNORECASE,
)
BEGINS = re.compile(r"(?:if|where|when|ako|ukoliko|kada?|wenn|soweit|sofern)\s", re.IGNORECASE)
BARE = re.compile(
    r"(?:if|where|when|ako|kada?|wenn)(?:\s(?:he|she|or|it|they|er|sie|es|on|ona|se|je|the|person"
    r"|that|—))*",
    re.IGNORECASE,
)
"""A condition of which only the beginning was found."""
INSERTED = re.compile(
    r"(?<!\w)(?:may|shall|must|will|can|would|could|which|who|that|is|are|was|were|has|have|not|and|or|if|kann|ist|wird|može"
    r"|mora),\s{1,3}$|,\s(?=kao\si\s)",
    re.IGNORECASE,
)
AMENDS = re.compile(
    r"(?<!\w)(?:by\s+(?:the\s+)?substitut\w{2,4}|the\s+(?:substitution|insertion|deletion)"
    r"|by\s+inserting|ersetzt|zamjenjuj\w{1,2}|mijenja\w{0,2})(?!\w)",
    re.IGNORECASE,
)
HEADING = re.compile(
    r"(?!.{3,200}\s(?:shall|may|must|if|unless|that)(?:\s|\W{0,3}$))[A-Z](?:[^.,:—–]|(?<=[A-Z])\.){3,120}$|\W{0,3}(?i:in|im|u)\s(?:(?:sub)?section|paragraph|the\sdefinition|§"
    r"|Absatz|član|stav)"
)
"""A title of what follows, or what is amended: neither limits anything."""
DEPENDENT = re.compile(r",\s(?:dass|daß|ob|weil)\s")
"""The comma before a German clause that the verb before it needs."""
NEXT_CLAUSE = re.compile(
    r",\s(?:a|no|te|i|and|und)\s{1,3}$|[\s,](?:but|aber|jedoch|ali),?\s{1,3}$|\sor\sat\sany\stime\s$"
    r"|\sor\s(?:more|less)\s[a-z]{3,12}\s{1,3}$",
    re.IGNORECASE,
)
"""After these words a condition begins what the sentence says next."""
INTRODUCES = re.compile(
    r"(?:[,\s]{1,3}(?:ein\w{0,2}|der|die|das|von|auf|um|zu|in|höhe|anteil|betrag|mehr|weniger|als"
    r"|bis"
    r"|höchstens|mindestens|beträgt|betragen|liable|a|an|the|to|of|is|at|fine|class|penalty|rate"
    r"|not"
    r"|exceeding|more|less|than|up|least|sum|amount|within|innerhalb|binnen|frist|rok\w{0,2}|od"
    r"|do|u|iznos\w{0,2}|stop\w{1,2}|po|najviše|jährlich|monatlich|wöchentlich|täglich|yearly"
    r"|monthly|annually|godišnje|mjesečno|tjedno|dnevno"
    r"|najmanje|novčan\w{1,3}|kazn\w{1,3})){1,9}[,\s]{0,3}$",
    re.IGNORECASE,
)
"""The words between what an item is about and its figure."""
ONLY_SUBJECT = re.compile(r"\s(?:[^\s,;]{1,20}\s){0,3}[^\s,;]{1,20}")
TIMED = re.compile(
    r",\s(?:within|(?:no|not)\slater\sthan|before\sthe|during\s(?:the|a|that)|for\sa)(?!\w)",
    re.IGNORECASE,
)
"""A time between the subject and the verb of a condition."""
UNFINISHED = re.compile(
    r"\s(?:does\snot|do\snot|did\snot|has|have|had|has\snot|have\snot|fails?|is|was),\s",
    re.IGNORECASE,
)
INLINE_LIST = re.compile(r"—\s?\(?\*?[a1i]\*?\)\s")
"""`shall include— (a) details`: a list that runs on in its sentence."""
CONTENTS = re.compile(
    r"(?<!\w)(?:[a-z]{3,14}ing|includes?|contains?|specif(?:y|ies)|comprises?|sets?\sout|states?|provides?"
    r"|publish|consider|do)\s(?:(?:each|all|any)\sof\s)?the\sfollowing(?:\s\w{4,14})?\W{0,4}$",
    re.IGNORECASE,
)
"""`a report detailing the following:` introduces no cases."""
NEW_TEXT = re.compile(
    r"(?<!\w)(?:insertion|substitut(?:ion|ing)|inserting|adding|addition)\b[^;]{0,40}\bfollowing(?!\w)",
    re.IGNORECASE,
)
"""`by the insertion of the following subsection`: what is amended, and no case."""
FOLLOWING = re.compile(r"(?<!\w)(?:following|folgend\w{0,2}|sljedeć\w{1,3})(?!\w)", re.IGNORECASE)
COMMA = re.compile(r",(?!\d|\s(?:1[89]|20)\d\d(?!\d))")
