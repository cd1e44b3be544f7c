"""Words that decide what a rule says: change one, and it is a different rule.

Figures of every kind, months, negations, obligations and permissions, more and less, before and
after: in Croatian, English and German, with their endings.
"""

from assay.reading.stems import build_matcher

_SIGNS = "% ‰ € $ £ §"
_UNITS = """
posto postotak* eur eura euro* eurima kn kuna kune hrk usd chf gbp percent prozent*
"""
_NUMERALS = """
jedan jedna jedno jednog* jednom* jednoj dva dvije dvaju dvama dvjema tri triju trima četiri*
pet šest sedam osam devet deset *naest dvadeset* trideset* četrdeset* pedeset* šezdeset* sedamdeset*
osamdeset* devedeset* sto stotin* dvjesto tristo petsto tisuć* milijun* milijard* pola polovin*
trećin* četvrtin* dvostruk* trostruk* prvi prvog prvoga prva prve drugi drugog drugoga treći trećeg
trećega jednom
one two three four five six seven eight nine ten eleven twelve *teen twenty* thirty* forty* fifty*
sixty* seventy* eighty* ninety* hundred* thousand* million* billion* half third quarter double twice
first second once
eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf *zehn *zwanzig *dreißig *vierzig
*fünfzig *sechzig *siebzig *achtzig *neunzig *hundert *tausend million* milliard* halb* hälfte
drittel viertel doppelt* erste* zweite* dritte* einmal zweimal
"""
_MONTHS = """
siječanj siječnj* veljač* ožujak ožujk* travanj travnj* svibanj svibnj* lipanj lipnj* srpanj srpnj*
kolovoz* rujan rujn* listopad* studeni studenog* studenom* prosinac prosinc*
january february march april may june july august september october november december
januar jänner februar märz mai juni juli oktober dezember
"""
_NEGATIONS = """
ne nije nisu nema nemaju neće ni niti nikad* nijed* bez osim izuzev zabran* nedopušten*
not no nor never none without except unless neither cannot prohibit* forbidden exempt*
nicht kein* nie niemals ohne außer ausgenommen weder verbot* untersag* befreit*
"""
_MODALS = """
mora moraju moral* može mogu mogl* smije smiju dužan dužn* obvezan obvezn* treba trebaju ovlašten*
must may shall should can might required liable entitled
muss müssen darf dürfen kann können soll sollen verpflichtet berechtigt
"""
_BOUNDS = """
najmanje najviše manje više manji manja većeg veći veća prije nakon poslije ispod iznad ili samo
isključivo
least most less more fewer below above before after until or only exceed*
mindestens höchstens weniger mehr unter vor bis oder nur übersteig*
"""
_decides = build_matcher(_SIGNS, _UNITS, _NUMERALS, _MONTHS, _NEGATIONS, _MODALS, _BOUNDS)


def is_decisive(word: str) -> bool:
    """Whether a lower-case word is a figure, or is as decisive as one."""
    return any(map(str.isdigit, word)) or _decides(word)
