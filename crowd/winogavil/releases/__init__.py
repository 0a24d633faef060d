"""Results of a study: its statistics, its releases, and what models make of them."""
