"""The jobs of the pack's stages."""

from typing import Final

from assay.sdk.stages import Payload

ACT_STAGE: Final = "law_act"
STATUTE_STAGE: Final = "law_statute"


class StatuteJob(Payload):
    """Work out what an act says, because one of its texts or amendments changed."""

    act_key: str
    source: str

    @property
    def subject(self) -> str:
        return f"{self.source}/{self.act_key}"

    @property
    def source_slug(self) -> str:
        return self.source
