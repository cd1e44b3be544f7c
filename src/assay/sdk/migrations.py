"""What a pack's migrations need besides Alembic: guards for the tables that they create.

A migration names its tables and columns itself instead of importing the records, because it must
still do the same after the records have changed.
"""

from assay.store.guards import forbid_delete, forbid_update, renew_update

__all__ = ["forbid_delete", "forbid_update", "renew_update"]
