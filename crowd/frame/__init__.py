"""The external question page: what a marketplace frames, the same for every task family."""
