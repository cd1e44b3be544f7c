"""What commands of packs are lent: opened when it is used, shared, and closed in order."""

from pathlib import Path

import pytest

from assay.cli.session import Session
from assay.errors import SchemaMissing
from assay.sdk.services import Services


class Part:
    """Something that a pack shares; it uses another."""

    closed: list[str]

    def __init__(self, services: Services) -> None:
        self.services = services
        Part.closed = []

    async def close(self) -> None:
        Part.closed.append("part")


class Whole:
    """Something that needs a `Part` until it is closed."""

    def __init__(self, services: Services) -> None:
        self.part = services.share(Part)

    async def close(self) -> None:
        Part.closed.append("whole")


def test_files_are_read_without_a_home(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("The rate is 25 %.")

    async def read(services: Services) -> list[str | None]:
        assert not services.has_store
        found = await services.read_files([str(file), str(tmp_path / "missing.txt")])
        assert found[1].error is not None
        return [each.reading.text if each.reading else None for each in found]

    assert Session(home=tmp_path / "none").run(read) == ["The rate is 25 %.", None]
    assert not (tmp_path / "none").exists()


def test_a_store_that_is_not_there_is_refused_when_it_is_used(tmp_path: Path) -> None:
    async def use(services: Services) -> object:
        return services.results

    with pytest.raises(SchemaMissing):
        Session(home=tmp_path / "none").run(use)


def test_what_is_shared_is_made_once_and_closed_the_last_first(tmp_path: Path) -> None:
    async def share(services: Services) -> Services:
        whole = services.share(Whole)
        assert services.share(Whole) is whole
        assert services.share(Part) is whole.part
        return whole.part.services

    Session(home=tmp_path / "none").run(share)
    assert Part.closed == ["whole", "part"]


def test_without_a_provider_no_model_is_chosen(tmp_path: Path) -> None:
    async def choose(services: Services) -> object:
        assert services.models.count_permits() == 0 and services.models.running_requests() == ()
        return services.models.choose()

    assert Session(home=tmp_path / "none").run(choose) is None
