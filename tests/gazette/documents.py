"""The documents of an invented official gazette, in Croatian, English and German.

A document's words and numbers come from the seed and its path alone, so it reads the same in
every process, and on every day until it is amended.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from html import escape
from types import MappingProxyType
from typing import Final, Literal

Kind = Literal[
    "LEGISLATION", "REGULATION", "GUIDELINE", "FAQ", "FORM", "ANNOUNCEMENT", "NEWS", "BOILERPLATE"
]
Language = Literal["hr", "en", "de"]
ACTS: Final[tuple[Kind, ...]] = ("LEGISLATION", "REGULATION", "GUIDELINE")

# A phrase book is plain text, so that prose stays prose. "= name: entry // entry" is a section;
# in an entry "[a|b]" is a choice, "{slot}" a word or a number, a leading "?" makes it optional,
# " | " parts columns. The articles of an act are sections named by place and heading; the places
# are open, core (always), more (some), each (one per chosen activity) and close.
_HR: Final = """
= article: Članak {k}. | članka {k}.
= point: Točka {k}. | točke {k}.
= note: Izmjena {on}: umjesto „{old}” stoji „{new}” ({label}).
= labels: stopa // snižena stopa // prag // dan u mjesecu za prijavu // rok plaćanja u danima
= annex: Prilog: pristojbe // Za djelatnost // Upis // Brisanje
= issued: Objavljeno {published} Službeni list Republike Vedrine, broj {issue}.
= title/act: {form} o {about}
= title/ANNOUNCEMENT: Obavijest o rokovima: propisi o {about} // Javna rasprava o {about}
= title/NEWS: Održan susret s poduzetnicima: {place} // Otvoren novi ured: {place}
= title/FAQ: Česta pitanja o {about}
= title/FORM: Obrazac {code}: prijava prema propisima o {about}
= months: siječnja // veljače // ožujka // travnja // svibnja // lipnja // srpnja // kolovoza //
  rujna // listopada // studenoga // prosinca
= forms/LEGISLATION: Zakon | Ovaj Zakon | ovoga Zakona
= forms/REGULATION: Pravilnik | Ovaj Pravilnik | ovoga Pravilnika // Uredba | Ova Uredba | ove
  Uredbe // Odluka | Ova Odluka | ove Odluke
= forms/GUIDELINE: Uputa | Ova Uputa | ove Upute // Naputak | Ovaj Naputak | ovoga Naputka
= topics: porezu na dodanu vrijednost | poreza na dodanu vrijednost // porezu na dohodak | poreza na
  dohodak // doprinosima za obvezna osiguranja | doprinosa za obvezna osiguranja // paušalnom porezu
  na samostalne djelatnosti | paušalnog poreza na samostalne djelatnosti // turističkoj pristojbi |
  turističke pristojbe // komunalnoj naknadi | komunalne naknade // porezu na motorna vozila |
  poreza na motorna vozila // spomeničkoj renti | spomeničke rente // trošarini na energente |
  trošarine na energente // vodnom doprinosu | vodnog doprinosa
= activities: iznajmljivanja soba // prijevoza putnika // frizerskih usluga // pekarske proizvodnje
  // uzgoja maslina // ribolova i marikulture // računalnog programiranja // knjigovodstvenih usluga
  // trgovine na malo // ugostiteljstva // popravka vozila // građevinskih radova // najma plovila
  // proizvodnje vina
= preamble/LEGISLATION: Na temelju članka {n}. Ustava Republike Vedrine, Sabor je {published} donio
= preamble/REGULATION: Na temelju članka {n}. Zakona o {about}, [ministar financija|Vlada] donosi
= preamble/GUIDELINE: Radi jedinstvene primjene propisa o {about} Porezna uprava izdaje
= open/Predmet: {this} [uređuje|propisuje] osnovicu, stope, rokove i način plaćanja {of} na području
  Republike Vedrine te prava i obveze obveznika i ovlasti nadležnog tijela. // Odredbe {hereof}
  odnose se na sve obveznike koji obavljaju djelatnost {activity}[, neovisno o pravnom obliku|, bez
  obzira na sjedište|].
