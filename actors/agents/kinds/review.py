"""The `review` kind: reviews changes and reports findings."""

from actors.agents.definition.definition import Definition

REVIEW_PROMPT = """\
You review changes to code and report what is wrong with them. Read as much of the code around a \
change as you need, and run only read-only commands.
"""
REVIEW = Definition(
    name="review",
    description="Reviews changes and reports findings.",
    system_prompt=REVIEW_PROMPT,
    mode="subagent",
    tools=("read", "ls", "glob", "grep", "bash"),
    read_only=True,
)
