"""Results of a study's annotations."""
