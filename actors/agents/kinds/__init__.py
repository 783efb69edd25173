"""The kinds of subagents that the program starts itself, one per module."""