= open/Pojmovi: Obveznik je pravna ili fizička osoba koja samostalno obavlja djelatnost radi
  stjecanja prihoda. // Obračunsko razdoblje je [kalendarski mjesec|tromjesečje]; za obveznike čiji
  su primici u prethodnoj godini bili manji od {eur} razdoblje je kalendarska godina. // ?Nadležno
  tijelo je Porezna uprava, područni ured {place}.
= core/Stopa: Stopa {of} iznosi {rate}. // Snižena stopa od {reduced} primjenjuje se na djelatnost
  {activity}, ako su ispunjeni uvjeti iz {ref} {hereof}. // ?Na dio osnovice koji prelazi {eur}
  primjenjuje se dodatna stopa od {pct}.
= core/Prag: Obveznik čija je vrijednost isporuka u prethodnoj kalendarskoj godini prešla
  {threshold} dužan je prijaviti se nadležnom tijelu [do {date}|u roku od {n} dana od dana prelaska
  praga]. // ?Osobni odbitak za svaki mjesec iznosi {allowance}.
= core/Rokovi: Prijava se podnosi elektroničkim putem do {day}. u mjesecu za prethodno obračunsko
  razdoblje. // Obveza se plaća u roku od {days} dana od dana [podnošenja prijave|dostave rješenja].
  // ?Godišnji obračun podnosi se do {date} na obrascu {code}. // ?Na zakašnjele uplate obračunava
  se kamata po godišnjoj stopi od {interest}.
= more/Osnovica: Osnovica {of} je ukupna naknada koju je obveznik primio ili treba primiti, umanjena
  za [popuste odobrene pri isporuci|iznos povrata], a najmanje {eur}.
= more/Oslobođenja: Od plaćanja {of} oslobođeni su [ustanove socijalne skrbi|javni muzeji i
  knjižnice] i osobe čiji ukupni primici ne prelaze {eur} godišnje. // ?Oslobođenje se priznaje na
  zahtjev podnesen do {date}, uz dokaze iz {ref} {hereof}.
= more/Evidencije: Obveznik vodi evidenciju ulaznih i izlaznih računa i čuva je najmanje {years}
  godina od isteka godine na koju se odnosi. // ?Račun naplaćen gotovinom dostavlja se sustavu za
  fiskalizaciju u roku od {n} sati.
= more/Povrat: Povrat više plaćenog iznosa [isplaćuje se|obavlja se] u roku od {n} dana od dana
  zahtjeva. // ?Povrat manji od {cents} ne isplaćuje se, nego se uračunava u iduću obvezu.
= more/Nadzor i pravni lijek: Nadzor nad primjenom {hereof} obavlja Porezna uprava, područni ured
  {place}. Obveznik je dužan predočiti poslovne knjige u roku od {n} dana od poziva. // Protiv
  rješenja može se izjaviti žalba u roku od {n} dana; ona [ne odgađa|odgađa] izvršenje.
= each/Posebne odredbe: Za djelatnost {trade} obračunava se stopa od {pct}, a iznos po jedinici je
  {cents}. // ?Godišnji paušalni iznos za primitke do {eur} iznosi {sum}. // ?Predujam od {sum}
  plaća se tromjesečno, prvi put do {date}. // ?Ako se djelatnost {trade} obavlja manje od {n} dana
  u godini, obveza se umanjuje za {pct}.
= close/Prekršaji: Novčanom kaznom od {fine_min} do {fine_max} kaznit će se za prekršaj pravna osoba
  koja ne podnese prijavu u propisanom roku ili u njoj iskaže netočne podatke. // Za prekršaj iz
  stavka 1. kaznit će se i odgovorna osoba, novčanom kaznom od {sum} do {eur}.
