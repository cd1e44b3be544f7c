"""Checks all packs together at start-up; every error names the pack at fault."""

import re
from collections.abc import Iterable, Iterator, Mapping

from assay import events
from assay.engine.schedules import is_valid_cron
from assay.errors import InvalidInput
from assay.model.storage import storage_of
from assay.sdk.pack import Pack
from assay.spine.payloads import LookJob, PackJob
from assay.store.record_tables import CORE_RECORDS
from assay.store.schema import CORE
from assay.store.tables import METADATA

SUBJECT_KINDS = ("concept", "conflict", "evidence", "release", "rows", "rule", "user")
"""What Assay itself asks people about, or records decisions about."""
METRIC_PREFIXES = ("assay_", "gen_ai_")
"""How the names of Assay's own metrics begin."""
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,40}")
"""A pack's name is a command, and part of the name of the table with its schema version."""
_METRIC = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
"""What Prometheus accepts as a name."""
Claim = tuple[str, str]
"""What is claimed, such as a stage or a table, and its name."""


def validate_packs(packs: Mapping[str, Pack]) -> None:
    """Refuse packs that contradict themselves, each other or Assay."""
    owners: dict[Claim, str] = dict.fromkeys(_list_own_claims(), "Assay")
    for pack in packs.values():
        _refuse_contradictions(pack)
        for claim in _list_claims(pack):
            _add_claim(owners, pack, claim)


def validate_stages(packs: Mapping[str, Pack], own: Iterable[str]) -> None:
    """Refuse stages of packs with a name that is taken, and those that lead to no stage.

    `own` lists the stages of Assay itself.
    """
    owners: dict[Claim, str] = dict.fromkeys((("stage", name) for name in own), "Assay")
    for pack in packs.values():
        for entry in pack.stages:
            _add_claim(owners, pack, ("stage", entry.stage.name))
    for pack in packs.values():
        leading = [(f"stage '{entry.stage.name}'", entry.stage.next) for entry in pack.stages]
        leading += [(f"review kind '{kind.name}'", kind.next) for kind in pack.review_kinds]
        for what, targets in leading:
            for target in sorted(targets):
                if ("stage", target) not in owners:
                    raise InvalidInput(
                        f"Pack '{pack.name}': its {what} leads to the stage '{target}', "
                        "which does not exist.",
                        advice="'assay contracts' lists the stages.",
                    )


def _add_claim(owners: dict[Claim, str], pack: Pack, claim: Claim) -> None:
    if claim in owners:
        kind, name = claim
        raise InvalidInput(
            f"Pack '{pack.name}' declares the {kind} '{name}', which {owners[claim]} already has.",
            advice="Rename it, or uninstall one of the two.",
        )
    owners[claim] = f"pack '{pack.name}'"


def _list_own_claims() -> Iterator[Claim]:
    """Names that Assay itself uses, which no pack may claim."""
    yield from (("record", record.__name__) for record in CORE_RECORDS)
    yield from (("table", name) for name in METADATA.tables)
    yield from (("event", getattr(events, name).tag) for name in events.__all__ if name != "Event")
    yield from (("review kind", name) for name in SUBJECT_KINDS)


def _list_claims(pack: Pack) -> Iterator[Claim]:
    yield from (("record", record.__name__) for record in pack.records)
    yield from (("table", storage_of(record).table) for record in pack.records)
    yield from (("review kind", kind.name) for kind in pack.review_kinds)
    yield from (("metric", metric.name) for metric in pack.metrics)
    yield from (("event", event.tag) for event in pack.events)
    yield from (("portal", portal.name) for portal in pack.portals)


