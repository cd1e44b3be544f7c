"""Alembic's entry: the connection comes from Assay, never from a file."""

from alembic import context

from assay.store.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=False,
    version_table="assay_schema",
)
with context.begin_transaction():
    context.run_migrations()
