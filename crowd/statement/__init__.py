"""The worker's own page: every assignment, what it earned and why, and appeals."""
