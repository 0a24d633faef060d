"""The pipeline of an association: made, judged by the rival, final when its solvers have answered."""
