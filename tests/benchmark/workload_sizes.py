"""Sizes that the actor benchmarks and their baselines share."""

TELL_COUNT, ASK_COUNT, ACTOR_COUNT, LARGE_ACTOR_COUNT = 50_000, 5_000, 1_000, 10_000
TREE_BREADTH, TREE_DEPTH = 10, 3
"""A tree with 10, 100 and 1,000 actors below its root."""
TREE_SIZE = sum(TREE_BREADTH**level for level in range(TREE_DEPTH + 1))
