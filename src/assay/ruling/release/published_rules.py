"""A rule as a release publishes it, from its line in the manifest."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from assay.errors import InvalidCondition, InvalidInput
from assay.ruling.rules.conditions import Condition, as_json, parse_condition


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotation:
    """Words that support a rule, and where they are found."""

    source_slug: str
    name: str
    """The source's display name."""
    url: str
    evidence_hash: str
    quote: str
    start: int
    end: int
    page: int | None = None
    article: str = ""
    amended: str = ""
    """The words that it amends, if it does not say by itself what it is about."""

    @classmethod
    def from_line(cls, line: Mapping[str, Any]) -> "Quotation":
        return cls(
            source_slug=_read_text(line, "source_slug"),
            name=_read_text(line, "name"),
            url=_read_text(line, "url"),
            evidence_hash=_read_text(line, "evidence_hash"),
            quote=_read_text(line, "quote"),
            start=int(line["start"]),
            end=int(line["end"]),
            page=None if line.get("page") is None else int(line["page"]),
            article=_read_text(line, "article", ""),
            amended=_read_text(line.get("amended", {}), "quote", ""),
        )

    def to_dict(self) -> dict[str, Any]:
        """The fields as values, for a program."""
        return {
            "source_slug": self.source_slug,
            "name": self.name,
            "url": self.url,
            "evidence_hash": self.evidence_hash,
            "quote": self.quote,
            "start": self.start,
            "end": self.end,
            "page": self.page,
            "article": self.article,
            **({"amended": self.amended} if self.amended else {}),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleDoubt:
    """Something that may have changed a rule: it is not certain whether it did, or since when."""

    since: date | None
    """The first day on which the rule is uncertain; None: unknown, so it always is."""
    why: str
    quote: str

    def to_dict(self) -> dict[str, Any]:
        """The fields as values, for a program."""
        return {"from": _format_day(self.since), "why": self.why, "quote": self.quote}


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedRule:
    """What applies, under which condition, during which period, and according to whom."""

    rule_id: str
    concept: str
    label: str
    domain: str
    tier: str
    value: str
    value_type: str
    unit: str = ""
    effective_from: date | None = None
    """The first day on which it applies; None: unknown."""
    effective_until: date | None = None
    """The first day on which it no longer applies."""
    applies_when: Condition
    authority: str = ""
    approved_by: str | None = None
    sources: tuple[Quotation, ...] = ()
    doubts: tuple[RuleDoubt, ...] = ()

    @classmethod
    def from_line(cls, line: Mapping[str, Any]) -> "PublishedRule":
        """The rule in a line; InvalidInput says what is wrong with it."""
        name = line.get("rule_id", "without an id")
        try:
            return cls(
                rule_id=_read_text(line, "rule_id"),
                concept=_read_text(line, "concept"),
                label=_read_text(line, "label", ""),
                domain=_read_text(line, "domain", ""),
                tier=_read_text(line, "tier"),
                value=_read_text(line, "value"),
                value_type=_read_text(line, "value_type"),
                unit=_read_text(line, "unit", ""),
                effective_from=_read_day(line.get("effective_from")),
                effective_until=_read_day(line.get("effective_until")),
                applies_when=parse_condition(line["applies_when"]),
                authority=str(line.get("authority", "")),
                approved_by=line.get("approved_by"),
                sources=tuple(Quotation.from_line(entry) for entry in line.get("sources", ())),
                doubts=tuple(
                    RuleDoubt(
                        since=_read_day(entry["from"]), why=entry["why"], quote=entry["quote"]
                    )
                    for entry in line.get("doubts", ())
                ),
            )
        except KeyError as error:
            raise InvalidInput(f"Rule {name} lacks {error}.") from error
        except InvalidCondition as error:
            raise InvalidInput(f"Rule {name} has no valid condition: {error.what}") from error
        except (TypeError, ValueError) as error:
            raise InvalidInput(f"Rule {name} is not valid: {error}.") from error

    @property
    def meaning(self) -> tuple[str, str, str]:
        """What it says; rules with the same meaning make one answer."""
        return self.value_type, self.value, self.unit

    def is_in_force(self, day: date) -> bool:
        """Whether it is in force on a day, from the first (included) until the last (excluded)."""
        return (self.effective_from is None or self.effective_from <= day) and (
            self.effective_until is None or day < self.effective_until
        )

    def find_doubt(self, day: date) -> RuleDoubt | None:
        """What may have changed it by that day, if anything."""
        return next((d for d in self.doubts if d.since is None or d.since <= day), None)

    def to_dict(self) -> dict[str, Any]:
        """The fields as values, for a program."""
        doubts = [doubt.to_dict() for doubt in self.doubts]
        return {
            **({"doubts": doubts} if doubts else {}),
            "rule_id": self.rule_id,
            "concept": self.concept,
            "label": self.label,
            "domain": self.domain,
            "tier": self.tier,
            "value": self.value,
            "value_type": self.value_type,
            "unit": self.unit,
            "effective_from": _format_day(self.effective_from),
            "effective_until": _format_day(self.effective_until),
            "applies_when": as_json(self.applies_when),
            "authority": self.authority,
            "approved_by": self.approved_by,
            "sources": [source.to_dict() for source in self.sources],
        }


def _read_text(line: Mapping[str, Any], name: str, otherwise: str | None = None) -> str:
    value = line[name] if otherwise is None else line.get(name, otherwise)
    if not isinstance(value, str):
        raise TypeError(f"{name} is not text")
    return value


def _read_day(line: Any) -> date | None:
    return None if line is None else date.fromisoformat(line)


def _format_day(day: date | None) -> str | None:
    return None if day is None else day.isoformat()
