"""Vendors' portals, one module each; all are read into the classes of `listed`."""

from typing import Final

from assay.packs.civic.portals.boarddocs import BOARDDOCS
from assay.packs.civic.portals.civicclerk import CIVICCLERK
from assay.packs.civic.portals.civicplus import CIVICPLUS
from assay.packs.civic.portals.civicweb import CIVICWEB
from assay.packs.civic.portals.escribe import ESCRIBE
from assay.packs.civic.portals.granicus import GRANICUS
from assay.packs.civic.portals.iqm2 import IQM2
from assay.packs.civic.portals.legistar import LEGISTAR
from assay.packs.civic.portals.municode import MUNICODE
from assay.packs.civic.portals.novusagenda import NOVUSAGENDA
from assay.packs.civic.portals.primegov import PRIMEGOV

PORTALS: Final = (
    LEGISTAR,
    PRIMEGOV,
    GRANICUS,
    CIVICCLERK,
    CIVICPLUS,
    NOVUSAGENDA,
    IQM2,
    ESCRIBE,
    CIVICWEB,
    MUNICODE,
    BOARDDOCS,
)
