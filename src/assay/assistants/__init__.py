"""Assay for assistants: tools that look something up, over the Model Context Protocol (MCP)."""
