"""What a lawyer wants to see covered: the values of a sentence, and the duties it imposes."""

from collections.abc import Sequence
from dataclasses import replace

from assay.packs.regulatory.extractor.cues import DUTY, compile_cue
from assay.packs.regulatory.extractor.figures import Figure, FigureKind
from assay.packs.regulatory.extractor.meaning import Meaning
from assay.packs.regulatory.extractor.silences import find_example
from assay.packs.regulatory.extractor.subjects import load_declared_facts
from assay.packs.regulatory.extractor.walk import FoundClause
from assay.sdk.facts import Sentence

OBLIGATION = compile_cue(
    r"(?<!nije\s)(?<!nisu\s)(?:dužn[aeiou]|dužan|obvez(?:an|n[aeiou]|uje se|uju se))"
    r"|(?<!ne\s)(?:mora|moraju)|morat (?:će|ćete)|ne smij[eu]"
    r"|zabran(?:jeno|jena|jen|juje) (?:je|se)|(?:je|su) zabranjen[aeio]?"
    r"|shall(?! (?:not )?(?:mean|apply|enter into|come into|take effect|have effect|cease|expire"
    r"|be (?:replaced|deleted|inserted|added|amended|repealed|substituted|binding in|construed"
    r"|applied|treated|regarded|considered|disregarded|deemed|void|known|cited)))"
    r"|must|may not|(?:is|are) (?:required|obliged|obligated|prohibited|forbidden)|ha(?:s|ve) to"
    r"|muss|müssen|(?:ist|sind) (?:\w{1,30} ){0,6}(?:verpflichtet|verboten|untersagt)"
    r"|(?:darf|dürfen) (?:[^.;:]{1,120} )?(?:nicht|nur|keine?[rnms]?)"
    r"|(?:hat|haben|ist|sind) (?:(?:(?!Recht|Anspruch)[^.;:]){1,200} )?(?:zu [a-zäöüß]{3,}n"
    r"|(?:ab|an|auf|aus|bei|bekannt|bereit|dar|durch|ein|entgegen|fern|fest|frei|her|hin|mit|nach"
    r"|nieder|offen|sicher|teil|über|um|unter|vor|weg|weiter|wieder|zurück|zusammen)zu[a-zäöüß]{3,}n)"
)
"""Words that oblige somebody. That an act applies, or what a word in it means, is not a duty."""
_MAX_HEADING, _MAX_LEAD = 150, 300
_DATED = "--"
"""How a day of every year begins."""


def describe_sentence(one: FoundClause, found: Sequence[Meaning], *, is_silent: bool) -> Sentence:
    """A clause as a sentence of the coverage report: relevant if it has a value or a duty."""
    clause = one.clause
    if clause.is_row:
        # Tables list anything; those of a law say in words what they regulate.
        around = f"{clause.heading} {clause.lead} {clause.masked}"
        binds = bool(found) or DUTY.search(around) is not None
    else:
        # Recitals come with no meaning of their own: they bind nobody.
        binds = one.meanings is None
    cut = find_example(clause.masked)
    values: list[str] = []
    if binds and not is_silent:
        figures = [figure for figure in _list_values(clause.figures, found) if figure.start < cut]
        values = [f"{figure.value} {figure.unit}".strip() for figure in figures]
    obliges = OBLIGATION.search(clause.masked, 0, cut) is not None
    is_relevant = bool(values) or (obliges and binds and not is_silent)
    context = (clause.article, clause.heading[:_MAX_HEADING], clause.lead[:_MAX_LEAD])
    return Sentence(
        clause.start,
        clause.end,
        is_relevant,
        values=tuple(values),
        context=" – ".join(filter(None, context)) if is_relevant else "",
    )


def join_list(lead_in: Sentence, item: Sentence) -> Sentence:
    """The words that lead into a list, once one more of its items is known.

    A duty is only understood together with what is listed. Items with values say themselves what
    is due.
    """
    if lead_in.values or not lead_in.is_relevant:
        return lead_in
    if item.values:
        return replace(lead_in, is_relevant=False)
    return replace(lead_in, end=max(lead_in.end, item.end))


def _list_values(figures: Sequence[Figure], found: Sequence[Meaning]) -> list[Figure]:
    """The figures that a rule is about, in order.

    Those with a meaning count if facts with that meaning cover their sentence. A date without one
    counts only if it comes every year: others say when an act was passed or begins to apply.
    """
    known = load_declared_facts().predicates
    meant = [meaning.figure for meaning in found if known[meaning.predicate].covers]
    taken = [meaning.figure for meaning in found]
    others = [
        figure
        for figure in figures
        if (figure.kind is not FigureKind.DATE or figure.value.startswith(_DATED))
        and not any(figure.start < one.end and one.start < figure.end for one in taken)
    ]
    return sorted({*meant, *others}, key=lambda figure: figure.start)
