"""Pages of what staff are told: each person's own choices, and a study's address for a chat."""
