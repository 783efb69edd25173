"""Benchmarks, as ratios to a baseline measured in the same run.

`python -m tests.benchmark` measures every row; `--write` also updates the table in README.md.
`python -m tests.benchmark ROW --profile` profiles one row. The package contains no tests.
"""