= close/Stupanje na snagu: {this} objavljuje se u Službenom listu, a stupa na snagu {start}.
= ANNOUNCEMENT: Obavještavaju se obveznici da se obrazac {code} zaprima do {date} u svim uredima. //
  Stopa {of} za razdoblje od {start} iznosi {rate}; ostali uvjeti ostaju nepromijenjeni. // ?Obrasci
  predani nakon roka obrađuju se u roku od {n} dana, uz naknadu od {cents}.
= NEWS: U gradu {place} održan je susret predstavnika uprave i poduzetnika. Razgovaralo se o
  suradnji i o obnovi zgrade. // Ravnateljica je zahvalila svim zaposlenicima na trudu. //
  ?Okupljene je pozdravio i gradonačelnik, a program je završio nastupom mjesnog zbora.
= FAQ: Tko podnosi prijavu? | Svaki obveznik čije su isporuke u prošloj godini prešle {threshold}.
  // Kolika je stopa? | Stopa {of} iznosi {rate}, a snižena stopa {reduced}. // Do kada se prijava
  podnosi? | Do {day}. u mjesecu za prethodni mjesec. // Koliko se čuvaju računi? | Najmanje {years}
  godina. // Što ako zakasnim s uplatom? | Obračunava se kamata od {interest} godišnje.
= FORM: Naziv // OIB // Sjedište // Razdoblje // Osnovica u eurima // Iznos obveze // Potpis
"""

_EN: Final = """
= article: Article {k} | Article {k}
= point: Point {k} | Point {k}
= note: Izmjena / Amendment, {on}: “{old}” is replaced by “{new}” ({label}).
= labels: rate // reduced rate // threshold // filing day of the month // days allowed for payment
= annex: Annex: registry fees // Activity // Entry // Deletion
= issued: Published on {published}. Official Gazette of the Republic of Vedrina, issue {issue}.
= title/act: {form} on {about}
= title/ANNOUNCEMENT: Notice of filing dates for {about} // Public consultation on {about}
= title/NEWS: Officials meet entrepreneurs in {place}
= months: January // February // March // April // May // June // July // August // September //
  October // November // December
= forms/LEGISLATION: Act | This Act | this Act
= forms/REGULATION: Regulation | This Regulation | this Regulation
= forms/GUIDELINE: Guidance Note | This Guidance Note | this Guidance Note
= topics: value added tax | value added tax // income tax | income tax // social contributions |
  social contributions // the tourist levy | the tourist levy // the port levy | the port levy
= activities: room letting // passenger transport // baking // olive growing // fishing // software
  development // bookkeeping // retail trade // catering // yacht charter
= preamble/LEGISLATION: Under Article {n} of the Constitution, the Assembly, on {published}, enacts
= preamble/REGULATION: Under the Act on {about}, the Minister of Finance adopts
= preamble/GUIDELINE: To have the rules on {about} applied alike, the Tax Administration issues
= open/Subject matter: {this} lays down the base, the rates and the time limits for paying {of} in
  the Republic of Vedrina. // It applies to [every person|residents and non-residents] engaged in
  {activity}[, whatever their legal form|].
= open/Definitions: A person liable is any natural or legal person who carries on an independent
  activity for income. // The accounting period is the calendar [month|quarter]; where receipts in
  the preceding year were below {eur}, the period is the calendar year.
= core/Rates: The rate of {of} shall be {rate}. // A reduced rate of {reduced} shall apply to
  {activity}, subject to {ref} of {hereof}. // ?A surcharge of {pct} shall apply to the part of the
  base that exceeds {eur}.
= core/Threshold: A person whose supplies in the preceding calendar year exceeded {threshold} shall
  register [not later than {date}|within {n} days of exceeding that amount]. // ?The monthly
  personal allowance shall be {allowance}.
= core/Time limits: Returns shall be filed electronically by day {day} of the month following the
  accounting period. // The amount due shall be paid within {days} days of [filing the
  return|service of the assessment]. // ?Late payments bear interest at {interest} a year.
= more/Exemptions: [Museums|Fire brigades|Welfare institutions] and persons whose receipts do not
  exceed {eur} a year shall be exempt from {of}.
