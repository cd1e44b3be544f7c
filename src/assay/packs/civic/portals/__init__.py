"""Vendors' portals, one module each; all are read into the classes of `listed`."""

from typing import Final

from assay.packs.civic.portals.primegov import PRIMEGOV

PORTALS: Final = (PRIMEGOV,)
