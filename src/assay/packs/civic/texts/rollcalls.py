"""The names in minutes: who is named where, and how each member voted."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from assay.packs.civic.portals.listed import VoteValue

_OFFICE = (
    r"(?i:Council\s?(?:members?|women|woman|men|man|persons?|person)|Council\s+(?:Members?"
    r"|President|Vice[\s-]President|Chair)"
    r"|Councill?ors?|Commissioners?|Commission\s+(?:Member|Chair)|Trustees?|Supervisors?"
    r"|Directors?|Mayor(?:\s+Pro[\s-]Tem(?:pore)?)?"
    r"|(?:Vice|Deputy|Acting|Assistant|At-Large|Co)[\s-](?:Mayor|Chair(?:man|woman|person)?"
    r"|President)|Chair(?:man|woman|person)?"
    r"|President(?:\s+Pro[\s-]Tem(?:pore)?)?|Alder(?:man|woman|person|men|persons)|Alders?|Ald"
    r"|(?:Board|Committee)\s+(?:Members?|Chair)|Members?"
    r"|Select(?:man|men|woman|person|board\s+Member)|Freeholder|Messrs|Mr|Mrs|Ms|Mx|Dr|Miss"
    r"|Secretary|Treasurer|Judge|Pro[\s-]Tem|CM|Cllr"
    r"|Legislators?|Regents?|Justices?|Senators?|Delegates?|Representatives?)\b[.:]?"
)
OFFICES = rf"(?:{_OFFICE}\s{{1,3}}){{0,4}}"
"""Titles in front of a name."""
_NOT_NAME = (
    r"(?i:(?:second|seconded|seconds|moved|moves|motion|motioned|made|to|that|and|the|vote|votes"
    r"|voted|voting|yes|no|aye|ayes|nay|nays|yea|yeas|noes"
    r"|carried|passed|failed|approved|approve|adopted|none|absent|abstain|abstained|abstaining"
    r"|present|excused|recused|unanimous|unanimously|all|roll|call"
    r"|result|council|board|committee|commission|city|town|village|county|staff|public|resolution"
    r"|ordinance|item|items|meeting|minutes|agenda|page"
    r"|mover|seconder|supported|support|with|for|of|in|on|at|by|was|is|this|there|opposed|against"
    r"|discussion|clerk|attorney|manager|n/a|those|members"
    r"|declared|called|not|disqualified|disq|conflict|motions|action|consent|hearing|on|upon|it|he"
    r"|she|they|we|who|which|as|be|dissent|unknown|tie)\b)"
)
_LETTER = (
    r"(?:[^\W\d_]|['’`]"
    r"|-(?!(?i:aye|yea|yes|nay|no|abstain(?:ed)?|absent|excused|present|recused)\b))"
)
_WORD = (
    rf"(?!{_NOT_NAME}|{_OFFICE})(?:[A-ZÀ-ÖØ-Þ](?:\.|{_LETTER}{{0,30}}+(?!\w)|[a-z]\.)|d[aeiu]"
    r"|de[lr]?|la|van|von|der|den|ter|al|bin)"
)
NAME = (
    rf"(?!{_NOT_NAME})(?:(?:van|von|de|del|der|la|den|di"
    rf"|da)\s){{0,2}}(?!{_NOT_NAME}|{_OFFICE})[A-ZÀ-ÖØ-Þ](?:(?:[a-z]|(?<=\bS)T)?\.(?=\s[A-Z])"
    rf"|{_LETTER}{{1,30}}+(?!\w))(?:[ \t\u00a0]{{1,2}}{_WORD}"
    rf"|[ \t]?\n[ \t]?(?=[A-Z][a-z]){_WORD}(?=[\s,;.]{{1,3}}(?i:second|to\b|that\b|and\b|moved"
    rf"|motion))){{0,3}}"
    r"(?:,? (?:Jr|Sr|II|III|IV)\b\.?)?"
)
"""A person's name without titles; the letters are checked, the case is not folded."""

