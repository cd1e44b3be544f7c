"""What scout looks for: the words of rules, figures with their units, and kinds of documents.

In Croatian, English and German, with their endings. Each list has its own letter; a word that is on
several lists counts for the first. `assay.reading.stems` explains the stars.
"""

from typing import Final

from assay.sdk.scouting import DocumentKind, KindClues, Scouting, TextSignals

_PERCENT = "% ‰ posto percent prozent"

_CURRENCY = """
€ $ £ eur eura euro euri eurima eurom euros kn kuna kune kunama hrk usd chf gbp pln huf czk dollar
dollars cent centa centi cents
"""

_MONTH = """
siječanj siječnj* veljač* ožujak ožujk* travanj travnj* svibanj svibnj* lipanj lipnj* srpanj srpnj*
kolovoz* rujan rujn* listopad* studeni studenog* studenom* prosinac prosinc*
january february march april june july august september october november december
januar jänner februar märz mai juni juli oktober dezember
"""

_TIME = """
dan dana danu danom dani danima tjedan tjedna tjedana mjesec mjeseca mjeseci mjesecu mjesecom
godina godine godinu godini godišnje mjesečno tromjesečj* sat sata sati
day days week weeks month months monthly year years yearly annually quarter quarterly hour hours
tag tage tagen woche wochen monat monate monaten monats jahr jahre jahren jahres jährlich monatlich
quartal* stunde stunden kalendermonat* kalenderjahr*
"""

_ARTICLE = """
§ §§ članak člank* čl stavak stavk* st točk* toč podstav* alinej* članci stavci
article articles art section sections sec paragraph paragraphs subsection* subparagraph* clause
clauses annex annexes cfr
artikel* absatz absätz* abs satz ziffer* nummer nr buchstab* anlage* paragraf* paragraph*
"""

_DUTY = """
mora moraju smije smiju dužan dužn* obvezan obvezn* iznosi iznose plaća plaćaju podnosi podnose
podnijeti platiti primjenjuje primjenjuju prijaviti prijavljuje uređuje propisuje propisan*
utvrđuje utvrđen* kaznit kažnjava* stupa stupaju prestaje oslobođen* oslobađa* ostvaruje ostvaruju
određuje dostavlja dostaviti čuva čuvati vodi voditi izdaje izdati obračunava obračunavaju prelazi
prelaze
shall must required requires require liable exempt entitled prohibited applies apply payable exceed
exceeds exceeding exceeded provides provided registered register submit submitted file filed
muss müssen darf dürfen beträgt betragen gilt gelten verpflichtet befreit einzureichen einreichen
anzumelden anmelden zahlen entrichten fällig aufzubewahren tritt erhoben übersteigt übersteigen
unterliegt unterliegen vorzulegen nachzuweisen zulässig unzulässig
"""

_RULE = """
zakon* pravilnik* uredb* odredb* propis* odluk* porez* doprinos* pristojb* trošarin* carin* naknad*
stopa stope stopu stopi stopom stopama osnovic* prag praga pragu rok roka roku rokom rokovi rokova
rokovima obveza obveze obvezu obvezi obveznic* obveznik* obveznici kazn* prekršaj* globa globe
globu kamat* prijav* obrasc* obrazac obrazca iznos iznosa iznosu iznosom oslobođenj* izuzeć*
odbitak odbitk* olakšic* potpor* poticaj* povrat povrata žalb* rješenj* dozvol* suglasn* evidencij*
račun računa računu računi nadzor* inspek* ovlast* uvjet* naplat* dohodak dohotk* dobit dobiti pdv
joppd oib fiskaliz* paušaln* minimaln* najviš* najmanj* isprav* zahtjev* natječaj* registr*
mirovin*
law laws act acts statut* regulation* directive* decree* provision* rule rules ordinance* bylaw*
tax taxes taxable taxpayer* taxation vat rate rates threshold* deadline* penalt* fine fines fee
fees levy levies duty duties contribution* exemption* allowance* deduction* refund* interest return
returns compliance complian* licen* permit permits obligation* liabilit* appeal* assessment*
authori* requirement* amount amounts charge charges certificate* offence* offense* maximum minimum
eligib* filing invoice* record records reporting enforcement violation* prohibition* customs
declar* fined
*gesetz *gesetze *gesetzes *gesetzen gesetz* *verordnung *verordnungen verordnung* *vorschrift*
*steuer *steuern steuer* *steuersatz *satzes steuersatz* *frist *fristen frist* *gebühr* *abgabe
*abgaben abgabe* *beitrag *beiträge beitrag* *betrag *betrags *beträge freibetrag* *geldbuße*
*bußgeld* strafe* *strafe zinsen zins* *bescheid* *anmeldung *anmeldungen *erklärung *pflicht
*pflichtig* *pflichten befreiung* *grenze schwelle* *antrag *anträge antrag* *genehmigung*
*erstattung bemessungsgrundlage* vorauszahlung* *recht *rechts richtlinie* bestimmung*
voraussetzung* umsatz umsätze umsatz* einnahmen einkünfte* aufzeichnung* nachweis* zuwiderhandl*
ordnungswidrig*
"""

