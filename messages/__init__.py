"""What is said: every message is a frozen value, and nothing here imports the other rooms."""
