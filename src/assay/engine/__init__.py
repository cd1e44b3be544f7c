"""The engine: stages under contract, on queues that lose nothing."""
