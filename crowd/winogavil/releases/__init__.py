"""What a study found out: its statistics, its releases, and what models make of them."""
