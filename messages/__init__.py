"""The protocol: every message is a frozen value. Imports none of our other packages."""