= more/Records and refunds: Records shall be kept for {years} years from the end of the year to
  which they relate. // Overpaid amounts shall be refunded within {n} days.
= more/Appeals: An appeal may be lodged within {n} days; it [does not stay|stays] payment.
= each/Special provisions: For {trade}, the rate shall be {pct} and the amount per unit {cents}. //
  ?An advance of {sum} shall be paid quarterly, for the first time by {date}. // ?Where {trade} is
  carried on for fewer than {n} days a year, the amount due is reduced by {pct}.
= close/Penalties: A legal person that fails to file a return in time, or files an incorrect one,
  shall be liable to a fine of {fine_min} to {fine_max}; the responsible person, of {sum} to {eur}.
= close/Entry into force: {this} shall be published in the Official Gazette and shall enter into
  force on {start}.
= ANNOUNCEMENT: Persons liable are informed that form {code} is accepted at all offices until
  {date}. // For the period beginning on {start}, the rate of {of} is {rate}.
= NEWS: Officials met local entrepreneurs in {place} and spoke of cooperation. // The director
  thanked all staff. // ?The day closed with a song by the local choir.
"""

_DE: Final = """
= article: § {k} | § {k}
= point: Ziffer {k} | Ziffer {k}
= note: Izmjena / Änderung vom {on}: „{old}“ wird durch „{new}“ ersetzt ({label}).
= labels: Steuersatz // ermäßigter Satz // Schwelle // Tag der Anmeldung im Monat // Zahlungsfrist
= annex: Anlage: Registergebühren // Tätigkeit // Eintragung // Löschung
= issued: Verkündet am {published}. Amtsblatt der Republik Vedrina, Nummer {issue}.
= title/act: {form} über {about}
= title/ANNOUNCEMENT: Bekanntmachung über die Fristen für {about}
= title/NEWS: Treffen mit Unternehmern in {place} // Neuer Schalter in {place}
= months: Januar // Februar // März // April // Mai // Juni // Juli // August // September //
  Oktober // November // Dezember
= forms/LEGISLATION: Gesetz | Dieses Gesetz | dieses Gesetzes
= forms/REGULATION: Verordnung | Diese Verordnung | dieser Verordnung
= forms/GUIDELINE: Richtlinie | Diese Richtlinie | dieser Richtlinie
= topics: die Umsatzsteuer | der Umsatzsteuer // die Einkommensteuer | der Einkommensteuer // die
  Kurtaxe | der Kurtaxe // die Grunderwerbsteuer | der Grunderwerbsteuer // die Biersteuer | der
  Biersteuer
= activities: Zimmervermietung // Personenbeförderung // Weinbau // Fischerei // Buchhaltung //
  Softwareentwicklung // Einzelhandel // Gastronomie // Fahrzeugreparatur // Bootsverleih
= preamble/LEGISLATION: Auf Grund des Artikels {n} der Verfassung beschließt der Landtag
= preamble/REGULATION: Auf Grund des Gesetzes über {about} verordnet der Finanzminister
= preamble/GUIDELINE: Zur einheitlichen Anwendung des Rechts über {about} ergeht
= open/Gegenstand: {this} regelt die Bemessungsgrundlage, die Sätze und die Fristen für die Zahlung
  {of} in der Republik Vedrina. // Die Vorschriften {hereof} gelten für alle Pflichtigen im Bereich
  {activity}[, ungeachtet ihrer Rechtsform|].
= open/Begriffe: Pflichtig ist jede natürliche oder juristische Person, die selbständig eine
  Tätigkeit zur Erzielung von Einnahmen ausübt. // Anmeldungszeitraum ist [der Kalendermonat|das
  Quartal]; bei Einnahmen unter {eur} im Vorjahr ist es das Kalenderjahr.
= core/Steuersatz: Der Satz {of} beträgt {rate}. // Der ermäßigte Satz von {reduced} gilt für den
  Bereich {activity}, wenn die Voraussetzungen nach {ref} {hereof} erfüllt sind. // ?Auf den Teil
  der Bemessungsgrundlage über {eur} wird ein Zuschlag von {pct} erhoben.
