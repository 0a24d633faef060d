"""Everything a worker sees and does."""
