"""The child process that loads eval files and runs their bodies. Standard library only."""
