"""New text that leaves parts out: three or five asterisks stand for words that stay."""

from dataclasses import replace

from assay.packs.regulatory.acts.amending.folding import fold
from assay.packs.regulatory.acts.amending.words import NotApplicable
from assay.packs.regulatory.acts.shapes import Provision

STARS = "* * *"


def is_stars(provision: Provision) -> bool:
    """Whether a provision of the new text only says that something stays as it is."""
    return provision.path.rpartition("__")[2].startswith("stars_")


def merge_kept(old: list[Provision], new: tuple[Provision, ...]) -> tuple[Provision, ...]:
    """The new text with what its asterisks stand for; refuses where that is not certain."""
    has_stars = any(is_stars(each) or STARS in each.opening.text for each in new)
    if not has_stars:
        return new
    by_path = {each.path: index for index, each in enumerate(old)}
    merged: list[Provision] = []
    for index, each in enumerate(new):
        if not is_stars(each):
            known = old[by_path[each.path]] if each.path in by_path else None
            merged.append(_keep_words(each, known))
            continue
        shown = merged[-1]
        following = new[index + 1] if index + 1 < len(new) else None
        merged.extend(_keep_between(old, by_path, shown, following))
    return tuple(merged)


def _keep_words(shown: Provision, old: Provision | None) -> Provision:
    """`(b) Scope. * * *` keeps the words of (b)."""
    text = shown.opening.text
    if STARS not in text:
        return shown
    lead = fold(text.partition(STARS)[0])
    if old is None or not text.rstrip("* ").strip() == text.partition(STARS)[0].strip():
        raise NotApplicable("the new text leaves words out, and which ones is not clear")
    if not fold(old.heading.text + " " + old.opening.text).startswith(lead):
        raise NotApplicable("the new text keeps words of a heading that is different in the act")
    return replace(shown, opening=old.opening, heading=old.heading)


def _keep_between(
    old: list[Provision],
    by_path: dict[str, int],
    shown: Provision,
    following: Provision | None,
) -> list[Provision]:
    """What the act has between two provisions that the new text shows."""
    if shown.path not in by_path:
        if following is None:
            return []
        raise NotApplicable("the new text leaves parts out, and which ones is not clear")
    start = by_path[shown.path] + 1
    if following is None:
        return _keep_rest(old[start:], shown)
    if following.path in by_path:
        end = by_path[following.path]
    else:
        parent = following.parent
        inside = [i for i, each in enumerate(old) if each.parent == parent and i >= start]
        end = inside[-1] + 1 if inside else start
        while end < len(old) and old[end].path.startswith(old[end - 1].path + "__"):
            end += 1
    kept = old[start:end] if start <= end else []
    parts = [each for each in kept if each.path.startswith(shown.path + "__")]
    if parts and not shown.opening.text.rstrip().endswith((":", "—", "-")):
        raise NotApplicable(f"whether the parts of {shown.path} stay is not clear")
    return kept


def _keep_rest(rest: list[Provision], shown: Provision) -> list[Provision]:
    """What stays behind the last provision shown, if its words announce that more follows."""
    text = shown.opening.text.rstrip()
    if text.endswith((":", "—")):
        owner = shown.path
    elif text.endswith((";", ",", "; and", "; or")):
        owner = shown.parent
    else:
        return []
    if any(not each.path.startswith(owner + "__") for each in rest):
        raise NotApplicable("whether the parts that follow the new text stay is not clear")
    return rest
