"""Whether a deadline of an act is one for paying, filing, appealing: by the verb it belongs to.

Acts name returns, payments and appeals everywhere, often next to a time limit for something else:
an authority's answer, a notice, or the end of a contract.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.cues import compile_cue
from assay.packs.regulatory.extractor.deadlines import GERMAN_TRIGGER, skip_trigger
from assay.packs.regulatory.extractor.figures import Figure
from assay.packs.regulatory.extractor.meaning import Meaning
from assay.packs.regulatory.extractor.periods import find_open_condition
from assay.packs.regulatory.extractor.time_cues import DEADLINES

_NEAR = 200
"""As many letters before or after a time limit may contain the verb that says what to do."""
_MUST = r"(?:shall|must|to|be|is|are|and|or|may|not|promptly|been)"
_DONE: Mapping[str, re.Pattern[str]] = {
    "payment_deadline": compile_cue(
        rf"(?<!ne\s)(?:u|is|na)?plati\w{{0,3}}|(?<!ne\s)plaća|plaćaju|(?:u|is)plaćuj\w{{1,2}}|podmir\w{{1,4}}"
        rf"|dospijeva\w{{0,2}}|{_MUST} (?:pay|paid|payable|remit(?:ted)?|deposit(?:ed)?)|pays"
        rf"|payable|falls? due"
        r"|(?:ein|aus|ab|be)?(?:zu)?zahl(?:t|en)|(?:ein|aus|ab|be)?gezahlt|entricht\w{1,3}|abzuführen"
        r"|abgeführt|fällig|überweis\w{1,3}|zu leisten|(?:is|are|becomes?|fall) due"
    ),
    "filing_deadline": compile_cue(
        r"podn(?:osi|ose|ijeti|ese|esu|esti)|podnosi se|preda(?:je|ti|ju|n\w?)|prijavi(?:ti)?"
        r"|prijavljuj\w{1,2}"
        r"|dostav\w{1,5}|staviti|fil(?:e|es|ed|ing)|submit(?:s|ted|ting)?|lodge[sd]?|apply|appl(?:ies|ied)"
        rf"|{_MUST} (?:report|declare|claim|made|make|send|deliver)(?:ed|d)?|returned"
        rf"|einzureichen|eingereicht"
        r"|einreich\w{1,2}|ab(?:zu)?geben|abgegeben|gibt|zu stellen|gestellt|stell(?:t|en)"
        r"|anzuzeigen|angezeigt"
        r"|anzeig(?:t|en)|(?:zu |an|ge)?meld(?:en|et)|anzumelden|angemeldet|vor(?:zu)?legen"
        r"|vorgelegt"
        r"|nach(?:zu)?reich(?:en|t)|beantrag\w{1,3}|zu erklären|erklärt|eingehen|zu übermitteln"
        r"|übermittelt"
        r"|nachzuweisen|requires? (?:an? )?(?:declaration|return|report|statement|application)"
    ),
    "appeal_deadline": compile_cue(
        r"žaliti|žali se|prav[oa] (?:na )?žalb\w|right (?:of|to) appeal"
        r"|(?:podn(?:osi|ose|ijeti|ese|esti)|izjav\w{1,4}|uloži\w{0,2}|ulaže"
        r"|dopušten\w?|pokren\w{1,4}"
        r"|tužiti|može se)|(?:may|shall|must|can|to) (?:\w{1,10} ){0,2}(?:appeal|object|contest"
        r"|challenge"
        r"|petition)|appeals?(?= (?:to|against|from|the|may|must|shall|is|within))|(?:fil|lodg"
        r"|br(?:ing|ought)"
        r"|ma(?:k|d)|submit)\w{0,4}|request\w{0,2}|objects|ein(?:zu)?legen|eingelegt|erheben|erhoben"
        r"|anfecht\w{1,3}|angefochten|gerügt|rügen|statthaft|zulässig"
        r"|(?:einspruchs|beschwerde|widerspruchs|klage|berufungs|rechtsmittel)frist"
    ),
    "registration_deadline": compile_cue(
        r"upis\w{0,6}|registri\w{1,4}|registar|registra|registration|regist(?:er|ers|ered)|enrol\w{0,4}"
        r"|prijaviti|prijavljuj\w{1,2}|eintrag\w{0,4}|einzutragen|eingetragen|registrier\w{1,4}|an(?:zu)?melden"
        r"|angemeldet|abzumelden|abmelden|take out|notif\w{1,5}"
    ),
    "refund_deadline": compile_cue(
        r"vrać\w{1,4}|vrati\w{0,3}|povrat\w{0,2}|refund\w{0,3}|repa(?:y|id|yment)|reimburs\w{1,5}"
        r"|erstatt\w{1,4}|zurück(?:zu)?(?:ge)?zahl\w{1,3}|aus(?:zu)?zahl\w{1,3}|ausgezahlt|return(?:ed)?"
    ),
}
"""The verbs without which a sentence of an act only mentions a payment, a return or an appeal."""
_REPLIES = compile_cue(
    r"odgovor\w{1,4}|odluč\w{1,4}|donijeti|donosi|obavijest\w{1,4}|obavješ\w{1,5}|respond\w{0,2}|repl(?:y|ies)"
    r"|decide[sd]?|notify|inform|issue|publish|evaluate|review"
    r"|give[ns]? (?:\w{1,12} ){0,3}notice|entscheid\w{1,3}"
    r"|bescheid\w{1,3}|unterricht\w{1,3}|mitzuteilen|teilt"
)
_OFFICE = re.compile(
    r"(?<!\w)(?:the\s(?:\w{3,14}\s){0,2}(?:authorit(?:y|ies)|commission|executive|secretary|ministers?|board"
    r"|courts?|agency|director|registrar|council|department|inspector|administrator|governor|state)"
    r"(?:\s(?:concerned|of\s[\w\s]{3,40}))?\s(?:shall|must|may|will)"
    r"|(?:tijelo|agencija|povjerenstvo|ministar(?:stvo)?|inspektor|sud|zavod|vijeće|povjerenik|uprava|vještak|ured|vlada"
    r"|komisija|sabor)\s(?:[\w\s]{0,40}\s)?(?:će|dužn[oaiu]|dužan|donosi|daje|odlučuje|izdaje|obavještava|dostavlja"
    r"|upućuje|prosljeđuje|ne\s(?:obavi|donese|uspije))"
    r"|(?:\w{0,12}behörde|\w{0,6}amt|ministerium|gericht|kammer|bundesanstalt|kommission|ausschuss)\s(?:hat|entscheidet"
    r"|teilt|unterrichtet|prüft|gibt|informiert))(?!\w)",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"(?:^|(?<=[,;]\s))\W{0,3}(?:ako|ukoliko|kada?|if|where|when|whenever|wenn|sofern|falls|nachdem|soweit|sobald)(?!\w)"
    r"[^,;]{0,200},"
    r"|,\s(?:koj\w{1,3}|čij\w{1,3}|who|which|whose|der|die|das|dem|den|deren|dessen|(?:für|in|auf|mit|von|an)\s(?:die|der|dem|den))"
    r"\s[^,;]{0,160},",
    re.IGNORECASE,
)
"""A condition or a relative clause beside the words that a time limit belongs to."""
_CONDITION_AFTER = re.compile(
    r",?\s(?:es\ssei\sdenn|sofern|wenn|soweit|falls|unless|except|if|provided\sthat|osim|ako|ukoliko)(?!\w).{0,400}"
    r"|,\s(?:koj\w{1,3}|čij\w{1,3}|which|who|whose|wobei|whereupon|nakon\sčega)(?!\w).{0,400}",
    re.IGNORECASE,
)
_HANDLED = re.compile(
    r"(?<!\w)(?:(?:odgovor\w{0,4}|očitova\w{1,5}|odluč\w{1,5}|odluk\w{1,2}|rješava\w{0,2}|primitk\w|prijepis\w{0,2}|primjerak)"
    r"\s(?:(?:na|o|po)\s)?(?:[^\W\d_]{3,14}\s)?(?:žalb|tužb|prigovor|zahtjev|prijav|prijedlo|molb)\w{1,4}"
    r"|(?:repl(?:y|ies)|respon[ds]\w{0,3}|answers?|copy|copies|notice|decisions?|rulings?|hearings?|receipt|determinations?"
    r"|consider\w{0,3}|form|making)\s(?:(?:to|of|on|for)\s)?(?:(?:the|an?|such|any|that)\s){0,2}(?:\w{3,14}\s)?"
    r"(?:appeals?|applications?|claims?|complaints?|petitions?|requests?|returns?|reports?|objections?|protests?"
    r"|representations)"
    r"|(?:Erwiderung|Stellungnahme|Entscheidung|Beantwortung|Antwort|entscheidet|Eingang|Zugang|Vorliegen)\s"
    r"(?:(?:auf|zu[mr]?|über)\s)?(?:d(?:e[rsmn]|ie|as)\s|eine[rsmn]?\s)?(?:[a-zäöüß]{4,20}\s)?\w{0,16}"
    r"(?:antrag|antrags|antrages|klage|beschwerde|berufung|einspruch\w{0,2}|widerspruch\w{0,2}|anzeige|meldung|erklärung))(?!\w)",
    re.IGNORECASE,
)
"""What is only answered, decided or received: `odgovor na žalbu`, `decision on the application`."""
_HEARD = re.compile(r"(?<!\w)representations(?!\w)", re.IGNORECASE)
_MODAL = re.compile(
    r"(?<!\w)(?:shall|must|may|will|should)(?:\s(?:not|also|only|promptly|then|be|have|each|either|in\swriting|by\s\w{4,12}))"
    r"{0,3}\s(?P<verb>[a-z]{3,14})(?!\w)(?P<object>(?:\s[\w-]{1,16}){0,3})"
)
_OTHERWISE = frozenset(
    {
        "issue", "issued", "publish", "published", "promulgate", "prescribe", "establish",
        "determine", "decide", "consider", "review", "conduct", "develop", "approve", "hold",
        "appoint", "compile", "complete", "adopt", "enter", "inform", "carry", "begin", "commence",
        "initiate", "revise", "update", "identify", "implement", "evaluate", "examine",
        "investigate", "convene", "designate", "release", "destroy", "remove", "transfer",
        "surrender",
    }
)  # fmt: skip
"""English verbs of doing something other than filing, paying or appealing."""
_MADE = re.compile(
    r"\s(?:it|such\s\w+|(?:an?|the|such)\s(?:\w{3,12}\s)?(?:order|regulations?|appointment|rules?|determination|decision|direction"
    r"|recommendations?|arrangements?)|regulations|rules|available|recommendations)(?!\w)",
    re.IGNORECASE,
)
_COPY = re.compile(
    r"(?<!\w)deposit(?:ed|s)?(?!\w)[^,;]{0,60}\s(?:cop(?:y|ies)|deeds?|documents?|maps?|plans?|instruments?|statements?)(?!\w)",
    re.IGNORECASE,
)
_OF_REGISTERS = compile_cue(r"upis\w{0,6}|registr\w{1,4}|registar|prijav\w{1,5}")
_ENTERS = compile_cue(
    r"(?:zahtjev|prijav|prijedlo|podnes)\w{0,4}(?: [^\W\d_]{2,18}){0,2}"
    r" za (?:[^\W\d_]{3,14} )?upis\w{0,2}"
    r"|radi upisa|upisati|upisuj\w{1,2}|upisat će|upiš[eu]|registrira\w{0,3}"
    r"|prijavi\w{0,2} se|prijavljuj\w{1,2} se|se prijavi\w{0,2}"
    r"|prijav\w{1,5}(?: [^\W\d_]{2,18}){0,3} (?:počet|djelatnost|obrt|registr|evidencij)\w{0,5}"
)
"""Croatian words for entering a register; registers are also named as what happened before."""
_LODGES_APPEAL = re.compile(
    r"(?<!\w)(?:podn(?:ijeti|osi|ose|esti|ese|esu)|izjaviti|uložiti)(?!\w)(?:\s[^\W\d_]{2,20}){0,4}?"
    r"\s(?:žalb|tužb|prigovor)\w{0,2}(?!\w)",
    re.IGNORECASE,
)
_ACCUSES = compile_cue(
    r"optužn\w{1,3} (?:prijedlo|akt)\w{0,3}|kaznen\w{1,2} prijav\w{1,2}"
    r"|prekršajn\w{1,2} nalog\w{0,2}"
)
_DEMANDS = compile_cue(
    r"(?:zatražiti|zatraži|zahtijevati|zahtijeva|tražiti) (?:dostav|podnošenj)\w{1,2}"
)
"""`Ministarstvo može zatražiti dostavu podataka`: who demands papers hands in none."""
_REPORTS = re.compile(
    r"(?<!\w)\w{0,24}(?:bericht|anzeige|meldung|gutachten|auskunft)(?:\w{0,2}(?:\s[^,;.]{0,60})?\s(?:zu\s)?)?erstatt",
    re.IGNORECASE,
)
"""`ist Bericht zu erstatten`, `Berichterstattung`: nothing is paid back."""
_ASKS_BACK = compile_cue(
    r"zahtijeva\w{0,3}|zahtjev\w{0,3}|zatraži\w{0,2}|traži\w{0,2}|pokreć\w{1,3}|pokren\w{1,3}"
)
"""`Povrat se može zahtijevati u roku`: who asks for a refund refunds nothing."""
_INFINITIVE = re.compile(r"(?<!\w)[^\W\d_]{2,18}(?:iti|ati|eti|uti)(?!\w)")
_AND_WITHIN = re.compile(
    r"(?:,|\s(?:i|te|a|odnosno))\s(?:to\s)?(?:najkasnije\s)?(?:u\s(?:[^\W\d_]{3,14}\s)?roku|do|najkasnije)[^,;]{0,20}$"
)
_HANDED_IN = frozenset({"filing_deadline", "appeal_deadline", "registration_deadline"})


def choose_certain_deadline(clause: Clause, meaning: Meaning) -> Meaning:
    """A deadline of an act by what has to be done; only `deadline` if no verb near it says that."""
    verbs = _DONE.get(meaning.predicate)
    if verbs is None or not clause.article or clause.is_row:
        return meaning
    words = _find_governing_words(clause, meaning.figure)
    if meaning.predicate == "payment_deadline" and _COPY.search(words):
        return replace(meaning, predicate="filing_deadline")
    if _is_done_before(clause, meaning.figure, verbs):
        return replace(meaning, predicate="deadline")
    if meaning.predicate == "filing_deadline" and _LODGES_APPEAL.search(_HANDLED.sub(" ", words)):
        return replace(meaning, predicate="appeal_deadline")
    if _is_named_only(meaning.predicate, words):
        return replace(meaning, predicate="deadline")
    office = meaning.predicate in _HANDED_IN and (_OFFICE.search(words) or _replies(words, verbs))
    bare = _HEARD.sub(" ", _HANDLED.sub(" ", words))
    named = DEADLINES[meaning.predicate].search(bare) and verbs.search(bare)
    if named and not office and not _acts_otherwise(clause, meaning.figure):
        return meaning
    return replace(meaning, predicate="deadline")


def _is_named_only(predicate: str, words: str) -> bool:
    """Whether Croatian words name a register, a charge or a refund, but nobody acts as it says."""
    if predicate == "registration_deadline":
        return _OF_REGISTERS.search(words) is not None and not _ENTERS.search(words)
    if predicate == "refund_deadline":
        return _ASKS_BACK.search(words) is not None or _REPORTS.search(words) is not None
    return predicate == "filing_deadline" and (
        _ACCUSES.search(words) is not None or _DEMANDS.search(words) is not None
    )


def _is_done_before(clause: Clause, figure: Figure, verbs: re.Pattern[str]) -> bool:
    """`uskladiti statut u roku od godine i podnijeti zahtjev`: the time is for the first verb."""
    start, _ = clause.part_of(figure.start)
    before = _ASIDE.sub(" ", clause.masked[max(start, figure.start - _NEAR) : figure.start])
    acts = [one[0] for one in _INFINITIVE.finditer(before)]
    if not acts or _AND_WITHIN.search(before):
        return False
    return verbs.search(before) is None


def _find_governing_words(clause: Clause, figure: Figure) -> str:
    """The words that a time limit belongs to, without conditions, asides and its start."""
    start, end = clause.part_of(figure.start)
    after = clause.masked[figure.end : end]
    if opened := find_open_condition(clause.words_before(figure, past_others=True)):
        return f"{opened} {after.partition(',')[0][:_NEAR]}"
    before = _ASIDE.sub(" ", clause.masked[max(start, figure.start - _NEAR) : figure.start])
    german = GERMAN_TRIGGER.match(after)
    rest = after[german.end() :] if german else skip_trigger(after)
    rest = _CONDITION_AFTER.sub("", _ASIDE.sub(" ", rest[:_NEAR]))
    goes_on = clause.text[:1].islower() or clause.lead.rstrip().endswith((":", "—", "–"))
    return f"{before} {rest} {clause.lead[-_NEAR:] if goes_on else ''}"


def _acts_otherwise(clause: Clause, figure: Figure) -> bool:
    """`Not later than 30 days after …, the Secretary shall issue regulations for filing …`."""
    start, end = clause.part_of(figure.start)
    leads = figure.start - start < 60
    done = list(_MODAL.finditer(clause.masked, start, end if leads else figure.start))
    verb = done[0] if done and leads else done[-1] if done else None
    if verb is None:
        return False
    made = verb["verb"] in ("make", "give") and _MADE.match(verb["object"])
    return verb["verb"] in _OTHERWISE or bool(made)


def _replies(words: str, verbs: re.Pattern[str]) -> bool:
    """`odgovoriti na prigovor u roku od 15 dana`: it is answered, and nothing is handed in."""
    return _REPLIES.search(words) is not None and verbs.search(_REPLIES.sub(" ", words)) is None
