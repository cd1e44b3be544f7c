"""Creates the folder of a new pack: a package that can be installed, and a test that fails until
somebody says what the pack shall find."""

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from string import Template

from assay.app.pack_entries import GROUP, list_pack_names
from assay.errors import InvalidInput, from_os_error

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_PYPROJECT = f"""\
[build-system]
requires = ["setuptools>=68"]
build-backend = "setuptools.build_meta"

[project]
name = "assay-pack-$name"
version = "0.1"
description = "$title"
requires-python = ">=3.11"
dependencies = ["assay"]

[project.entry-points."{GROUP}"]
$name = "$module:pack"

[tool.setuptools]
packages = ["$module"]

[tool.setuptools.package-data]
$module = ["facts.yml"]
"""
_FACTS = """\
# What the pack can say. Rename the domain, the subject and the predicate to those you need.
name: $name
version: "0.1"
title: $title
languages: [en]

domains:
  permits: Permits

value_types: [currency]
currencies: [EUR, USD, GBP]

predicates:
  fee: {tier: T0, many: true, value_types: [currency], labels: {en: fee}}

subjects:
  permit: {domain: permits, en: [permit, licence]}

ranges:
  currency: [0, 100000]
"""
_MODULE = '''\
"""$title."""

import re
from collections.abc import Iterator
from pathlib import Path

from assay.sdk.facts import (
    Extraction,
    Passage,
    ProposedFact,
    Sentence,
    format_number,
    load_facts,
    scan_sums,
)
from assay.sdk.pack import Pack

FOLDER = Path(__file__).parent
SUBJECTS = load_facts(FOLDER).subjects
_LINE = re.compile(r"[^\\n]+")


def pack() -> Pack:
    """Build the pack from its declaration and its extractor."""
    facts = load_facts(FOLDER, find_facts)
    return Pack(name=facts.name, version=facts.version, title=facts.title, facts=facts)


def find_facts(passage: Passage) -> Extraction:
    """Find every sum in the lines that mention a subject."""
    facts: list[ProposedFact] = []
    sentences: list[Sentence] = []
    for line in _LINE.finditer(passage.reading.text):
        found = list(_find_fees(line, passage.language))
        facts += found
        sentences.append(Sentence(line.start(), line.end(), is_relevant=bool(found)))
    return Extraction(tuple(facts), tuple(sentences))


def _find_fees(line: re.Match[str], language: str) -> Iterator[ProposedFact]:
    words = line.group().lower()
    for name, subject in SUBJECTS.items():
        if not any(label in words for label in subject.labels.get(language, ())):
            continue
        for found in scan_sums(line.group(), language):
            yield ProposedFact(
                domain=subject.domain,
                subject=name,
                predicate="fee",
                value=format_number(found.amount),
                value_type="currency",
                unit=found.currency,
                quote=line.group(),
                start=line.start(),
                confidence=0.9,
            )
'''
_TEST = '''\
"""What the pack finds in a sentence of your documents."""

from assay.sdk.facts import Passage, check_proposals
from assay.sdk.reading import ContentClass, Reading

from $module import pack

SENTENCE = ""
"""A sentence as your documents have it, such as: The permit for a stall costs EUR 18.50."""
FACTS: dict[str, str] = {}
"""What it states, such as {"permit.fee": "18.5"}: each concept with its value."""


def test_the_pack_finds_what_a_sentence_states() -> None:
    assert SENTENCE and FACTS, (
        "Fill in SENTENCE and FACTS in $test. Then change $module/facts.yml and find_facts() in "
        "$module/__init__.py until this test passes."
    )
    facts = pack().facts
    assert facts is not None and facts.extractor is not None
    reading = Reading(content_class=ContentClass.TEXT, text=SENTENCE)
    passage = Passage(reading=reading, language="en")
    accepted, rejected = check_proposals(facts.extractor(passage).facts, passage, facts)
    assert [f"{one.reason.value}: {one.proposed.quote}" for one in rejected] == []
    assert {one.proposed.concept: one.proposed.value for one in accepted} == FACTS
'''
_README = """\
# $title

A pack for Assay: it says what to look for in documents, and what it means.

    pip install -e .
    assay packs
    pytest

1. `pytest` fails until $test has a sentence from your documents and the facts in it.
2. `$module/facts.yml` declares what can be said: domains, subjects, predicates, value types.
3. `find_facts` in `$module/__init__.py` finds it in a text.
4. `assay extract FILE --pack $name` shows what it finds in a file of yours.
5. `assay new source URL --pack $name` describes a site whose documents it reads.

Assay's how-to page *Write a pack* explains everything else that a pack can add.
"""


def write_pack_folder(name: str, parent: Path, title: str | None = None) -> Path:
    """Create the folder of a new pack; existing files are never touched."""
    _check_name(name)
    target = parent / name
    if target.exists():
        raise InvalidInput(
            f"{target} already exists.", advice="Choose another name, or remove it first."
        )
    module, test = f"{name}_pack", f"test_{name}_pack.py"
    words = {
        "name": name,
        "module": module,
        "test": test,
        "title": _check_title(title or f"The pack {name}"),
    }
    texts = {
        "pyproject.toml": _PYPROJECT,
        "README.md": _README,
        test: _TEST,
        f"{module}/__init__.py": _MODULE,
        f"{module}/facts.yml": _FACTS,
    }
    _write_texts(target, {place: Template(text).substitute(words) for place, text in texts.items()})
    return target


def _check_name(name: str) -> None:
    if _NAME.fullmatch(name) is None:
        raise InvalidInput(
            f"{name!r} is not a valid pack name.",
            advice="Use up to 40 lower-case letters, digits and underscores, such as harbour.",
        )
    if name in list_pack_names():
        raise InvalidInput(f"A pack '{name}' is already installed.", advice="Choose another name.")


def _check_title(title: str) -> str:
    """The title as it can be written into YAML, TOML and Python without quotes changing it."""
    if not title.isprintable() or re.search(r"[\"'\\:#{}\[\]$&*!|>%@`]", title):
        raise InvalidInput(
            f"{title!r} is not a valid title.",
            advice="Use plain words without quotes, colons and other signs.",
        )
    return title


def _write_texts(target: Path, texts: Mapping[str, str]) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".new-") as made:
            fresh = Path(made) / target.name
            for place, text in texts.items():
                (fresh / place).parent.mkdir(parents=True, exist_ok=True)
                (fresh / place).write_text(text, encoding="utf-8")
            fresh.rename(target)
    except OSError as error:
        raise from_os_error(error, f"writing {target}") from error
