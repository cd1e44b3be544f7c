"""The words and forms by which an agenda says how the public can take part."""

import re

BREAK = re.compile(
    r"[.!?;](?=[\s)\"”])|\n[ \t]*\n|\n[ \t]*(?=[•·*▪●\-–][ \t]|\(?\d{1,2}[.)][ \t]|o[ \t])"
    r"|\n(?=(?:How|To|Public|Written|Options?|Ways|Join|Submit)\b[^\n]{3,120}:[ \t]*\n)"
)
ABBREVIATION = re.compile(
    r"(?:\b(?:[ap]\.m|No|St|Ave|Blvd|Rd|Dr|Mr|Mrs|Ms|Ste|Rm|ext)|\b[A-Z])$", re.I
)
HEADING = re.compile(r"(?m)^[^\n]{3,160}:[ \t]*$")

COMMENT = re.compile(
    r"\bcomments?\b|\bcommenting\b|\btestimony\b|\btestify\b|\bpublic input\b|\becomments?\b"
    r"|\bcommunity[- ]input\b|\baddress(?:ing)? the (?:\w+ ){0,2}(?:council|board|commission"
    r"|committee)\b"
    r"|\b(?:wish|wishing|want|like|desire|sign up|register) to (?:speak|be heard)\b"
    r"|\bwritten (?:statements?|communications?|correspondence|remarks)\b"
    r"|\bread into the record\b|\bcitizens? (?:to be heard|participation)\b|\bspeak (?:at"
    r"|during) \b",
    re.I,
)
ACCOMMODATION = re.compile(
    r"\bA\.?D\.?A\.?\b|\bASL\b|(?i:\baccommodat|\bdisabilit|\bdisabled\b|\bspecial assistance\b"
    r"|\binterpret(?:er|ation|ing)|\balternat(?:e|ive) format|\bTTY\b|\bTDD\b|\brelay service"
    r"|\bhearing[- ]impair|\bhard of hearing\b|\bdeaf\b|\btranslat(?:ion|or)|\bassistive\b"
    r"|\bsign language|\blanguage (?:line|assistance|access)|\bauxiliary aid|\bsubscrib"
    r"|\btechnical (?:support|difficult|assistance))"
)
WAY = re.compile(
    r"\bsubmit|\be-?mail|\bsen[dt]\b|\bcall(?:ing)?\b|\bdial|\braise (?:your|a|the)|\bjoin"
    r"|\bsign up|\bregister"
    r"|\bfill out|\bcomplete an?\b|\bspeaker(?:'s|’s)? (?:card|slip|form)|\bprovid|\bin writing\b"
    r"|\bin person\b",
    re.I,
)
INVITES = re.compile(
    r"\bmay\b|\bcan\b|\bshould\b|\bmust\b|\bshall\b|\bplease\b|\bare (?:encouraged|invited|asked)\b"
    r"|\bto (?:submit|provide|make|comment|speak|address)\b|\bwill be (?:accepted|received)\b"
    r"|^\W*(?:By|Send|E-?mail|Submit)",
    re.I,
)

EMAIL = re.compile(
    r"(?<![\w.+-])[A-Za-z0-9][\w.+-]{0,63}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{2,30}){1,4}"
)
URL = re.compile(
    r"\bhttps?://[^\s<>()\[\]\"“”']{4,400}"
    r"|(?<![\w@./-])(?:www\.|[a-z0-9-]{2,40}\.(?:org|gov|com|us|net)/"
    r"|[a-z0-9-]{1,40}\.zoom(?:gov)?\.us/|zoom\.us/|youtube\.com/|youtu\.be/"
    r"|[a-z0-9-]{1,40}\.webex\.com/)"
    r"[^\s<>()\[\]\"“”']{2,300}",
    re.I,
)
MEETING_URL = re.compile(
    r"zoom(?:gov)?\.(?:us|com)/(?:j|w|s|my|webinar|meeting)/|webex\.com/\S*(?:meet|join|j\.php"
    r"|webappng|wbxmjs|/m/|onstage)"
    r"|teams\.(?:microsoft|live)\.com/(?:l/meetup-join|meet)|goto(?:meet(?:ing)?)\.\w+/\S*\d"
    r"|meet\.google\.com/\w"
    r"|bluejeans\.com/\d|meet\.goto\.com/\d|zoomgov\.com/(?:j|w)/",
    re.I,
)
GENERIC_URL = re.compile(
    r"zoom\.us/(?:download|test|join)?/?$|support\.zoom|/download|/test/?$", re.I
)
JOIN = re.compile(
    r"\b(?:join(?:ing)?|attend(?:ing)?|access(?:ing)?|participate|log(?:ging)? in(?:to)?"
    r"|register)\b[^.]{0,80}"
    r"\b(?:virtual|zoom|webex|teams|webinar|remote(?:ly)?|online|teleconference|video ?conference)",
    re.I,
)
STREAM_URL = re.compile(
    r"youtube\.com/|youtu\.be/|vimeo\.com/|swagit\.com/|granicus\.com/\S*(?:player|live)", re.I
)
STREAM = re.compile(
    r"\bwatch\b|\bobserve\b|\blive[- ]?stream|\bstream(?:ed|ing)?\b|\bwebcast\b|\bbroadcast"
    r"|\btelevised\b|\bview(?:ed)? (?:the )?(?:meeting|live)"
    r"|\bmeetings? (?:can|may) be viewed\b|\bview\b[^.]{0,40}\bmeeting",
    re.I,
)
DOCUMENTS = re.compile(
    r"\bstaff reports?\b|\bagenda (?:packet|material)|\bcopies\b|\brecords?\b|\bdocuments?\b"
    r"|\bagendas\b",
    re.I,
)

