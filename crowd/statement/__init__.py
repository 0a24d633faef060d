"""The worker's own page: every piece of work, what it earned and why, and a word with us about it."""
