"""Git histories as versions of files: their order, their days, and what is left out."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from assay.errors import ContentTooLarge, InvalidInput
from assay.sources.git import (
    GitHistory,
    GitLimits,
    HistoryCursor,
    RepositoryCopies,
    is_local_repository,
    parse_history_options,
)
from assay.sources.git import history as git_history
from assay.sources.policy import FetchPolicy
from tests.repositories import GitRepository, make_repository


@pytest.fixture
def laws(tmp_path: Path) -> GitRepository:
    return make_repository(tmp_path / "laws")


def open_history(
    repository: GitRepository | Path, limits: GitLimits | None = None, **options: Any
) -> GitHistory:
    path = repository if isinstance(repository, Path) else repository.path
    checked = parse_history_options(options)
    copies = RepositoryCopies(path / "unused", FetchPolicy(), limits or GitLimits())
    program, head = copies.open(str(path), checked)
    return GitHistory(program, checked, head, copies.limits)


def list_versions(
    history: GitHistory, cursor: HistoryCursor | None = None
) -> list[tuple[str, str, str | None]]:
    """Day, path and content of every version; what was skipped has its reason in brackets."""
    found = []
    cursor = cursor or HistoryCursor()
    while True:
        part = history.read_part(cursor)
        for version in part.versions:
            text = None if version.content is None else version.content.decode()
            told = f"[{version.skipped}]" if version.skipped else text
            found.append((format_day(version.commit.dated_ms), version.path, told))
        cursor = part.cursor
        if part.is_last:
            return found


def format_day(moment_ms: int) -> str:
    return datetime.fromtimestamp(moment_ms / 1000, UTC).date().isoformat()


def test_each_commit_that_changed_a_file_is_a_version_of_it(laws: GitRepository) -> None:
    laws.commit("2019-05-01", {"a.txt": "five", "b.txt": "same"})
    laws.commit("2020-05-01", {"a.txt": "six"})
    laws.commit("2021-05-01", {"b.txt": None})
    assert list_versions(open_history(laws)) == [
        ("2019-05-01", "a.txt", "five"),
        ("2019-05-01", "b.txt", "same"),
        ("2020-05-01", "a.txt", "six"),
        ("2021-05-01", "b.txt", None),
    ]


def test_the_day_is_the_day_of_the_author_where_the_author_is(laws: GitRepository) -> None:
    laws.commit("2020-01-01T00:30:00+02:00", {"a.txt": "five"})
    assert list_versions(open_history(laws)) == [("2020-01-01", "a.txt", "five")]


def test_since_begins_with_what_was_there_on_that_day(laws: GitRepository) -> None:
    laws.commit("2012-05-01", {"old.txt": "one", "b.txt": "x"})
    laws.commit("2014-05-01", {"old.txt": "two"})
    laws.commit("2016-05-01", {"b.txt": "y"})
    assert list_versions(open_history(laws, since="2015")) == [
        ("2014-05-01", "b.txt", "x"),
        ("2014-05-01", "old.txt", "two"),
        ("2016-05-01", "b.txt", "y"),
    ]
    assert [day for day, *_ in list_versions(open_history(laws, since=2017))] == ["2016-05-01"] * 2


def test_only_files_on_the_paths_and_the_branch_are_documents(laws: GitRepository) -> None:
    laws.commit("2020-01-01", {"b/x/index.md": "x", "b/top.md": "top", "c/y.md": "y"})
    laws.git("checkout", "--quiet", "-b", "draft")
    laws.commit("2021-01-01", {"b/x/index.md": "draft"})
    laws.git("checkout", "--quiet", "main")
    assert [path for _, path, _ in list_versions(open_history(laws, path="b/**"))] == [
        "b/top.md",
        "b/x/index.md",
    ]
    assert [path for _, path, _ in list_versions(open_history(laws, path=["*.md"]))] == []
    assert list_versions(open_history(laws, branch="draft"))[-1] == (
        "2021-01-01",
        "b/x/index.md",
        "draft",
    )
    with pytest.raises(InvalidInput, match="has no branch 'gone'"):
        open_history(laws, branch="gone")


def test_what_a_merge_brings_comes_on_the_day_of_the_merge(laws: GitRepository) -> None:
    laws.commit("2020-01-01", {"a.txt": "one"})
    laws.git("checkout", "--quiet", "-b", "bill")
    laws.commit("2020-02-01", {"a.txt": "two"})
    laws.commit("2020-03-01", {"a.txt": "three"})
    laws.git("checkout", "--quiet", "main")
    laws.git("merge", "--quiet", "--no-ff", "bill", GIT_AUTHOR_DATE="2020-06-01T12:00:00Z")
    assert list_versions(open_history(laws)) == [
        ("2020-01-01", "a.txt", "one"),
        ("2020-06-01", "a.txt", "three"),
    ]


def test_links_modules_large_and_external_files_are_not_followed(
    laws: GitRepository, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    (laws.path / "link.txt").symlink_to(secret)
    lfs = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n"
    laws.commit("2020-01-01", {"a.txt": "act", "big.txt": "x" * 50, "lfs.txt": lfs, "no.txt": ""})
    head = laws.git("rev-parse", "HEAD")
    laws.git("update-index", "--add", "--cacheinfo", f"160000,{head},module")
    laws.commit_index("2020-02-01")
    limits = GitLimits(max_file_bytes=45)
    found = {path: told for _, path, told in list_versions(open_history(laws, limits))}
    assert found == {
        "a.txt": "act",
        "big.txt": "[it is larger than 45 bytes]",
        "lfs.txt": "[it is larger than 45 bytes]",
        "link.txt": None,
        "module": None,
        "no.txt": "[it is empty]",
    }
    found = {path: told for _, path, told in list_versions(open_history(laws))}
    assert found["lfs.txt"] == "[its content is kept outside of the repository (Git LFS)]"


def test_odd_names_stay_one_name(laws: GitRepository) -> None:
    names = ["a\nb.txt", 'say "no".txt', "§ 1 Ä.txt", "-x.txt", ":colon.txt"]
    laws.commit("2020-01-01", dict.fromkeys(names, "act"))
    assert sorted(path for _, path, _ in list_versions(open_history(laws))) == sorted(names)


def test_parts_of_any_size_give_the_same_versions(
    laws: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    for year in range(2010, 2016):
        laws.commit(f"{year}-01-01", {f"{n}.txt": f"{n} {year}" for n in range(year % 4 + 1)})
    whole = list_versions(open_history(laws))
    for commits, versions, size in ((1, 500, 99), (1000, 1, 99), (1000, 3, 99), (2, 2, 5)):
        monkeypatch.setattr(git_history, "_MOST_COMMITS", commits)
        monkeypatch.setattr(git_history, "_MOST_VERSIONS", versions)
        monkeypatch.setattr(git_history, "_MOST_BYTES", size)
        assert list_versions(open_history(laws)) == whole
    assert open_history(laws).count_versions(HistoryCursor()) == len(whole)


def test_a_cursor_is_written_and_read_again() -> None:
    some, other = "a" * 40, "b" * 40
    for cursor in (
        HistoryCursor(),
        HistoryCursor(some),
        HistoryCursor("", some, 7),
        HistoryCursor(some, other, 12, accepts_rewriting=True),
    ):
        assert HistoryCursor.parse(str(cursor)) == cursor
    assert HistoryCursor.parse('W/"an etag"') == HistoryCursor()


def test_too_many_versions_are_refused_with_advice(laws: GitRepository) -> None:
    laws.commit("2020-01-01", {"a.txt": "1", "b.txt": "1"})
    laws.commit("2021-01-01", {"a.txt": "2", "b.txt": "2"})
    with pytest.raises(ContentTooLarge, match="more than 3 versions") as refused:
        open_history(laws, GitLimits(max_versions=3)).count_versions(HistoryCursor())
    assert "'since'" in refused.value.advice
    few = open_history(laws, GitLimits(max_versions=3), path="a.txt")
    assert few.count_versions(HistoryCursor()) == 2


def test_nothing_that_a_repository_configures_is_run(laws: GitRepository, tmp_path: Path) -> None:
    """Hooks, helpers, filters and transports that its configuration names leave no trace."""
    laws.commit("2020-01-01", {"a.txt": "act", ".gitattributes": "* filter=x diff=x textconv=x\n"})
    trace = tmp_path / "trace"
    touch = f"sh -c 'echo run >> {trace}'"
    for name, value in {
        "core.fsmonitor": touch,
        "core.pager": touch,
        "pager.rev-list": touch,
        "core.sshCommand": touch,
        "core.editor": touch,
        "core.askPass": touch,
        "core.alternateRefsCommand": touch,
        "credential.helper": f"!{touch}",
        "diff.external": touch,
        "diff.x.command": touch,
        "diff.x.textconv": touch,
        "filter.x.smudge": touch,
        "filter.x.clean": touch,
        "filter.x.process": touch,
        "gpg.program": touch,
        "log.showSignature": "true",
        "alias.rev-list": f"!{touch}",
        "protocol.allow": "always",
        "protocol.ext.allow": "always",
        "core.repositoryformatversion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": f"ext::{touch}",
        "core.hooksPath": str(tmp_path / "hooks"),
    }.items():
        laws.git("config", name, value)
    for hooks in (tmp_path / "hooks", laws.path / ".git" / "hooks"):
        hooks.mkdir(exist_ok=True)
        for name in ("reference-transaction", "post-checkout", "pre-auto-gc", "fsmonitor-watchman"):
            (hooks / name).write_text(f"#!/bin/sh\necho run >> {trace}\n")
            (hooks / name).chmod(0o755)
    # Git may want to fetch what is missing, from where the repository says.
    blob = laws.git("rev-parse", "HEAD:a.txt")
    (laws.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    assert list_versions(open_history(laws)) == [
        ("2020-01-01", ".gitattributes", "* filter=x diff=x textconv=x\n"),
        ("2020-01-01", "a.txt", "[its content is missing from this copy]"),
    ]
    assert not trace.exists()


def test_a_folder_that_is_no_repository_is_refused(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    assert not is_local_repository(tmp_path / "plain")
    with pytest.raises(InvalidInput, match="is not a git repository"):
        open_history(tmp_path / "plain")
    empty = make_repository(tmp_path / "empty")
    with pytest.raises(InvalidInput, match="has no commits"):
        open_history(empty)


def test_a_linked_work_tree_is_a_repository(laws: GitRepository, tmp_path: Path) -> None:
    laws.commit("2020-01-01", {"a.txt": "act"})
    laws.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    assert is_local_repository(tmp_path / "linked")
    assert list_versions(open_history(tmp_path / "linked")) == [("2020-01-01", "a.txt", "act")]


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"path": "/etc/*"}, "is not a path in a repository"),
        ({"path": "a/../../b"}, "is not a path in a repository"),
        ({"since": "soon"}, "is not a valid date"),
        ({"since": "2015-13"}, "since"),
        ({"branch": "--upload-pack=x"}, "is not a valid branch name"),
        ({"folder": "a"}, "folder"),
    ],
)
def test_wrong_options_are_named(given: dict[str, Any], reason: str) -> None:
    with pytest.raises(InvalidInput, match=reason):
        parse_history_options(given)


def test_options_are_completed() -> None:
    options = parse_history_options({"path": "b/**", "since": "2015-03"})
    assert (options.path, options.since) == (("b/**",), "2015-03-01")
