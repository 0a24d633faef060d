"""The association game on the web: players without pay, on a host of its own."""
