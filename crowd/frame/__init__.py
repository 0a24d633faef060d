"""The external question page, which a marketplace frames, the same for every task family."""
