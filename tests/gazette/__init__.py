"""A made-up gazette that never ends, for tests and benches."""
