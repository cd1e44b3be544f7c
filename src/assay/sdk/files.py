"""What a pack's exports use: whole files and folders, and cells that a spreadsheet may open."""

from assay.ruling.release.exports.csv_table import format_csv_cell
from assay.store.snapshots import replace_snapshot, write_folder

__all__ = ["format_csv_cell", "replace_snapshot", "write_folder"]
