"""Checks all packs together at start-up; every error names the pack at fault."""

import re
from collections.abc import Iterable, Iterator, Mapping

from assay.errors import InvalidInput
from assay.model.storage import storage_of
from assay.sdk.pack import Pack
from assay.spine.payloads import PackJob
from assay.store.schema import CORE

_BRANCH = re.compile(r"[a-z][a-z0-9_-]{0,40}")
"""A pack's name is part of the name of the table that stores its schema version."""
Claim = tuple[str, str]
"""What is claimed, such as a stage or a table, and its name."""


def validate_packs(packs: Mapping[str, Pack], taken: Iterable[Claim] = ()) -> None:
    """Refuse packs that contradict themselves, each other or Assay.

    `taken` holds the names that Assay itself uses.
    """
    owners: dict[Claim, str] = dict.fromkeys(taken, "Assay")
    for pack in packs.values():
        _refuse_contradictions(pack)
        for claim in _list_claims(pack):
            if claim in owners:
                kind, name = claim
                raise InvalidInput(
                    f"Pack '{pack.name}' declares the {kind} '{name}', "
                    f"which {_describe_owner(owners[claim])} already has.",
                    advice="Rename it, or uninstall one of the two.",
                )
            owners[claim] = pack.name


def _list_claims(pack: Pack) -> Iterator[Claim]:
    yield from (("stage", entry.stage.name) for entry in pack.stages)
    yield from (("record", record.__name__) for record in pack.records)
    yield from (("table", storage_of(record).table) for record in pack.records)
    yield from (("review kind", kind.name) for kind in pack.review_kinds)
    yield from (("metric", metric.name) for metric in pack.metrics)
    yield from (("event", event.tag) for event in pack.events)
    yield from (("portal", portal.name) for portal in pack.portals)


def _refuse_contradictions(pack: Pack) -> None:
    _refuse_duplicates(pack, "schedule", [schedule.name for schedule in pack.schedules])
    _refuse_duplicates(pack, "check", [check.name for check in pack.checks])
    if pack.accepts is not None:
        _check_first_stage(pack, pack.accepts.first_stage)
    if pack.migrations is not None and not pack.migrations.is_dir():
        raise InvalidInput(f"Pack '{pack.name}': the folder {pack.migrations} does not exist.")
    if pack.migrations is not None and (pack.name == CORE or not _BRANCH.fullmatch(pack.name)):
        raise InvalidInput(
            f"Pack '{pack.name}' cannot have tables under this name.",
            advice="Use lower-case letters, digits, dashes and underscores; not 'core'.",
        )
    if pack.records and pack.migrations is None:
        raise InvalidInput(
            f"Pack '{pack.name}' declares records but no migrations that create their tables.",
            advice="Set 'migrations' to the folder of its Alembic branch.",
        )
    for publication in pack.publishes:
        if publication.record not in pack.records:
            raise InvalidInput(
                f"Pack '{pack.name}' publishes {publication.record.__name__}, "
                "which it does not declare."
            )


def _check_first_stage(pack: Pack, first: str) -> None:
    stage = next((entry.stage for entry in pack.stages if entry.stage.name == first), None)
    if stage is None:
        raise InvalidInput(
            f"Pack '{pack.name}' begins with the stage '{first}', which it does not declare."
        )
    if not issubclass(stage.payload, PackJob):
        raise InvalidInput(
            f"Pack '{pack.name}': its first stage '{first}' takes {stage.payload.__name__}.",
            advice="The router passes a PackJob, or a class derived from it.",
        )


def _refuse_duplicates(pack: Pack, kind: str, names: list[str]) -> None:
    doubled = sorted({name for name in names if names.count(name) > 1})
    if doubled:
        raise InvalidInput(f"Pack '{pack.name}' declares two {kind}s called '{doubled[0]}'.")


def _describe_owner(owner: str) -> str:
    return owner if owner == "Assay" else f"pack '{owner}'"
