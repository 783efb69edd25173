"""Confines commands with the operating system: what a command does, not what its text says."""
