"""The association game for notebooks: its rules, what it shows, what was made of it, and its players."""
