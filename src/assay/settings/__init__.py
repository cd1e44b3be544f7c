"""One frozen settings object."""

from assay.settings.groups import DEFAULT_HOME, Settings
from assay.settings.kinds import ENV_PREFIX, Cap, Limit, Money, MoneyCap, SettingsGroup
from assay.settings.loading import FILE_NAME, FILE_ONLY, load_settings, read_environment
from assay.settings.tables import (
    ChannelSettings,
    PriceSettings,
    ProviderKind,
    ProviderSettings,
    QueueSettings,
    is_mailbox,
)

__all__ = [
    "DEFAULT_HOME",
    "ENV_PREFIX",
    "FILE_NAME",
    "FILE_ONLY",
    "Cap",
    "ChannelSettings",
    "Limit",
    "Money",
    "MoneyCap",
    "PriceSettings",
    "ProviderKind",
    "ProviderSettings",
    "QueueSettings",
    "Settings",
    "SettingsGroup",
    "is_mailbox",
    "load_settings",
    "read_environment",
]
