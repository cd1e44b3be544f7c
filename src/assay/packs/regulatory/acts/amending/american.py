"""Read the amendments of a Federal Register notice.

Instructions are marked with a black square where the notice keeps it; the new text follows a group
of instructions without quotation marks and shows what stays as asterisks.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from assay.packs.regulatory.acts.amending.american_targets import (
    NoticePlace,
    NoticeReading,
    Task,
    read_instruction,
)
from assay.packs.regulatory.acts.amending.american_text import COMMENT_SECTION, NoticeText
from assay.packs.regulatory.acts.amending.american_words import read_word_changes
from assay.packs.regulatory.acts.amending.outline import DEEPEST, LineMark, find_depths
from assay.packs.regulatory.acts.shapes import (
    Operation,
    OperationKind,
    Provision,
    Span,
    UnclearInstruction,
)

_MARKED = re.compile(r"[ \t]*■[ \t]*")
_ENUMERATOR = re.compile(r"\s*(?P<number>\d{1,5}[a-z]?|[a-z]{1,6}|[A-Z]{1,3})\.\s*")
_INSTRUCTS = re.compile(
    r"\b(?:revis|add|remov|redesignat|amend|delet|reserv|correct|designat|republish|transfer|mov)"
    r"(?:e|ed|ing|es|s)\b",
    re.IGNORECASE,
)
_TOP = re.compile(
    r"\s*\d{1,5}[a-z]?\.\s(?=.*(?:§|\bsections?\b|\bpart\b|appendix|supplement|"
    r"subpart|paragraph))",
    re.IGNORECASE,
)
_PART = re.compile(r"(?m)^\s*PART\s+(?P<part>\d+)\s*[—–-]")
_CFR = re.compile(r"\b(?P<title>\d+)\s+CFR\s+(?:part\s+|chapter\s+)?")
_PART_NAMED = re.compile(r"\bpart\s+(?P<part>\d+)\b", re.IGNORECASE)
_NEW_TEXT_LEAD = re.compile(
    r"\s*(?:The\s+)?(?:additions?|revisions?|amendments?|corrections?)\b[^\n]*\bread(?"
    r":s)?\s+as\s+follows:?\s*$",
    re.IGNORECASE,
)
_LONGEST_INSTRUCTION = 5_000
"""The time that some wordings take grows with the square of this."""
_CONTINUES = re.compile(r"\bcontinues?\s+to\s+read\b", re.IGNORECASE)


@dataclass(slots=True)
class _Instruction:
    start: int
    end: int
    text: str
    """Without its number."""
    mark: LineMark | None
    depth: int = 0


@dataclass(slots=True)
class _Group:
    """Instructions, and the new text that follows them."""

    instrument: str
    instructions: list[_Instruction] = field(default_factory=list)
    content: list[tuple[int, int]] = field(default_factory=list)


def parse_american(source: str, text: str) -> list[Operation | UnclearInstruction]:
    """The operations of a notice, in order."""
    found: list[Operation | UnclearInstruction] = []
    for group in _split(text):
        found += _GroupReader(source, text, group).read()
    return found


def _split(text: str) -> list[_Group]:
    marked = "■" in text
    title = next((m["title"] for m in _CFR.finditer(text)), "")
    groups: list[_Group] = []
    instrument = top = ""
    for match in re.finditer(r"[^\n]+", text):
        line = match.group()
        part = _PART.match(line)
        if part is not None:
            instrument = f"{title} CFR part {part['part']}".strip()
            top = ""
            continue
        is_marked = _MARKED.match(line)
        if _NEW_TEXT_LEAD.match(line[is_marked.end() if is_marked else 0 :]):
            continue
        in_instructions = bool(groups and not groups[-1].content)
        if not _is_instruction(line, marked, in_instructions):
            if groups:
                groups[-1].content.append(match.span())
            continue
        start = match.start() + (is_marked.end() if is_marked else 0)
        enumerator = _ENUMERATOR.match(text, start, match.end())
        mark = None
        if enumerator is not None and (enumerator["number"][:1].isdigit() or len(groups) > 0):
            mark = LineMark(".", enumerator["number"])
        body = text[enumerator.end() if mark and enumerator else start : match.end()].strip()
        named = _PART_NAMED.search(body)
        instrument = f"{title} CFR part {named['part']}".strip() if named else instrument
        is_top = mark is not None and _is_top(mark.number, top)
        if mark is not None and is_top:
            top = mark.number
        instruction = _Instruction(start, match.end(), body, mark)
        if not groups or groups[-1].content or is_top:
            groups.append(_Group(instrument))
        groups[-1].instructions.append(instruction)
        groups[-1].instrument = instrument
    return groups


def _is_top(number: str, previous: str) -> bool:
    """Whether a number continues the instructions of a part, or counts within one of them."""
    value, last = re.match(r"\d*", number), re.match(r"\d*", previous)
    if value is None or not value.group():
        return False
    if last is None or not last.group():
        return True
    return int(last.group()) <= int(value.group()) <= int(last.group()) + 3


def _is_instruction(line: str, marked: bool, in_instructions: bool) -> bool:
    if marked:
        lead = _MARKED.match(line)
        if lead is None:
            return False
        body = line[lead.end() :]
        return not (COMMENT_SECTION.match(body) and not _INSTRUCTS.search(body) and ":" not in body)
    leads = line.rstrip().endswith(":") and re.search(r"\b(?:Under|In)\b", line)
    if not leads and not _INSTRUCTS.search(line):
        return False
    if _TOP.match(line):
        return True
    return in_instructions and _ENUMERATOR.match(line) is not None and len(line) < 600


def _set_depths(instructions: list[_Instruction]) -> None:
    """Depths from the numbers; an unnumbered one is below a line that ends with a colon."""
    depths = iter(find_depths([each.mark for each in instructions if each.mark is not None]))
    previous: _Instruction | None = None
    for each in instructions:
        if each.mark is not None:
            each.depth = next(depths)
        elif previous is not None:
            is_below = previous.text.endswith(":")
            each.depth = min(previous.depth + is_below, DEEPEST)
        previous = each


class _GroupReader:
    """Reads the instructions of a group and finds the new text of each target."""

    def __init__(self, source: str, text: str, group: _Group) -> None:
        self.source = source
        self.text = text
        self.group = group
        self.found: list[Operation | UnclearInstruction] = []

    def read(self) -> list[Operation | UnclearInstruction]:
        tasks = self._read_tasks()
        named = {each.section for _, task in tasks for each in (task.place,) if each.section}
        new_text = NoticeText(
            self.source, self.text, self.group.content, named, [task.place for _, task in tasks]
        )
        whole = {
            t.place.path for _, t in tasks if t.verb in ("revise", "add") and _is_whole(t.place)
        }
        renumbered: list[Operation] = []
        for instruction, task in tasks:
            inside = not whole.isdisjoint(_list_outer(task.place.path))
            if inside and task.verb in ("add", "revise") and not task.place.sentence:
                continue
            if task.verb == "redesignate":
                renumbered += self._renumber(instruction, task)
            else:
                self._add_task(instruction, task, new_text)
        self._put_renumberings_first(renumbered)
        return self.found

    def _read_tasks(self) -> list[tuple[_Instruction, Task]]:
        instructions = self.group.instructions
        _set_depths(instructions)
        contexts: dict[int, NoticePlace] = {}
        tasks: list[tuple[_Instruction, Task]] = []
        for index, instruction in enumerate(instructions):
            above = [d for d in contexts if d < instruction.depth]
            context = contexts[max(above)] if above else self._first_context()
            if _CONTINUES.search(instruction.text):
                continue
            has_parts = index + 1 < len(instructions) and (
                instructions[index + 1].depth > instruction.depth
            )
            if instruction.end - instruction.start > _LONGEST_INSTRUCTION:
                self._unclear(instruction, context.path, "it is too long to be understood")
                contexts = {d: c for d, c in contexts.items() if d < instruction.depth}
                contexts[instruction.depth] = NoticePlace()
                continue
            words = read_word_changes(
                self.source, self.text, instruction.start, instruction.end, context
            )
            if words is not None:
                self._add_words(instruction, words)
                continue
            reading = read_instruction(instruction.text, context)
            contexts = {d: c for d, c in contexts.items() if d < instruction.depth}
            contexts[instruction.depth] = reading.context
            if reading.problem:
                self._explain(instruction, reading)
            elif reading.tasks:
                tasks += [(instruction, task) for task in reading.tasks]
            elif not has_parts:
                self._unclear(instruction, reading.context.path, "it does not say what changes")
        return tasks

    def _first_context(self) -> NoticePlace:
        return NoticePlace()

    def _add_words(
        self, instruction: _Instruction, words: Sequence[Operation | UnclearInstruction]
    ) -> None:
        self.found += [replace(each, instrument=self.group.instrument) for each in words]

    def _explain(self, instruction: _Instruction, reading: NoticeReading) -> None:
        """An instruction that is understood in part concerns what is certain: the common place."""
        places = [task.place for task in reading.tasks] or [reading.context]
        paths = {_widen(place, reading.context) for place in places}
        target = paths.pop() if len(paths) == 1 else _common(paths)
        self._unclear(instruction, target, reading.problem)

    def _unclear(self, instruction: _Instruction, target: str, reason: str) -> None:
        quote = Span(self.source, instruction.start, instruction.end)
        self.found.append(UnclearInstruction(quote, self.group.instrument, target, reason))

    def _renumber(self, instruction: _Instruction, task: Task) -> list[Operation]:
        if task.becomes is None or (task.place.subpart or task.becomes.subpart):
            self._unclear(instruction, task.place.path, "it does not say which number it gets")
            return []
        return [
            self._operation(
                OperationKind.RENUMBER, instruction, task.place, renumbered=task.becomes.path
            )
        ]

    def _put_renumberings_first(self, renumbered: list[Operation]) -> None:
        """Redesignations precede additions and revisions, which use the new numbers.

        A row such as (c) and (d) to (d) and (e) starts at its end, where there is room.
        """
        targets = {each.target for each in renumbered}
        numbers = {each.renumbered for each in renumbered}
        ordered = renumbered if targets.isdisjoint(numbers) else list(reversed(renumbered))
        removals: list[Operation | UnclearInstruction] = []
        rest: list[Operation | UnclearInstruction] = []
        for each in self.found:
            is_removal = isinstance(each, Operation) and each.kind is OperationKind.DELETE
            (removals if is_removal and each.target in numbers else rest).append(each)
        self.found = [*removals, *ordered, *rest]

    def _add_task(self, instruction: _Instruction, task: Task, new_text: NoticeText) -> None:
        place = task.place
        if task.verb == "designate" or (place.subpart and task.verb not in ("add", "revise")):
            if not place.subpart and task.verb == "designate":
                return
            self._unclear(instruction, "", "it changes a subpart, which is not a provision")
        elif task.verb in ("remove", "reserve"):
            if place.is_heading or place.is_opening:
                self._unclear(instruction, place.path, "it removes a heading or introductory text")
            else:
                self._remove(instruction, place, task.verb, new_text)
        elif task.verb in ("add", "revise") and (place.subpart or not place.path):
            self._add_sections(instruction, new_text)
        elif task.verb in ("add", "revise"):
            self._write(instruction, task, new_text)
        else:
            self._unclear(instruction, place.path, f"“{task.verb}” is not understood here")

    def _remove(
        self, instruction: _Instruction, place: NoticePlace, verb: str, new_text: NoticeText
    ) -> None:
        if verb == "reserve" and new_text.find(place):
            return
        self.found.append(self._operation(OperationKind.DELETE, instruction, place))

    def _add_sections(self, instruction: _Instruction, new_text: NoticeText) -> None:
        sections = [each.path for each in new_text.provisions if "__" not in each.path]
        if not sections and not new_text.is_bare_heading:
            self._unclear(instruction, "", "the new text shows no section")
        for path in sections:
            self.found.append(
                Operation(
                    kind=OperationKind.INSERT,
                    instrument=self.group.instrument,
                    target=path,
                    provisions=new_text.take(path),
                    quote=Span(self.source, instruction.start, instruction.end),
                )
            )

    def _write(self, instruction: _Instruction, task: Task, new_text: NoticeText) -> None:
        place = task.place
        shown = new_text.find(place)
        problem = new_text.problem(place, shown)
        if problem:
            self._unclear(instruction, _outside(place), problem)
            return
        first = shown[0]
        if place.is_authority:
            kind = OperationKind.REPLACE
        elif place.is_heading or place.is_opening:
            kind = OperationKind.REPLACE
            words = first.heading if place.is_heading else first.opening
            if not words.text or "* * *" in words.text:
                self._unclear(instruction, place.path, "the new text does not show it")
                return
            shown = (replace(first, path=place.path),)
        elif place.sentence:
            self._unclear(
                instruction, _outside(place), "which words of the new text are the sentence"
            )
            return
        else:
            kind = OperationKind.INSERT if task.verb == "add" else OperationKind.REPLACE
        self.found.append(self._operation(kind, instruction, place, provisions=shown))

    def _operation(
        self,
        kind: OperationKind,
        instruction: _Instruction,
        place: NoticePlace,
        provisions: tuple[Provision, ...] = (),
        renumbered: str = "",
    ) -> Operation:
        return Operation(
            kind=kind,
            instrument=self.group.instrument,
            target=place.path,
            provisions=provisions,
            renumbered=renumbered,
            heading_only=place.is_heading,
            opening_only=place.is_opening,
            quote=Span(self.source, instruction.start, instruction.end),
        )


def _list_outer(path: str) -> list[str]:
    """The paths of the provisions that a provision is in."""
    outer = []
    while path := path.rpartition("__")[0]:
        outer.append(path)
    return outer


def _is_whole(place: NoticePlace) -> bool:
    return not (place.is_heading or place.is_opening or place.sentence)


def _outside(place: NoticePlace) -> str:
    return replace(place, sentence="").path


def _widen(place: NoticePlace, context: NoticePlace) -> str:
    return place.path or context.path


def _common(paths: Iterable[str]) -> str:
    split = [path.split("__") for path in paths]
    shared = []
    for segments in zip(*split, strict=False):
        if len(set(segments)) > 1:
            break
        shared.append(segments[0])
    return "__".join(shared)
