"""Notices of the Federal Register and compiled regulations, as cfpb and eregs publish them."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from assay.packs.regulatory.acts.amending import Tradition
from assay.packs.regulatory.acts.amending.american_targets import name_term
from assay.packs.regulatory.acts.shapes import Act, Provision, Words

_EREGS = "{eregs}"
_BLOCKS = {"P", "FP", "HD", "AMDPAR", "SECTNO", "SUBJECT", "FTNT", "LI"}
_SKIPPED = {"PRTPAGE", "FTREF", "SU"}
_PICTURES = {"GPH": "[GRAPHIC] [TIFF OMITTED]", "GPOTABLE": "[TABLE]", "MATH": "[GRAPHIC]"}


@dataclass(frozen=True, slots=True)
class Step:
    """One notice between two compiled versions of a part."""

    part: str
    notice: str
    text: str
    before: Act
    after: Act
    effective: str = ""
    """The day of a version that only some instructions lead to, as `2018-01-01`."""
    tradition: Tradition = "us"

    @property
    def held_out(self) -> bool:
        return is_held_out(f"{self.part}/{self.notice}")


def is_held_out(key: str) -> bool:
    """Whether a notice is kept away from tuning: two in five, by a hash of its name."""
    return hashlib.sha256(key.encode()).digest()[0] % 5 < 2


def read_notice(path: Path, part: str) -> str:
    """The amendatory part of a notice as plain text: a black square before each instruction, as
    printed, and one line for each paragraph."""
    lines: list[str] = []
    for regtext in ElementTree.parse(path).getroot().iter("REGTEXT"):
        if regtext.get("PART") == part:
            lines.append(f"PART {part}—")
            lines += _list_lines(regtext)
    return "\n".join(lines)


def _list_lines(element: ElementTree.Element) -> Iterator[str]:
    for child in element:
        if child.tag in _PICTURES:
            yield _PICTURES[child.tag]
        elif child.tag == "STARS":
            yield "* * * * *"
        elif child.tag == "SECTNO":
            subject = element.find("SUBJECT")
            heading = "" if subject is None else _flatten(subject)
            yield f"{_flatten(child)} {heading}".strip()
        elif child.tag == "SUBJECT":
            continue
        elif child.tag in _BLOCKS:
            text = _flatten(child)
            if text:
                yield f"■ {text}" if child.tag == "AMDPAR" else text
        else:
            yield from _list_lines(child)


def _flatten(element: ElementTree.Element) -> str:
    pieces = [element.text or ""]
    for child in element:
        if child.tag not in _SKIPPED:
            pieces += [" ", _flatten(child), " "]
        pieces.append(child.tail or "")
    text = " ".join("".join(pieces).split())
    return re.sub(r"\s+([,.;:)”])", r"\1", re.sub(r"([(“])\s+", r"\1", text))


def read_compiled(path: Path) -> Act:
    """A compiled part with its official interpretations."""
    provisions: list[Provision] = []
    root = ElementTree.parse(path).getroot()
    for element in root.iter():
        if element.tag == f"{_EREGS}section":
            number = f"{element.get('label', '').partition('-')[0]}.{element.get('sectionNum')}"
            _add_section(provisions, element, f"sec_{number}")
        elif element.tag == f"{_EREGS}appendix":
            _add_appendix(provisions, element)
        elif element.tag == f"{_EREGS}interpretations":
            provisions.append(Provision("annex_I", heading=_words(_own(element, "title"))))
            _add_interpretations(provisions, element)
    return Act(tuple(provisions))


def _add_section(provisions: list[Provision], element: ElementTree.Element, path: str) -> None:
    heading = re.sub(r"^§\s*[\d.]+\s*", "", _own(element, "subject"))
    provisions.append(Provision(path, f"§ {path[4:]}", heading=_words(heading)))
    _add_paragraphs(provisions, element, path, 0)


def _add_paragraphs(
    provisions: list[Provision], element: ElementTree.Element, parent: str, depth: int
) -> None:
    for child in element.findall(f"{_EREGS}paragraph"):
        marker = (child.get("marker") or "").strip()
        number = marker.strip("().–— ") or (child.get("label") or "").rpartition("-")[2]
        text = f"{_own(child, 'title')} {_own(child, 'content')}".strip()
        is_bare = not marker and depth == 0 and not child.findall(f"{_EREGS}paragraph")
        if is_bare and provisions[-1].path == parent:
            last = provisions[-1]
            joined = f"{last.opening.text}\n{text}".strip()
            provisions[-1] = Provision(parent, last.number, last.heading, _words(joined))
            continue
        path = f"{parent}__{'point' if depth else 'para'}_{number}"
        provisions.append(Provision(path, marker, opening=_words(text)))
        _add_paragraphs(provisions, child, path, depth + 1)


def _add_appendix(provisions: list[Provision], element: ElementTree.Element) -> None:
    letter = (element.get("label") or "").rpartition("-")[2]
    pieces = []
    for child in element.iter():
        if child.tag in (f"{_EREGS}paragraph", f"{_EREGS}appendixSection"):
            pieces.append(child.get("marker") or "")
            pieces += [_own(child, "subject"), _own(child, "title"), _own(child, "content")]
    text = "\n".join(filter(None, pieces))
    heading = _own(element, "appendixTitle")
    provisions.append(Provision(f"annex_{letter}", heading=_words(heading), opening=_words(text)))


def _add_interpretations(provisions: list[Provision], root: ElementTree.Element) -> None:
    for section in root:
        label = (section.get("label") or "").split("-")
        if len(label) < 2 or not section.tag.startswith(f"{_EREGS}interp"):
            continue
        kind = f"sec_{label[0]}." if label[1][:1].isdigit() else "annex_"
        path = f"annex_I__{kind}{label[1]}"
        provisions.append(Provision(path, heading=_words(_own(section, "title"))))
        _add_comments(provisions, section, path, path)


def _add_comments(
    provisions: list[Provision], element: ElementTree.Element, section: str, parent: str
) -> None:
    for child in element.findall(f"{_EREGS}interpParagraph"):
        label = child.get("label") or ""
        marker = (child.get("marker") or "").strip()
        title, content = _own(child, "title"), _own(child, "content")
        if label.endswith("Interp"):
            numbers = label.split("-")[1:-1]
            is_term = title and not re.match(r"(?:Paragraph\s+)?\d", title)
            name = name_term(title) if is_term else ".".join(numbers)
            path = f"{section}__para_{name}"
            provisions.append(Provision(path, heading=_words(title), opening=_words(content)))
        else:
            number = marker.strip("(). ") or label.rpartition("-")[2]
            path = f"{parent}__point_{number}"
            text = f"{title} {content}".strip()
            provisions.append(Provision(path, marker, opening=_words(text)))
        _add_comments(provisions, child, section, path)


def _own(element: ElementTree.Element, name: str) -> str:
    found = element.find(f"{_EREGS}{name}")
    return "" if found is None else _spell(found)


def _spell(element: ElementTree.Element) -> str:
    """Inline markup belongs to the words around it, so nothing is inserted between them."""
    return " ".join("".join(element.itertext()).split())


def _words(text: str) -> Words:
    return Words(text)


def list_steps(notices: Path, compiled: Path) -> Iterator[Step]:
    """Every notice whose text is there along with the versions before and after it."""
    files: dict[str, list[Path]] = {}
    for path in sorted(notices.glob("documents/full_text/xml/*/*/*/*.xml")):
        files.setdefault(_name(path.stem), []).append(path)
    for folder in sorted((compiled / "regulation").iterdir()):
        part = folder.name
        for version in sorted(folder.glob("*.xml")):
            number, _, day = version.stem.partition("_")
            change = compiled / "notice" / part / version.name
            if not change.exists() or _name(number) not in files:
                continue
            before = _find_before(folder, _find_left(change), day)
            if before is None:
                continue
            text = "\n".join(
                part_text for path in files[_name(number)] if (part_text := read_notice(path, part))
            )
            if text:
                effective = f"{day[:4]}-{day[4:6]}-{day[6:]}" if day else ""
                yield Step(
                    part,
                    version.stem,
                    text,
                    read_compiled(before),
                    read_compiled(version),
                    effective,
                )


def _find_left(change: Path) -> str:
    found = re.search(r'leftDocumentNumber="([^"]+)"', change.read_text(encoding="utf-8"))
    return found.group(1) if found else ""


def _find_before(folder: Path, left: str, day: str) -> Path | None:
    """The version a change starts from: of those in several stages, the last one before it."""
    if (folder / f"{left}.xml").exists():
        return folder / f"{left}.xml"
    stages = sorted(folder.glob(f"{left}_*.xml"))
    earlier = [path for path in stages if not day or path.stem.partition("_")[2] < day]
    return earlier[-1] if left and earlier else None


def _name(number: str) -> str:
    """A document number as the files spell it: 2013-22752-2 is a part of 2013-22752."""
    known = {"2012-128": "2012-1728", "2012-360": "2012-3460"}
    year, number, *_ = number.split("-")
    return known.get(f"{year}-{number}", f"{year}-{number}")