_LEGAL = """
sukladno temeljem ovoga ovog navedenog navedene prethodnog nadležn* ministar ministarstv* donosi
donijela narodne novine pravna pravne pravnoj pravnih fizičk* osobe osobi odgovorna smislu odnosno
ukoliko izuzetno iznimno stavljanj* izvan snage snagu objavljuje podlijež*
pursuant accordance hereby thereof therein thereto herein hereinafter means subject referred
purposes purpose notwithstanding laid force commission union competent authorities implementing
implementation institution institutions agency administrator secretary board application adopted
amended amending amendment* repealed specified defined definition* establish* respect regarding
unless whereas person persons under within
gemäß maßgabe sinne insbesondere zuständig* behörde* sofern unbeschadet entsprechend* bundes*
ministeri* personen juristisch* natürlich* soweit hiervon dieser dieses diesem ergeht beschließt
verordnet geändert gefasst aufgehoben anzuwenden anwendung binnen innerhalb
"""

_NEWS = """
rekao rekla izjavio izjavila istaknuo istaknula naglasio naglasila dodao dodala poručio poručila
čestit* zahvali* održan održana održano održali susret susreta susret* otvoren otvorena otvorili
posjet* gost* pozdravi* svečan* proslav* obilježen* obilježil* predstavlj* sudionic* nastup*
koncert* natjecanj* pobijedi* utakmic* ravnateljica ravnatelj gradonačelni* ministrica župan* jučer
danas sutra
said told added announced visited met welcomed thanked celebrat* opened ceremony yesterday today
spokes* mayor director visitors festival concert team award* winner* choir
sagte erklärte betonte dankte begrüßte traf trafen feier* eröffn* besucht* gestern heute
bürgermeister* leiterin leiter gäste konzert* fest preisträger* chor mannschaft sieg* veranstalt*
"""

_SITE = """
kolačić* kolačiće privatnost* kontakt* impressum telefon* tel faks fax e-mail email mail adresa
početna izbornik* poveznic* arhiva pretplat* newsletter* lozink* prijavite pristupačnost*
korištenj* autorsk* rss facebook instagram twitter youtube linkedin preuzmite pretraž* tražilic*
uredništv* nakladni* posjetitelj* preglednik*
cookie cookies privacy contact contacts phone login logout password sign subscribe sitemap
copyright accessibility browser settings accept reject menu search home download share follow
webmaster opening disclaimer imprint
kontakte datenschutz* impressum* startseite passwort* nutzungsbedingung* barrierefrei* suche suchen
übersicht herausgeber redaktion* urheberrecht* webseite webseiten browser* haftung* seite
"""

_FIELD = """
oib iban potpis potpisi ime prezime naziv sjedište mjesto rođenja mb mbo jmbg podnositelj* pečat
ispunjava popunjava upisati zaokružiti datum razdoblje
signature name surname forename address date birth applicant* tick box boxes bic block
unterschrift vorname nachname anschrift geburtsdatum steuernummer antragsteller* ankreuzen ort
zeitraum stempel ausfüllen
"""

