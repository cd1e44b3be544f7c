"""The stages as they are declared, and which part of Assay each belongs to."""

from collections.abc import Iterable, Sequence
from typing import Final

from assay.app.installed_packs import load_all_packs
from assay.app.pipeline import build_pipeline
from assay.app.tools import build_tools
from assay.engine.contract import Stage
from assay.sdk.pack import Pack
from assay.settings import Settings

CORE_GROUPS: Final = ("spine", "ruling")
"""The groups of the stages that all packs share; any other group is a pack."""


def list_declared_stages() -> list[Stage]:
    """The stages as they are declared, without a home."""
    return build_pipeline(build_tools(Settings()), load_all_packs()).stages


def group_stages(stages: Sequence[Stage], packs: Iterable[Pack]) -> dict[str, list[Stage]]:
    """spine, ruling, and each pack → its stages."""
    owners = {entry.stage.name: pack.name for pack in packs for entry in pack.stages}
    groups: dict[str, list[Stage]] = {}
    for stage in stages:
        is_of_spine = stage.payload.__module__.startswith("assay.spine")
        core = CORE_GROUPS[0] if is_of_spine else CORE_GROUPS[1]
        groups.setdefault(owners.get(stage.name, core), []).append(stage)
    return groups
