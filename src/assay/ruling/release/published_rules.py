"""A rule as a release publishes it: what its line of the manifest says."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from assay.errors import InvalidCondition, InvalidInput
from assay.ruling.rules.conditions import Condition, as_json, parse_condition


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotation:
    """Words that a rule rests on, and where they stand."""

    source_slug: str
    name: str
    """The source as people call it."""
    url: str
    evidence_hash: str
    quote: str
    start: int
    end: int
    page: int | None = None
    article: str = ""

    @classmethod
    def from_line(cls, told: Mapping[str, Any]) -> "Quotation":
        return cls(
            source_slug=_read_text(told, "source_slug"),
            name=_read_text(told, "name"),
            url=_read_text(told, "url"),
            evidence_hash=_read_text(told, "evidence_hash"),
            quote=_read_text(told, "quote"),
            start=int(told["start"]),
            end=int(told["end"]),
            page=None if told.get("page") is None else int(told["page"]),
            article=_read_text(told, "article", ""),
        )

    def to_dict(self) -> dict[str, Any]:
        """For a machine."""
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
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedRule:
    """What holds, for whom, from when to when, and on whose words."""

    rule_id: str
    concept: str
    label: str
    domain: str
    tier: str
    value: str
    value_type: str
    unit: str = ""
    effective_from: date | None = None
    """The first day; None: since nobody knows when."""
    effective_until: date | None = None
    """The first day on which it no longer holds."""
    applies_when: Condition
    authority: str = ""
    approved_by: str | None = None
    sources: tuple[Quotation, ...] = ()

    @classmethod
    def from_line(cls, told: Mapping[str, Any]) -> "PublishedRule":
        """The rule of a line; InvalidInput says what is wrong with it."""
        name = told.get("rule_id", "without an id")
        try:
            return cls(
                rule_id=_read_text(told, "rule_id"),
                concept=_read_text(told, "concept"),
                label=_read_text(told, "label", ""),
                domain=_read_text(told, "domain", ""),
                tier=_read_text(told, "tier"),
                value=_read_text(told, "value"),
                value_type=_read_text(told, "value_type"),
                unit=_read_text(told, "unit", ""),
                effective_from=_read_day(told.get("effective_from")),
                effective_until=_read_day(told.get("effective_until")),
                applies_when=parse_condition(told["applies_when"]),
                authority=str(told.get("authority", "")),
                approved_by=told.get("approved_by"),
                sources=tuple(Quotation.from_line(entry) for entry in told.get("sources", ())),
            )
        except KeyError as error:
            raise InvalidInput(f"The rule {name} lacks {error}.") from error
        except InvalidCondition as error:
            raise InvalidInput(f"The rule {name} has no valid condition: {error.what}") from error
        except (TypeError, ValueError) as error:
            raise InvalidInput(f"The rule {name} is not as a rule must be: {error}.") from error

    @property
    def meaning(self) -> tuple[str, str, str]:
        """What it says; rules with the same meaning give one answer."""
        return self.value_type, self.value, self.unit

    def is_in_force(self, day: date) -> bool:
        """Whether it holds on a day: the first is included, the last is not."""
        return (self.effective_from is None or self.effective_from <= day) and (
            self.effective_until is None or day < self.effective_until
        )

    def to_dict(self) -> dict[str, Any]:
        """For a machine."""
        return {
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


def _read_text(told: Mapping[str, Any], name: str, otherwise: str | None = None) -> str:
    value = told[name] if otherwise is None else told.get(name, otherwise)
    if not isinstance(value, str):
        raise TypeError(f"{name} is no text")
    return value


def _read_day(told: Any) -> date | None:
    return None if told is None else date.fromisoformat(told)


def _format_day(day: date | None) -> str | None:
    return None if day is None else day.isoformat()
