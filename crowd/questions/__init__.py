"""Question pages of fixed entries, for any task family: what is wrong is said, and nothing typed is lost."""