= core/Schwelle: Wer im vorangegangenen Kalenderjahr Umsätze von mehr als {threshold} erzielt hat,
  muss sich [bis zum {date}|innerhalb von {n} Tagen] anmelden. // ?Der Freibetrag beträgt monatlich
  {allowance}.
= core/Fristen: Die Anmeldung ist bis zum {day}. Tag des Folgemonats elektronisch einzureichen. //
  Der Betrag ist innerhalb von {days} Tagen nach [der Anmeldung|Zustellung des Bescheids] zu zahlen.
  // ?Bei verspäteter Zahlung fallen Zinsen von {interest} jährlich an.
= more/Befreiungen: Von der Zahlung {of} befreit sind [Museen|Feuerwehren] und Personen, deren
  Einnahmen {eur} im Jahr nicht übersteigen.
= more/Aufzeichnungen: Aufzeichnungen sind {years} Jahre lang geordnet und lesbar aufzubewahren. //
  Überzahlungen werden innerhalb von {n} Tagen erstattet; Beträge unter {cents} werden verrechnet.
= more/Rechtsbehelf: Gegen den Bescheid kann innerhalb von {n} Tagen nach Zustellung Beschwerde
  erhoben werden; sie hat [keine aufschiebende|aufschiebende] Wirkung.
= each/Besondere Vorschriften: Für den Bereich {trade} beträgt der Satz {pct} und der Betrag je
  Einheit {cents}. // ?Eine Vorauszahlung von {sum} ist vierteljährlich fällig, erstmals am {date}.
= close/Geldbußen: Wer die Anmeldung nicht fristgerecht oder mit unrichtigen Angaben einreicht, wird
  mit Geldbuße von {fine_min} bis {fine_max} belegt, die Leitung von {sum} bis {eur}.
= close/Inkrafttreten: {this} wird im Amtsblatt verkündet und tritt am {start} in Kraft.
= ANNOUNCEMENT: Formular {code} wird bis zum {date} entgegengenommen. // Der Satz {of} beträgt ab
  dem {start} {rate}.
= NEWS: In {place} trafen sich Vertreter der Verwaltung mit Unternehmern. // Die Leiterin dankte
  allen Beschäftigten und kündigte weitere Treffen an. // ?Zum Abschluss sang der örtliche Chor.
"""

_BOOKS: Final[Mapping[Language, str]] = MappingProxyType({"hr": _HR, "en": _EN, "de": _DE})
_PLACES: Final = ("Vedrograd", "Zlatopolje", "Morska Luka", "Kamengrad", "Tihovac", "Bistrovac")
_DAYS: Final = (5, 8, 10, 15, 30, 45, 60, 90)
_AMENDABLE: Final = ("rate", "reduced", "threshold", "day", "days")
_ASIDES: Final = ("pct", "eur", "sum", "cents", "n", "date")
"""Numbers drawn anew wherever they stand; all others are the document's own and stay the same."""

# Slot -> unit and the values to draw from. Per cents are in tenths, dates in days from publication.
_NUMBERS: Final[Mapping[str, tuple[str, Sequence[int]]]] = MappingProxyType(
    {
        "rate": ("percent", range(60, 300, 5)),
        "reduced": ("percent", range(10, 60, 5)),
        "threshold": ("euro", range(10_000, 100_000, 500)),
        "day": ("count", (10, 12, 15, 18, 20, 25, 28)),
        "days": ("count", _DAYS),
        "allowance": ("euro", range(300, 900, 20)),
        "interest": ("percent", range(20, 120, 5)),
        "years": ("count", range(5, 12)),
        "fine_min": ("euro", range(200, 2_000, 100)),
        "fine_max": ("euro", range(3_000, 60_000, 1_000)),
        "start": ("date", range(8, 90)),
        "pct": ("percent", range(5, 300, 5)),
        "eur": ("euro", range(1_000, 90_000, 500)),
        "sum": ("euro", range(20, 960, 10)),
        "cents": ("cents", range(30, 9_900)),
        "n": ("count", _DAYS),
        "date": ("date", range(30, 400)),
    }
)


