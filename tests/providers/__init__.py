"""Model servers on loopback that speak the vendors' dialects and misbehave as told."""
