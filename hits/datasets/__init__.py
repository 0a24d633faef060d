"""Data sets as files. Writing holds no more than some hundred rows in memory."""
