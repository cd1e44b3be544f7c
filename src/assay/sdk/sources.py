"""Sources: portals of vendors, and what adapters and portals read payloads with."""

from assay.ruling.rules.authority import HIGHEST, LOWEST
from assay.sources.folders.payloads import Node, Xml, day_told, html_tree, json_value, xml_tree
from assay.sources.folders.plain_yaml import read_yaml
from assay.sources.portals import Portal, PortalItem, PortalPage, PortalRequest, TenantSettings

__all__ = [
    "HIGHEST",
    "LOWEST",
    "Node",
    "Portal",
    "PortalItem",
    "PortalPage",
    "PortalRequest",
    "TenantSettings",
    "Xml",
    "day_told",
    "html_tree",
    "json_value",
    "read_yaml",
    "xml_tree",
]
