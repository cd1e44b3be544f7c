"""Workbooks: XLSX, XLSM, XLSB, XLS and ODS."""
