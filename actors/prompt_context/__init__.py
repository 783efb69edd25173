"""What accompanies a prompt: the environment, and the files that the user mentions with `@`."""
