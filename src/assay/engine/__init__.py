"""The engine: runs stages, each bound by a contract, from durable queues."""