def _refuse_contradictions(pack: Pack) -> None:
    _check_name(pack)
    _refuse_duplicates(pack, "schedule", [schedule.name for schedule in pack.schedules])
    _refuse_duplicates(pack, "check", [check.name for check in pack.checks])
    if pack.accepts is not None:
        _check_receiver(pack, pack.accepts.first_stage)
    for portal in pack.portals:
        if portal.entries is not None:
            _check_receiver(pack, portal.entries)
        if portal.report is not None:
            _check_reporter(pack, portal.report)
    _refuse_missing_folders(pack)
    _check_run_files(pack)
    if pack.records and pack.migrations is None:
        raise InvalidInput(
            f"Pack '{pack.name}' declares records but no migrations that create their tables.",
            advice="Set 'migrations' to the folder of its Alembic branch.",
        )
    for record in pack.records:
        if storage_of(record).hashed:
            raise InvalidInput(
                f"Pack '{pack.name}' declares that rows of {record.__name__} are hashed, "
                "which only Assay's own can be.",
                advice="Leave out 'hashed'; guards protect the rows of packs.",
            )
    for record in pack.given:
        if record not in pack.records:
            raise InvalidInput(
                f"Pack '{pack.name}' says that {record.__name__} is given, but does not declare it."
            )
    for publication in pack.publishes:
        if publication.record not in pack.records:
            raise InvalidInput(
                f"Pack '{pack.name}' publishes {publication.record.__name__}, "
                "which it does not declare."
            )
    _check_metrics(pack)
    for schedule in pack.schedules:
        if not is_valid_cron(schedule.cron):
            raise InvalidInput(
                f"Pack '{pack.name}': the schedule '{schedule.name}' is not a valid cron "
                f"expression: {schedule.cron!r}.",
                advice="Use minute, hour, day, month and weekday, such as '0 5 * * *'.",
            )


def _check_name(pack: Pack) -> None:
    if not _NAME.fullmatch(pack.name) or pack.name == CORE:
        raise InvalidInput(
            f"'{pack.name}' cannot be the name of a pack.",
            advice="Use a lowercase letter, then lowercase letters, digits, dashes and "
            f"underscores, at most 41 characters in all; not '{CORE}'.",
        )
    if pack.facts is not None and pack.facts.name != pack.name:
        # Its facts would belong to a pack that cannot be found.
        raise InvalidInput(
            f"Pack '{pack.name}': its facts are declared under the name '{pack.facts.name}'.",
            advice="Use the same name for both.",
        )


def _refuse_missing_folders(pack: Pack) -> None:
    corpus = None if pack.evaluation is None else pack.evaluation.corpus
    named = (("migrations", pack.migrations), ("sources", pack.sources), ("corpus", corpus))
    for what, folder in named:
        if folder is not None and not folder.is_dir():
            raise InvalidInput(
                f"Pack '{pack.name}': its folder of {what}, {folder}, does not exist.",
                advice="Add the folder to the package, or do not declare it.",
            )


def _check_run_files(pack: Pack) -> None:
    for declared in pack.run_files:
        if not {declared.by, "run_id"} <= set(storage_of(declared.record).columns):
            raise InvalidInput(
                f"Pack '{pack.name}': {declared.record.__name__} needs the fields 'run_id' and "
                f"'{declared.by}' to be written to '{declared.name}'.",
                advice="Add the fields, or name another field in 'by'.",
            )


def _check_metrics(pack: Pack) -> None:
    for metric in pack.metrics:
        if not _METRIC.fullmatch(metric.name):
            raise InvalidInput(
                f"Pack '{pack.name}': '{metric.name}' cannot be the name of a metric.",
                advice="Use letters, digits, underscores and colons; not a digit first.",
            )
        if metric.name.startswith(METRIC_PREFIXES):
            raise InvalidInput(
                f"Pack '{pack.name}' declares the metric '{metric.name}', "
                "whose name is reserved for Assay itself.",
                advice=f"Begin with something other than {' and '.join(METRIC_PREFIXES)}.",
            )


def _check_receiver(pack: Pack, first: str) -> None:
    """Documents can be handed to this stage."""
    stage = next((entry.stage for entry in pack.stages if entry.stage.name == first), None)
    if stage is None:
        raise InvalidInput(
            f"Pack '{pack.name}' hands documents to the stage '{first}', which it does not declare."
        )
    if not issubclass(stage.payload, PackJob):
        raise InvalidInput(
            f"Pack '{pack.name}': the stage '{first}', which receives documents, takes "
            f"{stage.payload.__name__}.",
            advice="It receives a PackJob, or a class derived from it.",
        )


def _check_reporter(pack: Pack, name: str) -> None:
    """The stage can be told how checks of a portal's tenants went."""
    takes = {entry.stage.name: entry.stage.payload for entry in pack.stages}.get(name)
    if takes is None or not issubclass(LookJob, takes):
        raise InvalidInput(
            f"Pack '{pack.name}': a portal reports its checks to the stage '{name}', which is "
            + ("not declared." if takes is None else f"declared to take {takes.__name__}."),
            advice="Declare a stage with that name that takes a LookJob.",
        )


def _refuse_duplicates(pack: Pack, kind: str, names: list[str]) -> None:
    doubled = sorted({name for name in names if names.count(name) > 1})
    if doubled:
        raise InvalidInput(f"Pack '{pack.name}' declares two {kind}s called '{doubled[0]}'.")
