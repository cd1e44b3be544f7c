"""An act while operations are applied to it: provisions by path, in the order of their parents."""

import re
from dataclasses import replace

from assay.packs.regulatory.acts.amending.paths import last_number, order_key, split_path
from assay.packs.regulatory.acts.amending.subparagraphs import is_subparagraph, leads_parts
from assay.packs.regulatory.acts.shapes import Act, Provision, ProvisionKind

_NUMBER = re.compile(r"\w")


class ActTree:
    """Provisions that can be found, replaced, inserted and renamed one by one."""

    def __init__(self, act: Act) -> None:
        self.provisions: dict[str, Provision] = {}
        self.parts: dict[str, list[str]] = {"": []}
        for each in act.provisions:
            if each.path not in self.provisions:
                self._add(each, len(self.parts.get(self._nearest(each.parent), ())))

    def read(self) -> Act:
        """The act as it stands now."""
        return Act(tuple(self.provisions[path] for path in self.walk("")))

    def walk(self, path: str) -> list[str]:
        """The paths of a provision and its parts, in order."""
        found = [path] if path in self.provisions else []
        waiting = list(reversed(self.parts.get(path, ())))
        while waiting:
            each = waiting.pop()
            found.append(each)
            waiting.extend(reversed(self.parts.get(each, ())))
        return found

    def find(self, path: str) -> str | None:
        """The provision's own path, for one that may name its kinds differently.

        A citation does not say whether `(a)` is a paragraph or a point, nor whether an article
        with one paragraph counts it, so the numbers decide if they fit exactly one provision.
        """
        if not path or path in self.provisions:
            return path
        if is_subparagraph(path):
            return None
        fitting = [""]
        for kind, number in split_path(path):
            fitting = [part for each in fitting for part in self._list_fitting(each, kind, number)]
        return fitting[0] if len(fitting) == 1 else None

    def has_twin(self, path: str) -> bool:
        """Whether the act has the number of a point, or of one around it, twice: a provision with
        two rows of points has two points (a)."""
        segments = path.split("__")
        leads = ("__".join(segments[: count + 1]) for count in range(len(segments)))
        return any(f"{lead}_2" in self.provisions for lead in leads if "__point_" in lead)

    def put(self, path: str, provisions: tuple[Provision, ...]) -> None:
        """Replace a provision and its parts; its place among its siblings stays."""
        parent = self._nearest(path.rpartition("__")[0])
        place = self.parts[parent].index(path)
        self.remove(path)
        self.add(provisions, place)

    def add(self, provisions: tuple[Provision, ...], place: int) -> None:
        """Add a provision at a place among its siblings, with its parts."""
        first, *parts = provisions
        self._add(first, place)
        for each in parts:
            self._add(each, len(self.parts.get(self._nearest(each.parent), ())))

    def remove(self, path: str) -> None:
        for each in self.walk(path):
            del self.provisions[each]
            self.parts.pop(each, None)
        self.parts[self._nearest(path.rpartition("__")[0])].remove(path)

    def rename(self, path: str, renamed: str) -> None:
        """Give a provision another number; all its parts follow."""
        old_parent = self._nearest(path.rpartition("__")[0])
        moved = self.walk(path)
        provisions = {each: self.provisions.pop(each) for each in moved}
        parts = {each: self.parts.pop(each) for each in moved if each in self.parts}
        for each, provision in provisions.items():
            self.provisions[renamed + each[len(path) :]] = replace(
                provision, path=renamed + each[len(path) :]
            )
        for each, below in parts.items():
            self.parts[renamed + each[len(path) :]] = [
                renamed + part[len(path) :] for part in below
            ]
        new_parent = self._nearest(renamed.rpartition("__")[0])
        place = self.parts[old_parent].index(path)
        del self.parts[old_parent][place]
        if new_parent != old_parent:
            place = self.find_place(renamed)
        self.parts.setdefault(new_parent, []).insert(place, renamed)
        first = self.provisions[renamed]
        number = _renumber(first.number, last_number(path), last_number(renamed))
        self.provisions[renamed] = replace(first, number=number)

    def find_place(self, path: str) -> int:
        """Where a new number belongs among its siblings: before the first greater one."""
        kind, number = split_path(path)[-1]
        siblings = self.parts.get(self._nearest(path.rpartition("__")[0]), [])
        numbers = [split_path(each)[-1] for each in siblings]
        known = [each for _, each in numbers]
        key = order_key(number, known)
        place = len(siblings)
        for index in range(len(siblings) - 1, -1, -1):
            other_kind, other = numbers[index]
            if other_kind != kind:
                # An annex stays behind the articles, whatever its number.
                if kind == ProvisionKind.ANNEX:
                    break
                place = index
                continue
            if key >= order_key(other, known):
                break
            place = index
        return place

    def place_after(self, path: str) -> int:
        return self.parts[self._nearest(path.rpartition("__")[0])].index(path) + 1

    def _add(self, provision: Provision, place: int) -> None:
        parent = self._nearest(provision.parent)
        self.provisions[provision.path] = provision
        self.parts.setdefault(parent, []).insert(place, provision.path)

    def _nearest(self, path: str) -> str:
        while path and path not in self.provisions:
            path = path.rpartition("__")[0]
        return path

    def _list_fitting(self, parent: str, kind: str, number: str) -> list[str]:
        parts = self.parts.get(parent, [])
        if kind == ProvisionKind.SUBPARAGRAPH:
            own = self.provisions.get(parent)
            return [parent] if own and leads_parts(own, parts, number) else []
        if kind == ProvisionKind.INDENT:
            parts = [each for each in parts if not _NUMBER.search(self.provisions[each].number)]
        same_number = [each for each in parts if last_number(each) == number]
        if kind == ProvisionKind.ANNEX and not same_number:
            same_number = [each for each in parts if each.lower() == f"{kind}_{number}".lower()]
        exact = [each for each in same_number if split_path(each)[-1][0] == kind]
        if exact or same_number:
            return exact or same_number
        paragraphs = [e for e in parts if split_path(e)[-1][0] == ProvisionKind.PARAGRAPH]
        if kind == ProvisionKind.PARAGRAPH and number == "1" and parent and not paragraphs:
            return [parent]
        if kind == ProvisionKind.POINT and len(paragraphs) == 1:
            return [e for e in self.parts.get(paragraphs[0], ()) if last_number(e) == number]
        return []


def _renumber(printed: str, old: str, new: str) -> str:
    """A printed number with another figure in it: `(3)` becomes `(4)`."""
    pattern = re.compile(rf"(?<!\w){re.escape(old)}(?!\w)", re.IGNORECASE)
    return pattern.sub(lambda _: new, printed, count=1) if pattern.search(printed) else printed
