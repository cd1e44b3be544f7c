"""Vendors' portals, one module each; all are read into the classes of `listed`."""

from typing import Final

from assay.packs.civic.portals.civicclerk import CIVICCLERK
from assay.packs.civic.portals.civicweb import CIVICWEB
from assay.packs.civic.portals.escribe import ESCRIBE
from assay.packs.civic.portals.granicus import GRANICUS
from assay.packs.civic.portals.iqm2 import IQM2
from assay.packs.civic.portals.novusagenda import NOVUSAGENDA
from assay.packs.civic.portals.primegov import PRIMEGOV

PORTALS: Final = (PRIMEGOV, GRANICUS, CIVICCLERK, NOVUSAGENDA, IQM2, ESCRIBE, CIVICWEB)
