"""How much each program of the substrate's rows does."""

TELLS, ASKS, MANY, CROWD = 50_000, 5_000, 1_000, 10_000
BREADTH, DEPTH = 10, 3
"""Of a tree: below the first agent 10, 100 and 1,000 more."""
TREE = sum(BREADTH**level for level in range(DEPTH + 1))
