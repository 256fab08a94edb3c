"""One module a command, thin: parse, call, print, exit code."""
