"""The names at the beginning of a reference: "Han, S. E., & Chen, G." and its many relatives."""

import re
from dataclasses import dataclass
from typing import Final

_UPPER: Final = "A-ZÀ-ÖØ-ÞĄĆČĎĐĘĚĞĽŁŃŇŐŘŚŞŠŤŮŰŹŻŽİΑ-ΩА-ЯЁІЇЄ"
_WORD: Final = (
    rf"(?:[DdLO]['’])?[{_UPPER}][\w'’´`¨]{{1,30}}(?:[-‐‑–][{_UPPER}]?[\w'’]{{1,30}}){{0,2}}"
)
_PARTICLE: Final = (
    r"(?:(?:van|von|vom|de|der|den|del|della|dela|di|da|dos|das|do|du|la|le|les|el|al|bin|ben|ibn|"
    r"ter|ten|te|zu|zur|af|av|st|mac|y|e|Van|Von|De|Der|Den|Del|Della|Di|Da|Dos|Du|La|Le|El|Al|"
    r"St)\.? |d['’] ?){0,3}"
)
_INITIALS: Final = rf"[{_UPPER}][a-z]?\.(?:[ ‐-]{{0,2}}[{_UPPER}][a-z]?\.){{0,4}}"
_SUFFIX: Final = r"(?:,? (?:Jr|Sr|II|III|IV|2nd|3rd)\b\.?)?"
_NOT_GIVEN: Final = (
    r"(?!(?:The|An|On|In|Of|For|To|How|Why|What|When|Where|Who|Is|Are|Can|Do|Does|Towards?|Using|"
    r"Learning|Deep|Beyond|From|Not|All|At|By|With|Making|Toward|Some|One|Two|Three|Analysis|"
    r"Introduction|Notes|Against|Between|Large|Fast|Neural)\b)"
)
_NOT_A_NAME = re.compile(
    r"\b(?:University|Press|IEEE|ACM|Conference|Workshop|Institute|Lab|Labs|Laboratory|Research|"
    r"Google|Microsoft|Facebook|Springer|Verlag|Elsevier|Wiley|Journal|Proceedings|Proc|"
    r"Transactions|International|ASIA|Asia|Networks?|Learning|Systems?|Report|Thesis|Inc|Ltd|"
    r"Association|Society|Department|Detection|Recognition|Models?|Methods?|Analysis|Theory|"
    r"Science|Studies|Review|Letters|Survey|Segmentation|Estimation|Generation|Vision)\b"
)
_FAMILY: Final = rf"{_PARTICLE}{_WORD}(?: (?!and\b){_WORD}){{0,2}}"

_LAST_INITIALS = re.compile(
    rf"{_FAMILY}{_SUFFIX}, ?{_INITIALS}(?: (?:van|von|de|der|den|del|da)(?: der| den)?\b)?{_SUFFIX}"
)
_LAST_GIVEN = re.compile(
    rf"{_PARTICLE}{_WORD}{_SUFFIX}, {_WORD}(?: (?:{_INITIALS}|{_WORD}|[{_UPPER}]\b\.?)){{0,2}}{_SUFFIX}"
)
_INITIALS_LAST = re.compile(rf"{_INITIALS} ?(?:{_WORD} )?{_FAMILY}{_SUFFIX}")
_LAST_BARE_INITIALS = re.compile(
    rf"{_PARTICLE}{_WORD}(?: {_WORD})?,? (?:[{_UPPER}]-?){{1,4}}(?![\w'’-])"
)
_LAST_DOTTED_INITIALS = re.compile(rf"{_PARTICLE}{_WORD}(?: {_WORD})? {_INITIALS}")
_GIVEN_LAST = re.compile(
    rf"(?![{_UPPER}]{{2}}){_NOT_GIVEN}{_WORD}(?: (?:{_INITIALS}|[{_UPPER}]\b\.?|{_WORD})){{0,2}} {_PARTICLE}{_WORD}{_SUFFIX}"
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
    r"\s?(?:[,;/] ?(?:and|&|und|et|y|e|og|en) |[,;/·] ?| (?:and|&|und|et|y|og|en) |"
    r",? ?(?:\.\.\.|…),? ?(?:&|and)? ?|(?<=\b[A-Z]\.) (?=[A-Z][a-z]+, [A-Z]\.))"
)
_LAST_BETWEEN = re.compile(r"\b(?:and|und|et|y|og|en)\b|&")
_CLOSED = re.compile(r"\s?[,.;:/(\[“\"*&|]|\s(?:and|&|et|und|y|og|en)\s|\s?$|\s[–—(\d-]")
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
        if run is not None and (best is None or len(run.names) > len(best.names)):
            best = run
    return best


def _read_run(text: str, start: int, form: str) -> NameRun | None:
    names: list[str] = []
    ends: list[int] = []
    place = start
    changed = 0
    has_last = False
    forms: tuple[str, ...] = (form,)
    while len(names) < _MOST:
        found, kind = _match_name(text, place, forms)
        if found is None:
            break
        if kind != form and not changed:
            changed = len(names)
        names.append(found[0].strip())
        ends.append(found.end())
        if len(names) == 1:
            forms = _FOLLOWERS[form]
        between = _BETWEEN.match(text, found.end())
        if between is None:
            break
        place = between.end()
        if _LAST_BETWEEN.search(between[0]):
            if _match_name(text, place, forms)[0] is None and _GIVEN_LAST.fullmatch(names[-1]):
                # "… and" something that is not a name: a title such as "Games and decisions".
                names.pop()
                ends.pop()
                break
            has_last = True
    if changed and not has_last and form == "Family, Given":
        # A title of two words looks like a name, unless "and" says that another one follows.
        names, ends = names[:changed], ends[:changed]
    if not names:
        return None
    return _finish_run(text, names, ends[-1], form)


def _match_name(text: str, place: int, forms: tuple[str, ...]) -> tuple[re.Match[str] | None, str]:
    for form in forms:
        found = _FORMS[form].match(text, place)
        if found is None:
            continue
        if "Given" in form and (_NOT_A_NAME.search(found[0]) or text.startswith(":", found.end())):
            continue
        if (
            found[0].endswith(".")
            or _CLOSED.match(text, found.end())
            or _ET_AL.match(text, found.end())
        ):
            return found, form
    return None, ""


def _finish_run(text: str, names: list[str], place: int, form: str) -> NameRun:
    more = _ET_AL.match(text, place)
    place = more.end() if more else place
    editors = _EDITORS.match(text, place)
    place = editors.end() if editors else place
    return NameRun(tuple(names), place, form, more is not None, editors is not None)


def are_names(text: str) -> bool:
    """Whether a whole text is a list of names."""
    run = read_names(text)
    return run is not None and not text[run.end :].strip(" .,;:&")
