"""The tables of cities, meetings, agendas, matters, papers, votes and summaries."""

import sqlalchemy as sa
from alembic import op

from assay.sdk.migrations import forbid_delete

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "civic_cities",
        sa.Column("banana", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("vendor", sa.Text(), nullable=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("timezone", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("banana", name="pk_civic_cities"),
    )
    op.create_table(
        "civic_meetings",
        sa.Column("meeting_id", sa.Text(), nullable=False),
        sa.Column("banana", sa.Text(), nullable=False),
        sa.Column("vendor_id", sa.Text(), nullable=False),
        sa.Column("doc_id", sa.Text(), nullable=False),
        sa.Column("evidence_id", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("starts", sa.Text(), nullable=False),
        sa.Column("starts_utc", sa.Text(), nullable=True),
        sa.Column("earlier_starts", sa.JSON(), nullable=False),
        sa.Column("body", sa.Text(), nullable=True),
        sa.Column("location", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("agenda_status", sa.Text(), nullable=True),
        sa.Column("video", sa.Text(), nullable=True),
        sa.Column("page", sa.Text(), nullable=True),
        sa.Column("notes", sa.Text(), nullable=True),
        sa.Column("filter_reason", sa.Text(), nullable=True),
        sa.Column("recorded_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("meeting_id", name="pk_civic_meetings"),
    )
    op.create_index("ix_civic_meetings_banana_starts", "civic_meetings", ["banana", "starts"])
    op.create_index("ix_civic_meetings_doc_id", "civic_meetings", ["doc_id"])
    op.create_table(
        "civic_items",
        sa.Column("item_id", sa.Text(), nullable=False),
        sa.Column("meeting_id", sa.Text(), nullable=False),
        sa.Column("banana", sa.Text(), nullable=False),
        sa.Column("evidence_id", sa.Text(), nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("number", sa.Text(), nullable=True),
        sa.Column("section", sa.Text(), nullable=True),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("matter_id", sa.Text(), nullable=True),
        sa.Column("consent", sa.Boolean(), nullable=False),
        sa.Column("action", sa.Text(), nullable=True),
        sa.Column("passed", sa.Boolean(), nullable=True),
        sa.Column("mover", sa.Text(), nullable=True),
        sa.Column("seconder", sa.Text(), nullable=True),
        sa.Column("tally", sa.Text(), nullable=True),
        sa.Column("filter_reason", sa.Text(), nullable=True),
        sa.Column("withdrawn", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("item_id", name="pk_civic_items"),
    )
    op.create_index("ix_civic_items_matter_id", "civic_items", ["matter_id"])
    op.create_index("ix_civic_items_meeting_id", "civic_items", ["meeting_id"])
    op.create_table(
        "civic_matters",
        sa.Column("matter_id", sa.Text(), nullable=False),
        sa.Column("banana", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("matter_file", sa.Text(), nullable=True),
        sa.Column("vendor_matter_id", sa.Text(), nullable=True),
        sa.Column("matter_type", sa.Text(), nullable=True),
        sa.Column("sponsors", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("matter_id", name="pk_civic_matters"),
    )
    op.create_index("ix_civic_matters_banana", "civic_matters", ["banana"])
    op.create_index("ix_civic_matters_vendor_matter_id", "civic_matters", ["vendor_matter_id"])
    op.create_table(
        "civic_appearances",
        sa.Column("matter_id", sa.Text(), nullable=False),
        sa.Column("item_id", sa.Text(), nullable=False),
        sa.Column("meeting_id", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=True),
        sa.Column("passed", sa.Boolean(), nullable=True),
        sa.Column("tally", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("matter_id", "item_id", name="pk_civic_appearances"),
    )
    op.create_index("ix_civic_appearances_meeting_id", "civic_appearances", ["meeting_id"])
    op.create_table(
        "civic_papers",
        sa.Column("doc_id", sa.Text(), nullable=False),
        sa.Column("owner_id", sa.Text(), nullable=False),
        sa.Column("meeting_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("listed_in", sa.Text(), nullable=False),
        sa.Column("wanted", sa.Boolean(), nullable=False),
        sa.Column("listed", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("doc_id", "owner_id", name="pk_civic_papers"),
    )
    op.create_index("ix_civic_papers_meeting_id", "civic_papers", ["meeting_id"])
    op.create_index("ix_civic_papers_owner_id", "civic_papers", ["owner_id"])
    op.create_table(
        "civic_votes",
        sa.Column("item_id", sa.Text(), nullable=False),
        sa.Column("member_id", sa.Text(), nullable=False),
        sa.Column("meeting_id", sa.Text(), nullable=False),
        sa.Column("vote", sa.Text(), nullable=False),
        sa.Column("evidence_id", sa.Text(), nullable=False),
        sa.Column("quote", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("item_id", "member_id", name="pk_civic_votes"),
    )
    op.create_table(
        "civic_members",
        sa.Column("member_id", sa.Text(), nullable=False),
        sa.Column("banana", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("vendor_member_id", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("member_id", name="pk_civic_members"),
    )
    op.create_index("ix_civic_members_banana", "civic_members", ["banana"])
    op.create_table(
        "civic_motions",
        sa.Column("motion_id", sa.Text(), nullable=False),
        sa.Column("meeting_id", sa.Text(), nullable=False),
        sa.Column("item_id", sa.Text(), nullable=True),
        sa.Column("evidence_id", sa.Text(), nullable=False),
        sa.Column("artifact_id", sa.Text(), nullable=False),
        sa.Column("start", sa.BigInteger(), nullable=False),
        sa.Column("end", sa.BigInteger(), nullable=False),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.Column("mover", sa.Text(), nullable=True),
        sa.Column("seconder", sa.Text(), nullable=True),
        sa.Column("motion", sa.Text(), nullable=True),
        sa.Column("passed", sa.Boolean(), nullable=True),
        sa.Column("tally", sa.Text(), nullable=True),
        sa.Column("votes", sa.JSON(), nullable=False),
        sa.Column("is_main", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("motion_id", name="pk_civic_motions"),
    )
    op.create_index("ix_civic_motions_item_id", "civic_motions", ["item_id"])
    op.create_index("ix_civic_motions_meeting_id", "civic_motions", ["meeting_id"])
    op.create_table(
        "civic_access",
        sa.Column("meeting_id", sa.Text(), nullable=False),
        sa.Column("artifact_id", sa.Text(), nullable=False),
        sa.Column("details", sa.JSON(), nullable=False),
        sa.Column("is_hybrid", sa.Boolean(), nullable=False),
        sa.Column("is_virtual_only", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("meeting_id", name="pk_civic_access"),
    )
    op.create_table(
        "civic_packet_parts",
        sa.Column("item_id", sa.Text(), nullable=False),
        sa.Column("meeting_id", sa.Text(), nullable=False),
        sa.Column("artifact_id", sa.Text(), nullable=False),
        sa.Column("start", sa.BigInteger(), nullable=False),
        sa.Column("end", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("item_id", name="pk_civic_packet_parts"),
    )
    op.create_table(
        "civic_summaries",
        sa.Column("subject_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("meeting_id", sa.Text(), nullable=False),
        sa.Column("banana", sa.Text(), nullable=False),
        sa.Column("method", sa.Text(), nullable=False),
        sa.Column("sentences", sa.JSON(), nullable=False),
        sa.Column("topics", sa.JSON(), nullable=False),
        sa.Column("figures", sa.JSON(), nullable=False),
        sa.Column("input_hash", sa.Text(), nullable=False),
        sa.Column("wants_model", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("subject_id", name="pk_civic_summaries"),
    )
    op.create_index("ix_civic_summaries_meeting_id", "civic_summaries", ["meeting_id"])
    op.create_index("ix_civic_summaries_wants_model", "civic_summaries", ["wants_model"])
    op.create_table(
        "civic_questions",
        sa.Column("question_id", sa.Text(), nullable=False),
        sa.Column("subject_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("meeting_id", sa.Text(), nullable=False),
        sa.Column("banana", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("own", sa.JSON(), nullable=False),
        sa.Column("shared", sa.JSON(), nullable=False),
        sa.Column("most", sa.BigInteger(), nullable=False),
        sa.Column("input_hash", sa.Text(), nullable=False),
        sa.Column("batch_id", sa.Text(), nullable=False),
        sa.Column("held_until_ms", sa.BigInteger(), nullable=False),
        sa.Column("attempts", sa.BigInteger(), nullable=False),
        sa.Column("is_open", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("question_id", name="pk_civic_questions"),
    )
    op.create_index("ix_civic_questions_subject_id", "civic_questions", ["subject_id"])
    op.create_index("ix_civic_questions_batch_id", "civic_questions", ["batch_id"])
    op.create_index("ix_civic_questions_is_open", "civic_questions", ["is_open"])
    op.create_table(
        "civic_syncs",
        sa.Column("banana", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("found", sa.BigInteger(), nullable=False),
        sa.Column("processed", sa.BigInteger(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("ended_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("banana", "run_id", name="pk_civic_syncs"),
    )
    op.create_table(
        "civic_watches",
        sa.Column("watch_id", sa.Text(), nullable=False),
        sa.Column("words", sa.JSON(), nullable=False),
        sa.Column("matter_id", sa.Text(), nullable=True),
        sa.Column("banana", sa.Text(), nullable=True),
        sa.Column("topic", sa.Text(), nullable=True),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("added_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("watch_id", name="pk_civic_watches"),
    )
    op.create_table(
        "civic_watch_hits",
        sa.Column("watch_id", sa.Text(), nullable=False),
        sa.Column("subject_key", sa.Text(), nullable=False),
        sa.Column("subject_id", sa.Text(), nullable=False),
        sa.Column("news", sa.Text(), nullable=False),
        sa.Column("report_id", sa.Text(), nullable=False),
        sa.Column("reported_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("watch_id", "subject_key", "news", name="pk_civic_watch_hits"),
    )
    op.create_index("ix_civic_watch_hits_report_id", "civic_watch_hits", ["report_id"])
    op.create_index("ix_civic_syncs_banana_ended_ms", "civic_syncs", ["banana", "ended_ms"])
    forbid_delete(
        op.get_bind(),
        [
            "civic_cities",
            "civic_meetings",
            "civic_items",
            "civic_matters",
            "civic_appearances",
            "civic_papers",
            "civic_votes",
            "civic_members",
            "civic_motions",
            "civic_access",
            "civic_packet_parts",
            "civic_summaries",
            "civic_questions",
            "civic_syncs",
            "civic_watches",
            "civic_watch_hits",
        ],
    )
