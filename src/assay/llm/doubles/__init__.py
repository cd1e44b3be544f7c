"""Models that do as they are told, for tests: in the process, and over HTTP."""
