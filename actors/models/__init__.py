"""Model clients: any Messages API server through the SDK, and the scripted model."""
