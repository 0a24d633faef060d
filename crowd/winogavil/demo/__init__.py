"""Demo of the association game: spymasters, the rival, solvers, selection, and a run of bonuses."""
