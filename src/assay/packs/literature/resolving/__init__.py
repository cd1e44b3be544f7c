"""Finding out which work a reference means: requests to services, and what they answer."""
