"""Agents in processes of their own: the link to a host process, and both of its ends."""
