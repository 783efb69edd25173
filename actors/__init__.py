"""Who does it: the runtime that runs actors, and the actors. Imports `messages` and nothing of the shell."""
