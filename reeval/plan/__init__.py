"""Discovery, selection, the matrix of cells and fingerprints: what a run will do, as immutable data."""
