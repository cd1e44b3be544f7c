"""Workbooks: XLSX, XLSM, XLSB, XLS and ODS."""

from assay.reading.sheets.reader import read_sheets

__all__ = ["read_sheets"]
