"""The types of value a setting may have."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

ENV_PREFIX = "ASSAY_"


def _parse_lifted_cap(value: Any) -> Any:
    """Lift a cap only for the word "none": a 0 meant as "spend nothing" must not lift it."""
    return None if isinstance(value, str) and value.strip().lower() == "none" else value


Cap = Annotated[Annotated[int, Field(ge=0, le=10**15)] | None, BeforeValidator(_parse_lifted_cap)]
Limit = Annotated[Annotated[int, Field(ge=1, le=10**12)] | None, BeforeValidator(_parse_lifted_cap)]
Money = Annotated[float, Field(ge=0, le=10**9)]
MoneyCap = Annotated[Money | None, BeforeValidator(_parse_lifted_cap)]


class SettingsGroup(BaseModel):
    """Settings that belong together. An invalid value is never repeated: it may be a key."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", hide_input_in_errors=True, allow_inf_nan=False
    )