VOCABULARY: Final = {
    "%": _PERCENT,
    "c": _CURRENCY,
    "m": _MONTH,
    "t": _TIME,
    "a": _ARTICLE,
    "v": _DUTY,
    "f": _FIELD,
    "b": _SITE,
    "r": _RULE,
    "l": _LEGAL,
    "w": _NEWS,
}
"""By letter: percent, currency, month, span of time, article, duty, form field, the site itself,
rule, legal language, and news."""

SIGNALS: Final = {
    # Words of rules: taxes, rates, deadlines.
    "rules": "r",
    "duties": "v",
    # Words that are common in law but used elsewhere as well.
    "legal": "l",
    "news": "w",
    "site": "b",
    "fields": "f",
    # Articles, paragraphs and sections named with their number.
    "articles": "an",
    # Percentages and sums of money: 25 %, EUR 300.
    "amounts": "n%|cn|nc",
    # Dates and spans of time: 12 days, 1 March.
    "dates": "nm|nt",
    # A figure within a dozen words after the verb that makes it a rule.
    "stated": "v[^v]{0,12}?(?:n%|cn|nc|nm|nt)",
    # The same for dates: every report has dates, but not after a verb of duty.
    "stated_dates": "v[^v]{0,12}?(?:nm|nt)",
    # Numbers that are neither a figure nor the number of an article.
    "bare_numbers": "(?<![acm])n(?![%cmt])",
}

KINDS: Final = {
    "LEGISLATION": DocumentKind(
        weight=0.4,
        names="""
            zakon zakona zakonu zakonom zakoni ustav ustava act acts law laws statute statutes
            code constitution bill *gesetz gesetz gesetze gesetzes *gesetzbuch verfassung
            *gesetzes
        """,
    ),
    "REGULATION": DocumentKind(
        weight=0.35,
        names="""
            pravilnik pravilnika pravilniku uredba uredbe uredbi uredbu odluka odluke odluku
            odluci naredba naredbe rješenje rješenja statut statuta tarifa propisnik regulation
            regulations ordinance ordinances decree directive directives order bylaw bylaws
            resolution *verordnung verordnung *satzung satzung erlass beschluss anordnung
        """,
    ),
    "GUIDELINE": DocumentKind(
        weight=0.25,
        names="""
            uputa upute uputu uputi uputstvo naputak naputka smjernica smjernice smjernicama
            mišljenje mišljenja tumačenje tumačenja priručnik vodič vodiča pojašnjenje
            objašnjenje kako guidance guidelines guideline guide guides handbook manual circular
            interpretation opinion factsheet leaflet instructions how merkblatt leitfaden
            richtlinie richtlinien hinweis hinweise rundschreiben anleitung ratgeber auslegung
            erläuterung erläuterungen schreiben
        """,
    ),
    "FAQ": DocumentKind(
        weight=0.2,
        names="""
            pitanja pitanje odgovori faq faqs questions question fragen häufige
        """,
    ),
    "FORM": DocumentKind(
        weight=0.15,
        names="""
            obrazac obrasca obrasci zahtjev zahtjeva prijavnica izjava form forms application
            questionnaire declaration formular formulare vordruck antrag antrags fragebogen
        """,
    ),
    "ANNOUNCEMENT": DocumentKind(
        weight=0.15,
        names="""
            obavijest obavijesti objava oglas poziv javni natječaj natječaja savjetovanje
            rasprava rasprave najava rok rokovi notice notices announcement call consultation
            hearing tender deadline deadlines bekanntmachung ausschreibung mitteilung aufruf
            anhörung fristen
        """,
    ),
    "NEWS": DocumentKind(
        weight=0.1,
        names="""
            vijest vijesti novost novosti priopćenje intervju reportaža susret održan održana
            posjet posjetili otvoren otvorena news press interview meet meets meeting opens
            opened pressemitteilung nachricht nachrichten aktuelles treffen neues
        """,
    ),
    "BOILERPLATE": DocumentKind(
        weight=-0.3,
        names="""
            kontakt kontakti kolačići kolačića privatnosti pristupačnosti poveznice impresum
            izradi naslovnica početna contact cookies cookie privacy sitemap accessibility login
            home found imprint impressum datenschutz startseite barrierefreiheit
            nutzungsbedingungen
        """,
    ),
}
"""A word that can name two kinds is listed with the one it names more often."""

