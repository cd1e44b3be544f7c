"""A prompt is a file with a version, and says exactly what it needs."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import InvalidInput
from assay.llm.prompts import Prompt, PromptLibrary, load_prompt, parse_prompt

MODEST = settings(derandomize=True, deadline=None, max_examples=60)

FILE = """\
---
id: entities
version: 3
description: "Finds who: and what"
schema: EntityList
---

## System
You read acts in {{language}}.
Answer as JSON: {"items": [{"name": "…"}]}.

### Rules
- one

## User
Title: {{ title }}

{{text}}
"""


def written(folder: Path, name: str, text: str = FILE) -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    prompt = load_prompt(written(tmp_path, "a.md"))
    assert prompt == Prompt(
        id="entities",
        version="3",
        description="Finds who: and what",
        schema="EntityList",
        system="You read acts in {{language}}.\n"
        'Answer as JSON: {"items": [{"name": "…"}]}.\n\n### Rules\n- one',
        user="Title: {{ title }}\n\n{{text}}",
    )
    assert prompt.prompt_version == "entities@3"
    assert prompt.placeholders == {"language", "title", "text"}


def test_line_ends_and_a_byte_order_mark_make_no_difference(tmp_path: Path) -> None:
    windows = load_prompt(written(tmp_path, "a.md", "\ufeff" + FILE.replace("\n", "\r\n")))
    assert windows == parse_prompt(FILE)
    assert windows.content_hash == parse_prompt(FILE).content_hash


def test_a_request_carries_the_version_and_every_value() -> None:
    request = parse_prompt(FILE).build_request(
        max_tokens=50, schema={"type": "object"}, language="Croatian", title=7, text="Članak 1."
    )
    assert request.system.startswith("You read acts in Croatian.\nAnswer as JSON: {")
    assert request.user == "Title: 7\n\nČlanak 1."
    assert (request.max_tokens, request.schema) == (50, {"type": "object"})
    assert (request.schema_name, request.prompt_version) == ("EntityList", "entities@3")


def test_a_placeholder_named_like_a_setting_goes_in_values() -> None:
    prompt = Prompt(id="a", version="1", system="", user="{{schema}} {{rest}}")
    request = prompt.build_request(max_tokens=1, values={"schema": "S"}, rest="R")
    assert (request.user, request.schema, request.schema_name) == ("S R", None, "answer")


@MODEST
@given(text=st.text(alphabet="{} \\tex1ga<>lngu", max_size=30), title=st.text(max_size=20))
def test_what_is_put_in_is_never_searched(text: str, title: str) -> None:
    for odd in (text, "{{title}}", "{{ text }}", r"\1 \g<0>", "## User"):
        for values in ({"title": title, "text": odd}, {"title": odd, "text": title}):
            _, user = parse_prompt(FILE).fill(language="de", **values)
            assert user == f"Title: {values['title']}\n\n{values['text']}"


def test_a_missing_value_and_an_unknown_one_are_named() -> None:
    prompt = parse_prompt(FILE)
    with pytest.raises(InvalidInput, match="entities@3 needs 'text'"):
        prompt.fill(language="de", title="x")
    with pytest.raises(InvalidInput, match="no placeholder 'txet'"):
        prompt.fill(language="de", title="x", text="y", txet="z")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("---\nid", "id", "begin with a line '---'"),
        ("EntityList\n---\n", "EntityList\n", "no closing line"),
        ("id: entities\n", "", "'id' is missing"),
        ("version: 3", "version:", "'version' is missing"),
        ("version: 3", "version: 3 b", "not a valid version"),
        ("id: entities", "id: a@b", "not a valid id"),
        ("version: 3", "version: 3\nversion: 4", "'version' is given twice"),
        ("schema:", "shcema:", "not 'shcema: EntityList'"),
        ("version: 3", "version 3", "not 'version 3'"),
        ("## System", "Hello\n## System", "text before"),
        ("## System", "## User\nx\n## System", "'## User' twice"),
        ("## User\n", "### User\n", "nothing under '## User'"),
        ("{{text}}", "{{te xt}}", "section User has braces"),
        ("{{language}}", "{{language}", "section System has braces"),
        ("{{language}}", "{{}}", "section System has braces"),
    ],
)
def test_a_file_that_is_wrong_says_where(tmp_path: Path, old: str, new: str, says: str) -> None:
    assert old in FILE
    path = written(tmp_path, "wrong.md", FILE.replace(old, new, 1))
    with pytest.raises(InvalidInput, match=says) as caught:
        load_prompt(path)
    assert "wrong.md" in str(caught.value)


def test_a_file_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="does not exist"):
        load_prompt(tmp_path / "none.md")
    (tmp_path / "latin.md").write_bytes(FILE.replace("…", "é").encode("latin-1"))
    with pytest.raises(InvalidInput, match=r"latin\.md is not UTF-8"):
        load_prompt(tmp_path / "latin.md")


def test_the_system_section_may_be_left_out() -> None:
    prompt = parse_prompt("---\nid: a\nversion: v1.2\n---\n## User\nHello\n")
    assert prompt.fill() == ("", "Hello")


def test_a_shelf_has_every_prompt_of_its_folder(tmp_path: Path) -> None:
    written(tmp_path, "b.md")
    written(tmp_path, "a.md", FILE.replace("entities", "relations"))
    written(tmp_path, "notes.txt", "no prompt")
    shelf = PromptLibrary(tmp_path)
    assert [prompt.id for prompt in shelf] == ["relations", "entities"]
    assert len(shelf) == 2
    assert shelf["entities"].version == "3"
    with pytest.raises(InvalidInput, match=r"no prompt 'other'.*relations, entities"):
        shelf["other"]


def test_two_prompts_of_one_id_are_refused(tmp_path: Path) -> None:
    written(tmp_path, "a.md")
    written(tmp_path, "b.md", FILE.replace("version: 3", "version: 4"))
    with pytest.raises(InvalidInput, match=r"b\.md: there is already a prompt 'entities'"):
        PromptLibrary(tmp_path)


def test_a_shelf_needs_its_folder(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="does not exist"):
        PromptLibrary(tmp_path / "none")


def has_unversioned_change(old: Prompt, new: Prompt) -> bool:
    """Whether answers to the old wording would be mistaken for answers to the new one."""
    return old.prompt_version == new.prompt_version and old.content_hash != new.content_hash


def test_words_that_change_need_a_new_version() -> None:
    old = parse_prompt(FILE)
    assert not has_unversioned_change(old, parse_prompt(FILE))
    assert not has_unversioned_change(old, replace(old, description="Told better."))
    for change in ({"user": "{{text}}!"}, {"system": ""}, {"schema": "Other"}):
        assert has_unversioned_change(old, replace(old, **change))
        assert not has_unversioned_change(old, replace(old, version="4", **change))
    # What moves from one section to the other is a change.
    assert has_unversioned_change(
        replace(old, system="ab", user="c"), replace(old, system="a", user="bc")
    )
