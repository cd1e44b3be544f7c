"""Sources: vendors' portals, outside services, and the parsers that adapters and portals use."""

from assay.llm.service_calls import ServiceAnswer, ServiceTerms
from assay.ruling.rules.authority import HIGHEST, LOWEST
from assay.sources.folders.payloads import (
    Node,
    XmlElement,
    parse_date,
    parse_html,
    parse_json,
    parse_xml,
)
from assay.sources.folders.plain_yaml import read_yaml
from assay.sources.portals import (
    Portal,
    PortalItem,
    PortalPage,
    PortalRequest,
    TenantSettings,
    make_entry_url,
)

__all__ = [
    "HIGHEST",
    "LOWEST",
    "Node",
    "Portal",
    "PortalItem",
    "PortalPage",
    "PortalRequest",
    "ServiceAnswer",
    "ServiceTerms",
    "TenantSettings",
    "XmlElement",
    "make_entry_url",
    "parse_date",
    "parse_html",
    "parse_json",
    "parse_xml",
    "read_yaml",
]
