"""The tables of the paper for a study, counted exactly, in two passes, whatever its size."""
