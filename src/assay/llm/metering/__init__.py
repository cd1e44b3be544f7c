"""What is counted and measured of model calls, for Prometheus and OpenTelemetry."""
