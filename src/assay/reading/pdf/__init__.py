"""PDF: text with its pages, marks and tables; and pages as images."""
