"""Repositories by address: what is contacted, what is kept, and what is refused."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.errors import AddressRefused, ContentTooLarge, FetchFailed
from assay.sources.git import GitHistory, GitLimits, HistoryOptions, RepositoryCopies
from assay.sources.policy import FetchPolicy
from tests.repositories import (
    GitRepository,
    RepositoryServer,
    make_repository,
    serve_repositories,
)
from tests.sources.test_git_history import list_versions

URL = "https://laws.test/laws.git"


@pytest.fixture
def laws(tmp_path: Path) -> GitRepository:
    made = make_repository(tmp_path / "laws")
    made.commit("2020-01-01", {"a.txt": "one"})
    return made


@pytest.fixture
def server(tmp_path: Path, laws: GitRepository) -> Iterator[RepositoryServer]:
    with serve_repositories(tmp_path / "served") as served:
        served.offer(laws)
        yield served


def make_copies(
    tmp_path: Path, server: RepositoryServer, limits: GitLimits | None = None
) -> RepositoryCopies:
    policy = FetchPolicy(hosts={"laws.test": server.url})
    return RepositoryCopies(tmp_path / "copies", policy, limits or GitLimits())


def read(copies: RepositoryCopies, url: str = URL) -> list[tuple[str, str, str | None]]:
    options = HistoryOptions()
    program, head = copies.open(url, options)
    return list_versions(GitHistory(program, options, head))


def test_a_repository_by_address_is_copied_and_kept_up_to_date(
    tmp_path: Path, laws: GitRepository, server: RepositoryServer
) -> None:
    copies = make_copies(tmp_path, server)
    assert read(copies) == [("2020-01-01", "a.txt", "one")]
    laws.commit("2021-01-01", {"a.txt": "two"})
    server.offer(laws)
    assert [day for day, *_ in read(copies)] == ["2020-01-01", "2021-01-01"]
    (copy,) = (tmp_path / "copies").glob("*.git")
    assert not (copy / "hooks").exists()
    assert copies.reopen(URL).git_dir == copy


def test_what_a_killed_program_left_does_not_stop_the_next_one(
    tmp_path: Path, laws: GitRepository, server: RepositoryServer
) -> None:
    copies = make_copies(tmp_path, server)
    read(copies)
    (copy,) = (tmp_path / "copies").glob("*.git")
    left = [copy / "refs" / "assay" / "latest.lock", copy / "objects" / "pack" / "tmp_pack_x"]
    for file in left:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"")
    laws.commit("2021-01-01", {"a.txt": "two"})
    server.offer(laws)
    assert len(read(copies)) == 2
    assert not any(file.exists() for file in left)


@pytest.mark.parametrize(
    "url",
    [
        "ssh://git@example.org/laws.git",
        "git@example.org:laws.git",
        "git://example.org/laws.git",
        "file:///etc",
        "ext::sh -c true",
        "ftp://example.org/laws.git",
        "https://ana:secret@example.org/laws.git",
    ],
)
def test_only_https_without_a_password_is_an_address(
    tmp_path: Path, server: RepositoryServer, url: str
) -> None:
    with pytest.raises(AddressRefused):
        make_copies(tmp_path, server).open(url, HistoryOptions())


def test_private_addresses_are_refused_unless_allowed(
    tmp_path: Path, server: RepositoryServer
) -> None:
    own = f"{server.url}/laws.git"
    closed = RepositoryCopies(tmp_path / "copies", FetchPolicy())
    with pytest.raises(AddressRefused, match="a loopback address"):
        closed.open(own, HistoryOptions())
    named = RepositoryCopies(tmp_path / "copies", FetchPolicy(blocked_hosts=("127.0.0.1",)))
    with pytest.raises(AddressRefused, match="blocked"):
        named.open(own, HistoryOptions())
    assert server.asked == []
    policy = FetchPolicy(allow_private=("127.0.0.1",))
    assert read(RepositoryCopies(tmp_path / "copies", policy), own)


def test_git_connects_to_the_addresses_that_were_checked(
    tmp_path: Path, server: RepositoryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that leads elsewhere at the second lookup gains nothing."""
    port = int(server.url.rpartition(":")[2])
    found = [(2, 1, 6, "", ("127.0.0.1", port))]
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: found)
    policy = FetchPolicy(allow_private=("127.0.0.1", "no-such-host.invalid"))
    url = f"http://no-such-host.invalid:{port}/laws.git"
    assert read(RepositoryCopies(tmp_path / "copies", policy), url)


def test_plain_http_to_a_public_server_is_refused(
    tmp_path: Path, server: RepositoryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [(2, 1, 6, "", ("93.184.215.14", 80))]
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: found)
    copies = RepositoryCopies(tmp_path / "copies", FetchPolicy())
    with pytest.raises(AddressRefused, match="is not an https address"):
        copies.open("http://example.org/laws.git", HistoryOptions())


def test_a_refused_address_is_printed_without_its_password(tmp_path: Path) -> None:
    copies = RepositoryCopies(tmp_path / "copies", FetchPolicy())
    for url in ("ssh://me:hush@example.org/laws.git", "https://me:hush@example.org/laws.git"):
        with pytest.raises(AddressRefused) as refused:
            copies.check_url(url)
        assert "hush" not in str(refused.value) and "example.org" in str(refused.value)


def test_redirects_and_other_stores_are_not_followed(
    tmp_path: Path, server: RepositoryServer
) -> None:
    with serve_repositories(tmp_path / "other") as other:
        server.redirects["/laws.git/info/refs"] = f"{other.url}/laws.git/info/refs"
        with pytest.raises(FetchFailed, match="git cannot fetch"):
            make_copies(tmp_path, server).open(URL, HistoryOptions())
        server.redirects.clear()
        objects = server.root / "laws.git" / "objects"
        (objects / "info" / "http-alternates").write_text(f"{other.url}/laws.git/objects\n")
        for pack in (objects / "pack").glob("*"):
            pack.unlink()
        with pytest.raises(FetchFailed):
            make_copies(tmp_path, server).open(URL, HistoryOptions())
        assert other.asked == []


def test_a_repository_that_is_too_large_is_refused_with_advice(
    tmp_path: Path, server: RepositoryServer
) -> None:
    with pytest.raises(ContentTooLarge, match="larger than 10 bytes") as refused:
        make_copies(tmp_path, server, GitLimits(max_bytes=10)).open(URL, HistoryOptions())
    assert "repository_max_bytes" in refused.value.advice


def test_a_server_that_says_nothing_is_left_after_the_limit(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        policy = FetchPolicy(allow_private=("127.0.0.1",))
        copies = RepositoryCopies(tmp_path / "copies", policy, GitLimits(timeout_s=1))
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/laws.git"
        with pytest.raises(FetchFailed, match="took longer than 1 seconds") as failed:
            copies.open(url, HistoryOptions())
    assert "repository_timeout_s" in failed.value.advice


def test_a_repository_that_is_not_there_is_a_temporary_error(
    tmp_path: Path, server: RepositoryServer
) -> None:
    with pytest.raises(FetchFailed, match="not found") as failed:
        read(make_copies(tmp_path, server), "https://laws.test/none.git")
    assert "login" in failed.value.advice
