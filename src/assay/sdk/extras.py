"""Optional libraries: imported where they are used, with an error that says what to install."""

from assay.extras import needs_extra

__all__ = ["needs_extra"]
