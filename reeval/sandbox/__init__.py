"""One attempt's machine: the interface, the local provider, the workspace's snapshot and diff."""
