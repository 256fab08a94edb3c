"""One module an agent: how to start, drive and read it."""