def draw(seed: int, *name: object) -> random.Random:
    """Chance that depends on nothing but its name."""
    return random.Random("/".join(map(str, (seed, *name))))


@dataclass(frozen=True)
class Outline:
    """What a document is, before a word of it is written."""

    path: str
    kind: Kind
    language: Language
    published: date


@dataclass(frozen=True)
class Document(Outline):
    """A document's own text, without the furniture of its page."""

    title: str
    content: str
    figures: Mapping[str, str] = field(default_factory=dict, hash=False)
    """The numbers that it states as its own, as its text writes them."""


class _Writer:
    """Fills the phrases of one document with words and numbers."""

    def __init__(self, rng: random.Random, language: Language, published: date) -> None:
        self.rng, self.language, self.published = rng, language, published
        sections = (" ".join(text.split()) for text in _BOOKS[language].split("\n= ")[1:])
        parts = (section.partition(": ") for section in sections)
        self.book = {name: entries.split(" // ") for name, _, entries in parts}
        self.gap, self.euro = rng.choice((" ", "\u00a0")), rng.choice(("eura", "EUR"))
        self.values = {slot: rng.choice(values) for slot, (_, values) in _NUMBERS.items()}
        self.figures: dict[str, str] = {}
        about, of = rng.choice(self.book["topics"]).split(" | ")
        self.words = {"about": about, "of": of, "place": rng.choice(_PLACES)}
        self.words["published"] = self.on(published)

    def on(self, day: date) -> str:
        month = self.book["months"][day.month - 1]
        pattern = {"hr": "{}. {} {}.", "en": "{} {} {}", "de": "{}. {} {}"}[self.language]
        return pattern.format(day.day, month, day.year)

    def show(self, unit: str, value: int) -> str:
        """A number as the document's language and house style write it."""
        if unit == "date":
            return self.on(date.fromordinal(self.published.toordinal() + value))
        if unit == "count":
            return str(value)
        digits = {"percent": f"{value / 10:g}", "euro": f"{value:,}", "cents": f"{value / 100:.2f}"}
        if self.language == "en":
            return f"{digits[unit]}%" if unit == "percent" else f"EUR {digits[unit]}"
        sign = "%" if unit == "percent" else "Euro" if self.language == "de" else self.euro
        return digits[unit].translate(str.maketrans(",.", ".,")) + self.gap + sign

    def fill(self, entry: str) -> str:
        def choose(match: re.Match[str]) -> str:
            return self.rng.choice(str(match[1]).split("|")).strip()

        chosen = re.sub(r"\[([^]]*)\]", choose, entry.removeprefix("?"))
        # A Croatian date or article number brings its own full stop to the end of a sentence.
        return re.sub(r"\{(\w+)\}", self._slot, chosen).replace("..", ".")

    def pick(self, section: str) -> str:
        return self.fill(self.rng.choice(self.book[section]))

    def most(self, section: str) -> list[str]:
        """All entries of a section but for some of the optional ones."""
        odds = (True, True, False)
        kept = (e for e in self.book[section] if not e.startswith("?") or self.rng.choice(odds))
        return [self.fill(entry) for entry in kept]

    def _slot(self, match: re.Match[str]) -> str:
        name = match[1]
        if name in self.words:
            return self.words[name]
        if name == "code":
            return f"{self.rng.choice(('PD', 'DOP', 'TP'))}-{self.rng.randint(1, 40)}"
        if name == "activity":
            return self.rng.choice(self.book["activities"])
        unit, values = _NUMBERS[name]
        if name in _ASIDES:
            return self.show(unit, self.rng.choice(values))
        self.figures[name] = self.show(unit, self.values[name])
        return self.figures[name]


