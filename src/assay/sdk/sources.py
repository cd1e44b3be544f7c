"""What adapters and portals read payloads with."""

from assay.ruling.rules.authority import HIGHEST, LOWEST
from assay.sources.folders.payloads import Node, Xml, day_told, html_tree, json_value, xml_tree

__all__ = [
    "HIGHEST",
    "LOWEST",
    "Node",
    "Xml",
    "day_told",
    "html_tree",
    "json_value",
    "xml_tree",
]
