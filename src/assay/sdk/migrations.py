"""What a pack's migrations need besides Alembic: the guards over the tables that they make.

A migration names tables and columns itself, for it must do the same when the records have changed.
"""

from assay.store.guards import forbid_delete, forbid_update, renew_update

__all__ = ["forbid_delete", "forbid_update", "renew_update"]
