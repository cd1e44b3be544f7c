"""The names at the beginning of a reference: "Han, S. E., & Chen, G." and its many relatives."""

import re
from dataclasses import dataclass
from typing import Final

_UPPER: Final = "A-ZÀ-ÖØ-ÞĄĆČĎĐĘĚĞĽŁŃŇŐŘŚŞŠŤŮŰŹŻŽİΑ-ΩА-ЯЁІЇЄ"
_WORD: Final = rf"(?:[DdLO]['’])?[{_UPPER}][\w'’´`¨]{{1,30}}(?:[-‐‑–][{_UPPER}]?[\w'’]{{1,30}}){{0,2}}"
_PARTICLE: Final = (
    r"(?:(?:van|von|vom|de|der|den|del|della|dela|di|da|dos|das|do|du|la|le|les|el|al|bin|ben|ibn|"
    r"ter|ten|te|zu|zur|af|av|st|mac|y|e|Van|Von|De|Der|Den|Del|Della|Di|Da|Dos|Du|La|Le|El|Al|"
    r"St)\.? |d['’] ?){0,3}"
)
_INITIALS: Final = rf"[{_UPPER}][a-z]?\.(?:[ -‐]?-?[{_UPPER}][a-z]?\.){{0,4}}"
_SUFFIX: Final = r"(?:,? (?:Jr|Sr|II|III|IV|2nd|3rd)\b\.?)?"
_FAMILY: Final = rf"{_PARTICLE}{_WORD}(?: (?!and\b){_WORD}){{0,2}}"

_LAST_INITIALS = re.compile(
    rf"{_FAMILY}{_SUFFIX}, ?{_INITIALS}(?: {_PARTICLE.rstrip('{0,3}')}{{0,2}})?{_SUFFIX}"
)
_LAST_GIVEN = re.compile(
    rf"{_FAMILY}{_SUFFIX}, {_WORD}(?: (?:{_INITIALS}|{_WORD}|[{_UPPER}]\b\.?)){{0,2}}{_SUFFIX}"
)
_INITIALS_LAST = re.compile(rf"{_INITIALS} ?(?:{_WORD} )?{_FAMILY}{_SUFFIX}")
_LAST_BARE_INITIALS = re.compile(
    rf"{_PARTICLE}{_WORD}(?: {_WORD})?,? (?:[{_UPPER}]-?){{1,4}}(?![\w.'’-])"
)
_LAST_DOTTED_INITIALS = re.compile(rf"{_PARTICLE}{_WORD}(?: {_WORD})? {_INITIALS}")
_GIVEN_LAST = re.compile(
    rf"{_WORD}(?: (?:{_INITIALS}|[{_UPPER}]\b\.?|{_WORD})){{0,2}} {_PARTICLE}{_WORD}{_SUFFIX}"
)
_FORMS: Final = {
    "Family, G.": _LAST_INITIALS,
    "G. Family": _INITIALS_LAST,
    "Family G.": _LAST_DOTTED_INITIALS,
    "Family GH": _LAST_BARE_INITIALS,
    "Family, Given": _LAST_GIVEN,
    "Given Family": _GIVEN_LAST,
}
_FOLLOWERS: Final = {
    "Family, G.": ("Family, G.", "G. Family"),
    "G. Family": ("G. Family", "Given Family"),
    "Family G.": ("Family G.",),
    "Family GH": ("Family GH",),
    "Family, Given": ("Family, Given", "Given Family", "G. Family"),
    "Given Family": ("Given Family", "G. Family"),
}
_BETWEEN = re.compile(
    r"\s?(?:[,;/] ?(?:and|&|und|et|y|e|og|en) |[,;/·]\s|,(?=[A-Z]\. ?[A-Z])| (?:and|&|und|et|y|og|en) |"
    r",? ?(?:\.\.\.|…),? ?(?:&|and)? ?)"
)
_ET_AL = re.compile(r",? (?:et al\b\.?|and (?:others|coworkers|co-workers)\b\.?|u\. ?a\.)")
_EDITORS = re.compile(r",? ?\(?(?:[Ee]ds?|[Hh]rsg|[Ee]ditors?|[Cc]oord|dir)\b\.?\)?")
_MOST: Final = 200


@dataclass(frozen=True, slots=True)
class NameRun:
    """The names at a place of a text, where they end, and how they are written."""

    names: tuple[str, ...]
    end: int
    form: str
    has_more: bool
    """Whether "et al." follows."""
    are_editors: bool


def read_names(text: str, start: int = 0) -> NameRun | None:
    """The names that begin at a place; None if what is there does not look like names."""
    best: NameRun | None = None
    for form in _FORMS:
        run = _read_run(text, start, form)
        if run is None:
            continue
        if best is None or (len(run.names), run.end) > (len(best.names), best.end):
            best = run
        if best is run and len(run.names) > 2:
            break
    return best


def _read_run(text: str, start: int, form: str) -> NameRun | None:
    names: list[str] = []
    place = start
    forms: tuple[str, ...] = (form,)
    while len(names) < _MOST:
        found = next(filter(None, (_FORMS[each].match(text, place) for each in forms)), None)
        if found is None:
            break
        names.append(found[0].strip())
        place = found.end()
        if len(names) == 1:
            forms = _FOLLOWERS[form]
        between = _BETWEEN.match(text, place)
        if between is None:
            break
        following = between.end()
        if not any(_FORMS[each].match(text, following) for each in forms):
            break
        place = following
    if not names:
        return None
    more = _ET_AL.match(text, place)
    place = more.end() if more else place
    editors = _EDITORS.match(text, place)
    place = editors.end() if editors else place
    return NameRun(tuple(names), place, form, more is not None, editors is not None)


def are_names(text: str) -> bool:
    """Whether a whole text is a list of names."""
    run = read_names(text)
    return run is not None and not text[run.end :].strip(" .,;:&")
