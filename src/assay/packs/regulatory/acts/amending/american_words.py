"""Changes of words in Federal Register notices: "removing “A” and adding “B” in its place"."""

import re

from assay.packs.regulatory.acts.amending.american_targets import (
    NoticePlace,
    read_instruction,
)
from assay.packs.regulatory.acts.shapes import (
    Operation,
    OperationKind,
    Span,
    UnclearInstruction,
    Words,
    copy_words,
)

_QUOTED = r"[“\"](?P<{0}>[^“”\"\n]+)[”\"]"
_WORDS = (
    r"(?:the\s+)?(?:(?:words?|terms?|phrases?|references?(?:\s+to)?|date|number|"
    r"figure|citation|amount)\s*)?"
)
_SWAP = re.compile(
    rf"\b(?:remov(?:e|ing)|delet(?:e|ing)|strik(?:e|ing))\s+{_WORDS}{_QUOTED.format('old')}"
    rf"(?P<where>[^“”\"]*?)(?:,?\s*and\s+|,\s*)(?:by\s+)?(?:add(?:ing)?|insert(?:ing)"
    rf"?|replac(?:e|ing)\s+(?:it|them)\s+with)"
    rf",?\s*(?:in\s+(?:its|their)\s+place,?\s*)?{_WORDS}{_QUOTED.format('new')}"
    rf"(?P<rest>[^“”\"]*)$",
    re.IGNORECASE | re.DOTALL,
)
_DROP = re.compile(
    rf"\b(?:remov(?:e|ing)|delet(?:e|ing)|strik(?:e|ing))\s+{_WORDS}{_QUOTED.format('old')}"
    rf"(?P<rest>[^“”\"]*)$",
    re.IGNORECASE | re.DOTALL,
)
_INSERT = re.compile(
    rf"\b(?:add(?:ing)?|insert(?:ing)?)\s+{_WORDS}{_QUOTED.format('new')}\s*,?\s*(?:imm"
    rf"ediately\s+)?"
    rf"(?P<side>after|before|following|preceding)\s+{_WORDS}{_QUOTED.format('old')}(?P<"
    rf"rest>[^“”\"]*)$",
    re.IGNORECASE | re.DOTALL,
)
_EVERY = re.compile(
    r"\b(?:wherever|everywhere|each\s+(?:place|time)(?:\s+(?:that|where))?|in\s+each\s"
    r"+place|both\s+times)\b",
    re.IGNORECASE,
)
_HAS_WORDS = re.compile(
    r"\b(?:remov|delet|strik|add|insert)\w*\s+(?:the\s+)?(?:(?:words?|terms?|phrases?|"
    r"references?)\s*)?[“\"]",
    re.IGNORECASE,
)
_DEFINITION = re.compile(r"\bdefinitions?\b", re.IGNORECASE)


def read_word_changes(
    source: str, text: str, start: int, end: int, context: NoticePlace
) -> list[Operation | UnclearInstruction] | None:
    """The changes of words that an instruction states; `None` if it is about something else."""
    instruction = text[start:end]
    if not _HAS_WORDS.search(instruction) or _DEFINITION.search(instruction):
        return None
    quote = Span(source, start, end)
    for pattern, kind in (
        (_SWAP, OperationKind.REPLACE_WORDS),
        (_INSERT, OperationKind.INSERT_WORDS),
        (_DROP, OperationKind.DELETE_WORDS),
    ):
        match = pattern.search(instruction)
        if match is None:
            continue
        groups = match.groupdict()
        new = Words()
        if groups.get("new"):
            at = (start + match.start("new"), start + match.end("new"))
            new = copy_words(source, text, *at)
        rest = " ".join(filter(None, (groups.get("where"), groups.get("rest"))))
        places, problem = _read_places(instruction[: match.start()], rest, context)
        if problem or not places:
            target = _common_place(places, context)
            return [UnclearInstruction(quote, "", target, problem or "where is not clear")]
        return [
            Operation(
                kind=kind,
                instrument="",
                target=place.path,
                old=groups["old"],
                new=new,
                before=(groups.get("side") or "").lower() in ("before", "preceding"),
                everywhere=bool(_EVERY.search(rest)),
                heading_only=place.is_heading,
                opening_only=place.is_opening,
                quote=quote,
            )
            for place in places
        ]
    return [UnclearInstruction(quote, "", context.path, "which words change is not clear")]


def _read_places(before: str, after: str, context: NoticePlace) -> tuple[list[NoticePlace], str]:
    """The places named before the words ("In § 2.1(b), remove …") or behind them."""
    before = re.sub(r"^\s*(?:\d+[a-z]?|[a-z]{1,5}|[A-Z])\.\s*", "", before)
    before = re.sub(r"(?:\bby|\bto)?\s*$", "", before)
    after = _EVERY.sub(
        " ", re.sub(r"\b(?:it|they|that\s+\w+)\s+(?:appears?|occurs?)\b", " ", after)
    )
    after = re.sub(r"\bin\s+(?:its|their)\s+place\b", " ", after)
    places: list[NoticePlace] = []
    for words in (before, after):
        if not re.search(r"[\w§]", words):
            continue
        # A verb after the places makes them targets, as in any other instruction.
        reading = read_instruction(f"revising {words}", context)
        named = _drop_containers([task.place for task in reading.tasks])
        if reading.problem:
            return places, reading.problem
        if named:
            context, places = named[-1], named
    return places or ([context] if context.path else []), ""


def _drop_containers(places: list[NoticePlace]) -> list[NoticePlace]:
    """ "In § 2.1, amend paragraph (b)" is about the paragraph alone."""
    inner = [place.path for place in places]
    return [
        place
        for place in places
        if place.is_heading
        or place.is_opening
        or not any(path.startswith(f"{place.path}__") for path in inner)
    ]


def _common_place(places: list[NoticePlace], context: NoticePlace) -> str:
    return places[0].path if len(places) == 1 else context.path
