"""Vendors' portals, one module each; all are read into the classes of `listed`."""

from dataclasses import replace
from typing import Final

from assay.packs.civic.jobs import RESULT_STAGE
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

PACE_S: Final = (3.0, 5.0)
"""The seconds between two requests to a vendor."""
BREAK_S: Final = (30.0, 40.0)
"""The seconds between a check of one vendor's city and a check of another's."""
_VENDORS: Final = (
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
PORTALS: Final = tuple(
    replace(portal, pace_s=PACE_S, break_s=BREAK_S, report=RESULT_STAGE) for portal in _VENDORS
)
