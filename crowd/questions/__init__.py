"""Question pages of fixed entries, for any task family: faults are named, and nothing typed is lost."""
