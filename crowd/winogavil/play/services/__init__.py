"""Services for players. Lock order: the player first, then as everywhere."""
