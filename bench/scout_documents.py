"""Short documents as real sites have them, written by hand, half of them worth reading.

They share no phrase with the demo's gazette. A document is worth reading if it states or explains
a rule, a rate, an amount, a deadline or a duty; what merely mentions an authority is not.
"""

from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class Written:
    """One document by hand."""

    language: str
    worth: bool
    title: str
    body: str

    def page(self) -> bytes:
        """The document as a page, with what usually stands around it."""
        menu, foot = _AROUND[self.language]
        entries = "".join(f'<li><a href="/{n}">{name}</a></li>' for n, name in enumerate(menu))
        text = "\n".join(f"<p>{escape(line)}</p>" for line in self.body.strip().splitlines())
        return f"""<!doctype html><html lang="{self.language}"><head><meta charset="utf-8">
<title>{escape(self.title)}</title><script>var a = "<p>1</p>";</script></head><body>
<div class="topbar"><nav><ul>{entries}</ul></nav></div>
<div class="content"><h1>{escape(self.title)}</h1>
{text}</div>
<footer>{foot}</footer></body></html>""".encode()


_AROUND = {
    "hr": (("Naslovnica", "O nama", "Usluge"), "© 2025 Sva prava pridržana"),
    "en": (("Home", "About", "Services"), "© 2025 All rights reserved"),
    "de": (("Start", "Über uns", "Service"), "© 2025 Alle Rechte vorbehalten"),
}