_VALUES: Final = {
    VoteValue.YES: (
        r"ayes?|yeas?|yes|for|in favou?r|affirmative|vot(?:ed|ing) (?:aye|yea|yes|for|in favou?r"
        r"|in the affirmative)(?: thereof| of the same)?"
    ),
    VoteValue.NO: (
        r"noes|nos|no|nays?|against|opposed|opposing|negative|dissent(?:ed|ing)"
        r"|vot(?:ed|ing) (?:no|nay|against|in opposition|in the negative)"
        r"(?: thereof| the same| same)?"
    ),
    VoteValue.ABSTAIN: r"abstain(?:ed|ing|s)?|abstentions?",
    VoteValue.ABSENT: r"absent|excused|absences?",
    VoteValue.PRESENT: r"present",
}
_WORDS: Final = "|".join(_VALUES.values())
_SKIPPED: Final = (
    r"recus(?:e|ed|al|als)|disq(?:ualified)?|conflict(?: of interest)?|not voting|vacant|vacancy"
    r"|did not vote|non[- ]voting"
)
"""Labels whose members did not vote and were not absent: no value fits, so they are left out."""
_LABEL = re.compile(
    rf"(?<![\w'’])(?P<label>(?i:{_WORDS}|{_SKIPPED}))(?:\s?\(?s\)"
    r"|(?<=[nN][oO])\(?es\)?)?(?:\s(?i:votes?|voting))?"
    r"[ \t]*(?P<count>\(?\d{1,2}\)?)?[ \t]*(?:[:：]"
    r"|(?<=[ \t])[–—-](?=[ \t][\dA-Z])|-(?=\d{1,2}(?:\("
    r"|\s*\n)))[ \t]*(?P<group>(?i:council ?members?|commissioners?"
    r"|trustees?|supervisors?|members?|directors?)[ \t]*:)?",
)
_LEAD = re.compile(
    r"\b(?:following|those|members|council ?members|commissioners|trustees)\s\Z", re.I
)
"""What leads up to a label inside a sentence, as in `the following voted in favor:`."""
_COUNT = re.compile(
    r"[ \t]*(?:\n[ \t]*)?\(?(\d{1,2})\)?(?!\d|[./:]\d)[ \t]*(?:(?:votes?"
    r"|members?)\b)?[ \t]*(?:[-–—:]\s{0,3}|(?=[(\n;,.|]|$|[A-Z]))"
)
_NOBODY = re.compile(
    r"\s{0,3}[(\[]?(?:none\b|no one\b|n/a\b|nil\b|-\s?0\s?-|0\b|[-–—]{1,3}(?=\s|$))[)\].]?", re.I
)
_END_COUNT = re.compile(
    r"[ \t]*(?:[-–—][ \t]*|\(|[A-Za-z]+ \()?(\d{1,2})\)?[ \t]*\.?(?=[ \t]*(?:\n|$|[A-Z;]))"
)
_PLURALS: Final = frozenset({"ayes", "yeas", "nays", "noes"})
_LINE: Final = 400
_GROUP_GAP: Final = 160
_PAIR = re.compile(
    rf"{OFFICES}(?P<name>{NAME})[ \t]*(?:[:,–—=-]|\.{{2,40}}|\t|[ ]{{1,30}}|[ \t]?\(|[ ]?[–—-][ ]?"
    r"|[ ]voted[ ])[ \t]*[\"“']?"
    r"(?P<vote>(?i:aye|yea|yes|nay|no|abstain(?:ed|s)?|absent|excused"
    r"|present))\b[\"”']?\)?(?![\w'’-]| (?i:vote|one|further|action|second|motion|objection))"
)
_PAIR_GAP = re.compile(r"[\s,;.|•·*]{0,12}(?:and\s)?(?i:vote\s)?[\s|]{0,8}")
_VOTED = re.compile(
    rf"(?P<names>{OFFICES}{NAME}(?:,?\s{{1,2}}(?:and\s{{1,2}}"
    rf"|&\s)?{OFFICES}{NAME}){{0,6}}),?\s{{1,3}}(?:were\s|was\s|both\s|all\s|had\s)?"
    r"(?P<vote>(?i:vot(?:ed|ing)\s(?:[\"“'‘]?(?:aye|yea|yes|nay|no)\b|in\sfavou?r|against"
    r"|in\sopposition|in\sthe\s(?:affirmative|negative))"
    r"|abstain(?:ed|ing)\b|dissent(?:ed|ing)\b|opposed\b(?!\sto\b)|in\sopposition\b))"
    r"(?!\s(?i:on|for)\s(?i:items?|agenda)\b)"
)
_AWAY = re.compile(
    rf"(?:\(|\bwith\s)(?P<names>{OFFICES}{NAME}(?:,?\s{{1,2}}(?:and\s{{1,2}}"
    rf"|&\s)?{OFFICES}{NAME}){{0,6}}),?\s{{1,3}}(?:was\s|were\s|being\s)?"
    r"(?P<vote>(?i:absent|excused|abstained))(?=[).,;])"
)
_MEMBER = re.compile(rf"[\s(\[]{{0,3}}{OFFICES}({NAME})")
_SEPARATOR = re.compile(r"\s{0,3}(?:[,;]|\band\b|&)(?:\s{0,3}(?:and\b|&))?\s{0,4}")
_NEXT_LINE = re.compile(r"[ \t]*\n[ \t]*")


