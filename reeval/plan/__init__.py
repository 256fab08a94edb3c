"""What a run will do, as immutable data: discovery, selection, cells and fingerprints."""