# Language, worth, title | then the body; a blank line parts documents.
_TEXTS = """
hr + Izmjene Zakona o radu: što donosi novela
Poslodavac je dužan radniku isplatiti plaću najkasnije do petnaestog dana u mjesecu za prethodni mjesec. Za rad nedjeljom plaća se uvećava najmanje 50 posto. Poslodavac koji ne postupi tako kaznit će se novčanom kaznom od 8.090 do 13.270 eura.

hr + Porez na promet nekretnina
Stopa poreza na promet nekretnina iznosi 3 %. Prijavu podnosi stjecatelj u roku od 30 dana od dana sklapanja ugovora, ako je ugovor sastavljen kod privatne osobe. Rok plaćanja je 15 dana od dostave rješenja.

hr + Visina naknade za korištenje javne površine
Za postavljanje terase ugostiteljskog objekta u prvoj zoni naknada je 18,50 eura po četvornom metru mjesečno, a u drugoj zoni 11,00 eura. Od obveze plaćanja izuzete su neprofitne udruge.

hr + Kada obrtnik ulazi u sustav PDV-a?
Mnogi obrtnici pitaju kada moraju početi obračunavati PDV. Odgovor ovisi o prometu: tko u kalendarskoj godini ostvari više od 60.000 eura, upisuje se u registar obveznika s prvim danom idućeg mjeseca. Zahtjev se predaje preko sustava ePorezna. Tko to propusti, riskira naknadno utvrđivanje obveze s kamatama.

hr + Odluka o komunalnom doprinosu Općine Donji Kraj
Gradsko vijeće na sjednici održanoj 4. lipnja donijelo je sljedeću odluku. Jedinična vrijednost komunalnog doprinosa utvrđuje se u iznosu od 7,96 eura po prostornom metru. Investitor može zatražiti obročnu otplatu u najviše 12 mjesečnih rata.

hr + Javni poziv za dodjelu potpora poljoprivrednicima
Prihvatljivi su prijavitelji upisani u Upisnik poljoprivrednika najmanje godinu dana. Najviši iznos potpore je 4.000 eura po korisniku, a pokriva do 70 % opravdanih troškova. Zahtjevi se zaprimaju zaključno s 30. rujna.

hr + Zahtjev za izdavanje građevinske dozvole
Podnositelj upisuje OIB, ime i prezime te adresu. Zahtjevu se prilaže glavni projekt u tri primjerka, dokaz pravnog interesa i dokaz o uplati upravne pristojbe. Rok za izdavanje je 30 dana od urednog zahtjeva. Potpis podnositelja i datum.

hr + Mišljenje Središnjeg ureda o darovanju između supružnika
Na upit poreznog obveznika odgovaramo: darovi između bračnih drugova ne podliježu oporezivanju bez obzira na vrijednost. Isto vrijedi za srodnike u ravnoj lozi. Za ostale se plaća 4 posto ako vrijednost prelazi 6.636,14 eura.

hr - Mališani posjetili vatrogasce
U utorak su djeca iz vrtića Maslačak provela jutro u vatrogasnoj postaji. Vatrogasci su im pokazali cisternu i ljestve, a najhrabriji su isprobali kacigu. Posjet je završio sokom i kolačima.

hr - Naša ekipa osvojila zlato
Juniori su u finalu pobijedili domaćine s 3:1. Trener nije skrivao oduševljenje. Dočekalo ih je stotinjak navijača s bakljama i pjesmom, a slavlje se nastavilo do kasno u noć.

hr - O nama
Tvrtka je osnovana prije dvadesetak godina kao mali obiteljski posao. Danas smo ponosni na svoj tim i na povjerenje naših kupaca. Naša je vizija rasti zajedno s vama i stvarati bolje sutra.

hr - Dobro došli
Na ovim stranicama možete pronaći novosti, fotografije i korisne poveznice. Pratite nas na društvenim mrežama i prijavite se na naš newsletter da ništa ne propustite. Hvala na posjetu.

hr - Recept tjedna: štrudla s jabukama
Jabuke ogulite i naribajte, dodajte šećer i cimet. Tijesto razvucite na pobrašnjenom platnu, nadjenite i zarolajte. Pecite oko četrdeset minuta dok ne porumeni. Poslužite toplo, posuto šećerom u prahu.

hr - Pravila privatnosti i kolačići
Koristimo kolačiće kako bismo vam pružili bolje iskustvo. Nastavkom pregledavanja pristajete na njihovu upotrebu. Postavke možete promijeniti u svom pregledniku. Prihvaćam. Odbijam. Saznaj više.

hr - Najava kulturnih događanja
Ovoga vikenda u Domu kulture gostuje gradsko kazalište s komedijom u dva čina. U nedjelju nastupa tamburaški orkestar. Ulaz je slobodan, a nakon predstave slijedi druženje uz domaće vino.

hr - Preminuo dugogodišnji suradnik
S tugom javljamo da nas je napustio naš dragi kolega. Pamtit ćemo ga po vedrini i nesebičnoj pomoći. Obitelji upućujemo iskrenu sućut. Ispraćaj je bio u krugu najbližih.

en + Late filing penalties for company accounts
If your accounts reach the registrar up to one month late, the penalty is £150. Between one and three months it rises to £375, and after six months it is £1,500. The amounts double if you were late in the previous year as well.

en + Minimum wage rises next spring
From 1 April the hourly minimum wage goes up to £12.21 for workers aged 21 and over. Employers must pay the new rate from the first full pay period after that date and keep payroll records for at least six years.

en + Import of plants: what travellers need to know
Travellers may bring up to five house plants for personal use without a phytosanitary certificate. Seeds of potato and tomato are prohibited. Goods that arrive without the required papers will be destroyed at the owner's cost.

en + Ordinance No. 2214 amending the zoning code
Be it ordained by the City Council: Section 17.08.030 is amended to read as follows. The maximum height of an accessory dwelling unit is sixteen feet. The side setback shall be no less than four feet. This ordinance takes effect thirty days after adoption.

en + How do I claim the home office deduction?
You can use the simplified method, which allows five dollars per square foot up to 300 square feet, or keep track of actual costs. The space has to be used regularly and exclusively for business. Employees are not eligible.

en + Notice of public hearing on stormwater rates
The board will consider raising the monthly stormwater charge from $6.10 to $7.45 per equivalent residential unit. Written protests must be received by the clerk before the close of the hearing on May 12. A majority protest defeats the increase.

en + Food business registration
Anyone who stores, prepares or sells food has to register the premises 28 days before opening. Registration is free and cannot be refused. Trading without it is an offence that can lead to an unlimited fine.

en + Application for a parking permit
Surname, first name, address, vehicle registration number. Enclose proof of residence not older than three months. The yearly charge is 96 euros; a second vehicle costs 180 euros. Date and signature of the applicant.

en - Our summer picnic was a hit
More than two hundred neighbours came to the park on Saturday for burgers, live music and a tug of war. Thanks to everyone who baked, grilled and cleaned up. Photos are on the notice board.

en - Meet the team
Anna joined us after ten years in design and now leads our studio. When she is not sketching, she hikes with her two dogs. Ben looks after our clients and makes the best coffee in the building.

en - Page not found
Sorry, the page you were looking for does not exist or has been moved. Check the address for typing errors, go back to the home page, or use the search box at the top of the screen.

en - Museum opens new wing
Visitors queued around the block as the sculpture wing opened its doors on Sunday. The curator spoke of a dream come true, and the youngest guests tried their hand at clay modelling in the courtyard.

en - Weekend weather
A band of rain will clear from the west by noon, leaving sunny spells and a light breeze. Temperatures reach nineteen degrees inland and sixteen on the coast. Sunday starts misty but turns bright later.

en - Follow us and share
Like our page, subscribe to the channel and leave a comment below. New videos every Friday. Download the app for phones and tablets. Log in to manage your account or reset your password.

en - Ten tips for a tidy desk
Start by emptying every drawer. Keep only what you use each day within reach. Cables go behind the desk, paper into one tray. A plant and a good lamp make the place feel like yours.

en - Obituary of a beloved teacher
Generations of pupils remember her laugh and her red bicycle. She taught music for four decades and led the school band to many prizes. Flowers may be left at the gate of the school.

de + Hundesteuer: so melden Sie Ihren Hund an
Wer einen Hund hält, der älter als drei Monate ist, meldet ihn binnen zwei Wochen beim Steueramt an. Die Steuer kostet für den ersten Hund 96 Euro im Jahr, für jeden weiteren 144 Euro. Blindenhunde sind steuerfrei.

de + Neue Grenzen für Kleinunternehmer ab 2025
Ab Januar liegt die Umsatzgrenze für Kleinunternehmer bei 25.000 Euro im Vorjahr und 100.000 Euro im laufenden Jahr. Wird die obere Grenze überschritten, endet die Befreiung sofort. Rechnungen ohne Steuerausweis bleiben zulässig.

de + Satzung über die Straßenreinigung
Die Eigentümer haben die Gehwege entlang ihrer Grundstücke mindestens einmal wöchentlich zu reinigen und bei Schnee bis 7 Uhr zu räumen. Verstöße können mit einer Geldbuße bis zu 500 Euro geahndet werden.

de + Wie lange muss ich Belege aufheben?
Buchungsbelege und Rechnungen sind seit diesem Jahr acht Jahre aufzubewahren, Jahresabschlüsse zehn Jahre. Die Frist beginnt mit dem Schluss des Kalenderjahres, in dem der Beleg entstanden ist. Thermopapier sollten Sie kopieren.

de + Antrag auf Elterngeld
Name, Vorname, Geburtsdatum, Anschrift. Der Antrag ist innerhalb von drei Monaten nach der Geburt zu stellen, denn rückwirkend wird nur für drei Monate gezahlt. Bitte ankreuzen: Basiselterngeld oder ElterngeldPlus. Ort, Datum, Unterschrift.

de + Öffentliche Ausschreibung: Sanierung der Turnhalle
Angebote sind bis zum 18. Oktober, 10 Uhr, verschlossen einzureichen. Der Bieter hat Nachweise über drei vergleichbare Aufträge vorzulegen. Die Sicherheit beträgt 5 Prozent der Auftragssumme.

de + Rundschreiben zur Sachbezugsbewertung
Der Wert eines Mittagessens ist mit 4,40 Euro anzusetzen, der eines Frühstücks mit 2,30 Euro. Zuzahlungen der Arbeitnehmer mindern den geldwerten Vorteil. Die Werte gelten für alle Lohnzahlungszeiträume des Kalenderjahres.

de + Maut: neue Tarife für Lastwagen
Für Fahrzeuge der Schadstoffklasse Euro 6 mit fünf und mehr Achsen werden je Kilometer 34,8 Cent fällig. Wer ohne Gerät fährt, muss die Strecke vorher buchen. Sonst droht ein Bußgeld von 240 Euro.

de - Sommerfest im Seniorenheim
Bei strahlendem Sonnenschein feierten Bewohner und Angehörige im Garten. Die Jugendkapelle spielte bekannte Lieder, und am Grill bildete sich bald eine lange Schlange. Alle freuten sich über das gelungene Fest.

de - Über uns
Seit drei Generationen backen wir Brot mit Liebe und Zeit. Unser Meister steht jeden Morgen um drei in der Backstube. Besuchen Sie uns und lassen Sie sich von unserer Auswahl verführen.

de - Datenschutz und Cookies
Wir verwenden Cookies, um unsere Webseite für Sie zu verbessern. Mit der weiteren Nutzung stimmen Sie dem zu. Einstellungen ändern, alle akzeptieren oder ablehnen. Mehr erfahren.

de - Unsere Wanderung auf den Hausberg
Um acht Uhr trafen wir uns am Bahnhof. Der Aufstieg führte durch schattigen Wald, oben belohnte uns ein weiter Blick über das Tal. Nach der Brotzeit ging es gemütlich zurück.

de - Neues aus der Bücherei
Im Herbst lesen drei Autorinnen aus ihren neuen Romanen. Für Kinder gibt es eine Bastelstunde mit Papier und Schere. Das Team der Bücherei freut sich auf viele neugierige Gäste.

de - Startseite
Herzlich willkommen auf unserer Seite. Hier finden Sie Bilder, Termine und Ansprechpartner. Folgen Sie uns in den sozialen Medien und abonnieren Sie unseren Newsletter. Zum Seitenanfang.

de - Tabellenführer nach dem vierten Sieg
In einem packenden Spiel drehte die Mannschaft den Rückstand in der Schlussminute. Der Torwart hielt einen Elfmeter, die Fans sangen noch lange nach dem Abpfiff. Am Samstag wartet der Meister.

de - Rezept: Kartoffelsuppe wie bei Oma
Kartoffeln schälen und würfeln, mit Lauch und Möhren in Butter anschwitzen. Mit Brühe auffüllen und zwanzig Minuten köcheln lassen. Mit Majoran und Muskat abschmecken, Würstchen dazu servieren.
"""


def written() -> list[Written]:
    """All documents that were written by hand."""
    found = []
    for entry in _TEXTS.strip().split("\n\n"):
        head, _, body = entry.partition("\n")
        language, sign, title = head.split(" ", 2)
        found.append(Written(language, sign == "+", title, body))
    return found
