"""The words by which scout judges, in Croatian, English and German, with their endings.

Each list has a letter of its own; a word that is on several counts for the first. How a star is
read, see `assay.reading.stems`.
"""

from types import MappingProxyType
from typing import Final

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

LISTS: Final = MappingProxyType(
    {
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
)
"""By letter: percent, currency, month, span of time, article, duty, field of a form, the site
itself, rule, the language of law, and news."""
FIGURE: Final = "n"
"""The letter of a number."""
