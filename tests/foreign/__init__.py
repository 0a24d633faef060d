"""Other people's programs against the marketplace, unmodified, each in an environment of its own."""
