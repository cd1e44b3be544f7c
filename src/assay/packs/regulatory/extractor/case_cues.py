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
OFFENCE = re.compile(
    r"(?<!\w)za\s+(?:\w{1,12}\s+)?prekršaj\w{0,3}\s+(?:iz|propisan\w{0,3}|određen\w{0,3}"
    r"|opisan\w{0,3}|u\s+području"
    r"|koj\w{1,3}|s\s+obilježj\w{1,3})(?!\w)(?:\s+(?!novčan|kaznit|može|ne\s|propisati|smije|za\s+počin"
    r"|fizičk|pravn|okrivljen"
    r"|odgovorn)[^\s;]{1,40}){0,40}",
    re.IGNORECASE,
)
WHOEVER = re.compile(r"\W{0,3}(?:Wer|Whoever|Tko)\s")
RELATIVE = re.compile(
    r"(?<!\w)(?:koj(?:i|a|e|u|eg|ega|em|emu|im|ih|ima|om|oj)|čij\w{1,3}|who|whose|whom|which"
    r"|that(?=\s(?:is|are|was|were|has|have|had|does|do|did)\s))(?!\w)"
    r"|,\s(?:an\s|auf\s|bei\s|für\s|in\s|mit\s|nach\s|von\s|zu\s|aus\s|über\s)?"
    r"(?:der|die|das|dem|den|deren|dessen|denen|welche[rmsn]?)\s(?=[^,;]{3,400},|[^,;]{3,400}$)",
)
"""Where a clause begins that says which of a kind is meant."""
THAT = re.compile(r"(?<=\w\s)that(?!\w)(?!\s(?:is|are|was|were|has|have|had|does|do|did)\s)")
FRONTED = re.compile(
    r"\W{0,6}(?:\d{1,4}[A-Z]{0,2}\.\W{1,6})?(?:\([a-z0-9]{1,3}\)\s)?(?:Za|Na|Uz|Kod|Protiv|Prilikom|Für|Bei|Beim|Auf|Gegen|An(?=\sde[rmn]|\sdie|\sdas)|For|On|Upon|Against"
    r"|In\s(?:respect\sof|relation\sto|the\scase\sof)|With\srespect\sto|During|Während)\s(?!the\s(?:basis|grounds?|purposes?)"
    r"|Grund\s|temelju\s|purposes?\s|example)",
)
"""How a sentence begins that names first what it is for."""
NOISE = re.compile(r"\\(?=[^\w\s])|\*{1,3}|(?<!\w)F\d{1,4}\[|\]|·|(?<!\S)>(?!\S)")
LINK = re.compile(r"\[{1,2}([^\[\]]{1,80})\]\(/[^()\s]{1,80}\)")
"""`[section 5 of this title](/us/usc/t5/s5)`, as some texts write citations."""
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
EXCEPTION = re.compile(
    r"[\W\d]{0,8}(?:iznimno|izuzetno|ausnahmsweise|abweichend|by\sway\sof\s(?:an\s)?exception|exceptionally"
    r"|as\san\sexception|unless|except)(?!\w)(?P<named>\s(?:od|von|from|to|as|otherwise)(?!\w))?",
    re.IGNORECASE,
)
"""How an exception to what was said before begins; `Iznimno od stavka 1.` names from what."""
EXCEPTED = re.compile(
    r"[\W\d]{0,8}(?:Die\s|Der\s)?(?:(?:Absatz|Absätze|Abs\.)\s(?P<paragraphs>\d{1,2}[a-z]?(?:(?:,|\sund|\sbis|\soder)"
    r"\s\d{1,2}[a-z]?){0,5})\s?)?(?:(?:Satz|Sätze)\s(?P<sentences>\d{1,2}(?:(?:,|\sund|\sbis|\soder)\s\d{1,2}){0,4})\s)?"
    r"\s?(?:(?:gilt|gelten)\s(?:[^\s.;,]{2,20}\s){0,2}(?:nicht|nur)|(?:findet|finden)\s(?:keine|nur)"
    r"|(?:ist|sind)\s(?:nicht|nur)\s[^.;]{0,60}anzuwenden)(?!\w)"
)
"""`Satz 1 gilt nicht, wenn …`: which sentence or paragraph a sentence limits."""
