"""People and programs that may use the server, their logins, and logins that failed."""

import sqlalchemy as sa
from alembic import op

from assay.store import guards

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "users",
        *_texts("name", "role"),
        *_texts("password_hash", "identity", null=True),
        sa.Column("disabled", sa.Boolean(), nullable=False),
        *_numbers("created_ms", "changed_ms"),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_users")),
        sa.UniqueConstraint("identity", name=op.f("uq_users_identity")),
    )
    op.create_table(
        "login_sessions",
        *_texts("token_hash", "user_name", "client"),
        *_numbers("created_ms", "used_ms", "expires_ms"),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_login_sessions")),
    )
    op.create_index("ix_login_sessions_user_name", "login_sessions", ["user_name"])
    op.create_table(
        "api_tokens",
        *_texts("name", "token_hash", "role", "created_by"),
        *_numbers("created_ms"),
        *_numbers("expires_ms", "used_ms", "revoked_ms", null=True),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_api_tokens")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_api_tokens_token_hash")),
    )
    op.create_table(
        "login_attempts",
        *_texts("subject"),
        *_numbers("count", "last_ms"),
        sa.PrimaryKeyConstraint("subject", name=op.f("pk_login_attempts")),
    )
    op.create_index("ix_login_attempts_last_ms", "login_attempts", ["last_ms"])
    connection = op.get_bind()
    guards.forbid_delete(connection, ("users", "api_tokens"))
    guards.forbid_update(connection, "users", ("name", "identity", "created_ms"))
    fixed = ("name", "token_hash", "role", "created_by", "created_ms", "expires_ms")
    guards.forbid_update(connection, "api_tokens", fixed)


def _texts(*names: str, null: bool = False) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text(), nullable=null) for name in names]


def _numbers(*names: str, null: bool = False) -> list[sa.Column[int]]:
    return [sa.Column(name, sa.BigInteger(), nullable=null) for name in names]
