"""Who does it: the runtime that runs actors, and the actors; imports nothing of the shell."""
