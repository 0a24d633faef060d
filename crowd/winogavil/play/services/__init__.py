"""What players do, and what is done for them. Lock order: the player first, then as everywhere."""
