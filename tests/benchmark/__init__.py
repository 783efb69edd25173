"""How fast it is, as ratios to what the bare parts reach in the same run.

`python -m tests.benchmark` prints every row; `--write` puts the table into its README.md.
`python -m tests.benchmark ROW --profile` runs one row under a profiler. Nothing here is a test.
"""
