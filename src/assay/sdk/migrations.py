"""What a pack's migrations need besides Alembic: guards for the tables that they create, and jobs
for what must be worked on again.

A migration names its tables and columns itself instead of importing the records, because it must
still do the same after the records have changed.
"""

from assay.store.guards import forbid_delete, forbid_update, renew_update
from assay.store.upgrade_jobs import UpgradeJob, queue_upgrade_jobs

__all__ = ["UpgradeJob", "forbid_delete", "forbid_update", "queue_upgrade_jobs", "renew_update"]
