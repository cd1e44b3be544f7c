"""A release as dated parameters in YAML, one file each, in the shape that rules-as-code engines
such as OpenFisca read: a description, values by the day on which they start, and metadata."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

import yaml

from assay.engine.grouping import group_pairs
from assay.model.hashes import canonical_json, content_hash
from assay.ruling.facts.values.numbers import NUMERIC_TYPES
from assay.ruling.release.manifest import ManifestLine, ReleaseManifest

BEGINNING = "0001-01-01"
"""The first day of a rule whose start is unknown."""
_UNITS = {
    "days": "day", "working_days": "working-day", "weeks": "week", "months": "month",
    "years": "year", "hours": "hour", "day_of_month": "day-of-month",
}  # fmt: skip
_DIVISORS = {"%": Decimal(100), "‰": Decimal(1000)}
_CURRENCY = re.compile(r"[A-Z]{3}")
_MAX_SLUG = 60


class _Dumper(yaml.SafeDumper):
    """Writes decimals exactly, and repeats values instead of writing aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _write_decimal(dumper: yaml.SafeDumper, number: Decimal) -> yaml.Node:
    text = format(number, "f")
    kind = "float" if "." in text else "int"
    return dumper.represent_scalar(f"tag:yaml.org,2002:{kind}", text)


_Dumper.add_representer(Decimal, _write_decimal)


def export_parameters(manifest: ReleaseManifest) -> dict[str, bytes]:
    """path → file. A rule with a condition is a parameter beside the general one, named after its
    scope; rules that apply side by side are separate parameters."""
    scopes = group_pairs(
        ((rule["concept"], canonical_json(rule["applies_when"])), rule) for rule in manifest.rules
    )
    files: dict[str, bytes] = {}
    for _, rules in sorted(scopes.items()):
        stem = _make_stem(rules[0])
        for number, series in enumerate(_split_series(rules), start=1):
            path = f"{stem}.yaml" if number == 1 else f"{stem}_{number}.yaml"
            # Two scopes may have the same slug.
            if path in files:
                path = f"{stem}_{content_hash(canonical_json(series[0]['rule_id']))[:8]}.yaml"
            files[path] = _render_file(series, manifest)
    return files


def _make_stem(rule: ManifestLine) -> str:
    parts = [_make_slug(part) for part in rule["concept"].split(".")]
    if rule["applies_when"] != {"op": "true"}:
        parts[-1] += f"_if_{_make_slug(rule['applies_text'])}"
    return "/".join(parts)


def _make_slug(words: str) -> str:
    """Words as an identifier."""
    plain = unicodedata.normalize("NFKD", words.casefold().replace("đ", "d").replace("ß", "ss"))
    ascii_only = plain.encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9]+", "_", ascii_only).strip("_") or "x"
    if slug[0].isdigit():
        slug = f"x{slug}"
    if len(slug) > _MAX_SLUG:
        slug = f"{slug[:_MAX_SLUG]}_{content_hash(words.encode())[:8]}"
    return slug


def _split_series(rules: Iterable[ManifestLine]) -> list[list[ManifestLine]]:
    """Rules of one scope, split into series in which they apply one after the other."""
    found: list[list[ManifestLine]] = []
    for rule in sorted(rules, key=lambda r: (_first_day(r), r["value"], r["rule_id"])):
        if rule["effective_until"] is not None and rule["effective_until"] <= _first_day(rule):
            continue  # It was replaced before it started, and never applied.
        for series in found:
            until = series[-1]["effective_until"]
            if (
                until is not None
                and until <= _first_day(rule)
                and series[-1]["unit"] == rule["unit"]
            ):
                series.append(rule)
                break
        else:
            found.append([rule])
    return found


def _first_day(rule: ManifestLine) -> str:
    return rule["effective_from"] or BEGINNING


def _render_file(series: Sequence[ManifestLine], manifest: ReleaseManifest) -> bytes:
    first = series[0]
    content = {
        "description": first["label"]
        if first["applies_when"] == {"op": "true"}
        else f"{first['label']}, {first['applies_text']}",
        "values": _list_values(series),
        "metadata": {
            "unit": _convert_unit(first),
            "reference": _list_references(series),
            "assay": {
                "release": f"{manifest.pack} {manifest.version}",
                "content_hash": manifest.header["content_hash"],
                "rules": [rule["rule_id"] for rule in series],
                "applies_when": first["applies_when"],
            },
        },
    }
    return yaml.dump(
        content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100
    ).encode()


def _list_values(series: Sequence[ManifestLine]) -> dict[Any, Any]:
    values: dict[Any, Any] = {}
    for rule in series:
        values[_parse_day(_first_day(rule))] = {"value": _convert_value(rule)}
        if rule["effective_until"] is not None:
            # Nothing applies from then on, unless the next one starts that day.
            values[_parse_day(rule["effective_until"])] = {"value": None}
    return dict(sorted(values.items(), key=lambda entry: str(entry[0])))


def _parse_day(written: str) -> date | str:
    try:
        return date.fromisoformat(written)
    except ValueError:
        return written


def _convert_value(rule: ManifestLine) -> Decimal | list[str]:
    """A number, or a list with one text, since such engines do not accept text by itself."""
    try:
        number = Decimal(rule["value"]) if rule["value_type"] in NUMERIC_TYPES else None
    except InvalidOperation:
        number = None
    if number is None:
        return [str(rule["value"])]
    return number / _DIVISORS[rule["unit"]] if rule["unit"] in _DIVISORS else number


def _convert_unit(rule: ManifestLine) -> str:
    unit = str(rule["unit"])
    if unit in _DIVISORS:
        return "/1"
    if _CURRENCY.fullmatch(unit):
        return f"currency-{unit}"
    return _UNITS.get(unit, unit)


def _list_references(series: Sequence[ManifestLine]) -> list[dict[str, str]]:
    found: dict[tuple[str, str], dict[str, str]] = {}
    for rule in series:
        for source in rule["sources"]:
            title = ", ".join(part for part in (source["name"], source["article"]) if part)
            key = (title, source["url"])
            found.setdefault(key, {"title": title, "href": source["url"]})
    return [found[key] for key in sorted(found)]