_WORTHLESS = ("NEWS", "BOILERPLATE")
_RICH = 0.4
"""A text with at least this density is full of rules, whatever its title says."""
_SOME = 0.25
_NONE = 0.1
_MANY_ARTICLES = 5
_FIELDS = 4
_QUESTIONS = 3
_FULL_OF = 0.08
"""A text with at least this share of such words is a form, or a page about the site itself."""
_ENOUGH_FIGURES = 0.02
"""A text with at least this many figures per word is as full of them as a text of rules."""


def choose_kind(clues: KindClues) -> str:
    """Choose a document's kind by its title, otherwise by its beginning, otherwise by its build."""
    signals = clues.signals
    density = signals.density
    built = choose_kind_by_build(clues.text, signals)
    named = clues.kind_in_title()
    if not named and density >= _SOME:
        named = clues.kind_at_beginning()
    if not named:
        return built
    if named in _WORTHLESS:
        # A title such as "News" over a text full of rules describes the site, not the text.
        is_rich = density >= _RICH and _count_figures(signals) + signals["articles"] > 0
        return built if is_rich else named
    rules = signals["rules"] + signals["duties"] + signals["articles"]
    if density < _NONE or signals["news"] > rules:
        # A guide, a notice or a law that states no rule is one in name only.
        return built
    return named


def choose_kind_by_build(text: str, signals: TextSignals) -> str:
    """Choose the kind by the text itself, if nothing names it."""
    words = max(1, signals.words)
    density = signals.density
    fields, articles = signals["fields"], signals["articles"]
    if signals["site"] / words >= _FULL_OF and density < _RICH:
        return "BOILERPLATE"
    if fields >= _FIELDS and fields / words >= _FULL_OF and density >= _NONE:
        return "FORM"
    if articles >= _MANY_ARTICLES and articles * 200 >= words:
        return "REGULATION"
    questions = text.count("?")
    if questions >= _QUESTIONS and questions * 40 >= words and density >= _SOME:
        return "FAQ"
    if density >= _RICH:
        return "GUIDELINE"
    if density >= (_NONE if signals["amounts"] else _SOME) and _count_figures(signals):
        # A sum of money among a few words of rules is worth a look; a date alone is not.
        return "ANNOUNCEMENT"
    if density >= _SOME or signals["news"] * 40 >= words:
        return "NEWS"
    return "BOILERPLATE"


def expect_determinism(signals: TextSignals) -> float:
    """How likely the deterministic extractor is to find the facts without a model, 0 to 1.

    High if figures have units, closely follow a verb of duty, and are many; low if numbers are bare
    or figures are part of flowing prose.
    """
    figures = _count_figures(signals)
    if not figures:
        return 0.0
    with_unit = figures / (figures + signals["bare_numbers"] / 2)
    stated = min(1.0, signals["stated"] / figures)
    plenty = min(1.0, figures / signals.words / _ENOUGH_FIGURES)
    return round(with_unit * (0.4 + 0.6 * stated) * plenty, 4)


def _count_figures(signals: TextSignals) -> int:
    """Figures with a unit."""
    return signals["amounts"] + signals["dates"]


SCOUTING: Final = Scouting(
    languages=frozenset({"hr", "en", "de"}),
    vocabulary=VOCABULARY,
    signals=SIGNALS,
    density={
        "rules": 1,
        "duties": 1,
        "articles": 1,
        "legal": 0.5,
        "amounts": 1,
        "stated_dates": 1,
    },
    # Statutes in plain prose have half of it, tables of rates twice as much, a report about a visit
    # next to nothing.
    full_density=0.12,
    kinds=KINDS,
    choose_kind=choose_kind,
    expect_determinism=expect_determinism,
)