PHONE = re.compile(
    r"(?<![\d-])(?:\+?1[\s.-]{0,2})?(?:\(\d{3}\)[\s.-]{0,3}"
    r"|\d{3}[ .-]{1,2})\d{3}[ .-]{1,2}\d{4}(?![\d-])"
)
DIAL = re.compile(
    r"\bdial(?:ing|[- ]?in)?\b|\bcall(?:ing)?[- ]?in\b|\bby (?:tele)?phone\b|\bphone numbers?\b"
    r"|\btelephone numbers?\b"
    r"|\btoll[- ]free\b|\bjoin\b|\blisten\b|\bconference (?:call|line)\b|\bone[- ]tap\b|\bUS:"
    r"|\baudio\b|\bvia (?:tele)?phone\b"
    r"|\bteleconference\b|\btelephonic",
    re.I,
)
NOT_DIAL = re.compile(
    r"\bfax\b|\bfacsimile\b|\boffice\b|\bcontact\b|\bquestions?\b|\binformation\b|\bassistance\b"
    r"|\bclerk(?:'s|’s)? at\b"
    r"|\bcall the\b|\bTTY\b|\bTDD\b|\b711\b|\brequest|\bif you need\b|\binquir|\bvoice ?mail box\b",
    re.I,
)
TELEPHONE = re.compile(
    r"(?:^|\n)[ \t•*-]{0,6}(?:tele)?phone\s?:\s{0,3}(?:\+?[\d(][\d ().-]{8,20}(?:,|/|or|and|\n)"
    r"\s{0,3}){0,1}\Z",
    re.I,
)
CALL = re.compile(r"\b(?:call|dial)\W{0,4}\Z", re.I)
TOLL_FREE = re.compile(r"\s?\(?toll[- ]free\b", re.I)
CALL_TO_COMMENT = re.compile(r"\bcalling\b|\bleave a\b|\bby (?:tele)?phone\b|\bvoice ?mail\b", re.I)
MEETING_ID = re.compile(
    r"\b(?:meeting|webinar|conference|event|session)\s{1,3}(?:id|i\.d\.|number|no\."
    r"|code)(?:\s{0,2}(?:\(access code\)|number|is|[:#=])){0,3}"
    r"\s{0,3}(\d{3,4}[\s\u00a0-]{1,3}\d{3,4}[\s\u00a0-]{1,3}\d{3,4}(?:[ -]\d{1,3})?"
    r"|\d{9,13})(?!\d)",
    re.I,
)
ACCESS_CODE = re.compile(
    r"\baccess code(?:\s{0,2}(?:is|[:#=])){0,2}\s{0,3}(\d{3,4}[\s\u00a0-]{1,3}\d{3,4}[\s"
    r"\u00a0-]{1,3}\d{3,4}(?:[ -]\d{1,3})?|\d{9,13})(?!\d)",
    re.I,
)
ID_IN_URL = re.compile(r"zoom(?:gov)?\.(?:us|com)/[jw]/(\d{9,11})(?!\d)", re.I)
PASSCODE = re.compile(
    r"\b(?:meeting |webinar |numeric |event )?(?:pass ?code"
    r"|password)(?: \([a-z ]{1,30}\))?\s{0,2}(?::|=|\bis\b:?)\s{0,3}"
    r"([^\s,;()<>]{3,20})"
    r"|\b(?:participant (?:pass ?)?code(?:\s{0,2}(?::|=|\bis\b:?|#))?|pass ?code)\s{0,3}"
    r"(\d{4,10})(?![\d-])",
    re.I,
)
NOT_PASSCODE = re.compile(
    r"(?:none|not|required|needed|the|see|if|will|when|your|this|below|as|on|n/a|requested)\W?$",
    re.I,
)
TAKEN = re.compile(r"\breceived\b|\baccepted\b|\bdue\b|\bdeadline\b", re.I)
SENT = re.compile(r"\be-?mail|@|\bsubmit|\bsend\b", re.I)
FIRST_CLAUSE = re.compile(r"(?:[.;](?=\s)|\n).*\Z", re.S)
"""All after the first clause."""
CODE_BEFORE = re.compile(r"\b(?:id|code|number is)\W{0,4}\Z", re.I)
_TIME = r"(?:\d{1,2}(?::\d{2})?\s?(?:[ap]\.?\s?m\b\.?)|(?:12(?::00)? )?noon\b|midnight\b)"
_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
_WEEKDAY = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_OF_MEETING = (
    r"(?:of|before|prior to|preceding|in advance of) (?:the |each |a |any )?(?:scheduled )?"
    r"(?:[\w-]+ ){0,2}?(?:meeting|hearing)"
)
_DAY = (
    rf"(?:(?:the )?(?:same |last |first |full |\w+ )?(?:business |working |week|calendar )?"
    rf"(?:day|morning|afternoon|evening|night|{_WEEKDAY}) (?:immediately |just )?{_OF_MEETING}"
    rf"|(?:one|two|three|four|five|\d)(?: \(\d\))? (?:full )?(?:business |working |calendar )?"
    rf"days? {_OF_MEETING}"
    rf"|{_WEEKDAY}(?:,? {_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?)?"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?|\d{{1,2}}/\d{{1,2}}/\d{{2,4}}"
    r"|the (?:business |working )?(?:day|evening|night) (?:prior|before)\b(?! (?:the|each|a|any)\b)"
    rf"|the (?:preceding|previous|prior) (?:(?:business |working )?day|{_WEEKDAY})"
    r"|the date of the (?:\w+ ){0,2}meeting|(?:the )?meeting da(?:te|y))"
)
_MEETING_BEFORE = (
    r"\s{1,3}(?:before|prior to|in advance of|preceding)\s{1,3}(?:the\s{1,3})?(?:start of )?"
    r"(?:the |each )?(?:\w+ ){0,2}?meeting(?: start(?: time)?)?"
)
_ZONE = (
    r"(?: \((?:noon|midnight)\))?(?: (?:(?:Pacific|Mountain|Central|Eastern)(?: Standard"
    r"| Daylight)?(?: Time)?|[PMCE][SD]?T\b))?"
)
DEADLINE = re.compile(
    rf"\b(?P<before>{_DAY},? (?:by|before|no later than|not later than) {_TIME})"
    r"|\b(?:by|before|until|through|no later than|not later than"
    rf"|prior to|deadline(?: for [\w ]{{1,40}})?(?: is|:))\s+"
    rf"(?P<at>(?:{_TIME}(?:{_ZONE},?\s?(?:on\s)?{_DAY}(?:{_MEETING_BEFORE})?)?)"
    rf"|(?:{_DAY},? (?:at|by) {_TIME}))"
    r"|\b(?P<ahead>(?:at least |no later than |up to )?(?:(?:an?|half an|one|two|three|four"
    r"|five|six|eight|twelve|twenty-four|forty-eight|seventy-two) )?(?:\(\d{1,2}\) "
    r"|\d{1,2}[ -])?(?:business )?(?:hours?|days?|minutes)"
    rf"{_MEETING_BEFORE})",
    re.I,
)
BARE_TIME = re.compile(_TIME, re.I)
OTHER_DAY = re.compile(
    rf"{_ZONE},?\s{{0,2}}(?:on|the|that|this|each|every|of|one|two|three|four|five|\d|before|prior"
    rf"|preceding|{_WEEKDAY}|{_MONTH})\b",
    re.I,
)
"""What follows a time whose day is not understood."""
_STREET = (
    r"\d{1,6}[A-Z]? (?:[NSEW]\.? |North |South |East |West )?(?:\d{1,3}(?:st|nd|rd|th)"
    r"|(?:[A-Z][\w.'’-]{0,25} ){0,3}[A-Z][\w.'’-]{1,25})"
    r" (?:Street|St|Avenue|Ave|Boulevard|Blvd|Road|Rd|Drive|Dr|Place|Pl|Way|Lane|Ln|Plaza|Court|Ct"
    r"|Square|Parkway|Pkwy|Highway|Hwy|Circle|Terrace)\b\.?"
)
_TOWN = (
    r"[A-Z][A-Za-z.'’ -]{1,30},? (?:[A-Z]{2}\b|California|Texas|Florida|Ohio|Washington|Oregon"
    r"|Minnesota|Illinois|Colorado|Utah)(?:[ ,]{1,2}\d{5}(?:-\d{4})?)?"
)
ADDRESS = re.compile(
    rf"(?<![\w#-])(?:{_STREET}(?:,? (?:[NSEW]{{1,2}}\b\.?))?(?:,?\s{{1,3}}(?:Suite|Ste\.?|Room"
    rf"|Rm\.?|Floor|\d{{1,2}}(?:st|nd|rd|th) Floor) ?[\w-]{{0,6}})?(?:,?\s{{1,3}}{_TOWN}"
    rf"|, [A-Z][a-z]{{2,20}}(?: [A-Z][a-z]{{2,20}})?(?=[ \t]*(?:\n|\Z|[.;)])))?"
    rf"|\d{{1,6}} [A-Z][a-z]{{2,20}}(?: [A-Z][a-z]{{2,20}})?[ \t]{{0,2}}\n{_TOWN})"
)
PLACE = re.compile(
    r"\bchambers?\b|\b(?:city|town|village|county|borough) hall\b|\bcivic center\b|\bboard ?room\b"
    r"|\bcommunity center\b"
    r"|\b(?:meeting )?location:|\bplace:|\bwhere:|\bmeeting (?:will be|is|to be) held\b"
    r"|\bin[- ]person\s?:|\battend (?:the meeting )?(?:in[- ]person )?at\b|\bmeeting place\b"
    r"|\bin[- ]person (?:at|location)\b|\bauditorium\b"
    r"|\b(?:municipal|administration) (?:building|center|complex)\b|\bheld at\b"
    r"|\battend in person\b|\bhearing room\b",
    re.I,
)
NOT_PLACE = re.compile(
    r"\bmail(?:ed|ing)?\b|\brecords?\b|\binspection\b|\bavailable\b|\boffice of\b|\bclerk(?:'s"
    r"|’s) office\b|\bcopies\b|\bproperty\b"
    r"|\bparcel\b|\blocated at\b|\brezon|\bpermit\b|\bproject\b|\bposted\b|\bteleconferenc(?:e"
    r"|ing) location|\bnot be open\b|\bclosed to\b",
    re.I,
)
HYBRID = re.compile(
    r"\bhybrid (?:\w+ ){0,2}?(?:meetings?|format|session|hearing|basis|model)\b|\bmeetings? (?:is"
    r"|are|will be)[^.\n]{0,50}\bhybrid\b|\bin a hybrid\b",
    re.I,
)
IN_PERSON = re.compile(r"\bin[- ]person\b|\bphysically attend\b", re.I)
REMOTE = re.compile(
    r"\bdialing\b|\btelephonic\b|\bvideo ?conference\b|\bby (?:tele)?phone\b|\bvirtual(?:ly)?\b"
    r"|\bremote(?:ly)?\b|\bzoom\b|\bwebex\b|\bonline\b|\bteleconference\b"
    r"|\bmicrosoft teams\b",
    re.I,
)
ATTENDS = re.compile(r"\battend|\bparticipat|\bjoin\b|\bheld\b|\bconducted\b", re.I)
NEGATED = re.compile(
    r"\bnot\b|\bno\b|\bclosed\b|\bsuspend|\bwithout\b|\bcannot\b|\bunable\b|\binstead of\b"
    r"|\bonly\b|\bin lieu\b",
    re.I,
)
VIRTUAL_ONLY = re.compile(
    r"\bvirtual(?:ly)?[- ]only\b|\bno physical (?:meeting )?location\b|\bheld (?:entirely "
    r"|exclusively |solely |only )?(?:virtually|remotely)\b"
    r"|\b(?:fully|entirely|exclusively|solely) (?:virtual|remote|online)\b"
    r"|(?m:^[ \t]*(?:THIS IS A )?VIRTUAL MEETING\b)"
    r"|\b(?:council )?chambers? (?:will (?:not be|be closed)|is closed"
    r"|are closed)[^.]{0,30}\b(?:open )?to the public"
    r"|\bwill not (?:have|open) the (?:council )?chambers?\b|\bphysical meetings will not be\b"
    r"|\b(?:will be|is being) (?:held|conducted) (?:entirely |exclusively |solely |only )?(?:via"
    r"|by|through|on) (?:zoom|tele-?conference|video ?conference|webex)\b"
    r"|\bin-person attendance (?:is|will) not\b"
    r"|\bwill take place (?:by|via) (?:tele-?conference|video ?conference|zoom)\b"
    r"|\bmembers\s+of\s+the\s+public\s+will\s+(?:be\s+)?participat(?:e"
    r"|ing)\s+by\s+teleconference\b",
    re.I,
)
