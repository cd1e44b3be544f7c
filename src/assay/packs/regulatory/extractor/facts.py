"""The facts of a clause: subject, domain, days, condition, and confidence."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.packs.regulatory.extractor.amendments import find_amendments, replaces_words
from assay.packs.regulatory.extractor.cases import (
    describes_case,
    excepts_unnamed,
    follows_on,
    limits_last,
    limits_provision,
    refers_back,
)
from assay.packs.regulatory.extractor.citations import find_citations
from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.context import find_context
from assay.packs.regulatory.extractor.cues import FEE, SURCHARGE
from assay.packs.regulatory.extractor.documents import (
    KINDS_OF_LEVIES,
    DocumentProfile,
    find_levy,
    name_levied_object,
    name_matter,
    name_run_in_heading,
)
from assay.packs.regulatory.extractor.effect import (
    EffectSpan,
    find_lead_span,
    find_sentence_span,
)
from assay.packs.regulatory.extractor.exemptions import WordedFact, find_worded_facts
from assay.packs.regulatory.extractor.first_days import EffectDays
from assay.packs.regulatory.extractor.kinds import make_kind
from assay.packs.regulatory.extractor.meaning import Meaning
from assay.packs.regulatory.extractor.named_provisions import find_root
from assay.packs.regulatory.extractor.provisions import ProvisionIndex
from assay.packs.regulatory.extractor.qualifiers import find_qualifiers
from assay.packs.regulatory.extractor.repeals import find_repeals
from assay.packs.regulatory.extractor.rows import find_row_condition, find_row_qualifiers
from assay.packs.regulatory.extractor.scope import ClauseScope, find_scope
from assay.packs.regulatory.extractor.subjects import (
    NAMELESS,
    find_mentions,
    load_declared_facts,
)
from assay.packs.regulatory.extractor.wording import Surroundings
from assay.packs.regulatory.extractor.year_choice import find_year_span
from assay.sdk.facts import ALWAYS, WORDING_FIELD, ProposedFact

_DOMAINS = {
    "refers_to": "references",
    "exemption": "exemptions",
    "form": "obrasci",
    "penalty": "kazne",
    "penalty_min": "kazne",
    "penalty_max": "kazne",
}
"""The domain of a fact whose subject the pack does not know."""
_BOUND = re.compile(
    r"(?<!\w)(?:stop\w{1,4}|rates?\s+of(?:\s+the)?|s[aä]tz\w{0,2}\s+der|prag\w{0,2}"
    r"|threshold\s+for)\s{1,3}$",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    r"(?<!\w)(?:ohne|bez|without|excluding|exclu(?:sive|ding)\sof|net\sof|before|including|inclusive\sof|inkl\w{0,7}"
    r"|einschließlich|zuzüglich|abzüglich|uključujući|plus|s\suračunatim)\s(?:der\s|the\s|any\s|obračunat\w{1,3}\s)?$",
    re.IGNORECASE,
)
"""`ohne Umsatzsteuer`: a levy that a value leaves out is not what it is about."""
_FAILURE = re.compile(r"(?<!\w)failure\s(?:to|by|of)\s", re.IGNORECASE)
"""`§ 6651. Failure to file tax return`: what such a section adds is a penalty."""
_CITED = re.compile(r"_\d{1,2}_u_s_c_\w+$")
_PARAGRAPH = " Abs. "
_LONG = 450
_NEVER_AMENDS = frozenset({"refers_to", "entry_into_force", "repeal", "form"})


class ClauseFactBuilder:
    """Builds facts from the clauses of one document."""

    def __init__(
        self,
        document: DocumentProfile,
        language: str | None,
        days: EffectDays,
        provisions: ProvisionIndex,
        jurisdiction: str = "",
        listed: Mapping[tuple[str, str], Sequence[str]] | None = None,
    ) -> None:
        # It may be that of the whole act already, if this is one article of it.
        body = document.body if document.body not in jurisdiction else ""
        self._jurisdiction = "-".join(filter(None, (jurisdiction, body)))
        self._country = jurisdiction
        self._provisions = provisions
        self._document = document
        self._language = language
        self._days = days
        self._listed = listed or {}
        """The points without numbers that words introduce, by these words and their provision."""
        self._last: Clause | None = None
        """The sentence before."""
        self._case = ""
        """The last sentence of the paragraph that began with a case, while others go on with it."""
        self._limit = ""
        """The later sentence that limits this one, if there is one."""
        self._number = 0
        """Which sentence of its paragraph this is."""

    def build_facts(
        self, clause: Clause, found: Sequence[Meaning], following: Sequence[Clause] = ()
    ) -> Iterator[ProposedFact]:
        """Build the facts of one clause."""
        self._follow_case(clause)
        self._count_sentence(clause)
        self._limit = self._find_limit(clause, following) if found else ""
        self._limit = self._limit or (_find_exception(clause, following) if found else "")
        changes = list(find_amendments(clause, self._language))
        for change in changes:
            yield self._build_fact(clause, change.meaning, [], replaces=change.old, amends=True)
        if not changes and not replaces_words(clause):
            for meaning in found:
                yield self._build_fact(clause, meaning, found)
        yield from self._build_worded_facts(clause)
        self._last = clause

    def _count_sentence(self, clause: Clause) -> None:
        """Count the sentences of a paragraph; points of a list are part of one."""
        if self._last is None or self._last.article != clause.article:
            self._number = 0
        first = next((letter for letter in clause.text if letter.isalpha()), "")
        listed = first.islower() or self._provisions.list_leads(clause.start)
        self._number += not (listed and self._number)

    def _find_limit(self, clause: Clause, following: Sequence[Clause]) -> str:
        """The sentence after that limits this one: the next one, or one that names it."""
        own, _, paragraph = clause.article.partition(_PARAGRAPH)
        for place, one in enumerate(following):
            if one.article.partition(_PARAGRAPH)[0] != own:
                break
            same = one.article == clause.article
            named = limits_provision(one.text, "" if same else paragraph, self._number)
            if named or (named is None and same and not place and limits_last(one.text)):
                return one.text
        return ""

    def _follow_case(self, clause: Clause) -> None:
        """Keep the case that the sentences of a paragraph go on with."""
        last = self._last
        if last is None or last.article != clause.article or clause.is_row:
            self._case = ""
        elif describes_case(last.text):
            self._case = last.text
        if self._case and (describes_case(clause.text) or not follows_on(clause.text, self._case)):
            self._case = ""

    def _build_fact(
        self,
        clause: Clause,
        meaning: Meaning,
        others: Sequence[Meaning],
        *,
        replaces: str | None = None,
        amends: bool = False,
    ) -> ProposedFact:
        subject, domain = self._choose_subject(clause, meaning)
        at = clause.locate(meaning.figure.start)
        lists, points = self._provisions.list_leads(at), self._provisions.list_points(at)
        if clause.is_row and clause.lead.rstrip().endswith(":"):
            lists = lists or (clause.lead,)
        points = points or tuple(self._listed.get((clause.text, clause.article), ()))
        last = self._last.text if self._last and self._last.article == clause.article else ""
        refers = bool(last) and (refers_back(clause.text) or follows_on(clause.text, last))
        case = self._case or (last if last and refers_back(clause.text) else "")
        back = (case,) if case else ()
        paragraph = self._provisions.write_paragraph(at, clause.locate(meaning.figure.end - 1) + 1)
        heading = self._provisions.find_heading(at)
        if not heading and self._provisions.is_in_annex(at):
            heading = clause.heading
        referred = self._provisions.list_referred(at, " ".join((*lists, clause.text)))
        around = Surroundings((*lists, *back), points, self._limit, paragraph, referred)
        if amends:
            # The amended provision says when it applies.
            scope = ClauseScope(ALWAYS)
        elif not clause.is_row:
            scope = find_scope(clause, meaning, others, around, self._language or "")
        else:
            scope = ClauseScope(meaning.condition or find_row_condition(clause, meaning.figure))
        own = self._find_own_span(clause, meaning, lists)
        if meaning.start or meaning.until:
            own = EffectSpan(meaning.start, meaning.until)
        dated = meaning.predicate not in ("entry_into_force", "repeal")
        whole = self._days.find_span(clause.article, clause.start)
        start, until = own.start or whole.start, own.until or whole.until
        if start and until and until <= start:
            # The day of an act is not that of a rule that ended before it.
            start, until = own.start, own.until
        doubt = scope.doubt + (0.03 if len(clause.text) > _LONG else 0.0)
        predicate = _correct_own_name(clause, meaning, subject)
        qualifiers = find_row_qualifiers(clause, meaning.figure)
        if not qualifiers or not any(clause.heads):
            # A row of a name and its value has no heads that say more.
            own_words = find_qualifiers(
                clause, meaning.figure, _list_words(scope.condition), lists, self._language, last
            )
            qualifiers = tuple(dict.fromkeys((*qualifiers, *own_words)))
        if clause.labels and not clause.is_row:
            qualifiers = tuple(dict.fromkeys((*clause.labels, *qualifiers)))
        return ProposedFact(
            domain=domain or _choose_domain(predicate),
            subject=subject,
            predicate=predicate,
            value=meaning.figure.value,
            value_type=meaning.value_type,
            unit=meaning.figure.unit,
            quote=clause.quote,
            start=clause.start,
            confidence=round(max(0.0, meaning.confidence - doubt), 2),
            effective_from=start if dated else None,
            effective_until=until if dated else None,
            applies_when=scope.condition,
            article=self._provisions.cite(clause.locate(meaning.figure.start)) or clause.article,
            amends=amends or (self._document.amends and meaning.predicate not in _NEVER_AMENDS),
            replaces=replaces,
            jurisdiction=self._jurisdiction,
            qualifiers=qualifiers,
            context=find_context(
                clause,
                clause.heading if heading is None else heading or clause.chapter,
                lists,
                last if refers else "",
                referred,
                self._provisions.list_beside(at, referred),
            ),
            kind=make_kind(qualifiers, self._language, self._list_own_words(subject))
            if dated
            else "",
        )

    def _find_own_span(self, clause: Clause, meaning: Meaning, leads: Sequence[str]) -> EffectSpan:
        """The days that a sentence, or the words before its list, sets for a figure."""
        years = find_year_span(clause, meaning, leads, self._language, self._country)
        if years is not None:
            return years
        own = find_sentence_span(clause, meaning)
        return find_lead_span(leads, meaning, self._language) if own == EffectSpan() else own

    def _list_own_words(self, subject: str) -> list[str]:
        """Words that name the levy or the body, and so no kind of it."""
        return re.split(r"[_:.\s-]+", f"{subject} {self._document.subject} {self._jurisdiction}")

    def _choose_subject(self, clause: Clause, meaning: Meaning) -> tuple[str, str]:
        """The last subject named before a figure, otherwise the sentence's or the document's."""
        if meaning.predicate in ("entry_into_force", "repeal"):
            return self._document.subject, self._document.domain
        named = find_mentions(clause.masked)
        if self._document.subject.startswith("tax_"):
            # "An excise tax" says of which kind the tax of such a section is.
            named = [one for one in named if one.subject.name not in KINDS_OF_LEVIES]
        if self._document.titled or self._document.many_matters:
            # The law on one tax names others; only statements about their rates are about them.
            named = [one for one in named if _BOUND.search(clause.masked[: one.start])]
        named = [one for one in named if not _BESIDE.search(clause.masked[: one.start])]
        before = [one for one in named if one.start < meaning.figure.start]
        around = [] if self._document.titled else find_mentions(clause.heading)
        for one in (before[-1:] or named[:1]) or around[:1]:
            return one.subject.name, one.subject.domain
        return self._choose_own_subject(clause)

    def _choose_own_subject(self, clause: Clause) -> tuple[str, str]:
        """The subject of the document; in an act on many matters, that of the section."""
        if not self._document.titled:
            levied = name_levied_object(f"{clause.lead} {clause.text}")
            own = name_run_in_heading(clause.text) or name_run_in_heading(clause.lead)
            if levied or (own and self._document.subject.startswith("tax_")):
                cited = _CITED.search(self._document.subject)
                return (f"tax_{own}" if own else levied) + (cited[0] if cited else ""), ""
        if self._document.many_matters:
            if around := find_mentions(clause.chapter):
                return around[0].subject.name, around[0].subject.domain
            if levy := find_levy(clause.heading):
                return levy, ""
            matter = (
                name_matter(clause.chapter)
                or self._document.levy
                or name_matter(clause.heading)
                or find_levy(clause.text)
            )
            return "_".join(filter(None, (matter, self._document.name))), ""
        if self._document.subject == NAMELESS and (matter := name_matter(clause.heading)):
            return matter, ""
        return self._document.subject, self._document.domain

    def _build_worded_facts(self, clause: Clause) -> Iterator[ProposedFact]:
        for worded in find_worded_facts(clause):
            named = find_mentions(clause.masked)
            own = self._document.titled or worded.predicate != "exemption"
            known = named[0].subject if named and not own else None
            subject = known.name if known else self._document.subject
            domain = known.domain if known else self._document.domain
            yield self._build_worded_fact(
                clause, subject, domain or _choose_domain(worded.predicate), worded
            )
        ended = [(one.start, one.end) for one in find_repeals(clause.text)]
        for reference in find_citations(clause, self._document.title):
            if any(first <= reference.start < last for first, last in ended):
                continue
            value = " ".join(clause.text[reference.start : reference.end].split())
            yield ProposedFact(
                domain="references",
                subject=self._document.subject,
                predicate="refers_to",
                value=value,
                value_type="cross_reference",
                quote=clause.quote,
                start=clause.start,
                confidence=0.97 if reference.named else 0.9,
                article=clause.article,
                jurisdiction=self._jurisdiction,
            )

    def _build_worded_fact(
        self, clause: Clause, subject: str, domain: str, worded: WordedFact
    ) -> ProposedFact:
        dated = worded.predicate == "exemption"
        days = self._days.find_span(clause.article, clause.start)
        return ProposedFact(
            domain=domain,
            subject=subject,
            predicate=worded.predicate,
            value=worded.value,
            value_type=worded.value_type,
            quote=clause.quote,
            start=clause.start,
            confidence=worded.confidence,
            effective_from=days.start if dated else None,
            applies_when=ALWAYS,
            article=clause.article,
            jurisdiction=self._jurisdiction,
            amends=self._document.amends and dated,
        )


def _find_exception(clause: Clause, following: Sequence[Clause]) -> str:
    """`Iznimno, za male obveznike rok iznosi 45 dana`: a later paragraph of the same article that
    begins as an exception, and says something else of the same kind, without naming from what."""
    kinds = {one.kind for one in clause.figures}
    root = find_root(clause.article)
    for one in following if root and not excepts_unnamed(clause.text) else ():
        if find_root(one.article) != root:
            break
        if excepts_unnamed(one.text) and kinds & {figure.kind for figure in one.figures}:
            return one.text
    return ""


def _correct_own_name(clause: Clause, meaning: Meaning, subject: str) -> str:
    """`Pristojba iznosi …` in the act about a levy of that name says what is due, not a fee."""
    due = "rate" if meaning.value_type == "percentage" else "amount"
    if meaning.predicate == "surcharge":
        words = [match[0] for match in SURCHARGE.finditer(clause.masked[: meaning.figure.start])]
        # The Solidaritätszuschlag is a tax of its own.
        own = bool(words) and len(words[-1]) > 12 and words[-1].lower() in clause.title.lower()
        return due if own else meaning.predicate
    if meaning.predicate in ("rate", "amount") and _FAILURE.search(clause.title):
        return "penalty"
    known = load_declared_facts().subjects.get(subject)
    if meaning.predicate != "fee" or known is None:
        return meaning.predicate
    fees = [match[0].lower() for match in FEE.finditer(clause.masked[: meaning.figure.start])]
    labels = " ".join(name for names in known.labels.values() for name in names).lower()
    return due if fees and fees[-1].split()[-1][:6] in labels else "fee"


def _list_words(condition: Mapping[str, Any]) -> list[str]:
    """The words of a condition's values."""
    parts = condition.get("all", [condition])
    return [str(one.get("value", "")) for one in parts if one.get("field") != WORDING_FIELD]


def _choose_domain(predicate: str) -> str:
    if predicate.endswith("deadline"):
        return "rokovi"
    return _DOMAINS.get(predicate, "ostalo")
