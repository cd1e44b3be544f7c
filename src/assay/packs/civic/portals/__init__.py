"""Vendors' portals, one module each; all are read into the classes of `listed`."""

from typing import Final

from assay.packs.civic.portals.civicclerk import CIVICCLERK
from assay.packs.civic.portals.civicweb import CIVICWEB
from assay.packs.civic.portals.escribe import ESCRIBE
from assay.packs.civic.portals.primegov import PRIMEGOV

PORTALS: Final = (PRIMEGOV, CIVICCLERK, ESCRIBE, CIVICWEB)