def _amend(writer: _Writer, rng: random.Random, day: date) -> str:
    """Alter one of the writer's own numbers and say so."""
    slot = rng.choice(_AMENDABLE)
    unit, values = _NUMBERS[slot]
    old, at = writer.values[slot], values.index(writer.values[slot])
    new = rng.choice([value for value in values[max(0, at - 4) : at + 5] if value != old])
    writer.values[slot] = new
    writer.words |= {"old": writer.show(unit, old), "new": writer.show(unit, new)}
    writer.words |= {"on": writer.on(day), "label": writer.book["labels"][_AMENDABLE.index(slot)]}
    # Not `pick`: it would draw on the document's own chance, and all the text after would differ.
    return writer.fill(writer.book["note"][0])


def _act(writer: _Writer, kind: Kind) -> Iterator[str]:
    book, rng = writer.book, writer.rng
    numbered, referred = book["point" if kind == "GUIDELINE" else "article"][0].split(" | ")
    trades = rng.sample(book["activities"], rng.randint(1, len(book["activities"]) - 2))
    # Each activity with provisions of its own is named nowhere else: the act must not contradict them.
    book["activities"] = [activity for activity in book["activities"] if activity not in trades]
    more = [name for name in book if name.startswith("more/")]
    skipped = set(rng.sample(more, rng.randrange(len(more))))
    yield f"<p><em>{escape(writer.pick(f'preamble/{kind}'))}</em></p>"
    yield f"<h2>{escape(writer.words['title'].upper())}</h2>"
    turns: list[tuple[str, str]] = []
    for name in book:
        if name.startswith(("open/", "core/", "more/", "each/", "close/")) and name not in skipped:
            turns += [(name, trade) for trade in (trades if name.startswith("each/") else [""])]
    for k, (name, trade) in enumerate(turns, 1):
        writer.words |= {"trade": trade, "ref": referred.format(k=rng.randint(1, max(1, k - 1)))}
        yield f"<h3>{escape(numbered.format(k=k))} {escape(name.partition('/')[2])}</h3>"
        yield from (f"<p>({i}) {escape(text)}</p>" for i, text in enumerate(writer.most(name), 1))
    caption, *heads = book["annex"]
    yield f"<table><caption>{escape(caption)}</caption><tr><th>{'</th><th>'.join(heads)}</th></tr>"
    for cells in ([trade, writer.fill("{cents}"), writer.fill("{cents}")] for trade in trades):
        yield f"<tr><td>{'</td><td>'.join(map(escape, cells))}</td></tr>"
    yield "</table>"


def _leaflet(writer: _Writer, kind: Kind) -> Iterator[str]:
    patterns = {"FORM": "<p><label>{} <input></label></p>", "FAQ": "<h3>{}</h3><p>{}</p>"}
    for entry in writer.most(kind):
        yield patterns.get(kind, "<p>{}</p>").format(*escape(entry).split(" | "))


def compose(seed: int, outline: Outline, amended: Sequence[date] = ()) -> Document:
    """Write a document as it stands after amendments on the given days, in their order."""
    path, kind = outline.path, outline.kind
    writer = _Writer(draw(seed, path), outline.language, outline.published)
    writer.words["issue"] = f"{writer.rng.randint(1, 150)}/{outline.published.year}"
    notes = [_amend(writer, draw(seed, path, day), day) for day in amended]
    if kind in ACTS:
        forms = writer.rng.choice(writer.book[f"forms/{kind}"]).split(" | ")
        writer.words |= dict(zip(("form", "this", "hereof"), forms, strict=True))
    title = writer.words["title"] = writer.pick(f"title/{'act' if kind in ACTS else kind}")
    parts = [f"<h1>{escape(title)}</h1>", f"<p>{escape(writer.pick('issued'))}</p>"]
    parts += [f'<p class="note">{escape(note)}</p>' for note in notes]
    parts += (_act if kind in ACTS else _leaflet)(writer, kind)
    content, figures = "\n".join(parts), dict(writer.figures)
    return Document(path, kind, outline.language, outline.published, title, content, figures)
