"""Events: one small class each, in the past tense, under a tag that means one thing for ever."""

import json
import re

import pytest
from pydantic import ValidationError

from assay import events
from assay.events import Event, happened

CLASSES = sorted(
    (cls for cls in Event.__subclasses__() if cls.__module__.startswith("assay.")),
    key=lambda cls: cls.__name__,
)
IRREGULAR = {
    "Gone",
    "Lost",
    "Found",
    "Begun",
    "Sent",
    "Kept",
    "Held",
    "Put",
    "Set",
    "Split",
    "Fell",
}


def sample(cls: type[Event]) -> Event:
    values: dict[type, object] = {int: 1, float: 0.5, str: "x", bool: True}
    fields = {
        name: values.get(field.annotation) if field.annotation in values else None
        for name, field in cls.model_fields.items()
        if field.annotation is not None
    }
    return cls.model_validate(fields)


def test_tags_are_unique() -> None:
    tags = [cls.tag for cls in CLASSES]
    assert len(tags) == len(set(tags))
    assert len(CLASSES) > 5


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_an_event_is_named_in_the_past_tense_and_its_tag_says_the_same(cls: type[Event]) -> None:
    words = re.findall(r"[A-Z][a-z]+", cls.__name__)
    assert "".join(words) == cls.__name__
    assert words[-1].endswith("ed") or words[-1] in IRREGULAR
    assert cls.tag == f"{'_'.join(words[:-1]).lower()}.{words[-1].lower()}"


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_an_event_is_frozen_and_takes_nothing_undeclared(cls: type[Event]) -> None:
    event = sample(cls)
    for name in cls.model_fields:
        with pytest.raises(ValidationError):
            setattr(event, name, getattr(event, name))
    with pytest.raises(ValidationError):
        cls.model_validate({**event.model_dump(), "more": 1})


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_an_event_survives_being_stored(cls: type[Event]) -> None:
    event = sample(cls)
    stored = json.dumps(event.model_dump(mode="json"))
    assert cls.model_validate(json.loads(stored)) == event
    assert "tag" not in event.model_dump()


def test_every_event_is_exported_and_nothing_else() -> None:
    assert set(events.__all__) == {"Event", *(cls.__name__ for cls in CLASSES)}
    assert all(cls.__module__ == happened.__name__ for cls in CLASSES)
