"""The types of value a setting may have."""

from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

ENV_PREFIX = "ASSAY_"


def _parse_lifted_cap(value: Any) -> Any:
    """Lift a cap only for the word "none": a 0 meant as "spend nothing" must not lift it."""
    return None if isinstance(value, str) and value.strip().lower() == "none" else value


def _require_base_url(value: str) -> str:
    """Refuse an address that could not be requested; a missing scheme is the usual mistake."""
    parts = urlsplit(value)
    if not value.startswith(("http://", "https://")):
        hint = f"; write http://{value}" if value and "://" not in value else ""
        raise ValueError(f"it must begin with http:// or https://{hint}")
    # An invalid port is an error only when it is read.
    if not parts.hostname or parts.port == 0:
        raise ValueError("it does not name a host and a valid port")
    return value


BaseUrl = Annotated[str, AfterValidator(_require_base_url)]
Cap = Annotated[Annotated[int, Field(ge=0, le=10**15)] | None, BeforeValidator(_parse_lifted_cap)]
Limit = Annotated[Annotated[int, Field(ge=1, le=10**12)] | None, BeforeValidator(_parse_lifted_cap)]
Money = Annotated[float, Field(ge=0, le=10**9)]
MoneyCap = Annotated[Money | None, BeforeValidator(_parse_lifted_cap)]


class SettingsGroup(BaseModel):
    """Settings that belong together. An invalid value is never repeated: it may be a key."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", hide_input_in_errors=True, allow_inf_nan=False
    )
