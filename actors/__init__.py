"""The actors and the runtime that runs them. Imports nothing from the shell; see `README.md`."""