@dataclass(frozen=True)
class MemberVote:
    """How the minutes say that one member voted."""

    member: str
    """The name as written, without titles."""
    vote: VoteValue
    quote: str
    start: int
    end: int


@dataclass(frozen=True)
class VoteList:
    """The members after one label such as `AYES`, or the number of them."""

    vote: VoteValue | None
    """None for a label that is not a vote, such as `RECUSED`."""
    names: tuple[str, ...]
    count: int | None
    """As written; None if only names are given."""
    start: int
    end: int
    has_conflict: bool = False
    """Whether the written count differs from the number of names."""
    is_readable: bool = True
    """Whether what follows the label is a list of names, a count or `None`."""
    is_complete: bool = True
    """Whether the list was read to its end."""

    @property
    def size(self) -> int | None:
        """How many members voted like this, if that is known."""
        if self.count is not None:
            return self.count
        return len(self.names) if self.is_readable and self.is_complete else None


def read_vote_word(word: str) -> VoteValue | None:
    """The vote that a word or a label such as `NAYS` means."""
    plain = " ".join(word.lower().split()).strip("\"“”'‘’ ")
    plain = re.sub(r"^vot(?:ed|ing) [\"“'‘]?(?:in the )?", "", plain).removeprefix("in opposition")
    plain = re.sub(r" (?:thereof|of the same|the same|same)$", "", plain)
    if not plain:
        return VoteValue.NO
    return next((vote for vote, words in _VALUES.items() if re.fullmatch(words, plain)), None)


def scan_vote_lists(text: str, start: int = 0, end: int | None = None) -> list[VoteList]:
    """The labelled lists of names in a text, in order."""
    limit = len(text) if end is None else end
    found: list[VoteList] = []
    for match in _LABEL.finditer(text, start, limit):
        if found and match.start() < found[-1].end:
            continue
        label = match["label"]
        is_line_start = (
            not text[max(0, match.start() - 30) : match.start()]
            .rpartition("\n")[2]
            .strip(" \t|•*-–()")
        )
        is_led = _LEAD.search(text, max(0, match.start() - 30), match.start())
        if not (label[0].isupper() or is_line_start or (is_led and " " in label)):
            continue
        is_counted = text[match.end() : match.end() + 1].isdigit()
        is_label = label.isupper() or label.lower() in _PLURALS
        if ":" not in match[0] and not is_counted and not is_label:
            continue
        found.append(_read_list(text, match, min(limit, match.end() + _LINE * 2)))
    return found


def _read_list(text: str, match: re.Match[str], limit: int) -> VoteList:
    vote = read_vote_word(match["label"])
    count = int(match["count"].strip("()")) if match["count"] else None
    at = match.end()
    if count is None and (number := _COUNT.match(text, at, limit)):
        count, at = int(number[1]), number.end()
    if nobody := _NOBODY.match(text, at, limit):
        return VoteList(
            vote, (), count if count else 0, match.start(), nobody.end(), has_conflict=bool(count)
        )
    names, stop, is_complete = _read_names(text, at, limit, count)
    if count is None and (names and (after := _END_COUNT.match(text, stop, limit))):
        count, stop = int(after[1]), after.end()
    has_conflict = count is not None and bool(names) and is_complete and count != len(names)
    end = stop if names else (at if count is not None else match.end())
    return VoteList(
        vote,
        tuple(names),
        count,
        match.start(),
        end,
        has_conflict,
        bool(names) or count is not None,
        is_complete,
    )


