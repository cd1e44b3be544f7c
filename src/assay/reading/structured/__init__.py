"""Documents that are data: XML and JSON."""

from assay.reading.structured.json_reader import read_json
from assay.reading.structured.xml_reader import read_xml

__all__ = ["read_json", "read_xml"]
