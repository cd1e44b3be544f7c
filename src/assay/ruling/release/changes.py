"""What a release changes compared with the one before it, and the changelog."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.display import escape_line
from assay.ruling.release.manifest import ManifestLine

MEANING = (
    "concept", "tier", "value", "value_type", "unit",
    "effective_from", "effective_until", "applies_when",
)  # fmt: skip
"""The fields that define what a rule says; all others describe its support."""
_BRIEF = (
    "rule_id", "concept", "label", "tier", "value", "unit",
    "effective_from", "effective_until", "applies_text",
)  # fmt: skip
_BRACKETS = re.compile(r"[\\\[\]]")
"""What begins a link or a picture, which a document must not put into a changelog."""
RuleChanges = dict[str, list[dict[str, Any]]]


def compare_rules(before: Iterable[ManifestLine], after: Iterable[ManifestLine]) -> RuleChanges:
    """What was added, changed and removed, in the order of concepts."""
    old = {line["rule_id"]: line for line in before}
    new = {line["rule_id"]: line for line in after}
    found: RuleChanges = {"added": [], "changed": [], "removed": []}
    for key in sorted({*old, *new}, key=lambda key: ((new.get(key) or old[key])["concept"], key)):
        if key not in old:
            found["added"].append(_summarize_line(new[key]))
        elif key not in new:
            found["removed"].append(_summarize_line(old[key]))
        elif differing := sorted(
            k for k in {*old[key], *new[key]} if old[key].get(k) != new[key].get(k)
        ):
            fields = {
                name: [_shorten_field(old[key], name), _shorten_field(new[key], name)]
                for name in differing
            }
            found["changed"].append({**_summarize_line(new[key]), "fields": fields})
    return found


def has_no_changes(changes: RuleChanges) -> bool:
    return not any(changes.values())


def list_changed_tiers(changes: RuleChanges) -> set[str]:
    """The tiers of the rules whose meaning was added, removed or changed."""
    touched = [*changes["added"], *changes["removed"]]
    touched += [entry for entry in changes["changed"] if entry["fields"].keys() & set(MEANING)]
    tiers = {str(entry["tier"]) for entry in touched}
    for entry in changes["changed"]:
        tiers.update(str(tier) for tier in entry["fields"].get("tier", ()))
    return tiers


def render_section(version: str, changes: RuleChanges, *, rolled_back: bool = False) -> str:
    """The section of one release in the changelog, as Markdown."""
    lines = [f"## {version}{' (rolled back)' if rolled_back else ''}", ""]
    for kind in ("added", "changed", "removed"):
        entries = changes.get(kind, [])
        if entries:
            lines += [f"### {kind.capitalize()}", "", *map(_render_bullet, entries), ""]
    if records := changes.get("records", []):
        lines += ["### Records", "", *map(_render_record_bullet, records), ""]
    return "\n".join(lines)


def render_changelog(title: str, sections: Sequence[str]) -> str:
    """The whole changelog, the newest release first."""
    return "\n".join((f"# {title}", "", *sections)).rstrip() + "\n"


def describe_line(rule: Mapping[str, Any]) -> str:
    """A rule in a few words: `25 %, from 2013-01-01, always`."""
    parts = [f"{rule['value']} {rule['unit']}".strip()]
    if rule["effective_from"] is not None:
        parts.append(f"from {rule['effective_from']}")
    if rule["effective_until"] is not None:
        parts.append(f"until {rule['effective_until']}")
    return ", ".join([*parts, rule["applies_text"]])


def _render_bullet(entry: Mapping[str, Any]) -> str:
    line = f"- `{entry['concept']}` ({entry['tier']}): {escape_markdown(describe_line(entry))}"
    fields = entry.get("fields", {})
    differences = [
        f"{name.replace('_', ' ')} {_describe_value(old)} → {_describe_value(new)}"
        for name, (old, new) in fields.items()
        if name != "applies_when"
    ]
    return line + (f" — {escape_markdown('; '.join(differences))}" if differences else "")


def _render_record_bullet(entry: Mapping[str, Any]) -> str:
    fields = "; ".join(
        f"{name} {_describe_value(old)} → {_describe_value(new)}"
        for name, (old, new) in entry.get("fields", {}).items()
    )
    line = f"- {entry['change']}: {entry['record']} `{escape_markdown(entry['key'])}`"
    return line + (f" — {escape_markdown(fields)}" if fields else "")


def escape_markdown(text: str) -> str:
    """Words from a document, which must not become Markdown structure."""
    line = _BRACKETS.sub(r"\\\g<0>", " ".join(text.split()))
    return escape_line(line.replace("`", "'").replace("<", "&lt;"))


def _describe_value(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {_describe_value(one)}" for name, one in value.items())
    if isinstance(value, list):
        return " and ".join(map(_describe_value, value)) or "none"
    return "none" if value in (None, "") else str(value)


def _summarize_line(line: ManifestLine) -> dict[str, Any]:
    return {name: line[name] for name in _BRIEF}


def _shorten_field(line: ManifestLine, name: str) -> Any:
    value = line.get(name)
    return f"{len(value)} cited" if name == "sources" and isinstance(value, list) else value