def _read_names(text: str, at: int, limit: int, count: int | None) -> tuple[list[str], int, bool]:
    """The names from a place on, where they end, and whether no other name may follow there."""
    names: list[str] = []
    stop = at
    while names or at < limit:
        separator = _SEPARATOR.match(text, stop, limit) if names else None
        if names and separator is None:
            is_awaited = count is not None and len(names) < count
            separator = _NEXT_LINE.match(text, stop, limit) if is_awaited else None
            if separator is None:
                break
        place = separator.end() if separator else stop
        name = _MEMBER.match(text, place, limit)
        if name is None or _LABEL.match(text, name.start(1), limit):
            return names, stop, separator is None or "," not in separator[0]
        value = (
            name[1].rstrip(".,")
            if not re.search(r"\b(?:Jr|Sr)\.$|\b[A-Z]\.$", name[1])
            else name[1]
        )
        names.append(value)
        stop = name.start(1) + len(value)
        if len(names) > 60:
            break
    return names, stop, True


def group_vote_lists(lists: list[VoteList]) -> Iterator[list[VoteList]]:
    """Lists that belong to one vote: they are close together, and no label comes twice."""
    group: list[VoteList] = []
    for each in lists:
        labels = {other.vote for other in group if other.vote}
        if group and (each.start - group[-1].end > _GROUP_GAP or each.vote in labels):
            yield group
            group = []
        group.append(each)
    if group:
        yield group


def is_vote(group: list[VoteList]) -> bool:
    """Whether lists record a vote; a list of who is present or absent alone is an attendance."""
    cast = {each.vote: each for each in group if each.is_readable}
    ayes, noes = cast.get(VoteValue.YES), cast.get(VoteValue.NO)
    return bool(ayes and (ayes.names or ayes.count)) or bool(
        noes and noes.names and VoteValue.YES in cast
    )


def read_list_votes(text: str, group: list[VoteList]) -> list[MemberVote]:
    """The votes of the members in lists, without those that contradict each other or a count."""
    votes = [
        MemberVote(name, each.vote, text[each.start : each.end], each.start, each.end)
        for each in group
        if each.vote and not each.has_conflict
        for name in each.names
    ]
    return drop_contradictions(votes)


def drop_contradictions(votes: list[MemberVote]) -> list[MemberVote]:
    """Votes without those of members for whom the text gives two different ones, each vote once."""
    by_member: dict[str, set[VoteValue]] = {}
    for each in votes:
        by_member.setdefault(each.member.casefold(), set()).add(each.vote)
    kept: dict[str, MemberVote] = {}
    for each in votes:
        if len(by_member[each.member.casefold()]) == 1:
            kept.setdefault(each.member.casefold(), each)
    return list(kept.values())


def scan_roll_call(text: str, start: int, end: int) -> list[MemberVote]:
    """The votes of a roll call such as `Smith - yes; Jones - no`: two or more in a row."""
    best: list[MemberVote] = []
    run: list[MemberVote] = []
    for match in _PAIR.finditer(text, start, end):
        vote = read_vote_word(match["vote"])
        if vote is None:
            continue
        if run and not _PAIR_GAP.fullmatch(text, run[-1].end, match.start()):
            best, run = (run if len(run) > len(best) else best), []
        run.append(
            MemberVote(match["name"].rstrip("."), vote, match[0], match.start(), match.end())
        )
    best = run if len(run) > len(best) else best
    is_attendance = not {vote.vote for vote in best} & {VoteValue.YES, VoteValue.NO}
    return [] if len(best) < 2 or is_attendance else drop_contradictions(best)


def scan_named_votes(text: str, start: int, end: int) -> list[MemberVote]:
    """Votes told in a sentence, such as `with Smith and Jones voting no`."""
    votes: list[MemberVote] = []
    for match in (*_VOTED.finditer(text, start, end), *_AWAY.finditer(text, start, end)):
        vote = read_vote_word(match["vote"])
        for name in _MEMBER.finditer(match["names"]):
            if vote:
                votes.append(
                    MemberVote(name[1].rstrip("."), vote, match[0], match.start(), match.end())
                )
    return drop_contradictions(votes)
