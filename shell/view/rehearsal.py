"""What people are told where a script plays the model's part."""

SCRIPTED_MODEL_NOTICE = (
    "Rehearsal: no model is at work here, a script plays its part. "
    "Set ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL for a real one."
)
