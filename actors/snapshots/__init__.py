"""Snapshots of the workspace before and after each turn, and how changes are undone."""
