"""Compaction of a conversation: the ledger, the request for a summary, and its actor."""
