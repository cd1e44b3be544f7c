"""What kind of document a text is: by its title, else by how it begins, else by how it is built."""

from functools import cache
from typing import Final

from assay.reading.stems import OTHER, Letters
from assay.reading.words import words_of
from assay.spine.scouting.signals import Signals

TYPE_WEIGHT: Final = {
    "LEGISLATION": 0.4,
    "REGULATION": 0.35,
    "GUIDELINE": 0.25,
    "FAQ": 0.2,
    "FORM": 0.15,
    "ANNOUNCEMENT": 0.15,
    "NEWS": 0.1,
    "BOILERPLATE": -0.3,
}
"""What each kind adds to the score."""
UNKNOWN_TYPE: Final = "UNKNOWN"
"""A document whose text is not at hand yet."""

_BEGINNING = 300
_TITLE = 300
_KIND_OF = {
    "L": "LEGISLATION",
    "R": "REGULATION",
    "G": "GUIDELINE",
    "Q": "FAQ",
    "F": "FORM",
    "A": "ANNOUNCEMENT",
    "N": "NEWS",
    "B": "BOILERPLATE",
}
# A word that can name two kinds stands with the one that it names more often.
_NAMES = {
    "L": """
        zakon zakona zakonu zakonom zakoni ustav ustava act acts law laws statute statutes code
        constitution bill *gesetz gesetz gesetze gesetzes *gesetzbuch verfassung *gesetzes""",
    "R": """
        pravilnik pravilnika pravilniku uredba uredbe uredbi uredbu odluka odluke odluku odluci
        naredba naredbe rješenje rješenja statut statuta tarifa propisnik
        regulation regulations ordinance ordinances decree directive directives order bylaw bylaws
        resolution *verordnung verordnung *satzung satzung erlass beschluss anordnung""",
    "G": """
        uputa upute uputu uputi uputstvo naputak naputka smjernica smjernice smjernicama mišljenje
        mišljenja tumačenje tumačenja priručnik vodič vodiča pojašnjenje objašnjenje kako
        guidance guidelines guideline guide guides handbook manual circular interpretation opinion
        factsheet leaflet instructions how merkblatt leitfaden richtlinie richtlinien hinweis
        hinweise rundschreiben anleitung ratgeber auslegung erläuterung erläuterungen schreiben""",
    "Q": """
        pitanja pitanje odgovori faq faqs questions question fragen häufige""",
    "F": """
        obrazac obrasca obrasci zahtjev zahtjeva prijavnica izjava form forms application
        questionnaire declaration formular formulare vordruck antrag antrags fragebogen""",
    "A": """
        obavijest obavijesti objava oglas poziv javni natječaj natječaja savjetovanje rasprava
        rasprave najava rok rokovi notice notices announcement call consultation hearing tender
        deadline deadlines bekanntmachung ausschreibung mitteilung aufruf anhörung fristen""",
    "N": """
        vijest vijesti novost novosti priopćenje intervju reportaža susret održan održana posjet
        posjetili otvoren otvorena news press interview meet meets meeting opens opened
        pressemitteilung nachricht nachrichten aktuelles treffen neues""",
    "B": """
        kontakt kontakti kolačići kolačića privatnosti pristupačnosti poveznice impresum izradi
        naslovnica početna contact cookies cookie privacy sitemap accessibility login home found
        imprint impressum datenschutz startseite barrierefreiheit nutzungsbedingungen""",
}
_WORTHLESS = "NB"
_RICH = 0.4
"""The density from which a text is full of rules whatever its title says."""
_SOME = 0.25
_NONE = 0.1
_MANY_ARTICLES = 5
_FIELDS = 4
_QUESTIONS = 3
_FULL_OF = 0.08
"""The share of a text's words from which it is a form, or a page about the site itself."""


def kind_of(title: str | None, text: str, signals: Signals) -> str:
    """One of the kinds of `TYPE_WEIGHT`."""
    built = _by_build(text, signals)
    named = _first_name(_own_title(title or ""))
    if not named and signals.density >= _SOME:
        named = _first_name(text[:_BEGINNING])
    if not named:
        return built
    if named in _WORTHLESS:
        # A title such as "News" over a text full of rules tells of the site, not of the text.
        rich = signals.density >= _RICH and signals.figures + signals.articles > 0
        return built if rich else _KIND_OF[named]
    if signals.density < _NONE or signals.news > signals.rules:
        # A guide, a notice or a law that speaks of no rule is one in name only.
        return built
    return _KIND_OF[named]


def _own_title(title: str) -> str:
    """A title without the name of the site behind it."""
    for mark in (" | ", " • ", " – ", " - "):
        before, found, _ = title[:_TITLE].rpartition(mark)
        if found and before.strip():
            return before
    return title[:_TITLE]


def _first_name(text: str) -> str:
    """The letter of the first word that names a kind."""
    return _names().of(words_of(text)).replace(OTHER, "")[:1]


@cache
def _names() -> Letters:
    return Letters(_NAMES)


def _by_build(text: str, signals: Signals) -> str:
    """What the text itself shows, where nothing names it."""
    words = max(1, signals.words)
    density = signals.density
    if signals.site / words >= _FULL_OF and density < _RICH:
        return "BOILERPLATE"
    if signals.fields >= _FIELDS and signals.fields / words >= _FULL_OF and density >= _NONE:
        return "FORM"
    if signals.articles >= _MANY_ARTICLES and signals.articles * 200 >= words:
        return "REGULATION"
    questions = text.count("?")
    if questions >= _QUESTIONS and questions * 40 >= words and density >= _SOME:
        return "FAQ"
    if density >= _RICH:
        return "GUIDELINE"
    if density >= (_NONE if signals.amounts else _SOME) and signals.figures:
        # A sum of money among a few words of rules is worth a look; a date alone is not.
        return "ANNOUNCEMENT"
    if density >= _SOME or signals.news * 40 >= words:
        return "NEWS"
    return "BOILERPLATE"
